"""Counts of a file's lines in, the result of its drop out; knows no Spark, so that a function may import it."""
