"""Tests of `infra/cli/output`."""
