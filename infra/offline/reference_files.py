"""References on this machine: files and promoted data in, the references of a request out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from contracts.job import JobReference
from contracts.plan import Plan, Reference
from functions.drop import Location
from functions.flow import references
from functions.ports import Ports
from infra.setup.progress import Tell

CHUNK = 64 * 1024**2
"""Bytes that are read at a time."""


@dataclass(frozen=True, slots=True)
class AtHome:
    """The places of references on this machine.

    Reference files are below the contract's `folder`; `given` are files by the names of references, and come first;
    `plans` reads the promoted files of a contract.
    """

    folder: Path = Path()
    given: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    plans: Callable[[str], Plan | None] = lambda _: None

    def pinned(self, plan: Plan) -> tuple[JobReference, ...]:
        """Return the current references of a plan; a missing one has a problem, and fails the checks that use it."""
        return tuple(self._pinned(one) for one in plan.references)

    def _pinned(self, reference: Reference) -> JobReference:
        name = reference.name
        files = self.given.get(name) or ([self.folder / reference.path] if reference.path else [])
        if not files:
            return JobReference(name, problem=f"is missing: name a file for it with `--reference {name}=FILE`")
        missing = next((path for path in files if not path.is_file()), None)
        if missing:
            return JobReference(name, problem=f"is missing: there is no file {missing}")
        theirs = self.plans(reference.contract) if reference.contract else None
        if reference.contract and theirs is None:
            return JobReference(name, problem="is a contract that is not in force")
        hashes: dict[str, str] = {}
        for path in files:
            with path.open("rb") as opened:
                hashes[str(path)] = hashlib.file_digest(opened, "sha256").hexdigest()
        version = references.version(hashes) if reference.contract else f"sha256:{hashes[str(files[0])]}"
        return JobReference(name, version, tuple(path.resolve().as_uri() for path in files), theirs)


def of_a_stack(ports: Ports, plan: Plan, home: AtHome, folder: Path, tell: Tell) -> tuple[JobReference, ...]:
    """Return the references of an unpublished plan: local files, and promoted data of a stack.

    Promoted data is copied below `folder`; `tell` receives the progress.
    """
    theirs = {one.name: one for one in references.pinned(ports, plan)}
    pins = []
    for one, mine in zip(plan.references, home.pinned(plan), strict=True):
        if not one.contract or one.name in home.given:
            pins.append(mine)
            continue
        pinned, place = theirs[one.name], folder / one.name
        place.mkdir(parents=True)
        suffix = pinned.plan.suffix if pinned.plan else ""
        copies = []
        for number, uri in enumerate(pinned.files):
            tell(f"Reading {number + 1} of {len(pinned.files)} files of {pinned.name} ...")
            path = place / f"{number}{suffix}"
            with path.open("wb") as opened:
                while part := ports.store.read(Location(unquote(uri)), opened.tell(), CHUNK):
                    opened.write(part)
            copies.append(path.as_uri())
        pins.append(replace(pinned, files=tuple(copies)))
    return tuple(pins)
