"""Drops of any form in, the same as files of lines in scratch or a problem out; imports spark and formats."""
