"""The logs of functions and job for files full of marked values: names and ids, and never a value."""

from __future__ import annotations

import gzip
import io
import json
import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from functions.aws import items
from functions.drop import Drop
from functions.handlers.runtime import logger
from infra.setup.spark.session import LOG
from spark_jobs.spark.jvm import java_class
from tests.builders import a_drop
from tests.e2e.cases import HEADER, THINGS
from tests.e2e.conftest import MARK, World

NUMBER = "7017710717"
DAY = "2971-07-17"
MARKS = (MARK, NUMBER, DAY)
"""What cells hold: no key, id, size or time of ours looks like one of them."""

M, N, D = MARK.encode(), NUMBER.encode(), DAY.encode()
GOOD = HEADER + b"%b,%b,%b.5,%b\n" % (N, M, N, D)
STRICT = b"id,word,mail,amount,small,fine,day,at,clock,%b\n" % M
STRICT += b"%b,%b,%b,%b,%b,%b,%b,%b,%b,%b\n" % (N, M, M, N, N, M, D, M, M, M)
STRICT += b"%b,%b,%b@%b.org,%b.1,%b,true,%b,%bT00:00:00Z,%b,\n" % (N, M, M, M, N, N, D, D, D)
STRICT += b"x%b, ,,,,,x%b,,,\n" % (N, D)
LINES = b'{"id": %b, "name": "%b", "amount": %b.5, "day": "%b"}\n' % (N, M, N, D)
FILES: dict[str, tuple[bytes, str]] = {
    "orders/logs-bytes.csv": (HEADER + b"%b,%b\xe9,1,\n" % (N, M), "rejected"),
    "orders/logs-header.csv": (b"id,%b,amount,day,%b,%b\n1,%b,1,,,\n" % (M, N, N, M), "rejected"),
    "orders/logs-semicolon.csv": (GOOD.replace(b",", b";"), "rejected"),
    "strict/logs.csv.gz": (gzip.compress(STRICT), "rejected"),
    "strict/logs-quote.csv.gz": (gzip.compress(STRICT + b'%b,"%b,1,\n' % (N, M)), "rejected"),
    "strict/logs-nul.csv.gz": (gzip.compress(STRICT + b"%b,%b\x00,1,\n%b\n" % (N, M, M)), "rejected"),
    "bare/logs.csv": (GOOD, "rejected"),
    "events/logs-good.jsonl": (LINES, "accepted"),
    "events/logs-broken.jsonl": (LINES + b'{"id": %b\n["%b"]\n{"id": {"%b": %b}}\n%b\n' % (N, M, M, N, M), "rejected"),
    "events/logs-key.jsonl": (b'{"id": %b, "%b": "%b"}\n' % (N, M, M), "rejected"),
    "packed/logs-short.csv.gz": (gzip.compress(GOOD * 99, 0)[:-99], "rejected"),
    "things/logs-text.parquet": (GOOD, "rejected"),
    "things/logs-damaged.parquet": (THINGS[:20] + M * 16 + THINGS[20 + 16 * len(M) :], "rejected"),
    "logs/unknown.csv": (GOOD, "unmatched"),
    "crash/logs.csv": (GOOD, "failed"),
    "spoil/logs.csv": (GOOD, "failed"),
}
"""Each file by its key, and how it ends."""

MALFORMED = {
    "ObjectCreatedFunction": (
        MARK,
        json.dumps(MARK),
        json.dumps({"detail": MARK}),
        json.dumps({"detail": {"bucket": {"name": "elsewhere"}, "object": {"key": MARK}}}),
        json.dumps({"detail": {"bucket": {"name": "elsewhere"}, "object": {"key": [MARK], "version-id": {MARK: 1}}}}),
    ),
    "BatchDueFunction": (
        MARK,
        json.dumps({"plan": [MARK], "opened_at": "", "due_at": ""}),
        json.dumps({"plan": 1, "opened_at": MARK, "due_at": MARK}),
    ),
    "JobStateChangedFunction": (MARK, json.dumps({"detail": {"state": MARK}}), json.dumps({"detail": [MARK]})),
}
"""Bodies of messages that no service sends, by the function that is given them."""


@dataclass(frozen=True)
class LoggedRun:
    """The logged lines: those of the functions, of the rest of this process, and of the JVM."""

    functions: str
    process: str
    job: str
    drops: dict[str, Drop]

    def lines(self, message: str) -> list[dict[str, Any]]:
        """The functions' lines with that message."""
        return [line for line in map(json.loads, self.functions.splitlines()) if line["message"] == message]


