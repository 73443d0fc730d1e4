"""The types of Parquet columns for which Spark has no type of its own: named at the door, read by the job. Pure."""

from __future__ import annotations

CLOCKS = {"time_ms": "int", "time_us": "bigint", "time_ns": "bigint"}
"""TIME in milliseconds, microseconds and nanoseconds, and what Spark reads it as."""
NANOSECONDS = {"timestamp_ns": "bigint", "timestamp_ntz_ns": "bigint"}
"""TIMESTAMP in nanoseconds, of moments and of local times, and what Spark reads it as."""
STORED = CLOCKS | NANOSECONDS
FINE = "timestamp_int96"
"""TIMESTAMP in INT96, which Spark reads without what is finer than a microsecond: the job looks whether anything is."""
NULLS = "null "
"""Before the type that a column of nulls alone is given, of which the file has none: it is not read."""
