"""Local files, judged as the pipeline would: paths and a plan in, the pipeline's own decisions out.

The same admission, the same Spark job, the same verdict; only the bucket and the ledger are missing.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.decision import Decision, File
from contracts.files.header import rejected_file
from contracts.job import JobDrop, JobReference, JobRequest, JobResult
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.file_sets import Totals
from contracts.terms.notices import Contact
from contracts.verdict import decide, refuse
from contracts.watermarks import HighMark
from functions import keys
from functions.admission import arrival_window
from functions.admission.admit import Admission, admit
from functions.admission.header_again import header
from functions.records import receipt as records_receipt
from infra import files
from infra.offline.history_file import EarlierFiles
from infra.setup import expectations
from infra.setup.progress import Tell

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


NOTHING_BEFORE = EarlierFiles()

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Upload:
    """A local file as an upload: its key below landing, and its time; None if the time does not matter.

    `wrong` is the problem that the manifest of its set shows, `totals` are the manifest's totals for its records.
    """

    path: Path
    name: str
    at: datetime | None = None
    wrong: Problem | None = None
    totals: Totals | None = None

    def admission(self, plan: Plan) -> Admission:
        """Return the admission of a file and its upload time, and, if it is admitted, its manifest's statements."""
        with self.path.open("rb") as opened:
            admission = admit(plan, self.name, self.path.stat().st_size, partial(files.read_at, opened))
        timely = arrival_window.problems(plan, self.at) if self.at else ()
        seen = replace(admission, problems=(*admission.problems, *timely))
        if self.wrong is None or seen.refused:
            return seen
        return replace(seen, problems=(self.wrong, *seen.problems))


@dataclass(frozen=True, slots=True)
class Judged:
    """The decision about one file; `rejected_rows` is the text of the file of that name, if there is one."""

    plan: Plan
    file: File
    decision: Decision
    rejected_rows: bytes | None = None


def judge(
    path: Path,
    plan: Plan,
    name: str,
    session: Callable[[], SparkSession],
    tell: Tell = lambda _: None,
    marks: tuple[HighMark, ...] = (),
    references: Sequence[JobReference] = (),
) -> Judged:
    """Judge a file under a plan; `name` is its key below landing. Spark starts only if the file is admitted.

    `tell` receives the progress of downloads that the plan needs on this machine. `marks` are the high marks of
    accepted files. Raises SetupMissing.
    """
    (judged,) = judge_all([Upload(path, name)], plan, session, tell, marks, references, with_rows=True)
    return judged


def judge_all(
    uploads: Sequence[Upload],
    plan: Plan,
    session: Callable[[], SparkSession],
    tell: Tell = lambda _: None,
    marks: tuple[HighMark, ...] = (),
    references: Sequence[JobReference] = (),
    *,
    with_rows: bool = False,
    earlier: EarlierFiles = NOTHING_BEFORE,
) -> list[Judged]:
    """Judge files in one job; rejected rows are read if `with_rows`.

    `references` are those of the plan, as `infra.offline.reference_files` finds them; checks against history compare
    with the `earlier` files.
    """
    with ThreadPoolExecutor(1) as pool:  # while Spark starts
        files = [pool.submit(file_of, upload.path) for upload in uploads]
        admitted = [upload.admission(plan) for upload in uploads]
        let_in = {n: admission for n, admission in enumerate(admitted) if not admission.refused}
        decided: dict[int, tuple[Decision, bytes | None]] = {}
        if let_in:
            with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
                drops = {n: _drop(n, uploads[n], admission, plan, Path(folder)) for n, admission in let_in.items()}
                request = _request(plan, tuple(drops.values()), Path(folder), marks, references)
                result = _surely_passing(request) or _run(request, Path(folder), session(), tell)
                for n, facts in zip(drops, result.drops, strict=True):
                    rows = Path(folder) / "rejected" / str(n) / rejected_file(plan)
                    kept = rows.read_bytes() if with_rows and rows.exists() else None
                    history = earlier.history(plan, uploads[n].name, uploads[n].at or datetime.now(UTC))
                    decided[n] = decide(plan, facts, result.header.checks, history), kept
        return [
            Judged(plan, files[n].result(), *decided.get(n, (refuse(admission.problems),)))
            for n, admission in enumerate(admitted)
        ]


def file_of(path: Path) -> File:
    """Return the facts of a local file for its verdict."""
    with path.open("rb") as opened:
        return File(path.name, path.stat().st_size, hashlib.file_digest(opened, "sha256").hexdigest())


def write_receipt(judged: Judged, folder: Path, contact: Contact | None = None) -> None:
    """Write receipt.html, receipt.json and the rejected rows as the pipeline puts them under the producer's reports.

    Raises NotWritten where a link or anything else is in the way.
    """
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    rejected = rejected_file(judged.plan) if judged.rejected_rows is not None else None
    receipt = records_receipt.Receipt(
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
        contact=contact,
    )
    files.write(folder, "receipt.json", records_receipt.render_json(receipt))
    files.write(folder, "receipt.html", records_receipt.render_html(receipt))
    if judged.rejected_rows is not None:
        files.write(folder, rejected_file(judged.plan), judged.rejected_rows)


def _drop(number: int, upload: Upload, admitted: Admission, plan: Plan, folder: Path) -> JobDrop:
    """Return a file under a plain name: Spark treats `_a.csv` as hidden and `[` as a pattern."""
    path = upload.path
    link = folder / "files" / f"{number}{plan.suffix}"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(path.resolve())
    return JobDrop(
        id=keys.digest(str(path.resolve())),
        attempt=1,
        uri=link.as_uri(),
        name=path.name,
        size=path.stat().st_size,
        header=admitted.header,
        header_line=admitted.header_line,
        rejected=(folder / "rejected" / str(number)).as_uri() + "/",
        notes=admitted.notes,
        types=header(plan, admitted.header_line)[1],
        modified=datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        totals=upload.totals,
        unpacked=admitted.unpacked if plan.unpacked_first else None,
    )


def _request(
    plan: Plan,
    drops: tuple[JobDrop, ...],
    folder: Path,
    marks: tuple[HighMark, ...],
    references: Sequence[JobReference],
) -> JobRequest:
    base = folder.as_uri() + "/"
    return JobRequest(
        batch="at-home",
        try_=1,
        plan=plan,
        drops=drops,
        scratch=f"{base}scratch/",
        evidence_rows=f"{base}evidence/rows/",
        result=f"{base}result.jsonl",
        requested_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        marks=marks,
        references=tuple(references),
    )


def _surely_passing(request: JobRequest) -> JobResult | None:
    """Return the result of files that surely pass, for which Spark need not start; None if the job has to judge."""
    from spark_jobs import fast_lane

    try:
        return fast_lane.judge(request)
    except Exception as error:  # noqa: BLE001 (whatever it is, the job can judge the files)
        log.warning("Spark judges the files, as judging them without it failed: %s", type(error).__name__)
        return None


def _run(request: JobRequest, folder: Path, spark: SparkSession, tell: Tell) -> JobResult:
    from spark_jobs import validate

    if request.plan.needs_expectations:
        expectations.bring(spark, tell)
    place = folder / "request.json"
    place.write_text(request.dumps(), encoding="utf-8")
    validate.run(spark, place.as_uri())
    return JobResult.loads((folder / "result.jsonl").read_bytes())
