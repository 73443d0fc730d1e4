"""`dropgate up --state` as people run it: stopped and killed with jobs queued and at work, and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config

from functions import keys
from functions.aws.clients import Clients, ports_from
from functions.drop import Drop
from tests.e2e.killable import Reaching

CONTRACT = """\
apiVersion: v3.2.0
kind: DataContract
id: {id}
version: 1.0.0
status: active
schema:
  - name: {id}
    logicalType: object
    properties:
      - {{name: id, logicalType: integer, required: true}}
customProperties:
  - property: drop
    vendor: dropgate
    value: {{files: "{id}/*", columns: {{extra: ignore}}, producer: {id}, format: {form}}}
"""
SMALL = "512m"
"""A heap of the JVM in which Spark just starts."""
LARGE = b'{"id": 1, "more": "' + b"x" * (100 << 20) + b'"}\n'
"""A record that the door lets in, and that heap has no room for."""
LANDING = "dropgate-landing"
PATIENCE = 180.0
"""Seconds in which something must happen."""


@dataclass
class Up:
    """The command in a folder of its own; `drops` are the ids of what was sent."""

    folder: Path
    options: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    drops: list[str] = field(default_factory=list)

    @property
    def log(self) -> Path:
        """The file with what the command prints."""
        return self.folder / "up.log"

    def start(self) -> None:
        """Start it, and wait until it takes uploads."""
        words = ["up", "--state", "state", "--contracts", "contracts", *self.options]
        with self.log.open("ab") as log:
            command = [sys.executable, "-c", "from infra.cli.main import run; run()", *words]
            others = {n: v for n, v in os.environ.items() if not n.startswith(("AWS_", "DROPGATE_", "POWERTOOLS_"))}
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=others)
        until(self.place.is_file, self.log)

    def end(self, by: signal.Signals) -> int:
        """End it by a signal; its exit code."""
        assert self.process
        self.process.send_signal(by)
        code = self.process.wait(PATIENCE)
        self.place.unlink(missing_ok=True)
        return code

    @property
    def place(self) -> Path:
        """The file that says how to reach it."""
        return self.folder / ".dropgate" / "up.json"

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that a process needs to reach the stack."""
        return dict(json.loads(self.place.read_text())["environment"])

    def client(self, service: str) -> Any:
        """A client of it."""
        return Reaching(self.environment).client(service, config=Config(s3={"addressing_style": "path"}))

    def send(self, *names: str, body: bytes = b"id\n1\n") -> None:
        """Upload files."""
        for name in names:
            version = self.client("s3").put_object(Bucket=LANDING, Key=name, Body=body)["VersionId"]
            self.drops.append(keys.drop_id(LANDING, name, version))

    def states(self) -> list[str]:
        """The states of all job runs, the oldest first."""
        emr = self.client("emr-serverless")
        pages = emr.get_paginator("list_job_runs").paginate(applicationId="00dropgate000001")
        return [run["state"] for page in pages for run in page["jobRuns"]][::-1]

    def sent(self) -> tuple[Drop, ...]:
        """The drops of what was sent, as they stand."""
        return ports_from(self.environment, Clients(Reaching(self.environment))).ledger.drops(self.drops)

    def come_to_rest(self, patience: float = PATIENCE) -> list[str]:
        """Wait until all that was sent has ended; how it ended."""
        until(lambda: sum(not drop.in_flight for drop in self.sent()) == len(self.drops), self.log, patience)
        return sorted(drop.state for drop in self.sent())


def until(reached: Callable[[], bool], log: Path, patience: float = PATIENCE) -> None:
    """Wait for something; what the command printed is shown where it does not happen."""
    end = time.monotonic() + patience
    while not reached():
        assert time.monotonic() < end, log.read_text()[-3000:]
        time.sleep(0.05)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    """The command, running."""
    with running(Up(tmp_path)) as command:
        yield command


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Up]:
    """The command with a JVM of little memory."""
    with running(Up(tmp_path, ("--memory", SMALL))) as command:
        yield command


@contextmanager
def running(command: Up) -> Iterator[Up]:
    """Start the command with some contracts, and end it."""
    (command.folder / "contracts").mkdir()
    for name in ("orders", "parcels", "returns", "events"):
        text = CONTRACT.format(id=name, form="jsonl" if name == "events" else "csv")
        (command.folder / "contracts" / f"{name}.v1.yaml").write_text(text)
    command.start()
    yield command
    if command.process and command.process.poll() is None:
        command.process.kill()
        command.process.wait()


