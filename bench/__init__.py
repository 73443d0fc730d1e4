"""Figures, taken by hand: `make bench`."""
