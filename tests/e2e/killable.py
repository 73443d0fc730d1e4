"""A stack whose processes are started, killed and started again; what it holds, read through the real ports."""

from __future__ import annotations

import os
import pickle
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any, Self

import boto3
from botocore.config import Config

from functions.aws.clients import Clients, ports_from
from functions.ports import Ports
from infra.local.template.stack import Stack
from tests.e2e.processes import APPLICATION

KEY = "dropgate"
READY = 120.0
"""Seconds that a process may take until it is at work."""


def free_port() -> int:
    """A port that nobody listens at, and that no connection is given while its owner is dead."""
    while True:
        port = random.randrange(20_000, 32_000)  # Linux gives connections those from 32768 on
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


class Reaching(boto3.Session):
    """Credentials and endpoints of a stack in other processes.

    They are not put into the environment of this process: the functions of a stack that runs here would follow them.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(KEY, KEY, region_name="us-east-1")
        self._environment = environment

    def client(self, service_name: str, **more: Any) -> Any:  # type: ignore[override]
        variable = "AWS_ENDPOINT_URL_EMR_SERVERLESS" if service_name == "emr-serverless" else "AWS_ENDPOINT_URL"
        return super().client(service_name, endpoint_url=self._environment[variable], **more)  # type: ignore[call-overload]


class Killable:
    """Processes of one folder; `over` is set when they are gone for good."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places = free_port(), free_port()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.over = Event()
        at = [f"http://127.0.0.1:{port}" for port in self.places]
        self.environment = {
            "AWS_ENDPOINT_URL": at[0],
            "AWS_ENDPOINT_URL_EMR_SERVERLESS": at[1],
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": KEY,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_REGION": "us-east-1",
            "DROPGATE_PATIENCE_SECONDS": "2",
            "POWERTOOLS_METRICS_DISABLED": "true",
            "POWERTOOLS_LOG_LEVEL": "WARNING",
        }

    def __enter__(self) -> Self:
        self.start("stack")
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for name in list(self.processes):
            with suppress(ProcessLookupError):
                self.kill(name)

    def start(self, name: str) -> None:
        """Start a process, and wait until it is at work; what it says goes into a file, so that nobody need read it."""
        places = [str(port) for port in self.places] if name == "stack" else []
        ready, log_path = self.folder.parent / f"{name}.ready", self.folder.parent / f"{name}.log"
        ready.unlink(missing_ok=True)
        command = [sys.executable, "-m", "tests.e2e.processes", name, str(self.folder), str(ready), *places]
        with log_path.open("a") as log:
            # A group of its own, so that a job dies with the stack that runs it; and nothing of another stack's, which
            # the tests of this process may have in their environment.
            others = {n: v for n, v in os.environ.items() if not n.startswith(("AWS_", "DROPGATE_", "POWERTOOLS_"))}
            own: dict[str, Any] = {"env": others | self.environment, "process_group": 0}
            process = self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, **own)
        at_work = self.until(lambda: ready.exists() or process.poll() is not None, READY)
        assert at_work, f"{name} is not at work after {READY} s"
        assert process.poll() is None, log_path.read_text()[-2000:]

    def kill(self, name: str) -> bool:
        """Kill a process and what it has started, as `kill -9` does; whether it was alive."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def kill_job(self) -> bool:
        """Kill a run of the job; whether one was at work."""
        for task in Path(f"/proc/{self.processes['stack'].pid}/task").glob("*/children"):
            with suppress(FileNotFoundError, ProcessLookupError):  # each may be over by now
                for child in task.read_text().split():
                    alive = Path(f"/proc/{child}/cmdline").read_bytes() != b""  # of who is dead, it is empty
                    os.kill(int(child), signal.SIGKILL)
                    if alive:
                        return True
        return False

    def runs(self) -> list[Any]:
        """All runs of jobs that there ever were, as EMR Serverless lists them."""
        emr = self.session().client("emr-serverless")
        pages = emr.get_paginator("list_job_runs").paginate(applicationId=APPLICATION)
        return [run for page in pages for run in page["jobRuns"]]

    @property
    def stack(self) -> Stack:
        """Return the deployed stack."""
        made: Stack = pickle.loads((self.folder / "stack").read_bytes())  # noqa: S301 (our own file)
        return made

    def session(self) -> Any:
        """Credentials; a session is one thread's."""
        return Reaching(self.environment)

    def client(self, service: str) -> Any:
        """A client of the stack that asks once."""
        once = Config(retries={"mode": "standard", "total_max_attempts": 1}, s3={"addressing_style": "path"})
        return self.session().client(service, config=once)

    def ports(self) -> Ports:
        """The world as functions see it."""
        variables = dict(self.stack.functions["ScheduleFunction"].environment)
        clients = Clients(self.session())
        return ports_from({**variables, **self.environment}, clients)

    def until(self, reached: Callable[[], bool], seconds: float) -> bool:
        """Return True if a condition holds within some time."""
        end = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True
