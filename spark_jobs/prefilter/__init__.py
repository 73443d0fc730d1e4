"""Files in; counts of lines that surely pass or fail, and other lines, out; imports spark, counting, rules, formats."""
