"""The types of Parquet columns for which Spark has no type: admission names them, the job reads them. Pure."""

from __future__ import annotations

CLOCKS = {"time_ms": "int", "time_us": "bigint", "time_ns": "bigint"}
"""TIME in milliseconds, microseconds and nanoseconds, and the type that Spark reads it as."""
NANOSECONDS = {"timestamp_ns": "bigint", "timestamp_ntz_ns": "bigint"}
"""TIMESTAMP in nanoseconds, of moments and of local times, and the type that Spark reads it as."""
STORED = CLOCKS | NANOSECONDS
FINE = "timestamp_int96"
"""TIMESTAMP in INT96; Spark drops digits finer than a microsecond, so the job checks that there are none."""
NULLS = "null "
"""Prefix of the type given to a column of nulls only, for which the file has no type; it is not read."""
