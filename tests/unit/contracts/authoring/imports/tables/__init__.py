"""Tests of `contracts/authoring/imports/tables`."""
