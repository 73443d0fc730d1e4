"""Tests of `infra/local/iam`."""
