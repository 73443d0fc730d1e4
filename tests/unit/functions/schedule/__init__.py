"""Tests of `functions/schedule`."""
