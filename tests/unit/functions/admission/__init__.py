"""Tests of `functions/admission`."""
