"""Tests of `spark_jobs/counting`."""
