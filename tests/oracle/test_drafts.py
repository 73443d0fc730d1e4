"""First contracts of sample files by chance: they lint, the samples pass them, and damaged copies do not unseen.

Judged by the door and by the oracle, which agree with the job (tests/oracle/test_oracle.py).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.columns.spread import LEAST
from contracts.authoring.draft.drafting import draft
from contracts.plan import Plan
from functions.admission.admit import admit
from infra.sampling import BOUNDS, Bounds, profile
from tests.oracle.judging import judge
from tests.oracle.records import content
from tests.oracle.samples import COLUMNS, TYPED, Table, table

SEEDS = range(120)
NOTICED = ("rejected", "accepted_with_warnings")


def contract_of(folder: Path, *bodies: tuple[str, bytes], bounds: Bounds = BOUNDS) -> tuple[Plan, str]:
    """The plan and the text of the contract of some samples, which must lint without an error."""
    paths = []
    for name, body in bodies:
        paths.append(folder / name)
        paths[-1].write_bytes(body)
    made = draft(profile(paths, no_spark, bounds), None, "maker")
    compiled = compile_text(made.text.encode(), f"{made.name}.yaml")
    assert [f for f in compiled.findings if f.level == "error"] == [], made.text
    assert compiled.draft
    return compiled.draft, made.text


def no_spark() -> SparkSession:
    raise AssertionError("only Parquet needs Spark")


def verdict(plan: Plan, body: bytes) -> tuple[str | None, object]:
    """Return the verdict of admission and the oracle on a file, and its reason."""
    admission = admit(plan, "maker/a", len(body), lambda start, length: body[start : start + length])
    if admission.refused:
        return "rejected", admission.problems
    decision = judge(plan, content(plan, admission.header, body), admission.notes).decision
    return decision.verdict, [o for o in decision.checks if o.result != "passed"]


NESTED = """\
{"id": 1, "to": {"city": "Wien", "zip.nr": 1}, "lines": [{"sku": "a", "price": 1.5, "at": "2026-01-31"}, {"sku": "b"}]}
{"id": 2, "to": null, "lines": [], "tags": [["a"], [], [null]], "free": {}, "mixed": [1, "x"]}
{"id": 3, "to": {"city": "Graz"}, "lines": [{"sku": "c", "price": 2.25, "at": null}]}
"""


def test_nested_samples_pass_and_damaged_copies_do_not(tmp_path: Path) -> None:
    body = NESTED * LEAST
    plan, text = contract_of(tmp_path, ("things-2026-01-31.jsonl", body.encode()))
    assert verdict(plan, body.encode())[0] == "accepted", text
    assert "`mixed[]` is left out: its values are of several types (number, text)." in text
    names = {p.name: (p.type, p.required) for p in plan.properties if p.path}
    assert names == {
        "to.city": ("string", True),
        "to['zip.nr']": ("integer", False),
        "lines[]": ("object", True),
        "lines[].sku": ("string", True),
        "lines[].price": ("number", False),
        "lines[].at": ("date", False),
        "tags[]": ("array", True),
        "tags[][]": ("string", False),
    }
    for right, wrong in (("Wien", "W" * 50), ('"a", "p', '5, "p'), ("01-31", "02-31"), ('{"city": "G', '{"town": "G')):
        assert verdict(plan, body.replace(right, wrong).encode())[0] in NOTICED, (wrong, text)


@pytest.mark.parametrize("seed", SEEDS)
def test_samples_pass_and_damaged_copies_do_not(tmp_path: Path, seed: int) -> None:
    made = table(seed)
    plan, text = contract_of(tmp_path, (f"things-2026-01-31{made.ending}", made.written()))
    outcome, why = verdict(plan, made.written())
    assert outcome == "accepted", f"{why}\n{text}\n{made.written()[:600]!r}"
    for name, copy in damaged(made, Random(seed)).items():
        assert verdict(plan, copy)[0] in NOTICED, f"{name}\n{text}\n{made.written()[:600]!r}"


def damaged(made: Table, chance: Random) -> dict[str, bytes]:
    """Copies with their columns swapped, cut off, and with other text in a column."""
    third = replace(made, cells=made.cells[: len(made.cells) // 3])
    wrong = chance.choice([n for n, name in enumerate(made.names) if name in TYPED])
    garbage = [tuple("??x" if n == wrong else c for n, c in enumerate(row)) for row in made.cells]
    copies = {
        "a third of the records": third.written(),
        "cut off": replace(made, packed=False).written()[: len(replace(made, packed=False).written()) // 3],
        "garbage": replace(made, cells=tuple(garbage)).written(),
    }
    if made.form == "csv" and any(name in TYPED for name in made.names[:2]):
        names = (made.names[1], made.names[0], *made.names[2:])
        moved = [(row[1], row[0], *row[2:]) for row in made.cells]
        copies["two columns swapped"] = replace(made, cells=tuple(moved)).written()
        copies["two names swapped"] = replace(made, names=names).written() if made.header else b""
    return copies


def test_every_kind_of_column_occurs() -> None:
    assert {name for seed in SEEDS for name in table(seed).names} == {*COLUMNS}
    assert {table(seed).form for seed in SEEDS} == {"csv", "jsonl"}
