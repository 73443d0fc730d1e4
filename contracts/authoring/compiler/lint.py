"""Contract files together: paths in; the result of each file, and the faults between them, out."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as File

from contracts.authoring.compiler import notify_file, reference_checks
from contracts.authoring.compiler.compile import Compiled, compile_file
from contracts.authoring.document import variables
from contracts.authoring.document.finding import Finding
from contracts.authoring.drop_block.pattern_overlap import shared_key
from contracts.catalog import Entry, Index
from contracts.plan import Plan
from contracts.terms.key_pattern import literal_folder
from contracts.terms.notices import Routes

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Linted:
    """Contract files compared with the standard, with the supported features, and with each other.

    `routes` say who hears of what, by the contracts and by notify.yaml beside them, which is `notify` if it is there.
    """

    contracts: tuple[Compiled, ...]
    findings: tuple[Finding, ...]
    routes: Routes = field(default_factory=Routes)
    notify: str | None = None

    @property
    def failed(self) -> bool:
        """Return True if anything keeps the contracts from being published."""
        return any(f.level == "error" for f in self.findings)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans of the contracts that match files."""
        return tuple(c.plan for c in self.contracts if c.plan)


def contract_files(paths: Sequence[File]) -> list[File]:
    """The contract files that paths name: files as they are, folders with all YAML below them but notify.yaml.

    A folder that cannot be opened is listed in place of its files, so that lint reports it.
    """
    return [path for path in _files(paths) if path.name not in notify_file.NAMES]


def _files(paths: Sequence[File]) -> list[File]:
    files: list[File] = []
    for path in paths:
        if path.is_dir():
            shown = (f for f in path.rglob("*") if not any(p.startswith(".") for p in f.relative_to(path).parts))
            files += sorted(
                f
                for f in shown
                if (f.suffix in SUFFIXES and f.is_file()) or (f.is_dir() and not os.access(f, os.R_OK | os.X_OK))
            )
        else:
            files.append(path)
    return list(dict.fromkeys(files))


def lint(paths: Sequence[File], named: File | None = None) -> Linted:
    """Everything that there is to say about the contracts at some paths; `named` is the file of their variables."""
    values, about = variables.read(named.read_bytes(), str(named)) if named else ({}, None)
    listed = [f for f in contract_files(paths) if f != named]
    contracts = tuple(one for f in listed for one in compile_file(f, values))
    # Between two contracts anything can be wrong only if they have one name, or a folder in a folder of the other.
    names: dict[str, list[int]] = defaultdict(list)
    folders: dict[str, list[int]] = defaultdict(list)
    for n, plan in ((n, c.plan) for n, c in enumerate(contracts) if c.plan):
        names[plan.contract].append(n)
        for folder in {literal_folder(pattern) for pattern in plan.files}:
            folders[folder].append(n)
    near = {pair for numbers in names.values() for pair in itertools.combinations(numbers, 2)}
    for folder, numbers in folders.items():
        for end in (0, *(n + 1 for n, char in enumerate(folder) if char == "/")):
            around = folders.get(folder[:end], ())
            near |= {(min(a, b), max(a, b)) for a in numbers for b in around if a != b}
    between = [f for a, b in sorted(near) for f in between_two(contracts[a], contracts[b])]
    between += reference_checks.between(contracts)
    contracts = tuple(map(reference_checks.stamped, contracts))
    files = [path for path in _files(paths) if path.name in notify_file.NAMES]
    routes, of_routes = _routes(files, contracts)
    of_values = about.findings if about else ()
    findings = tuple(
        sorted(dict.fromkeys([*(f for c in contracts for f in c.findings), *between, *of_routes, *of_values]))
    )
    return Linted(contracts, findings, routes, str(files[0]) if files else None)


def _routes(files: Sequence[File], contracts: Sequence[Compiled]) -> tuple[Routes, tuple[Finding, ...]]:
    """Return who hears of what by a notify.yaml; a second one is a finding."""
    notify, findings = notify_file.read(files[0], contracts) if files else (notify_file.Notify(), ())
    for path in files[1:]:
        message = f"{files[0]} says already who hears of what in the stack."
        findings += (Finding(str(path), 1, 1, "error", "two-files", message, "Keep one of them."),)
    return notify_file.joined(contracts, notify), findings


def index_of(plans: Sequence[Plan]) -> Index:
    """The pattern index of plans; the order of the plans does not matter."""
    entries = (
        Entry(
            contract=p.contract,
            plan=p.sha,
            producer=p.producer,
            files=p.files,
            deprecated=p.deprecated,
            arrival=p.arrival,
            signal=p.set.signal if p.set else None,
            promises=p.promises,
        )
        for p in plans
    )
    return Index(tuple(sorted(entries, key=lambda e: e.contract)))


def between_two(a: Compiled, b: Compiled) -> Iterator[Finding]:
    """Yield the faults between two contracts: one name, a key that both match, folders within each other."""
    if a.plan is None or b.plan is None:
        return
    if a.plan.contract == b.plan.contract:
        fix = "Keep one file, or give one another `id` or major version."
        yield replace(b.places[0], code="same-contract", message=f"{a.file} is also {a.plan.contract}.", fix=fix)
        return
    for (first, here), (second, there) in itertools.product(_patterns(a), _patterns(b)):
        if key := shared_key(first, second):
            other = f"`{first}` ({a.plan.contract}, {here.file}:{here.line})"
            message = f"`{second}` ({b.plan.contract}) and {other} both match `{key}`."
            yield replace(
                there,
                code="overlap",
                message=message,
                fix="Make one of them narrower; a key can belong to one contract only.",
            )
        elif a.plan.producer != b.plan.producer:
            left, right = literal_folder(first), literal_folder(second)
            if left.startswith(right) or right.startswith(left):  # rights and receipts go by folder: they would mix
                message = (
                    f"The folders of {a.plan.producer} (`{left}`) and {b.plan.producer} (`{right}`) lie in one another."
                )
                fix = "Give each producer a folder of its own."
                yield replace(there, code="nested-folders", message=message, fix=fix)


def _patterns(compiled: Compiled) -> list[tuple[str, Finding]]:
    """The patterns of its files and of its marker or manifest, each with its place."""
    if compiled.plan is None:
        return []
    signal = compiled.plan.set.signal if compiled.plan.set else None
    return list(zip((*compiled.plan.files, *((signal,) if signal else ())), compiled.places, strict=True))
