"""Reference values, pinned when a job starts: a plan's references in, files and their versions out.

The plan names a reference file with the hash of its bytes. Promoted data are the files that exist now, read by the plan
of their contract that is in force now. The request names each missing reference, so that the checks that need it are
errors, and the others are made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from urllib.parse import quote

from contracts.catalog import reference_name
from contracts.job import JobReference
from contracts.plan import Plan, Reference
from functions.keys import Zones
from functions.ports import Ports

MOST_FILES = 5_000
"""Promoted files of one contract that a job reads: their names go into the request."""


def pinned(ports: Ports, plan: Plan) -> tuple[JobReference, ...]:
    """Return the references of a plan as they are now."""
    return tuple(_pinned(ports, reference) for reference in plan.references)


def folders(zones: Zones, plan: Plan) -> tuple[str, ...]:
    """Return the folders that a job must be able to read for its references: the same at any time."""
    published = (reference for reference in plan.references if reference.contract or reference.sha256)
    return tuple(
        dict.fromkeys(
            f"{zones.promoted}{reference.contract}/"
            if reference.contract
            else f"{zones.catalog}{reference_name(reference)}"
            for reference in published
        )
    )


def _pinned(ports: Ports, reference: Reference) -> JobReference:
    name = reference.name
    if not reference.contract:
        if not reference.sha256:
            return JobReference(name, problem="was never published")
        at = f"{ports.zones.catalog}{reference_name(reference)}"
        return JobReference(name, f"sha256:{reference.sha256}", (at,))
    entry = next((e for e in ports.catalog.index().entries if e.contract == reference.contract), None)
    if entry is None:
        return JobReference(name, problem="is a contract that is not in force")
    plan = ports.catalog.plan(entry.plan)
    if plan.promote == "table":
        return JobReference(name, problem="is promoted into a table, which is not built yet")
    folder = f"{ports.zones.promoted}{reference.contract}/"
    etags = ports.store.listed(folder, MOST_FILES + 1)
    if not etags:
        return JobReference(name, problem="is empty: none of its files was promoted yet")
    if len(etags) > MOST_FILES:
        return JobReference(name, problem=f"has more than {MOST_FILES:,} promoted files, which is not built yet")
    files = tuple(folder + quote(uri.removeprefix(folder)) for uri in etags)
    return JobReference(name, version(etags), files, plan)


def version(etags: Mapping[str, str]) -> str:
    """Return the name of exactly these files: a hash of their names and ETags."""
    lines = "".join(f"{uri}\t{etag}\n" for uri, etag in sorted(etags.items()))
    return f"sha256:{hashlib.sha256(lines.encode('utf-8', 'surrogatepass')).hexdigest()}"
