"""Tests of `contracts/authoring/document`."""
