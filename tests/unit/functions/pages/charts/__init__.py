"""Tests of `functions.pages.charts`."""
