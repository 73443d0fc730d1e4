"""Tests of `infra/stack_admin`."""
