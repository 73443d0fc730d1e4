"""The embedded stack in processes that can be killed: AWS and its data, the functions; each run of the job is another.

python -m tests.e2e.processes stack DIR READY PORT EMR_PORT
python -m tests.e2e.processes pump DIR READY

READY is a file that is made when the process is at work.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import boto3

from functions.aws.clients import Clients
from functions.aws.s3 import S3Store
from infra.local.cloud import Cloud
from infra.local.emr.run import JobSpec
from infra.local.emr.server import EmrServerless
from infra.local.events.events import deliver
from infra.local.events.pump import Pump
from infra.local.state.moto_state import Memory
from infra.local.state.sqlite_store import Kept
from infra.local.template.stack import Stack, deploy
from tests.builders import a_plan, publish

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
APPLICATION = "00dropgate0k"
JOBS = 2
"""Runs of the job at a time."""
VISIBILITY = 5
"""Seconds after which a message comes again that a killed function had; the template's are up to half an hour."""


def stack(folder: Path, ready: Path, port: int, emr_port: int) -> None:
    """Play AWS until killed, with the data of a folder."""
    kept, cloud = Kept(folder), Cloud(port)
    with Cloud() as inner:  # nobody else is answered before what lasts is back

        def emit(event: dict[str, Any]) -> None:
            deliver(event)
            memory.queues()

        settings: dict[str, Any] = {"application_id": APPLICATION, "max_concurrent_runs": JOBS, "port": emr_port}
        with EmrServerless(run_job, lambda _: True, emit, **settings) as emr:
            os.environ["AWS_ENDPOINT_URL_EMR_SERVERLESS"] = emr.endpoint
            parameters: dict[str, str | int] = {"WindowSeconds": 1, "BucketPrefix": "dropgate"}
            own = cache(lambda service: boto3.client(service, endpoint_url=inner.endpoint))
            made = deploy(TEMPLATE, own, APPLICATION, parameters=parameters)
            for queue in made.queues:
                own("sqs").set_queue_attributes(QueueUrl=queue.url, Attributes={"VisibilityTimeout": str(VISIBILITY)})
            memory = Memory(kept, made)
            memory.restore()
            cloud.memory = memory
            cloud.start()
            emr.keep(lambda run: kept.put("run", "", run.id, run), [run for _, run in kept.all("run")])
            zone = made.functions["ScheduleFunction"].environment["DROPGATE_CATALOG"]
            publish(S3Store(Clients().s3), zone, [a_plan()])
            (folder / "stack").write_bytes(pickle.dumps(made))
            ready.touch()
            Event().wait()


def run_job(spec: JobSpec) -> None:
    """Run a job in a process of its own; a run whose process dies has failed."""
    done = subprocess.run([sys.executable, "-m", "tests.e2e.played_job", spec.arguments[-1]], check=False)
    if done.returncode:
        raise ChildProcessError(f"exit code {done.returncode}")


def pump(folder: Path, ready: Path) -> None:
    """Play Lambda until killed; every event is a line of a file."""
    made: Stack = pickle.loads((folder / "stack").read_bytes())  # noqa: S301 (written by `stack`)
    handlers: dict[str, Callable[..., Any]] = {}
    for name, function in made.functions.items():
        os.environ.update({key: value for key, value in function.environment.items() if key not in os.environ})
        module, _, attribute = function.handler.rpartition(".")
        handlers[name] = getattr(importlib.import_module(module), attribute)
    with (folder / "events").open("a", encoding="utf-8") as events:

        def listener(event: Any) -> None:
            events.write(json.dumps(event["detail"]) + "\n")
            events.flush()

        with Pump(made, cache(boto3.client), handlers, schedule_seconds=3, retry_seconds=1, listener=listener):
            ready.touch()
            Event().wait()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["stack", folder, ready, port, emr_port]:
            stack(Path(folder), Path(ready), int(port), int(emr_port))
        case ["pump", folder, ready]:
            pump(Path(folder), Path(ready))
