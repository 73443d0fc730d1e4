"""Tests of `contracts/authoring/drop_block`."""
