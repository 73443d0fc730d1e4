"""Tests of `infra/local/template`."""
