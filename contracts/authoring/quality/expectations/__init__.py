"""Expectations of Great Expectations in an ODCS document in, rules out; imports what the folder above it may."""
