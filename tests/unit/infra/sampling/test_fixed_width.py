"""Samples of fixed width: the layout that `dropgate init` proposes, and samples that are none or that show none."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import draft
from contracts.authoring.draft.profile import SampleRefused
from contracts.plan import Plan
from functions.admission.admit import admit
from infra.sampling import Bounds, profile
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
    assert compiled.draft, compiled.findings
    admission = admit(compiled.draft, "bank/ledger.txt", len(body), lambda start, length: body[start : start + length])
    assert admission.problems == ()
    assert judge(compiled.draft, content(compiled.draft, admission.header, body), ()).decision.verdict == "accepted"
    return compiled.draft


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


DATA = [f"D{line}" for line in LINES]
TYPES: dict[str, tuple[list[str], tuple[str, str, str]]] = {
    "other lengths": (["H20260131BANK", *DATA, f"T{len(DATA):08}000000123280"], ("H", "D", "T")),
    "the same length": ([f"{'H20260131':<46}", *DATA, f"{f'T{len(DATA):08}':<46}"], ("H", "D", "T")),
    "three letters": (
        ["HDR 2026-01-31", *(f"DTL{line}" for line in LINES), f"TRL{len(LINES):06}"],
        ("HDR", "DTL", "TRL"),
    ),
    "digits": (["020260131", *(f"5{line}" for line in LINES), f"9{len(LINES):08}"], ("0", "5", "9")),
    "no leader": ([*DATA, f"T{len(DATA)}"], ("", "D", "T")),
    "no trailer": (["H20260131", *DATA], ("H", "D", "")),
    "a word": ([*LINES, f"TOTAL {len(LINES)}"], ("", "", "TOTAL")),
}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_types_of_lines_are_proposed(tmp_path: Path, name: str, end: str) -> None:
    lines, (leader, record, trailer) = TYPES[name]
    plan = drafted(tmp_path, end.join([*lines, ""]).encode())
    csv, fixed = plan.csv, plan.fixed

    assert fixed
    assert (csv.leader.begins if csv.leader else "", csv.record, csv.trailer.begins if csv.trailer else "") == (
        *(leader, record, trailer),
    )
    assert (csv.trailer is not None and csv.trailer.rows is not None) == bool(trailer)
    assert [field.start for field in fixed.fields] == [len(record) + n for n in (1, 9, 21, 32, 43)]
    assert [p.type for p in plan.roots] == ["integer", "string", "number", "date", "string"]


def test_line_of_column_names_is_a_leader(tmp_path: Path) -> None:
    plan = drafted(tmp_path, "\n".join([HEADER, *LINES, ""]).encode())

    assert plan.csv.leader
    assert plan.csv.leader.begins == HEADER.rstrip()
    assert [p.name for p in plan.roots] == ["id", "name", "amount", "day", "of"]


@pytest.mark.parametrize("header", ["id name amount day of", f"{'id':<8}{'a name that is long':<20}"])
def test_names_across_fields_name_none(tmp_path: Path, header: str) -> None:
    plan = drafted(tmp_path, "\n".join([header, *LINES, ""]).encode())

    assert plan.csv.leader
    assert [p.name for p in plan.roots] == ["field1", "field2", "field3", "field4", "field5"]


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_positions_in_bytes_are_proposed(tmp_path: Path, encoding: str) -> None:
    cities = ["北京", "上海市", "广州", "Macau", "深圳市", "成都", "重庆市", "天津", "武汉"] * 6

    def padded(text: str, length: int) -> str:
        return text + " " * (length - len(text.encode(encoding)))

    lines = [f"D{n:<8}{padded(city, 14)}{n * 1.5:>8.2f}" for n, city in enumerate(cities, 100)]
    plan = drafted(tmp_path, "\n".join(["H20260131", *lines, f"T{len(lines):06}", ""]).encode(encoding))

    assert plan.fixed
    assert (plan.fixed.unit, plan.csv.encoding, plan.fixed.length) == ("bytes", encoding, 31)
    assert [(field.start, field.length) for field in plan.fixed.fields] == [(2, 8), (10, 16), (26, 6)]
    assert plan.csv.record == "D"


def test_parts_of_a_file_are_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.txt"
    path.write_text("\n".join(["H20260131", *DATA, f"T{len(DATA):08}", ""]).replace("Bob", "Zoé"))

    assert profile([path], _no_spark, Bounds(large=1)) == profile([path], _no_spark)  # type: ignore[arg-type]


def test_empty_lines_are_none_of_the_types(tmp_path: Path) -> None:
    plan = drafted(tmp_path, "\n".join(["H20260131", "", *DATA, "", f"T{len(DATA):08}", "", ""]).encode())

    assert plan.csv.leader
    assert plan.csv.trailer
    assert plan.csv.trailer.rows == 2


def test_first_record_with_other_letters_is_one_of_few(tmp_path: Path) -> None:
    plan = drafted(tmp_path, "\n".join([*LINES[:4], ""]).encode())

    assert plan.csv.leader is None
