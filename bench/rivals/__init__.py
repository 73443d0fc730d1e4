"""The rivals: each runs in an environment of its own and imports nothing of dropgate."""
