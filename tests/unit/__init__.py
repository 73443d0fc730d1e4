"""Tests of one part at a time, with fakes in place of services."""
