"""Tests of `contracts/authoring/compiler`."""
