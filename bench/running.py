"""The measured runs: a bare typed scan and the whole job. Files and a plan in; a runnable and its result out."""

from __future__ import annotations

import bz2
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from pyspark.sql import SparkSession

from bench.deployed import process
from bench.deployed.process import MEMORY
from contracts.job import JobDrop, JobReference, JobRequest, JobResult
from contracts.plan import Plan
from functions.admission.admit import admit
from functions.admission.header_again import header
from infra.setup.spark.jars import ROOT
from infra.setup.spark.session import local_session
from spark_jobs import validate
from spark_jobs.spark import packing
from spark_jobs.transcribing.in_lines import MOST

CONTRACT = ROOT / "contracts" / "weather" / "inmet-weather.v1.yaml"
SPARK_TYPES = {"integer": "bigint", "number": "double", "date": "date", "timestamp": "timestamp", "boolean": "boolean"}


def session() -> SparkSession:
    """Spark as the command line starts it."""
    return local_session("dropgate bench", memory=MEMORY)


def scan(spark: SparkSession, file: Path, plan: Plan) -> None:
    """The yardstick: Spark reads the typed columns of a file, by its suffix, and throws them away."""
    process.scan(spark, file.as_uri(), "csv" if ".csv" in file.suffixes else file.suffix[1:], typed(plan))


def typed(plan: Plan) -> str:
    """The plan's properties as a schema of Spark."""
    return ", ".join(f"`{p.name}` {SPARK_TYPES.get(p.type, 'string')}" for p in plan.properties)


@dataclass(frozen=True)
class Job:
    """A request that is ready to run; the job writes below `folder`."""

    spark: SparkSession
    folder: Path

    def run(self) -> None:
        """The whole job: read, check, count, evidence, rejected rows, result."""
        validate.run(self.spark, (self.folder / "request.json").as_uri())

    def result(self) -> JobResult:
        """Return the result of the last run; raise AssertionError if it lost a record."""
        return result(self.folder)


def job(
    spark: SparkSession, plan: Plan, files: Sequence[Path], folder: Path, references: Sequence[JobReference] = ()
) -> Job:
    """Return the job over some files, as admission would pass them on, in a new folder of its own."""
    return Job(spark, request(plan, files, folder, references=references))


def result(folder: Path) -> JobResult:
    """Return the result of the last run of a request; raise AssertionError if it lost a record."""
    document = JobResult.loads((folder / "result.jsonl").read_bytes())
    for facts in document.drops:
        assert facts.failure is None, facts.failure
        assert facts.read == facts.valid + facts.rejected > 0, facts
    return document


def request(
    plan: Plan,
    files: Sequence[Path],
    folder: Path,
    uri_of: Callable[[Path], str] = Path.as_uri,
    references: Sequence[JobReference] = (),
) -> Path:
    """Write the request for some files, as admission would pass them on; return the new folder that it is in."""
    place = Path(tempfile.mkdtemp(prefix="job-", dir=folder))
    base = place.as_uri() + "/"
    document = JobRequest(
        batch="bench",
        try_=1,
        plan=plan,
        drops=tuple(_drop(plan, n, file, base, uri_of(file)) for n, file in enumerate(files)),
        scratch=f"{base}scratch/",
        evidence_rows=f"{base}rows/",
        result=f"{base}result.jsonl",
        requested_at="2026-01-01T00:00:00Z",
        references=tuple(references),
    )
    (place / "request.json").write_text(document.dumps(), encoding="utf-8")
    return place


def with_unpacking(job: Job, file: Path, form: str) -> None:
    """Run a job, and unpack a file as another one would; so what a job takes for that alone is left out."""
    job.run()
    packing.unpack(job.spark, form, file.as_uri(), f"{job.folder.as_uri()}/unpacked", MOST)


def init(file: Path) -> None:
    """`dropgate init` on a file, a whole process."""
    command = [sys.executable, "-c", "from infra.cli.main import run; run()", "init", str(file)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def init_and_unpack(file: Path, packed: Path) -> None:
    """`dropgate init` on a file, and the unpacking of another one by bzip2 alone."""
    init(file)
    with bz2.open(packed) as content:
        while content.read(1 << 20):
            pass


def _drop(plan: Plan, number: int, file: Path, base: str, uri: str) -> JobDrop:
    """Return a file as admission would pass it on."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        admitted = admit(plan, f"inmet/SP/2019-01-01-{number}{plan.suffix}", size, partial(_read, opened))
    assert not admitted.refused, admitted.problems
    return JobDrop(
        id=f"d{number}",
        attempt=1,
        uri=uri,
        name=file.name,
        size=size,
        header=admitted.header,
        header_line=admitted.header_line,
        rejected=f"{base}rejected/{number}/",
        types=header(plan, admitted.header_line)[1],
        unpacked=admitted.unpacked,
    )


def _read(opened: BinaryIO, start: int, length: int) -> bytes:
    opened.seek(start)
    return opened.read(length)
