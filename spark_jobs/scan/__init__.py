"""A batch of files in, judged records and counts out; imports spark, counting, rules, formats and prefilter."""
