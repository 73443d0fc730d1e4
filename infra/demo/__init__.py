"""`dropgate demo`: real files on their way, and how each of them ends."""
