"""The embedded stack in processes that can be killed: AWS and its data, the functions, each run of the job.

python -m tests.e2e.processes stack DIR PORT EMR_PORT    prints a line when it is ready
python -m tests.e2e.processes pump DIR
python -m tests.e2e.processes job REQUEST                within the stack's environment
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import boto3

from contracts.job import DropResult, JobDrop, JobRequest
from contracts.plan import Plan
from functions.aws.clients import Clients
from functions.aws.s3 import S3Store
from infra.local.cloud import Cloud
from infra.local.emr import EmrServerless
from infra.local.emr_run import JobSpec
from infra.local.events import deliver
from infra.local.kept import Kept
from infra.local.memory import Memory
from infra.local.pump import Pump
from infra.local.stack import Stack, deploy
from tests.builders import a_plan, all_good, answer, one_bad, publish

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
APPLICATION = "00dropgate0k"
LONGEST = 0.3
"""Seconds that a job takes at most, beside its start."""


def judge(plan: Plan, drop: JobDrop) -> DropResult | None:
    """By the name of the file."""
    return (one_bad if "bad" in drop.name else all_good)(plan, drop)


def job(request_uri: str) -> None:
    """Play the job of one request: leave evidence, take some time, write the result last."""
    store = S3Store(Clients().s3)
    request = JobRequest.loads(store.get(request_uri))
    for drop in request.drops:
        store.put(f"{request.evidence_rows}{drop.id}", b"evidence", "application/octet-stream")
        if "bad" in drop.name:
            store.put(f"{drop.rejected}rejected.csv", b"_record,_reasons,id\n", "text/csv")
    time.sleep(random.uniform(0, LONGEST))
    store.put(request.result, answer(request, judge).dumps().encode(), "application/json")


def stack(folder: Path, port: int, emr_port: int) -> None:
    """Play AWS until killed, with the data of a folder."""
    kept, cloud = Kept(folder), Cloud(port)
    with Cloud() as inner:  # nobody else is answered before what lasts is back

        def emit(event: dict[str, Any]) -> None:
            deliver(event)
            memory.queues()

        with EmrServerless(run_job, lambda _: True, emit, application_id=APPLICATION, port=emr_port) as emr:
            os.environ["AWS_ENDPOINT_URL_EMR_SERVERLESS"] = emr.endpoint
            parameters: dict[str, str | int] = {"WindowSeconds": 0, "BucketPrefix": "dropgate"}
            own = cache(lambda service: boto3.client(service, endpoint_url=inner.endpoint))
            made = deploy(TEMPLATE, own, APPLICATION, parameters=parameters)
            memory = Memory(kept, made)
            memory.restore()
            cloud.memory = memory
            cloud.start()
            emr.keep(lambda run: kept.put("run", "", run.id, run), [run for _, run in kept.all("run")])
            zone = made.functions["ScheduleFunction"].environment["DROPGATE_CATALOG"]
            publish(S3Store(Clients().s3), zone, [a_plan()])
            (folder / "stack").write_bytes(pickle.dumps(made))
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            Event().wait()


def run_job(spec: JobSpec) -> None:
    """Run a job in a process of its own; a run whose process dies has failed."""
    done = subprocess.run([sys.executable, "-m", "tests.e2e.processes", "job", spec.arguments[-1]], check=False)
    if done.returncode:
        raise ChildProcessError(f"exit code {done.returncode}")


def pump(folder: Path) -> None:
    """Play Lambda until killed; every notice is a line of a file."""
    made: Stack = pickle.loads((folder / "stack").read_bytes())  # noqa: S301 (written by `stack`)
    for function in made.functions.values():
        os.environ.update(function.environment)
        names = function.handler.rpartition(".")
    handlers: dict[str, Callable[..., Any]] = {}
    for name, function in made.functions.items():
        names = function.handler.rpartition(".")
        handlers[name] = getattr(importlib.import_module(names[0]), names[2])
    with (folder / "notices").open("a", encoding="utf-8") as notices:

        def listener(notice: Any) -> None:
            notices.write(json.dumps(notice["detail"]) + "\n")
            notices.flush()

        with Pump(made, cache(boto3.client), handlers, schedule_seconds=1, retry_seconds=1, listener=listener):
            Event().wait()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["stack", folder, port, emr_port]:
            stack(Path(folder), int(port), int(emr_port))
        case ["pump", folder]:
            pump(Path(folder))
        case ["job", request]:
            job(request)
