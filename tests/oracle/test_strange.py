"""`dropgate init` over strange files: a sentence that refuses, or a contract that lints and accepts its own samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import draft
from contracts.authoring.draft.profile import SampleRefused
from infra.offline.judge import judge as at_home
from infra.sampling import profile
from infra.sampling.self_check import checked
from tests.oracle import strange, strange_tables
from tests.oracle.test_drafts import no_spark, verdict
from tests.oracle.test_oracle import TORTURE

DAMAGED = 150
MANY = 2_000
Record = Callable[[str, object], None]


def look(folder: Path, what: str, name: str, body: bytes) -> str:
    """Return how `init` ends for a file: refused, or the verdict on the file under the contract that it wrote."""
    path = folder / name
    path.write_bytes(body)
    try:
        made = checked(draft(profile([path], no_spark)), [path])
    except SampleRefused:
        return "refused"
    plan = compile_text(made.text.encode(), f"{made.name}.yaml").draft
    assert plan, f"{what}\n{made.text}"
    outcome, why = verdict(plan, body)
    assert outcome in ("accepted", "accepted_with_warnings"), f"{what}: {why}\n{made.text}\n{body[:600]!r}"
    return str(outcome)


def sweep(folder: Path, files: Iterable[tuple[str, str, bytes]], record_property: Record) -> Counter[str]:
    """Look at many files; of Parquet only the door's part."""
    ends = Counter(look(folder, *one) for one in files if not one[2].startswith(b"PAR1"))
    record_property("strange files for init", ends.total())
    return ends


def test_strange_files_are_refused_or_pass_the_contract_made_of_them(tmp_path: Path, record_property: Record) -> None:
    ends = sweep(tmp_path, strange.files(), record_property)
    assert set(ends) == {"refused", "accepted", "accepted_with_warnings"}


def test_damaged_files_are_refused_or_pass_the_contract_made_of_them(tmp_path: Path, record_property: Record) -> None:
    assert {"refused", "accepted"} <= set(sweep(tmp_path, strange.damaged("init", DAMAGED), record_property))


@pytest.mark.torture
def test_thousands_of_damaged_files_are_refused_or_pass(tmp_path: Path, record_property: Record) -> None:
    sweep(tmp_path, strange.damaged(TORTURE, MANY), record_property)


@pytest.mark.parametrize("name", [n.replace("/", "_")[:200] for n in strange.NAMES if n and "\0" not in n])
def test_strange_file_names_make_a_pattern_and_an_id(tmp_path: Path, name: str) -> None:
    end = look(tmp_path, name, name.encode("utf-8", "replace").decode(), strange.GOOD.encode())
    assert end == ("refused" if name[0] in "_." else "accepted")


def test_samples_of_several_kinds_are_refused_or_pass_together(tmp_path: Path) -> None:
    bodies = {
        "a.csv": strange.GOOD.encode(),
        "b.csv": strange.GOOD.replace("word", "wort").encode(),
        "c.csv": strange.GOOD.replace(",", ";").encode(),
        "d.csv": strange.GOOD.encode("latin-1") + "99,é,2026-01-31\n".encode("latin-1"),
        "e.jsonl": strange.LINES.encode(),
        "f.jsonl": b'{"id": "x", "other": {"deep": [1]}}\n',
        "g.csv": b"",
        "h.csv.gz": next(body for _, body in strange.packed(strange.GOOD.encode())),
    }
    for name, body in bodies.items():
        (tmp_path / name).write_bytes(body)
    for first in bodies:
        for second in bodies:
            paths = [tmp_path / first, tmp_path / second]
            try:
                made = checked(draft(profile(paths, no_spark)), paths)
            except SampleRefused:
                continue
            plan = compile_text(made.text.encode(), f"{made.name}.yaml").draft
            assert plan
            for name in (first, second):
                assert verdict(plan, bodies[name])[0] in ("accepted", "accepted_with_warnings"), (first, second)


def test_tables_of_every_type_are_refused_or_pass_the_contract_made_of_them(
    spark: SparkSession, tmp_path: Path, record_property: Record
) -> None:
    ends: dict[str, str] = {}
    for n, (what, body) in enumerate(strange_tables.files()):
        path = tmp_path / f"t{n}.parquet"
        path.write_bytes(body)
        try:
            made = checked(draft(profile([path], lambda: spark)), [path])
        except SampleRefused:
            ends[what] = "refused"
            continue
        plan = compile_text(made.text.encode(), f"{made.name}.yaml").draft
        assert plan, f"{what}\n{made.text}"
        decision = at_home(path, plan, f"x/{path.name}", lambda: spark).decision
        assert decision.verdict in ("accepted", "accepted_with_warnings"), f"{what}: {decision}\n{made.text}"
        ends[what] = decision.verdict
    assert ends["all types"] == ends["all names"] == "accepted"
    assert {*strange_tables.ALONE, "no name", "no rows", "cut", "damaged pages"} <= {
        what for what, end in ends.items() if end == "refused"
    }
    record_property("strange tables for init", len(ends))
