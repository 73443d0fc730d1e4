"""Loads in, calls, units and dollars out."""
