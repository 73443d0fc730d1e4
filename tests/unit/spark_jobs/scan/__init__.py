"""Tests of `spark_jobs/scan`."""
