"""A job that judges by the names of files, in a process of its own: python -m tests.e2e.played_job REQUEST."""

from __future__ import annotations

import random
import sys
import time

from contracts.job import DropResult, JobDrop, JobRequest
from contracts.plan import Plan
from functions.aws.clients import Clients
from functions.aws.s3 import S3Store
from tests.builders import all_good, answer, one_bad

LONGEST = 0.3
"""Seconds that it takes at most, beside its start."""


def judge(plan: Plan, drop: JobDrop) -> DropResult | None:
    """By the name of the file."""
    return (one_bad if "bad" in drop.name else all_good)(plan, drop)


def run(request_uri: str) -> None:
    """Leave evidence, take some time, write the result last."""
    store = S3Store(Clients().s3)
    request = JobRequest.loads(store.get(request_uri))
    for drop in request.drops:
        store.put(f"{request.evidence_rows}{drop.id}", b"evidence", "application/octet-stream")
        if "bad" in drop.name:
            store.put(f"{drop.rejected}rejected.csv", b"_record,_reasons,id\n", "text/csv")
    time.sleep(random.uniform(0, LONGEST))
    store.put(request.result, answer(request, judge).dumps().encode(), "application/json")


if __name__ == "__main__":
    run(sys.argv[1])
