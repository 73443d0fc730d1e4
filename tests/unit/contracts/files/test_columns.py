"""The columns of a file: which property each of them is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.files.columns import alike, names, positions, properties, sent, written
from contracts.files.header import problems
from contracts.plan import Columns, Csv, Match, Plan, Policy, Property

ID = Property("id", "integer", required=True, header_names=("Konto-Nr.", "Kontonummer"))
AMOUNT, DAY, NOTE = Property("amount", "number"), Property("day", "date"), Property("note", "string")


def a_plan(
    *props: Property,
    match: Match = "exact",
    extra: Policy = "reject",
    missing: Policy = "reject",
    csv: Csv | None = None,
) -> Plan:
    return Plan(
        contract="orders.v1",
        id="orders",
        version="1.0.0",
        object="orders",
        producer="shop",
        files=("orders/*.csv",),
        properties=props,
        checks=(),
        columns=Columns(extra, missing, match=match),
        csv=csv or Csv(),
    )


def codes(plan: Plan, *header: str) -> list[tuple[str, str | None]]:
    return [(p.code, p.property) for p in problems(plan, header)]


@pytest.mark.parametrize(
    ("text", "trimmed", "any_case"),
    [
        (" id\t", True, True),
        ("\u00a0id\u2003", True, True),
        ("ID", False, True),
        (" Id ", False, True),
        ("i d", False, False),
        ("\u200bid", False, False),
    ],
)
def test_each_way_allows_more_than_the_one_before(text: str, trimmed: bool, any_case: bool) -> None:
    ways: tuple[Match, ...] = ("exact", "trimmed", "anyCase")
    assert [alike(text, way) == alike("id", way) for way in ways] == [False, trimmed, any_case]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Größe", "GRÖSSE"),
        ("Gro\u0308ße", "größe"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("\u1e9e", "ss"),
        ("\u1fb3", "\u0391\u0399"),
    ],
)
def test_case_of_letters_is_that_of_unicode(one: str, other: str) -> None:
    assert alike(one, "anyCase") == alike(other, "anyCase")
    assert alike(one, "trimmed") != alike(other, "trimmed")


def test_trimmed_compares_one_form_of_unicode() -> None:
    assert alike("Gro\u0308ße", "trimmed") == alike("Größe", "trimmed")
    assert alike("Gro\u0308ße", "exact") != alike("Größe", "exact")


def test_every_text_of_a_property_is_its_name() -> None:
    plan = a_plan(ID, AMOUNT)
    assert properties(plan, ("amount", "Kontonummer")) == ("amount", "id")
    assert properties(plan, ("Konto-Nr.", "other")) == ("id", None)
    assert properties(plan, ("id", "amount")) == (None, "amount")


def test_job_gets_the_contracts_names() -> None:
    plan = a_plan(ID, AMOUNT, match="anyCase", extra="ignore")
    header = (" KONTONUMMER", "id", "Amount", "more", "_record", "_reasons")
    assert names(plan, header) == ("id", "id (column 2)", "amount", "more", "_record", "_reasons")
    assert problems(plan, header) == ()


def test_header_without_further_texts_is_as_it_came() -> None:
    plan = a_plan(AMOUNT, NOTE, extra="ignore")
    header = ("note", " amount", "amount", "ID", "_record")
    assert names(plan, header) == header


def test_columns_without_a_name_and_twins_are_told_apart() -> None:
    plan = a_plan(AMOUNT, extra="ignore")
    header = ("amount", "", "x", " ", "x", "column 2")
    assert names(plan, header) == ("amount", "column 2", "x", "column 4", "x (column 5)", "column 2 (column 6)")
    assert len(positions(names(plan, header))) == len(header)
    assert problems(plan, header) == ()


@pytest.mark.parametrize("extra", ["reject", "warn"])
def test_they_are_refused_unless_others_are_ignored(extra: Policy) -> None:
    plan = a_plan(AMOUNT, extra=extra)
    blank, twice, *_ = problems(plan, ("amount", "", "x", "x"))
    assert (blank.code, twice.code, blank.level, twice.level) == (
        "blank-column-name",
        "duplicate-column",
        "error",
        "error",
    )
    assert "`columns.extra: ignore` in orders.v1" in blank.fix
    assert "`columns.extra: ignore` in orders.v1" in twice.fix


@pytest.mark.parametrize("extra", ["reject", "ignore"])
def test_twin_of_a_contracts_column_rejects(extra: Policy) -> None:
    (twice,) = problems(a_plan(AMOUNT, NOTE, extra=extra), ("amount", "note", "amount"))
    assert (twice.code, twice.property) == ("duplicate-column", "amount")
    assert twice.fix.endswith("or ask for `columns.match: byPosition` in orders.v1.")


def test_two_texts_of_one_property_reject() -> None:
    plan = a_plan(ID, AMOUNT, match="anyCase", extra="ignore")
    (both,) = problems(plan, ("Konto-Nr.", "kontonummer", "amount"))
    assert (both.code, both.property) == ("duplicate-column", "id")
    assert both.message == "The columns `Konto-Nr.`, `kontonummer` of the header are all taken for `id`."


def test_missing_column_is_named_by_its_text() -> None:
    (missing,) = problems(a_plan(ID, AMOUNT), ("amount",))
    assert (missing.message, missing.property) == ("The column `Konto-Nr.` is missing from the header.", "id")
    first, other = problems(a_plan(ID, AMOUNT), ("id", "amount"))
    assert (first.code, other.code) == ("missing-column", "extra-column")
    (close,) = problems(a_plan(ID, AMOUNT), ("kontonummer", "amount"))
    assert close.fix == "Rename `kontonummer` to `Kontonummer`, or ask for `columns.match: anyCase` in orders.v1."


def test_order_is_that_of_the_properties() -> None:
    plan = a_plan(ID, AMOUNT, match="trimmed")
    exact = Plan(**{f: getattr(plan, f) for f in plan.__dataclass_fields__} | {"columns": Columns(order="exact")})
    assert codes(exact, "Kontonummer", "amount") == []
    assert codes(exact, "amount", "Kontonummer") == [("column-order", None)]


# ---- by position


def test_columns_by_place_have_any_text() -> None:
    plan = a_plan(AMOUNT, NOTE, match="byPosition")
    for header in (("Betrag", "Text"), ("x", "x"), ("", ""), ("amount", "amount"), ("2024", "note")):
        assert codes(plan, *header) == []
        assert names(plan, header) == ("amount", "note")
    assert names(plan, ("a", "b", "_record", "_reasons")) == ("amount", "note", "_record", "_reasons")


def test_stated_texts_must_be_in_their_place() -> None:
    plan = a_plan(ID, AMOUNT, match="byPosition")
    assert codes(plan, "Kontonummer", "x") == []
    assert codes(plan, "Konto", "x") == [("other-column", "id")]
    assert codes(plan, "", "x") == [("other-column", "id")]
    twins = a_plan(
        Property("a", "number", header_names=("v",)), Property("b", "number", header_names=("v",)), match="byPosition"
    )
    assert codes(twins, "v", "v") == []
    assert codes(twins, "v", "w") == [("other-column", "b")]


def test_exchanged_columns_reject() -> None:
    plan = a_plan(AMOUNT, NOTE, match="byPosition")
    assert codes(plan, "note", "amount") == [("column-order", None)]
    assert codes(plan, "note", "x") == [("column-order", None)]
    assert codes(plan, "note", "note") == []


def test_more_and_fewer_columns_follow_their_policies() -> None:
    plan = a_plan(AMOUNT, NOTE, match="byPosition")
    assert codes(plan, "a") == [("missing-column", "note")]
    assert codes(plan, "a", "b", "c", "") == [("extra-column", "c"), ("extra-column", "column 4")]
    lenient = a_plan(AMOUNT, NOTE, match="byPosition", extra="ignore", missing="ignore")
    assert codes(lenient, "a") == codes(lenient, "a", "b", "c", "c", "") == []
    assert names(lenient, ("a", "b", "c", "c", "")) == ("amount", "note", "c", "c (column 4)", "column 5")


def test_line_of_values_is_no_header_by_place() -> None:
    plan = a_plan(AMOUNT, DAY, NOTE, match="byPosition")
    assert codes(plan, "9.50", "2024-05-01", "x") == [("missing-header", None)]
    assert codes(plan, "-1,5", "", "x") == [("missing-header", None)]
    assert codes(plan, "2024", "2025", "note") == []
    assert codes(plan, "amount 1", "2024-05-01", "x") == []
    assert codes(a_plan(NOTE, match="byPosition"), "9") == []


def test_header_may_end_with_a_delimiter_if_agreed() -> None:
    plan = a_plan(AMOUNT, NOTE, csv=Csv(trailing_delimiter=True))
    assert sent(plan, "amount,note,") == sent(plan, "amount,note") == ("amount", "note")
    assert sent(plan, "amount,note,,") == ("amount", "note", "")
    assert sent(plan, "amount,note, ") == ("amount", "note", " ")
    assert sent(a_plan(AMOUNT), "amount,") == ("amount", "")
    (problem,) = problems(a_plan(AMOUNT), ("amount", ""))
    assert problem.fix.endswith("or ask for `csv.trailingDelimiter: true` in orders.v1.")


LACKING = Csv(lacks_first=("row",), lacks_last=("rest", "end"))


def test_header_may_lack_texts_if_agreed() -> None:
    props = [Property(name, "string") for name in ("row", "note", "rest", "end")]
    plan = a_plan(*props, csv=LACKING)
    assert sent(plan, "note") == ("row", "note", "rest", "end")
    assert sent(plan, "note,_record,_reasons") == ("row", "note", "rest", "end", "_record", "_reasons")
    assert sent(a_plan(*props, csv=replace(LACKING, skip_columns=1)), "D,note") == ("D", "row", "note", "rest", "end")
    assert sent(a_plan(*props, csv=replace(LACKING, skip_rows=1)), "x\nnote") == ("row", "note", "rest", "end")
    assert (written(plan, "note"), sent(plan, "")) == (("note",), ())
    assert codes(plan, *sent(plan, "note")) == []


def test_header_without_names_to_lack_is_refused() -> None:
    plan = a_plan(Property("row", "string"), NOTE, csv=Csv(lacks_first=("row",)))
    (problem,) = problems(plan, sent(plan, "row,note"))
    assert (problem.code, problem.message) == (
        "duplicate-column",
        "The header has the name `row`, which it must lack (`csv.headerLacks`).",
    )
    assert codes(plan, *sent(plan, "x")) == [("missing-header", None)]


def test_line_of_values_is_no_header_that_lacks_texts() -> None:
    plan = a_plan(Property("row", "integer"), AMOUNT, match="byPosition", csv=Csv(lacks_first=("row",)))
    assert codes(plan, *sent(plan, "9.5")) == [("missing-header", None)]
    assert codes(plan, *sent(plan, "amount")) == []


def test_texts_of_a_line_are_read_once() -> None:
    plan = a_plan(AMOUNT, csv=Csv(delimiter=";"))
    assert sent(plan, '\ufeffamount;"a;b"') == ("amount", "a;b")
    assert sent(plan, "") == ()


def test_line_break_in_a_name_is_one_in_any_form() -> None:
    plan = a_plan(Property("id", header_names=("a\nb",), type="string"), csv=Csv(multi_line=True))
    assert [problems(plan, (f"a{end}b",)) for end in ("\n", "\r\n", "\r")] == [(), (), ()]
    (problem,) = problems(plan, ("a b",))
    assert problem.message == "The column `a\\nb` is missing from the header; the header has `a b` instead."
