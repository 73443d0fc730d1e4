"""A batch of files in, judged records and counts out; imports spark, rules, formats and prefilter."""
