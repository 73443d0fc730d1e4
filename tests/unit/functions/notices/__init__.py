"""Tests of `functions/notices`."""
