"""The one Spark session of a test run, what its proofs have counted, and how many of them passed and failed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings
from pyspark.sql import SparkSession

from infra.setup.session import local_session

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
os.environ["COLUMNS"] = "100"
"""What is printed is as wide on every machine."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local Spark as the command line starts it."""
    session = local_session("dropgate-tests", s3_endpoint="http://127.0.0.1:9", brief=True)  # led on by who needs S3
    yield session
    session.stop()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how far the proofs have gone: what tests recorded as numbers, by its name, in all; texts as they are."""
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
