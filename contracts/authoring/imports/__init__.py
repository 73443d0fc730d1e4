"""Contracts of other formats: their document in; ODCS 3.2, and the parts without an equivalent in it, out."""
