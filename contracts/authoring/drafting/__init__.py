"""A first contract out of sample files: what was seen of them in, an ODCS document full of proposals out."""
