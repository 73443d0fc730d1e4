"""Tests of `spark_jobs/spark`."""
