"""Checks of a plan in, Spark columns out; imports spark and counting."""
