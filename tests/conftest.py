"""The one Spark session of a test run, the ring of each test, and what a run says at its end."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings
from pyspark.sql import SparkSession
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from infra.setup.spark.session import local_session
from tests import rings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
os.environ["COLUMNS"] = "100"
"""What is printed is as wide on every machine."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local Spark as the command line starts it."""
    # Whoever needs S3 leads it on. The run is one JVM for hundreds of jobs, some of lines of 30 MB.
    session = local_session("dropgate-tests", s3_endpoint="http://127.0.0.1:9", memory="5g", brief=True)
    yield session
    session.stop()


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what `-m` does not name
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test with its ring, and bring all into the order in which workers take them."""
    items.sort(key=lambda item: rings.turn_of(item.nodeid))
    for item in items:
        if part := rings.part_of(item.nodeid):
            item.add_marker("proofs")
            item.add_marker(f"proofs_{part}")
        elif rings.is_quick(item.nodeid):
            item.add_marker("quick")


class Scopes(LoadScopeScheduling):
    """Hands whole modules to workers, the longest first; in `make test` all of the flow and all other Spark as one."""

    def _split_scope(self, nodeid: str) -> str:
        return rings.scope_of(nodeid, proofs="not proofs" not in str(self.config.option.markexpr))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scopes:
    """Return what parts tests among workers; xdist's own groups by a mark do nothing under pytest 9."""
    config.option.loadscopereorder = False  # it would put first the scopes of the most tests, which are the shortest
    return Scopes(config, log)


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
