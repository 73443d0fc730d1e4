"""Accepted files in, promoted objects, table commits and lineage out; imports admission, records and ports."""
