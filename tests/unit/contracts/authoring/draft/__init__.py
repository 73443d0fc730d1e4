"""Tests of `contracts/authoring/draft`."""
