"""Tests of `contracts/authoring/patterns`."""
