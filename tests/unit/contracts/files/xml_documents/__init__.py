"""Tests of `contracts/files`."""
