"""Tests of `spark_jobs/formats`."""
