"""Tests of `spark_jobs/set_checks`."""
