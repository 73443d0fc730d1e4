"""Tests of `infra/local/s3`."""
