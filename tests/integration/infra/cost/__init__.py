"""Tests of `infra/cost`."""
