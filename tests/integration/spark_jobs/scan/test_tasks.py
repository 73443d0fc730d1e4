"""A task of Spark that fails in the middle and is tried again: the same figures, the same evidence, nothing twice.

The fault comes from the store: it breaks answers off half-way, until Spark has given a task up.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import boto3
import pytest

from contracts.files.header import rejected_file
from contracts.job import DropResult, JobRequest, JobResult
from infra.local.cloud import Cloud
from infra.local.loopback import Environ, StartResponse
from tests.integration.spark_jobs.world import a_check, a_plan, a_property, a_request

LINES, WRONG, MANY = 20_000, 207, 1_000
PLAN = a_plan([a_property("id", "integer"), a_property("note")], [a_check("required", "note")])
BODY = "id,note\n" + "".join(f"{n},{'' if n % 97 == 0 else 'x' * 20}\n" for n in range(LINES))
BREAKS = 3
"""Answers that are broken off: Hadoop asks twice before it gives a task up, Spark tries a task four times."""
BUCKET, AT = "internal", "s3://internal/job"


class BreakingCloud(Cloud):
    """The embedded AWS; of keys that fit nobody gets what lies behind the middle, so many times."""

    broken: re.Pattern[str] | None = None
    left = 0

    def _answer(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        whole = b"".join(super()._answer(environ, start_response))
        read = environ["REQUEST_METHOD"] == "GET" and self.broken and self.broken.search(environ["PATH_INFO"])
        begin, end = map(int, re.findall(r"\d+", environ.get("HTTP_RANGE", "0-0"))[:2])
        most = max((end + 1) // 2 - begin, 0)
        if not read or not self.left or len(whole) < MANY:
            return [whole]
        self.left -= 1
        return [whole[:most]]


@dataclass(frozen=True)
class Left:
    """The facts of a file, the evidence of its rows, the rows that the producer gets back."""

    facts: DropResult
    rows: list[str]
    rejected: bytes


class Jobs:
    """Jobs in a Spark that tries tasks again."""

    def __init__(self, cloud: BreakingCloud) -> None:
        self.cloud = cloud
        self.s3: Any = boto3.Session("dropgate", "dropgate", region_name="us-east-1").client(
            "s3", endpoint_url=cloud.endpoint
        )
        self.s3.create_bucket(Bucket=BUCKET)
        command = [sys.executable, "-m", "tests.integration.spark_jobs.asked", cloud.endpoint]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def judged(self, folder: Path, broken: str | None = None) -> tuple[Left, int]:
        """Return what the job leaves of one file, and the number of tasks that failed."""
        request = self._request(folder, AT)
        self.cloud.broken, self.cloud.left = (re.compile(broken), BREAKS) if broken else (None, 0)
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{AT}/request.json\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the job failed as a whole"
        answer = json.loads(line)
        result = JobResult.loads(self._get(request.result))
        rejected = self._get(f"{request.drops[0].rejected}{rejected_file(PLAN)}")
        return Left(result.drops[0], answer["rows"], rejected), answer["failed"]

    def _request(self, folder: Path, at: str) -> JobRequest:
        folder.mkdir(exist_ok=True)
        request = a_request(folder, PLAN, {"a.csv": BODY})
        drop = replace(request.drops[0], uri=f"{at}/stage/1.csv", rejected=f"{at}/rejected/")
        request = replace(request, drops=(drop,), scratch=f"{at}/scratch/", result=f"{at}/result.jsonl")
        request = replace(request, evidence_rows=f"{at}/rows/")
        for uri, body in ((drop.uri, BODY.encode()), (f"{at}/request.json", request.dumps().encode())):
            self.s3.put_object(Bucket=BUCKET, Key=uri.removeprefix(f"s3://{BUCKET}/"), Body=body)
        return request

    def _get(self, uri: str) -> bytes:
        response = self.s3.get_object(Bucket=BUCKET, Key=uri.removeprefix(f"s3://{BUCKET}/"))
        return bytes(response["Body"].read())


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    with BreakingCloud() as cloud:
        made = Jobs(cloud)
        yield made
        made.process.communicate()


@pytest.mark.parametrize("broken", ["/stage/", r"/scratch/.*\.parquet$"], ids=["source", "scratch"])
def test_task_that_is_tried_again_changes_nothing(jobs: Jobs, tmp_path: Path, broken: str) -> None:
    whole, failed = jobs.judged(tmp_path)
    again, failed_then = jobs.judged(tmp_path, broken)

    assert (whole.facts.read, whole.facts.rejected, len(whole.rows)) == (LINES, WRONG, WRONG)
    assert whole.rejected.count(b"\n") == WRONG + 1
    assert again == whole
    assert (failed, failed_then > 0) == (0, True)
