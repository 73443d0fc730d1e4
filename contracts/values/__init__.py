"""Formats of single values: a pattern, a format name or a path in, its parts out; imports nothing of dropgate."""
