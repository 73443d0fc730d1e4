"""Contracts of other formats brought in: a document of theirs in, ODCS 3.2 and what has no equivalent in it out."""
