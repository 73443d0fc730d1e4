"""Relationships by chance: a contract in, the same with relationships and the files they look in out; keys of those."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from contracts import rules
from contracts.job import JobReference
from contracts.plan import Csv, Plan, record_checks
from tests.oracle import hostile, records
from tests.oracle.contracts import Contract, compiled

NAME = "known"
DIALECTS: tuple[dict[str, Any], ...] = (
    {},
    {"delimiter": ";", "nullValues": ["", "NA", "7"]},
    {"delimiter": "|", "quote": "'", "escape": "\\", "encoding": "iso-8859-1"},
)
BROKEN = ("", "x", '"', "a,b,c,d,e,f;g;h|i|j|k")
"""Lines that are no records of a reference with two columns or more."""


def related(chance: Random, contract: Contract) -> tuple[Contract, dict[str, bytes]]:
    """A contract with relationships of some properties, one by one and two together, and the file they look in."""
    document = json.loads(json.dumps(contract.document))
    one, block = document["schema"][0], document["customProperties"][0]["value"]
    written = one["properties"]
    for n, prop in enumerate(written):
        prop["id"] = f"p{n}"
        if n == 0 or chance.random() < 0.5:
            prop["relationships"] = [{"id": f"f{n}", "to": f"{NAME}.r{n}"}]
    one["relationships"] = [
        {"id": "pair", "from": [f"schema/things/properties/p{n}" for n in (1, 0)], "to": [f"{NAME}.r1", f"{NAME}.r0"]}
    ]
    one["id"] = "things"
    block["references"] = {NAME: {"file": "known.csv", "csv": chance.choice(DIALECTS)}}
    if chance.random() < 0.5:
        block["checks"]["f0"] = {"severity": "warning", "tolerance": "20%"}
    plan = compiled(document)
    assert plan is not None
    pools = [contract.cells[prop["name"]] for prop in written]
    drawn = ({NAME: _file(chance, plan, pools)} for _ in range(100))
    whole = next(one for one in drawn if all(keys(plan, one).values()))  # one without a key is an error, not a rule
    return replace(contract, document=document, plan=plan), whole


def _file(chance: Random, plan: Plan, pools: Sequence[Sequence[str]]) -> bytes:
    """A reference with a part of the cells that the files have, some wrong ones, and lines that are no records."""
    (reference,) = plan.references
    own = reference.csv
    to = io.StringIO()
    writer = csv.writer(to, lineterminator="\n", **own.for_python)
    writer.writerow([f"r{n}" for n in range(len(pools))])
    few = [chance.sample(list(pool), max(1, 2 * len(pool) // 3)) for pool in pools]
    for _ in range(chance.choice((30, 90, 200))):
        cells = [chance.choice(pool) for pool in few]
        if chance.random() < 0.3:
            cells[chance.randrange(len(cells))] = chance.choice(("", *hostile.ANY))
        if not any(sign in cell for cell in cells for sign in "\r\n\0"):
            writer.writerow(cells)
        if chance.random() < 0.1:
            to.write(chance.choice(BROKEN) + "\n")
    return to.getvalue().encode(own.encoding, "replace")


def keys(plan: Plan, references: Mapping[str, bytes]) -> dict[str, frozenset[tuple[Any, ...]]]:
    """The keys of each relationship: the values of all records of its reference that are none of them null."""
    by_check = {}
    for check in plan.checks:
        if not isinstance(check.rule, rules.ForeignKey):
            continue
        reference, columns = plan.reference(check.rule), check.rule.columns
        props = [plan.property_named(name) for name in check.properties()]
        forms = reference.forms or {}  # the file writes values in its own way
        named = tuple(replace(p, name=c, form=forms.get(c)) for p, c in zip(props, columns, strict=True))
        body = references[reference.name]
        theirs = replace(
            plan,
            properties=named,
            checks=record_checks("csv", "ignore"),
            csv=reference.csv,
            file_format="csv",
            compression="none",
        )
        content = records.content(theirs, _header(body, reference.csv), body)
        cells = [[r.cells[column].value for column in columns] for r in content.records if not r.broken]
        by_check[check.id] = frozenset(tuple(values) for values in cells if None not in values)
    return by_check


def _header(body: bytes, dialect: Csv) -> tuple[str, ...]:
    return tuple(body.decode(dialect.encoding).split("\n", 1)[0].split(dialect.delimiter))


def pinned(folder: Path, references: Mapping[str, bytes]) -> list[JobReference]:
    """References as a run gets them."""
    pinned_files = []
    for name, body in references.items():
        path = folder / "references" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        pinned_files.append(JobReference(name, "v", (path.as_uri(),)))
    return pinned_files
