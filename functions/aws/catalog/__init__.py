"""The catalog zone as publishers write it: documents by name in, written on conditions; imports answers and keys."""
