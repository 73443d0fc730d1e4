"""A stack whose processes are started, killed and started again; what it holds, read through the real ports."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import boto3
from botocore.config import Config

from functions.aws.clients import Clients, ports_from
from functions.ports import Ports
from infra.local.stack import Stack

KEY = "dropgate"


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Killable:
    """Processes of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places = free_port(), free_port()
        self.processes: dict[str, subprocess.Popen[str]] = {}
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
            "POWERTOOLS_LOG_LEVEL": "CRITICAL",
        }

    def __enter__(self) -> Self:
        self.start("stack")
        return self

    def __exit__(self, *_: object) -> None:
        for name in list(self.processes):
            self.kill(name)

    def start(self, name: str) -> None:
        """Start a process; of the stack wait until it answers."""
        places = [str(port) for port in self.places] if name == "stack" else []
        command = [sys.executable, "-m", "tests.e2e.processes", name, str(self.folder), *places]
        with (self.folder.parent / f"{name}.log").open("a") as log:
            # A group of its own, so that a job dies with the stack that runs it.
            own: dict[str, Any] = {"env": os.environ | self.environment, "process_group": 0, "text": True}
            self.processes[name] = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, **own)
        if name == "stack":
            out = self.processes[name].stdout
            assert out
            assert out.readline() == "ready\n", (self.folder.parent / "stack.log").read_text()[-2000:]

    def kill(self, name: str) -> None:
        """Kill a process and what it has started, as `kill -9` does."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def kill_job(self) -> None:
        """Kill a run of the job, if one is at work."""
        stack = Path(f"/proc/{self.processes['stack'].pid}/task")
        for child in " ".join(each.read_text() for each in stack.glob("*/children")).split():
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)

    @property
    def stack(self) -> Stack:
        """What is deployed."""
        made: Stack = pickle.loads((self.folder / "stack").read_bytes())  # noqa: S301 (our own file)
        return made

    def session(self) -> Any:
        """Credentials; a session is one thread's."""
        return boto3.Session(KEY, KEY, region_name="us-east-1")

    def client(self, service: str) -> Any:
        """A client of the stack that tries again while it is down."""
        retries = Config(retries={"mode": "standard", "total_max_attempts": 12}, s3={"addressing_style": "path"})
        return self.session().client(service, endpoint_url=self.environment["AWS_ENDPOINT_URL"], config=retries)

    def ports(self) -> Ports:
        """The world as functions see it."""
        variables = dict(self.stack.functions["ScheduleFunction"].environment)
        clients = Clients(self.session())
        return ports_from({**variables, **self.environment}, clients)

    def until(self, reached: Any, seconds: float) -> bool:
        """Whether something has come to be within some time."""
        end = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True
