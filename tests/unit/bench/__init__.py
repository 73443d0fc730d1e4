"""Tests of the measurements that need no Spark."""
