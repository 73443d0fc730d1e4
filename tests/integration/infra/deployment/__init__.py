"""Tests of `infra/deployment`."""
