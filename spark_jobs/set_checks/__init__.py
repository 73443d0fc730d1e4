"""Judged records in, results of checks over many records out; imports scan and its imports."""
