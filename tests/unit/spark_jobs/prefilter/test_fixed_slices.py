"""Fields of fixed width in vectors against the rule of their cells, for every text that a short field may hold."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from contracts.plan import Csv, LogicalType, Plan, Property
from contracts.terms.fixed_width import Align, Field, Fixed
from spark_jobs.prefilter import arrow_tests, fixed_slices, plan_tests, prefilter
from tests.integration.spark_jobs.world import a_check, a_plan, a_property

WIDTH = 4
NUMBER = re.compile(r"-?[0-9]+")
FIELDS = [
    (" ", "any"),
    (" ", "left"),
    (" ", "right"),
    ("0", "right"),
    ("*", "left"),
    ("*", "right"),
]
NULLS = [("",), ("", "-"), ("9", ""), ("-9",), (), (" ", "- ", "0")]


def _plan(fields: Sequence[Field], props: Sequence[Property], length: int, nulls: tuple[str, ...], **more: Any) -> Plan:
    """A plan that bounds all texts and numbers, so that each is read."""
    checks = [a_check("maxLength", p.name, value=9999) for p in props if p.type == "string"]
    checks += [a_check("minimum", p.name, value="-9999") for p in props if p.type == "integer"]
    csv = Csv(delimiter="\0", quote="", header=False, null_values=nulls, **more)
    plan = a_plan(list(props), checks=tuple(checks), csv=csv)
    return replace(plan, file_format="fixed", fixed=Fixed(tuple(fields), length))


def _results(plan: Plan, lines: Sequence[bytes]) -> arrow_tests.LineResults:
    assert plan.fixed
    condition = plan_tests.pass_condition(plan, plan.fixed.names, ())
    assert condition
    raw = pa.array(lines, pa.binary()).view(pa.string())
    batch = arrow_tests.LineBatch(raw, pa.array(range(len(lines)), pa.int64()), ())
    return arrow_tests._test_lines(batch, condition, {})


@pytest.mark.parametrize("nulls", NULLS, ids=str)
@pytest.mark.parametrize("kind", ["string", "integer"])
@pytest.mark.parametrize(("padding", "align"), FIELDS)
def test_passing_texts_have_the_cell_of_the_rule(
    padding: str, align: Align, kind: LogicalType, nulls: tuple[str, ...]
) -> None:
    field = Field("a", 2, WIDTH, padding, align)
    plan = _plan([field], [a_property("a", kind)], WIDTH + 2, nulls)
    texts = ["".join(signs) for signs in itertools.product(" 09-*", repeat=WIDTH)]
    results = _results(plan, [f"D{text} ".encode() for text in texts])
    values = results.cells.column("0").to_pylist()
    shaped = [text for text, is_shaped in zip(texts, results.shaped.to_pylist(), strict=True) if is_shaped]

    cells = [field.cell(text) for text in shaped]
    assert all(cell in nulls or kind == "string" or NUMBER.fullmatch(cell) for cell in cells)
    meant = [None if cell in nulls else int(cell) if kind == "integer" else cell for cell in cells]
    assert values == meant
    filled = {field.filled(cell) for text in texts if (cell := field.cell(text)) == cell.strip(" ")}
    sure = {text for text in filled if not re.match("0+-", text)}  # zeros before a minus are left to Spark
    own = {text for text in sure if kind == "string" or NUMBER.fullmatch(field.cell(text))}
    assert own <= {*shaped}


def test_lines_of_other_lengths_and_kinds_are_left_to_spark() -> None:
    plan = _plan([Field("a", 2, 3)], [a_property("a", "string")], 6, ("",), record="D")
    lines = [b"Dab  x", b"Dab  ", b"Dab  xx", b"Xab  x", "D\u00e4  x".encode(), b"Dab  \t", b"", b"Da\x1f  x"]
    results = _results(plan, lines)

    assert results.shaped.to_pylist() == [True, *[False] * (len(lines) - 1)]
    assert results.cells.column("0").to_pylist() == ["ab"]


def test_many_lines_are_arranged_in_parts() -> None:
    plan = _plan(
        [Field("a", 9, 8), Field("b", 1, 5, "0", "right")],
        [a_property("a", "string"), a_property("b", "integer")],
        20,
        ("",),
    )
    lines = [b"%05d   %-8dzzzz" % (n, 2 * n) for n in range(3 * fixed_slices.PLACES // 20)]
    results = _results(plan, lines)

    assert results.passes.true_count == len(lines)
    assert results.cells.column("0").to_pylist() == [str(2 * n) for n in range(len(lines))]
    assert results.cells.column("1").to_pylist() == list(range(len(lines)))


def test_letters_of_one_byte_are_characters() -> None:
    plan = _plan([Field("a", 1, 4)], [a_property("a", "string")], 5, ("",), encoding="windows-1252")
    results = _results(plan, ["Käse ".encode("cp1252"), b"K\x81se ", b"Kase "])

    assert results.shaped.to_pylist() == [True, False, True]
    assert results.cells.column("0").to_pylist() == ["Käse", "Kase"]


def test_too_many_places_of_null_values_are_left_to_spark() -> None:
    fields = [Field("a", 1, 5000)]
    plan = _plan(fields, [a_property("a", "integer")], 5000, ("", "-"))

    assert plan_tests.pass_condition(plan, ("a",), ()) is None


def test_start_of_a_file_is_tested_in_its_encoding() -> None:
    plan = _plan([Field("a", 1, 4)], [a_property("a", "string")], 5, ("",), encoding="windows-1252")
    condition = plan_tests.pass_condition(plan, ("a",), ())
    assert condition

    assert prefilter.most_pass("Käse \r\nMüll \r\n".encode("cp1252"), condition)
    assert not prefilter.most_pass("Käse\nMüll\n".encode("cp1252"), condition)
