"""Tests of `contracts/authoring/sql`."""
