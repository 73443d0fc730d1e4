"""How single values are written: a pattern, a format name or a path in, its parts out; imports nothing of dropgate."""
