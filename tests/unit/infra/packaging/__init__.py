"""Tests of `infra/packaging`."""
