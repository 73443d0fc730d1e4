"""The first bytes of a file (Parquet: the last) and its plan in, its header or a problem out; pure."""
