"""Tests of `functions/costs`."""
