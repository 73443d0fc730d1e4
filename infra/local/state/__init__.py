"""The embedded cloud's state: written to a file and read back, or exported to a folder."""
