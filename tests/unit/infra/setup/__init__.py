"""Tests of `infra/setup`."""
