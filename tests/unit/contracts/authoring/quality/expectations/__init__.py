"""Tests of `contracts/authoring/quality`."""
