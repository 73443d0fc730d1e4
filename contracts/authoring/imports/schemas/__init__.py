"""Schemas of records in, ODCS documents out; imports only what `imports` may import."""
