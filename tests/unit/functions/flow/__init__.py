"""Tests of `functions/flow`."""
