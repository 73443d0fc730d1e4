"""Patterns that lint accepts, in the engine that runs them: even texts made to delay it are fast."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from pyspark.sql import SparkSession

from contracts.authoring.patterns.regex import Java, PatternRefused, read
from tests.oracle import patterns
from tests.unit.contracts.authoring.patterns.public_patterns import PUBLIC

SLOWEST = 0.2
"""Seconds of one text on a slow machine, the quickest of `TIMES` runs; what lint refuses may take days."""
TIMES = 4
UNBOUNDED = 3_000
"""Characters of texts for patterns that have no bound."""
COMMON = (["a", "1", "-"], ["@", ".", " "], ["ab", "a.", "a "], ["0", ".0", "x"], ["A", "-A", "_"], ["/", "a/", "<"])


def _seconds(clock: Any, pattern: Any, text: str) -> float:
    """Return the least processor time of some runs, including the calls into the JVM."""
    quickest = float("inf")
    for _ in range(TIMES):
        begun = clock.getCurrentThreadCpuTime()
        pattern.matcher(text).find()
        quickest = min(quickest, (clock.getCurrentThreadCpuTime() - begun) / 1e9)
        if quickest < SLOWEST / 4:
            break
    return quickest


def _hold(jvm: Any, pattern: str, java: Java, pumps: list[str]) -> None:
    clock = jvm.java.lang.management.ManagementFactory.getThreadMXBean()
    compiled = jvm.java.util.regex.Pattern.compile(java.text)
    for text in patterns.attacks(pumps, java.longest or UNBOUNDED):
        seconds = _seconds(clock, compiled, text)
        assert seconds < SLOWEST, f"{pattern!r} takes {seconds:.2f} s for {len(text)} characters like {text[:12]!r}"


def _held(spark: SparkSession, most: int) -> int:
    """Test drawn patterns until enough of those that lint accepts were tested."""
    jvm: Any = spark.sparkContext._jvm
    accepted = 0

    @settings(max_examples=most * 4, database=None, suppress_health_check=list(HealthCheck))
    @seed(20_340)
    @given(patterns.DRAWN, patterns.PUMPS)
    def hold(pattern: str, pumps: list[str]) -> None:
        nonlocal accepted
        java = read(pattern)
        if accepted < most and not isinstance(java, PatternRefused):
            accepted += 1
            _hold(jvm, pattern, java, pumps)

    hold()
    return accepted


def test_drawn_patterns_that_lint_accepts_are_cheap(spark: SparkSession) -> None:
    assert _held(spark, 150) == 150


@pytest.mark.torture
def test_thousands_of_drawn_patterns_are_cheap(spark: SparkSession) -> None:
    assert _held(spark, 2_500) == 2_500


@pytest.mark.parametrize("pumps", COMMON)
def test_patterns_of_addresses_are_cheap(spark: SparkSession, pumps: list[str]) -> None:
    for pattern in patterns.ADDRESSES[::29]:
        java = read(pattern)
        assert isinstance(java, Java)
        _hold(spark.sparkContext._jvm, pattern, java, pumps)


@pytest.mark.parametrize("pumps", COMMON)
def test_public_patterns_that_lint_accepts_are_cheap(spark: SparkSession, pumps: list[str]) -> None:
    for pattern in PUBLIC:
        java = read(pattern)
        if isinstance(java, Java):
            _hold(spark.sparkContext._jvm, pattern, java, pumps)
