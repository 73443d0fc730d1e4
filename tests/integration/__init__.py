"""Tests of an adapter with its emulated service, or of the job with a local Spark."""
