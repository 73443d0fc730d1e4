"""Tests of `infra/cli`."""
