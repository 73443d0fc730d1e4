"""Lines and contracts that the prefilter must leave to Spark, though Arrow would accept them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from contracts.plan import Csv
from spark_jobs.prefilter.arrow_tests import PassCondition, evaluate_batches
from spark_jobs.prefilter.plan_tests import pass_condition
from tests.integration.spark_jobs.world import a_check, a_plan, a_property

FEW = a_plan([a_property("a")], [a_check("maxLength", "a", value=2)])


def remaining(condition: PassCondition | None, *lines: str) -> list[str | None]:
    """Return the lines that come out unchanged; None for those that pass."""
    assert condition is not None
    batch = pa.RecordBatch.from_pydict(
        {"file": ["a"] * len(lines), "block": [7] * len(lines), "id": list(range(len(lines))), "line": list(lines)}
    )
    return [line for out in evaluate_batches([batch], condition) for line in out.column("line").to_pylist()]


@pytest.mark.parametrize("line", ["\ufeffab", "a\ufeff", "\ufffd", "a\0"])
def test_lines_with_doubtful_characters_never_pass(line: str) -> None:
    assert remaining(pass_condition(FEW, ("a",), ["a"]), line, "ab") == [line, None]


def test_a_null_value_with_a_mark_never_passes() -> None:
    plan = a_plan([a_property("a", "boolean")], csv=Csv(null_values=("\ufeffNA", "NA")))
    assert remaining(pass_condition(plan, ("a",), ["a"]), "\ufeffNA", "NA") == ["\ufeffNA", None]


@pytest.mark.parametrize("pattern", [r"^[^\uD83D\uDE00]*\z", r"[^\x00-\ud83d\ude00]", r"^(?:\uDbff\uDfff)?\z"])
def test_patterns_with_surrogates_are_not_shared(pattern: str) -> None:
    plan = a_plan([a_property("a")], [a_check("pattern", "a", pattern=pattern)])
    assert pass_condition(plan, ("a",), ["a"]) is None


@pytest.mark.parametrize("sign", ["-", ".", ":", " ", "1", "e", "T", "§"])
def test_delimiters_that_values_may_have_are_not_tested(sign: str) -> None:
    plan = a_plan([a_property("a", "date"), a_property("b")], [a_check("required", "a")], Csv(delimiter=sign))
    assert pass_condition(plan, ("a", "b"), [f"a{sign}b"]) is None


@pytest.mark.parametrize(("quote", "escape"), [("-", "-"), (":", ":"), ("T", "T"), ('"', "0"), ("«", "«")])
def test_quotes_and_escapes_that_values_may_have_are_not_tested(quote: str, escape: str) -> None:
    plan = a_plan([a_property("a", "time")], csv=Csv(quote=quote, escape=escape))
    assert pass_condition(plan, ("a",), ["a"]) is None


@pytest.mark.parametrize("quote", ["|", "^", "$", "*", "'"])
def test_quotes_are_no_signs_of_patterns(quote: str) -> None:
    plan = a_plan([a_property("a"), a_property("b")], csv=Csv(quote=quote, escape=quote))
    lines = ("x,y,z", "x,y", f"{quote}x,y{quote},z")
    assert remaining(pass_condition(plan, ("a", "b"), ["a,b"]), *lines) == ["x,y,z", None]


def test_long_lines_with_quotes_never_pass() -> None:
    plan = a_plan([a_property("a"), a_property("b")])
    long = f'"{"," * 20_000}",b'
    assert remaining(pass_condition(plan, ("a", "b"), ["a,b"]), long, '"a","b"') == [long, None]


def test_long_lines_with_few_delimiters_pass() -> None:
    plan = a_plan([a_property("a"), a_property("b")])
    assert remaining(pass_condition(plan, ("a", "b"), ["a,b"]), f'"{"," * 9}{"x" * 20_000}",b', "a,b,c") == [
        "a,b,c",
        None,
    ]


@pytest.mark.parametrize("bound", ["0000-01-01", "2023-02-30"])
def test_a_bound_that_python_lacks_is_not_tested(bound: str) -> None:
    plan = a_plan([a_property("a", "date")], [a_check("minimum", "a", value=bound)])
    assert pass_condition(plan, ("a",), ["a"]) is None
