"""Tests of `spark_jobs/rules`."""
