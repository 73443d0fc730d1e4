"""Samples of fixed width: the layout that `dropgate init` proposes, and samples that are none or that show none."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import draft
from contracts.authoring.draft.profile import SampleRefused
from contracts.plan import Plan
from functions.admission.admit import admit
from infra.sampling import profile
from tests.oracle.judging import judge
from tests.oracle.records import content

LINES = [f"{n + 1000:<8}{name:<12}{n * 3.5:>10.2f} 2024-01-{n % 28 + 1:02} {('AT', 'DE')[n % 2]:<3}" for n, name in
         enumerate(["Ada Lovelace", "Bob", "", "Carla"] * 30)]  # fmt: skip
HEADER = f"{'id':<8}{'name':<12}{'amount':>10} {'day':<10} {'of':<3}"


def _no_spark() -> None:
    raise AssertionError("Spark is not needed")


def drafted(folder: Path, body: bytes) -> Plan:
    """The plan of the draft from one sample, which the draft accepts."""
    path = folder / "ledger.txt"
    path.write_bytes(body)
    text = draft(profile([path], _no_spark), producer="bank").text  # type: ignore[arg-type]
    compiled = compile_text(text.encode(), "ledger.v1.yaml")
    assert compiled.plan, compiled.findings
    admission = admit(compiled.plan, "bank/ledger.txt", len(body), lambda start, length: body[start : start + length])
    assert admission.problems == ()
    assert judge(compiled.plan, content(compiled.plan, admission.header, body), ()).decision.verdict == "accepted"
    return compiled.plan


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", "\n"), ("utf-8", "\r\n"), ("iso-8859-1", "\n")])
def test_draft_has_the_layout_and_accepts_its_sample(tmp_path: Path, encoding: str, end: str) -> None:
    text = end.join([*LINES, ""]).replace("Ada", "Zoé")
    plan = drafted(tmp_path, text.encode(encoding))

    assert plan.fixed
    assert [(f.name, f.start, f.length) for f in plan.fixed.fields] == [
        ("field1", 1, 8),
        ("field2", 9, 12),
        ("field3", 21, 11),
        ("field4", 32, 11),
        ("field5", 43, 3),
    ]
    assert (plan.fixed.length, plan.csv.encoding) == (45, encoding)
    assert [p.type for p in plan.roots] == ["integer", "string", "number", "date", "string"]


@pytest.mark.parametrize(
    "lines",
    [
        ["a,b", "1,2", "3,4"],
        ["code", "AT  ", "DE  ", "FR  "],
        ["AT", "DE", "FR"],
        ["id;name    ", "1;Ada     ", "2;Bob     "],
        ["a b", "some words", "and some more of them"],
    ],
)
def test_other_samples_are_read_as_csv(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("\n".join([*lines, ""]))

    assert profile([path], _no_spark).format == "csv"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        ([f"D{n:010}0000{n * 7:012}EUR{'AB' * 4}" for n in range(20)], "write the contract by its layout"),
    ],
)
def test_samples_that_show_no_layout_are_refused(tmp_path: Path, lines: list[str], part: str) -> None:
    path = tmp_path / "ledger.txt"
    path.write_text("\n".join([*lines, ""]))

    with pytest.raises(SampleRefused, match=part):
        profile([path], _no_spark)  # type: ignore[arg-type]