@contextmanager
def listening(spark: SparkSession) -> Iterator[tuple[io.StringIO, io.StringIO]]:
    """Catch what functions log as on AWS (INFO), and all else: other loggers, warnings, prints, Spark at INFO."""
    log: Any = logger  # a stand-in for a logger of the standard library, which its types do not say
    handlers, level = [handler for handler in log.handlers if hasattr(handler, "setStream")], log.level
    functions, process = io.StringIO(), io.StringIO()
    others, root = logging.StreamHandler(process), logging.getLogger()
    configurator = java_class(spark, "org.apache.logging.log4j.core.config.Configurator")
    levels = java_class(spark, "org.apache.logging.log4j.Level")
    before = root.level
    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(process))
        stack.enter_context(redirect_stderr(process))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        stack.callback(logging.captureWarnings, False)
        for ours in handlers:  # the first is the function's own, others are of those who run the tests
            stack.callback(ours.setStream, ours.setStream(functions if ours is handlers[0] else process))
        log.setLevel("INFO")
        stack.callback(log.setLevel, level)
        root.addHandler(others)
        stack.callback(root.removeHandler, others)
        root.setLevel("INFO")
        stack.callback(root.setLevel, before)
        configurator.setRootLevel(levels.INFO)
        stack.callback(configurator.setRootLevel, levels.ERROR)
        yield functions, process


def parquet(spark: SparkSession, folder: Path) -> bytes:
    """A Parquet file whose columns are of other types than agreed, and one more."""
    row = spark.sql(f"SELECT '{MARK}' AS id, {NUMBER} AS name, '{DAY}' AS day, '{MARK}' AS {MARK}")
    row.coalesce(1).write.parquet(str(folder / "marked"))
    (part,) = (folder / "marked").glob("part-*.parquet")
    return part.read_bytes()


def misread(world: World) -> None:
    """Leave an item in the ledger that no version has written, for the schedule to find."""
    item = items.drop_item(a_drop(id="q" * 32, header_line=MARK)) | {"rows": [MARK], "name": [MARK]}
    table, client = world.embedded.stack.names["LedgerTable"], world.embedded.client("dynamodb")
    client.put_item(TableName=table, Item=items.dumps(item))
    world.embedded.pump._invoke("ScheduleFunction", {})
    client.delete_item(TableName=table, Key=items.key(*items.drop_key("q" * 32)))


@pytest.fixture(scope="module")
def logged(world: World, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> LoggedRun:
    """Everything that was logged while the files went through and the functions were given what they cannot read."""
    files = {key: body for key, (body, _) in FILES.items()}
    files["things/logs-types.parquet"] = parquet(spark, tmp_path_factory.mktemp("logs"))
    begin = LOG.stat().st_size
    with listening(spark) as (functions, process):
        ids = {key: world.upload(key, body) for key, body in files.items()}
        for function, bodies in MALFORMED.items():
            records = [{"messageId": f"m{n}", "body": body, "eventSource": "aws:sqs"} for n, body in enumerate(bodies)]
            answer = world.embedded.pump._invoke(function, {"Records": records})
            assert len(answer["batchItemFailures"]) == len(bodies)
        misread(world)
        drops = {key: world.settled(drop_id) for key, drop_id in ids.items()}
        assert world.embedded.settle(180)
    with LOG.open(encoding="utf-8", errors="replace") as log:
        log.seek(begin)
        return LoggedRun(functions.getvalue(), process.getvalue(), log.read(), drops)


def leaks(text: str) -> list[str]:
    """The lines that hold a marked value."""
    return [line for line in text.splitlines() if any(mark in line for mark in MARKS)]


def test_files_end_as_they_deserve(logged: LoggedRun) -> None:
    ended = {key: drop.state for key, drop in logged.drops.items() if key in FILES}
    assert ended == {key: state for key, (_, state) in FILES.items()}
    assert logged.drops["things/logs-types.parquet"].state == "rejected"
    codes = {p.code for p in logged.drops["strict/logs.csv.gz"].problems}
    assert len(codes) >= 5, codes


def test_functions_log_no_value_of_a_file(logged: LoggedRun) -> None:
    assert leaks(logged.functions) == []


def test_nothing_else_in_the_process_tells_a_value(logged: LoggedRun) -> None:
    assert leaks(logged.process) == []


def test_job_logs_no_value_of_a_file(logged: LoggedRun) -> None:
    assert "INFO" in logged.job, "Spark's own lines are there"
    assert leaks(logged.job) == []


def test_every_line_of_a_function_is_json_with_its_ids(logged: LoggedRun) -> None:
    assert {line["drop"] for line in logged.lines("object taken")} >= {drop.id for drop in logged.drops.values()}
    batches = {drop.batch for drop in logged.drops.values() if drop.batch}
    assert {line["batch"] for line in logged.lines("batch under way")} >= batches
    settled = logged.lines("job settled")
    assert {line["batch"] for line in settled} >= batches
    assert all(line["run"] for line in settled)


def test_failures_are_told_with_their_traces(logged: LoggedRun) -> None:
    failures = logged.lines("Record processing exception; skipping this record")
    assert len(failures) >= sum(map(len, MALFORMED.values()))
    assert all("Traceback" in line["exception"] for line in failures)
    assert [line["what"] for line in logged.lines("not continued now") if "q" * 32 in line["what"]]


def test_a_leak_would_be_noticed() -> None:
    assert leaks(f'{{"message": "fine"}}\n{{"exception": "no {MARK}"}}') == [f'{{"exception": "no {MARK}"}}']
    assert not re.search("|".join(MARKS), "".join(FILES))
