"""Tests of `functions/operations`."""
