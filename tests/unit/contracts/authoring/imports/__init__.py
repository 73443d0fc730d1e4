"""Tests of `contracts/authoring/imports`."""
