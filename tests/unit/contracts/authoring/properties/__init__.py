"""Tests of `contracts/authoring/properties`."""
