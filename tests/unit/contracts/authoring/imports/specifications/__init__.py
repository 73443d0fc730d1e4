"""Tests of `contracts/authoring/imports/specifications`."""
