"""Tests of `infra/cli/options`."""
