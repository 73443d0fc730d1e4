"""A header against the contract: its problems, each reported once."""

from __future__ import annotations

import time
from dataclasses import replace

from contracts.files.columns import positions
from contracts.files.header import problems
from contracts.plan import Columns, Plan, Property
from contracts.problem import Problem

PLAN = Plan(
    contract="orders.v1",
    id="orders",
    version="1.0.0",
    object="orders",
    producer="shop",
    files=("orders/*.csv",),
    properties=(Property("id", "integer", required=True), Property("amount", "number"), Property("note", "string")),
    checks=(),
)


def header_faults(header: tuple[str, ...], columns: Columns = PLAN.columns) -> list[tuple[str, str, str | None]]:
    faults = problems(replace(PLAN, columns=columns), header)
    return [(p.code, p.level, p.property) for p in faults]


def test_contracts_own_header_has_no_problems() -> None:
    assert header_faults(("id", "amount", "note")) == []


def test_every_fault_is_told_at_once() -> None:
    assert header_faults(("id", "id", "price", "")) == [
        ("blank-column-name", "error", None),
        ("duplicate-column", "error", "id"),
        ("missing-column", "error", "amount"),
        ("missing-column", "error", "note"),
        ("extra-column", "error", "price"),
    ]


def test_renamed_column_is_told_once() -> None:
    (problem,) = problems(PLAN, ("ID", "amount", "note"))
    assert problem == Problem(
        "missing-column",
        "The column `id` is missing from the header; the header has `ID` instead.",
        "Rename `ID` to `id`, or ask for `columns.match: anyCase` in orders.v1.",
        property="id",
    )


def test_column_in_the_place_of_a_missing_one_may_be_it() -> None:
    first, second, *_ = problems(PLAN, ("id", "price", "colour"))
    assert first.fix == "Add a column `amount` (number), or rename `price`, which is in its place."
    assert second.fix == "Add a column `note` (string), or rename `colour`, which is in its place."
    (alone,) = problems(PLAN, ("id", "note"))
    assert alone.fix == "Add a column `amount` (number)."


def test_line_without_a_known_name_is_no_header() -> None:
    (problem,) = problems(PLAN, ("1", "9.50", "x"))
    assert (problem.code, problem.fix) == ("missing-header", "Begin the file with this header: `id`, `amount`, `note`.")
    assert header_faults(("1",), Columns(missing="warn"))[0] == ("missing-column", "error", "id")


def test_column_of_parquet_is_missing_from_the_file() -> None:
    (problem,) = problems(replace(PLAN, file_format="parquet"), ("id", "amount"))
    assert problem.message == "The column `note` is missing from the file."


def test_required_column_rejects_under_ignore() -> None:
    assert header_faults(("note",), Columns(missing="ignore")) == [("missing-column", "error", "id")]


def test_missing_column_warns_when_agreed() -> None:
    assert header_faults(("id", "note"), Columns(missing="warn")) == [("missing-column", "warning", "amount")]


def test_extra_column_warns_or_is_ignored() -> None:
    header = ("id", "amount", "note", "colour")
    assert header_faults(header, Columns(extra="warn")) == [("extra-column", "warning", "colour")]
    assert header_faults(header, Columns(extra="ignore")) == []


def test_extra_column_under_warn_survives_similarity() -> None:
    assert header_faults(("id", "amounts", "note"), Columns(missing="ignore", extra="warn")) == [
        ("extra-column", "warning", "amounts")
    ]


def test_order_counts_only_when_agreed() -> None:
    assert header_faults(("note", "id", "amount")) == []
    assert header_faults(("note", "id", "amount"), Columns(order="exact")) == [("column-order", "error", None)]


def test_our_own_columns_are_no_columns() -> None:
    header = ("id", "amount", "note", "_record", "_reasons")
    assert header_faults(header) == []
    assert positions(header) == {"id": 0, "amount": 1, "note": 2}


def test_of_many_faults_of_a_kind_some_are_told() -> None:
    twice = tuple(f"c{n}" for n in range(50)) * 2
    faults = problems(PLAN, ("id", "amount", "note", *twice))

    assert [p.code for p in faults] == ["duplicate-column"] * 20 + ["extra-column"] * 20
    assert faults[-1].message == "The contract has no column `c19`. The same holds for 30 more columns."


def test_wide_header_is_judged_in_no_time() -> None:
    header = tuple(f"c{n}" for n in range(20_000)) * 2
    begin = time.process_time()
    problems(PLAN, header)

    assert time.process_time() - begin < 2
