"""Tests of `contracts/authoring/exports`."""
