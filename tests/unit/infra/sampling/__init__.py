"""Tests of `infra/sampling`."""
