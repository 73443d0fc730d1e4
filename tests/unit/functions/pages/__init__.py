"""Tests of `functions.pages`."""
