"""A file at home, judged as the pipeline would: a path and a plan in, the pipeline's own decision out.

The same admission, the same Spark job, the same verdict; only the bucket and the ledger are missing.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from contracts.columns import rejected_file
from contracts.job import JobDrop, JobRequest, JobResult
from contracts.plan import Plan
from contracts.verdict import Decision, File, decide, refuse
from functions import keys, report
from functions.admission import Admission, admit, header
from infra.setup import expectations
from infra.setup.progress import Tell

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Judged:
    """The decision about one file; `rejected_rows` is the text of the file of that name, where there is one."""

    plan: Plan
    file: File
    decision: Decision
    rejected_rows: bytes | None = None


def judge(
    path: Path, plan: Plan, name: str, session: Callable[[], SparkSession], tell: Tell = lambda _: None
) -> Judged:
    """Judge the file under a plan; `name` is its key below landing. Spark is asked for only if admission lets it in.

    `tell` hears what is fetched meanwhile, where the plan needs what this machine lacks. Raises SetupMissing.
    """
    file = File(path.name, path.stat().st_size, _sha256(path))
    with path.open("rb") as opened:
        admitted = admit(plan, name, file.size, partial(_read, opened))
    if admitted.refused:
        return Judged(plan, file, refuse(admitted.problems))
    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        spark = session()
        if plan.needs_expectations:
            expectations.bring(spark, tell)
        decision = _run(path, plan, admitted, Path(folder), spark)
        rejected = Path(folder) / "reports" / rejected_file(plan)
        return Judged(plan, file, decision, rejected.read_bytes() if rejected.exists() else None)


def write_receipt(judged: Judged, folder: Path) -> None:
    """Write receipt.html, receipt.json and the rejected rows as the pipeline puts them under the producer's reports."""
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    rejected = rejected_file(judged.plan) if judged.rejected_rows is not None else None
    receipt = report.Receipt(
        drop="at-home",
        attempt=1,
        key=judged.file.name,
        received_at=now,
        decided_at=now,
        decision=judged.decision,
        plan=judged.plan,
        file=judged.file,
        rejected_rows=rejected,
        sent=False,
    )
    (folder / "receipt.json").write_bytes(report.render_json(receipt))
    (folder / "receipt.html").write_bytes(report.render_html(receipt))
    if judged.rejected_rows is not None:
        (folder / rejected_file(judged.plan)).write_bytes(judged.rejected_rows)


def _run(path: Path, plan: Plan, admitted: Admission, folder: Path, spark: SparkSession) -> Decision:
    from spark_jobs import validate

    request = _request(path, plan, admitted, folder)
    place = folder / "request.json"
    place.write_text(request.dumps(), encoding="utf-8")
    validate.run(spark, place.as_uri())
    result = JobResult.loads((folder / "result.jsonl").read_bytes())
    return decide(plan, result.drops[0], result.header.checks)


def _request(path: Path, plan: Plan, admitted: Admission, folder: Path) -> JobRequest:
    """The request for one file, under a plain name: Spark takes `_a.csv` for hidden and `[` for a pattern."""
    link = folder / f"1{plan.suffix}"
    link.symlink_to(path.resolve())
    drop = JobDrop(
        id=keys.digest(str(path.resolve())),
        attempt=1,
        uri=link.as_uri(),
        name=path.name,
        size=path.stat().st_size,
        header=admitted.header,
        header_line=admitted.header_line,
        reports=(folder / "reports").as_uri() + "/",
        notes=admitted.notes,
        types=header(plan, admitted.header_line)[1],
    )
    base = folder.as_uri() + "/"
    return JobRequest(
        batch="at-home",
        try_=1,
        plan=plan,
        drops=(drop,),
        scratch=f"{base}scratch/",
        evidence_rows=f"{base}evidence/rows/",
        evidence_checks=f"{base}evidence/checks/",
        result=f"{base}result.jsonl",
        requested_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def _read(opened: BinaryIO, start: int, length: int) -> bytes:
    opened.seek(start)
    return opened.read(length)


def _sha256(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
