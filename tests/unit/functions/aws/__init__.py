"""Tests of `functions/aws`."""
