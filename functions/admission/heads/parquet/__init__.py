"""The last bytes of a Parquet file and its plan in, its columns or a problem out; imports the kernel. Pure."""
