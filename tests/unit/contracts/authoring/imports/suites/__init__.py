"""Tests of `contracts/authoring/imports/suites`."""
