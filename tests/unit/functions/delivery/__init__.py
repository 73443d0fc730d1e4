"""Tests of `functions/delivery`."""