def test_jobs_at_work_and_queued_go_on_after_a_kill_and_a_stop(up: Up) -> None:
    up.send("orders/1.csv", "parcels/1.csv", "returns/1.csv")  # each in a job of its own; Spark still starts
    until(lambda: sorted(up.states()) == ["QUEUED", "QUEUED", "RUNNING"], up.log)
    assert up.end(signal.SIGKILL) == -signal.SIGKILL
    up.start()
    up.send("orders/2.csv")
    until(lambda: "RUNNING" in (states := up.states()) and "QUEUED" in states, up.log)
    assert up.end(signal.SIGTERM) == 0
    up.start()
    up.send("orders/3.csv")
    assert up.come_to_rest() == ["accepted"] * 5
    assert "Traceback" not in up.log.read_text()


def test_jvm_that_was_killed_is_started_again(up: Up) -> None:
    up.send("orders/1.csv")
    assert up.come_to_rest() == ["accepted"]
    jvm = java(up)
    os.kill(jvm, signal.SIGKILL)
    up.send("orders/2.csv", "parcels/1.csv")
    assert up.come_to_rest() == ["accepted"] * 3
    assert java(up) != jvm


def test_file_that_exhausts_the_memory_fails_alone(small: Up) -> None:
    small.send("orders/1.csv")
    assert small.come_to_rest() == ["accepted"]
    jvm = java(small)
    small.send("events/large.jsonl", body=LARGE)
    small.send("events/2.jsonl", body=b'{"id": 2}\n')
    small.send("orders/2.csv")
    assert small.come_to_rest(5 * PATIENCE) == ["accepted"] * 3 + ["failed"]
    (failed,) = (drop for drop in small.sent() if drop.state == "failed")
    assert (failed.name, [p.code for p in failed.problems]) == ("events/large.jsonl", ["job-killed"])
    assert "crashes on this file" in failed.problems[0].message
    assert small.log.read_text().count("Spark's JVM has ended; starting another one") >= 3
    assert not Path(f"/proc/{jvm}").exists()
    small.send("orders/3.csv")
    assert small.come_to_rest() == ["accepted"] * 4 + ["failed"]
    assert java(small) != jvm


def java(up: Up) -> int:
    """The process of Spark's JVM."""
    assert up.process
    for task in Path(f"/proc/{up.process.pid}/task").glob("*/children"):
        for child in task.read_text().split():
            if b"java" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[0]:
                return int(child)
    raise AssertionError(up.log.read_text())


def test_second_stack_of_a_folder_is_refused(up: Up) -> None:
    assert up.process
    other = called("up", cwd=up.folder)
    assert other.returncode == 2
    assert f"A stack of this folder is up already (process {up.process.pid}): stop that one" in other.stderr
    assert up.end(signal.SIGTERM) == 0
    up.start()  # a lock that nobody holds is in nobody's way


def test_port_that_is_in_use_is_refused(up: Up, tmp_path_factory: pytest.TempPathFactory) -> None:
    port = up.environment["AWS_ENDPOINT_URL"].rpartition(":")[2]
    other = called("up", "--port", port, "--contracts", str(up.folder), cwd=tmp_path_factory.mktemp("other"))
    assert other.returncode == 2
    assert f"Port {port} cannot be used: name another one with --port." in other.stderr


def called(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command of dropgate, until it ends."""
    command = [sys.executable, "-c", "from infra.cli.main import run; run()", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_test_that_is_ended_leaves_no_folder(tmp_path: Path) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    (tmp_path / "orders.v1.yaml").write_text(CONTRACT.format(id="orders", form="csv, lane: spark"))
    (tmp_path / "1.csv").write_text("id\n" + "1\n" * 2_000_000)
    words = ["test", "1.csv", "--contract", "orders.v1.yaml"]
    own = {"TMPDIR": str(place), "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={place} -XX:-UsePerfData"}
    with (tmp_path / "log").open("w") as log:
        command = [sys.executable, "-c", "from infra.cli.main import run; run()", *words]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log, env={**os.environ, **own})
    until(lambda: any(place.glob("dropgate-*/request.json")), tmp_path / "log")
    time.sleep(1)  # Spark is at work
    process.terminate()
    assert process.wait(PATIENCE) == 128 + signal.SIGTERM
    assert list(place.iterdir()) == []
    assert "Traceback" not in (tmp_path / "log").read_text()
