"""Tests of `functions/api`."""
