"""Tests of `functions/admission/heads`."""
