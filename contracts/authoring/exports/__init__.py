"""Contracts written in other formats: a contract and its plan in, text and what the format cannot say out."""
