"""Tests of `functions/records`."""
