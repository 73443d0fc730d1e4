"""Tests of `contracts/values`."""
