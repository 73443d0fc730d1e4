"""Tests of `contracts/authoring/imports/schemas`."""
