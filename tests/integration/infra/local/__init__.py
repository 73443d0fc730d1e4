"""Tests of `infra/local`."""
