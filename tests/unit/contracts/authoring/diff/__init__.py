"""Tests of `contracts/authoring/diff`."""
