"""Tests of `functions/promotion`."""
