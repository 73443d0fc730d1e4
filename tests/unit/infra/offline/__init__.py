"""Tests of `infra/offline`."""
