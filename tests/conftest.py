"""The one Spark session of a test run, the ring of each test, and what a run says at its end."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings
from pyspark.sql import SparkSession

from infra.setup.session import local_session
from tests import rings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
os.environ["COLUMNS"] = "100"
"""What is printed is as wide on every machine."""
SPARK = "spark"
"""The group of tests that one worker runs: they share a JVM."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local Spark as the command line starts it."""
    session = local_session("dropgate-tests", s3_endpoint="http://127.0.0.1:9", brief=True)  # led on by who needs S3
    yield session
    session.stop()


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what `-m` does not name
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its ring; let one worker run all tests of Spark, and another the rest of `make test`."""
    proofs = "proofs" in str(config.option.markexpr).replace("not proofs", "")
    for item in items:
        if part := rings.part_of(item.nodeid):
            item.add_marker("proofs")
            item.add_marker(f"proofs_{part}")
        elif rings.is_quick(item.nodeid):
            item.add_marker("quick")
        module = item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(SPARK if _needs_spark(item) and not proofs else module))
    items.sort(key=lambda item: not _needs_spark(item))  # the longest work begins first


def _needs_spark(item: pytest.Item) -> bool:
    return "spark" in getattr(item, "fixturenames", ())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how far the proofs have gone: what tests recorded as numbers, by its name, in all; texts as they are."""
    seconds: defaultdict[str, float] = defaultdict(float)
    numbers: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[rings.area_of(report.nodeid)] += report.duration
                numbers[rings.area_of(report.nodeid)] += report.when == "call"
    for area in sorted(seconds):
        terminalreporter.write_line(f"{area:<22} {numbers[area]:>6,} tests {seconds[area]:>8,.0f} s")
    counted: Counter[str] = Counter()
    for report in (*terminalreporter.stats.get("passed", ()), *terminalreporter.stats.get("failed", ())):
        counted.update({name: value for name, value in report.user_properties if isinstance(value, int)})
        for name, value in report.user_properties:
            if isinstance(value, str):
                terminalreporter.write_line(f"{name}: {value}")
    for name, number in counted.items():
        terminalreporter.write_line(f"{number:,} {name}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """End with one plain line, after all that pytest says: how many passed, and how many did not, errors among them."""
    answer = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if isinstance(reporter, pytest.TerminalReporter):  # a worker of xdist has none
        passed, failed, errors = (len(reporter.stats.get(kind, ())) for kind in ("passed", "failed", "error"))
        reporter.write_line(f"{passed} passed, {failed + errors} failed")
    return answer
