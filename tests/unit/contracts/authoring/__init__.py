"""Contracts read, checked and compiled: documents as text in, findings and plans looked at."""
