"""Tests of `spark_jobs/outputs`."""
