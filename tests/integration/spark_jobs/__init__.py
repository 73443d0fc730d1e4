"""Tests of the Spark job as a whole."""
