"""Tests of `contracts/terms`."""
