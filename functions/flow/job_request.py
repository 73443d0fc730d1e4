"""Requests to jobs: a batch and its drops in, the request document out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from contracts.errors import ObjectGone, ObjectReplaced, ServiceUnavailable
from contracts.job import JobDrop, JobRequest
from contracts.plan import Plan
from contracts.problem import Problem
from functions import keys
from functions.admission.header_again import header, notes
from functions.drop import Drop
from functions.flow import references
from functions.ports import Ports
from functions.ports.batches import Batch
from functions.records.failures import record_failure, staged_gone, staged_replaced

READERS = 8
"""Files whose header lines are read at once: 500 of Parquet, with two reads each, then take seconds."""


def request_of(ports: Ports, batch: Batch, plan: Plan, drops: tuple[JobDrop, ...]) -> JobRequest:
    """Return the request for a try of a batch."""
    return JobRequest(
        batch=batch.id,
        try_=batch.try_,
        plan=plan,
        drops=drops,
        scratch=keys.scratch_folder(ports.zones, batch.id, batch.try_),
        evidence_rows=keys.evidence_folder(ports.zones, batch.contract, batch.claimed_at, batch.id),
        result=keys.result_uri(ports.zones, batch.id, batch.try_),
        requested_at=batch.try_at,
        marks=batch.marks,
        references=references.pinned(ports, plan),
        mask=ports.masks_evidence and plan.classified,
    )


def of_drops(ports: Ports, batch: Batch, plan: Plan, members: Sequence[Drop]) -> Iterator[JobDrop]:
    """Yield the job's input for each drop; a drop whose staged object is gone fails here and is left out."""
    lines: list[str | Problem] = [drop.header_line or "" for drop in members]
    if any(drop.header_line is None for drop in members):  # too long for the ledger: the files have them
        with ThreadPoolExecutor(READERS) as pool:
            lines = list(pool.map(partial(_line, ports, plan), members))
    for drop, line in zip(members, lines, strict=True):
        if isinstance(line, Problem):
            if record_failure(ports, drop, line).state == "validating":
                raise ServiceUnavailable(f"drop {drop.id}, whose staged file is gone, was written by somebody else")
            continue
        names, types = header(plan, line)
        yield JobDrop(
            id=drop.id,
            attempt=drop.attempt,
            uri=drop.source.uri,
            name=drop.name,
            size=drop.size,
            header=names,
            header_line=line,
            rejected=keys.rejected_folder(ports.zones, batch.id, batch.try_, drop.id),
            notes=(*notes(plan, line), *drop.problems),
            types=types,
            modified=drop.received_at,
            totals=drop.totals,
            unpacked=drop.unpacked if plan.unpacked_first else None,
            valid=None if plan.promote == "object" else keys.valid_folder(ports.zones, batch.id, batch.try_, drop.id),
        )


def _line(ports: Ports, plan: Plan, drop: Drop) -> str | Problem:
    if drop.header_line is not None:
        return drop.header_line
    from functions.admission.admit import header_line  # noqa: PLC0415 - batches hardly ever need the readers

    try:
        return header_line(plan, drop.size, partial(ports.store.read, drop.source))
    except ObjectGone:
        return staged_gone(drop)
    except ObjectReplaced:
        return staged_replaced(drop)
