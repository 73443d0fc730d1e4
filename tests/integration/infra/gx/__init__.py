"""Tests of `infra/gx`."""
