"""Tests of `functions/doctor`."""
