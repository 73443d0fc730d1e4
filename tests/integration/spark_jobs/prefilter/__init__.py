"""Tests of `spark_jobs/prefilter`."""
