"""Tests of `functions/handlers`."""
