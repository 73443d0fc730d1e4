"""Contracts that Arrow can test, and patterns that mean the same to RE2 and to Java."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.authoring.patterns.regex import PatternRefused, to_java
from contracts.plan import Plan
from spark_jobs.prefilter import plan_tests
from spark_jobs.prefilter.arrow_tests import PassCondition
from tests.integration.spark_jobs.world import a_check, a_plan, a_property
from tests.oracle.contracts import Document, a_document, compiled

ID: Document = {"name": "id", "logicalType": "integer"}
NAME: Document = {"name": "name", "logicalType": "string"}
WIND: Document = {"name": "wind", "logicalType": "number"}
DAY: Document = {"name": "day", "logicalType": "date"}
AT: Document = {"name": "at", "logicalType": "timestamp"}


def options(written: Document, **more: Any) -> Document:
    """Add options of its logical type to a property."""
    return written | {"logicalTypeOptions": more}


def asked(written: Document, metric: str, /, **more: Any) -> Document:
    """Add an entry of quality to a property; no record may fail it, unless it has a threshold."""
    entry = {"metric": metric, "mustBe": 0} if more.keys().isdisjoint({"mustBeLessThan"}) else {"metric": metric}
    ours = metric in ("notBlank", "regex", "sum", "mean", "min", "max", "stdev", "quantile")
    inner = {"type": "custom", "engine": "dropgate", "implementation": entry | more} if ours else entry | more
    return written | {"quality": [{"id": "asked", **inner}]}


def written(*properties: Document, quality: Sequence[Document] = (), **block: Any) -> Plan:
    """Compile the plan of a contract with these properties."""
    least = {"files": "maker/things/*", "producer": "maker", "format": "csv"}
    plan = compiled(a_document(properties, least | block, quality))
    assert plan
    return plan


def condition_of(plan: Plan) -> PassCondition | None:
    """Return the condition for files with the contract's own header."""
    header = tuple(p.name for p in plan.properties)
    return plan_tests.pass_condition(plan, header, [plan.csv.delimiter.join(header)])


def custom(**implementation: Any) -> Document:
    """Make an entry of quality of our own engine."""
    return {"id": "own", "type": "custom", "engine": "dropgate", "implementation": implementation}


FEW = {"mustBeLessThan": 5, "unit": "percent"}
TESTABLE = {
    "text": written(NAME),
    "JSON Lines": written(NAME, format="jsonl"),
    "required": written(NAME | {"required": True}),
    "unique": written(ID | {"unique": True}, NAME | {"primaryKey": True}),
    "decimal commas and groups": written(
        *(options(WIND, minimum=0), ID | {"unique": True}),
        csv={"delimiter": ";"},
        values={"decimalChar": ",", "groupChar": "."},
    ),
    "marks of one column": written(
        WIND, {**WIND, "name": "other"}, csv={"delimiter": ";"}, values={"columns": {"wind": {"decimalChar": ","}}}
    ),
    "days in digits": written(options(DAY, minimum="2020-01-01"), values={"formats": ["d.M.yyyy"]}),
    "days in digits of several notations": written(DAY, values={"formats": ["d.M.yyyy", "yyyyMMdd"]}),
    "cells without blanks": written(ID, NAME, DAY, AT, values={"trim": True}),
    "words for true and false": written(
        {"name": "on", "logicalType": "boolean"}, values={"trueValues": ["J"], "falseValues": ["N"]}
    ),
    "bounds of integers": written(options(ID, minimum=0, exclusiveMaximum=9)),
    "formats of integers": written(options(ID, format="u16")),
    "bounds of numbers": written(options(WIND, exclusiveMinimum=-1.5, maximum=360)),
    "formats of numbers": written(options(WIND, format="f32")),
    "bounds of decimals": written(options(WIND, minimum=0.07) | {"physicalType": "decimal(10,2)"}),
    "bounds of dates": written(options(DAY, minimum="2024-02-29")),
    "booleans": written({"name": "ok", "logicalType": "boolean"}),
    "times": written({"name": "at", "logicalType": "time"}),
    "timestamps": written(AT),
    "timestamps with an offset": written(options(AT, timezone=True)),
    "lengths": written(options(NAME, minLength=1, maxLength=3)),
    "words": written(NAME | {"enum": [{"value": "SP"}, {"value": "RJ"}]}),
    "valid integers": written(asked(ID, "invalidValues", arguments={"validValues": [1, 2]})),
    "missing values": written(asked(ID, "missingValues", arguments={"missingValues": [None, "-9999"]})),
    "no nulls": written(asked(WIND, "nullValues")),
    "few nulls": written(asked(WIND, "nullValues", **FEW)),
    "patterns": written(options(NAME, pattern="^[A-Z]{2}$")),
    "patterns with repeated groups": written(options(NAME, pattern="^[a-z]+(-[a-z]+)*$")),
    "not blank": written(asked(NAME, "notBlank")),
    **{f"{name} of text": written(options(NAME, format=name)) for name in ("uuid", "ipv4", "ipv6")},
    "a number of rows": written(NAME, quality=[{"id": "rows", "metric": "rowCount", "mustBeGreaterThan": 0}]),
    "a quantile": written(asked(WIND, "quantile", quantile=0.5, mustBeLessThan=9)),
    "no header": written(NAME, csv={"header": False}),
    "gzip": written(NAME, compression="gzip"),
    "other signs": written(ID, NAME, csv={"delimiter": "\t", "quote": "'", "escape": "\\", "nullValues": []}),
    "no quotes": written(ID, NAME, csv={"delimiter": "^", "quote": ""}),
    "200 columns": written(*({"name": f"c{n}", "logicalType": "number"} for n in range(200))),
}
UNTESTABLE = {
    "a mark that is the delimiter": written(WIND, values={"decimalChar": ","}),
    "null words of one column": written(WIND, values={"columns": {"wind": {"nullValues": ["-"]}}}),
    "bounds of days in several notations": written(
        options(DAY, minimum="2020-01-01"), values={"formats": ["d.M.yyyy", "yyyyMMdd"]}
    ),
    "days in words": written(DAY, values={"formats": ["dd-MMM-yyyy"], "language": "en"}),
    "days as counts": written(DAY, values={"formats": ["excelDays"]}),
    "moments in digits": written(AT, values={"formats": ["d.M.yyyy HH:mm"]}),
    "a percent sign": written(WIND, values={"percent": "keep"}),
    "negative numbers in another way": written(WIND, values={"negatives": ["trailing"]}),
    "implied decimals": written(WIND, values={"decimals": 2}),
    "a filter": written(options(ID, minimum=0), checks={"id.minimum": {"filter": "id > 2"}}),
    "a watermark": written(options(ID, minimum=0), checks={"id.minimum": {"watermark": "id"}}),
    "an expression": written(ID, quality=[custom(metric="expression", expression="id > 2", mustBe=0)]),
    "a few that an expression may fail": written(
        ID, quality=[custom(metric="expression", expression="id > 2", mustBeLessThan=5)]
    ),
    "a reference": written(
        ID | {"relationships": [{"id": "f", "to": "known.id"}]}, references={"known": {"file": "known.csv"}}
    ),
    "a sum": written(asked(ID, "sum", mustBeLessThan=5)),
    "a least value": written(asked(ID, "min", mustBeLessThan=5)),
    "few invalid values": written(asked(ID, "invalidValues", arguments={"validValues": [1, 2]}, **FEW)),
    "few missing values": written(asked(ID, "missingValues", arguments={"missingValues": ["-9"]}, **FEW)),
    "few blanks": written(asked(NAME, "notBlank", **FEW)),
    "few that a pattern is not found in": written(asked(NAME, "regex", pattern="a", **FEW)),
    "duplicates of two": written(
        ID,
        NAME,
        quality=[
            {"id": "d", "metric": "duplicateValues", "arguments": {"properties": ["id", "name"]}, "mustBeLessThan": 5}
        ],
    ),
    "a key of two": written(
        ID | {"primaryKey": True, "primaryKeyPosition": 1}, NAME | {"primaryKey": True, "primaryKeyPosition": 2}
    ),
    "values and texts of one column": written(
        asked(options(ID, minimum=0), "missingValues", arguments={"missingValues": ["-9"]})
    ),
    "multiples": written(options(ID, multipleOf=3)),
    "valid numbers": written(asked(WIND, "invalidValues", arguments={"validValues": [1.5]})),
    "valid booleans": written(
        asked({"name": "ok", "logicalType": "boolean"}, "invalidValues", arguments={"validValues": [True]})
    ),
    "valid dates": written(asked(DAY, "invalidValues", arguments={"validValues": ["2024-01-31"]})),
    "formats of dates": written(options(DAY, format="dd.MM.yyyy")),
    "formats of timestamps": written(options(AT, format="yyyy-MM-dd HH:mm")),
    "bounds of timestamps": written(options(AT, minimum="2024-01-31T00:00:00")),
    "formats of times": written(options({"name": "at", "logicalType": "time"}, format="HHmmss")),
    "zones": written(options(AT, defaultTimezone="Europe/Berlin")),
    **{f"{name} of text": written(options(NAME, format=name)) for name in ("email", "uri", "hostname", "byte")},
    "patterns that look ahead": written(options(NAME, pattern="^(?=a)b?")),
    "patterns too large": written(options(NAME, pattern="^([a-z]{300}[0-9]{300}){300}$")),
    "cells over lines": written(NAME, csv={"multiLine": True}),
    "trailers": written(ID, csv={"trailer": {"begins": "END", "rows": 2}}),
    "JSON documents": written(NAME, format="json"),
    "Parquet": written(NAME, format="parquet"),
    "201 columns": written(*({"name": f"c{n}", "logicalType": "number"} for n in range(201))),
    **{f"the delimiter {sign}": written(ID, NAME, csv={"delimiter": sign}) for sign in "5.-+:T e§"},
    **{f"the quote {sign}": written(ID, NAME, csv={"quote": sign, "escape": sign}) for sign in "5.-€"},
}


@pytest.mark.parametrize("name", TESTABLE)
def test_arrow_can_test(name: str) -> None:
    assert condition_of(TESTABLE[name])


@pytest.mark.parametrize("name", UNTESTABLE)
def test_arrow_cannot_test(name: str) -> None:
    assert condition_of(UNTESTABLE[name]) is None


def test_columns_that_a_header_lacks_are_tested_like_all_others() -> None:
    whole, lacking = written(ID, NAME, WIND), written(ID, NAME, WIND, csv={"headerLacks": {"first": ["id"]}})
    header = ("id", "name", "wind")
    condition = plan_tests.pass_condition(lacking, header, ["name,wind"])

    assert condition == plan_tests.pass_condition(whole, header, ["name,wind"])
    assert condition
    assert (condition.width, condition.header_texts) == (3, ("name,wind",))
    assert pc.match_substring_regex(pa.array(["1,Ana,2.5", "Ana,2.5"]), condition.pattern).to_pylist() == [True, False]


def test_columns_that_the_contract_lacks_may_hold_any_text() -> None:
    plan = written(ID | {"required": True}, columns={"extra": "ignore", "missing": "ignore"})
    condition = plan_tests.pass_condition(plan, ("more", "id", "_record", "_reasons"), ["more,id,_record,_reasons"])
    assert condition
    assert pc.match_substring_regex(pa.array(["é,1,,", "é,x,,", "é,1,"]), condition.pattern).to_pylist() == [
        True,
        False,
        False,
    ]


def searched(java: str) -> PassCondition | None:
    """Return the condition of a column that must match one of Java's patterns."""
    return condition_of(a_plan([a_property("name")], [a_check("regex", "name", pattern=java)]))


def shared(java: str) -> list[str]:
    """Return the patterns of RE2 for one of Java's; none if there is none."""
    condition = searched(java)
    return [test.argument for test in condition.tested[0].tests if test.kind == "pattern"] if condition else []


SHARED = {
    "^[A-Z]{2}$": r"^[A-Z]{2}\z",
    "a|bc?|(?:d)+": "a|bc?|(?:d)+",
    r"\d\D\w\W\t\/\-\$": r"\d\D\w\W\t\/\-\$",
    r"[\w.-][^\d_]": r"[\w.\-][^\d_]",
    "a.b": r"a[^\n\r\x{2028}\x{2029}]b",
    r"\u00e9\\u00e9\xe9é": r"\x{00e9}\\u00e9\xe9é",
    "[é-ü😀]": "[é-ü😀]",
    r"\s": r"[\t\n\x0B\f\r \x{00a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]",
    "(?<name>a)": "(?:a)",
    "a{2}b{0,3}c{10,}": "a{2}b{0,3}c{10,}",
}
"""Patterns of contracts (ECMA-262), with their spelling in RE2."""
JAVAS = {
    "what gives nothing back": ["a++", "a*+b", "(?:a)?+"],
    "least repetition": ["a+?", "a*?b", "a{2,3}?"],
    "looks around": ["(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", r"\ba"],
    "Java's end": ["a$", r"a\Z", r"\Aa", r"\Ga"],
    "any but a line's end": ["a.b", "."],
    "flags": ["(?i)a", "(?s:a)", "(?x) a"],
    "groups that come again": [r"(a)\1", r"(?<n>a)\k<n>", "(?>a)"],
    "other classes": [r"\p{L}", r"\h", r"\R", r"\s", r"[\s]", r"[a&&b]", "[a[b]]", "[[:alpha:]]", "[a-\\d]", "[]a]"],
    "quotes": [r"\Qa\E"],
    "halves of a character": [r"\ud83d\ude00", r"[^\ud83d\ude00]", r"\uDFFF", r"[\ud800-\udfff]"],
    "octal": [r"\07", r"\cA"],
    "repetition of nothing": ["*", "a|*", "(+)", "^*"],
    "what is not closed": ["(", "[a", "a)", "a{1001}", "[z-a]"],
}
"""Patterns of Java that RE2 lacks, by their construct."""


@pytest.mark.parametrize("pattern", SHARED)
def test_pattern_is_written_in_the_syntax_of_re2(pattern: str) -> None:
    assert shared(str(to_java(pattern))) == [SHARED[pattern]]


@pytest.mark.parametrize("java", [pattern for patterns in JAVAS.values() for pattern in patterns])
def test_pattern_that_only_java_has_is_not_tested(java: str) -> None:
    assert searched(java) is None


def test_pattern_of_short_texts_is_searched_in_shorter_ones() -> None:
    condition = searched(str(to_java("^(ab)+$")))
    assert condition
    length, pattern = condition.tested[0].tests
    assert (length.kind, length.argument, length.bit) == ("length", ("less_equal", 250), None)
    assert (pattern.kind, pattern.argument) == ("pattern", r"^(ab)+\z")
    assert pattern.bit


ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "A",
        "é",
        "😀",
        "_",
        "7",
        "-",
        " ",
        r"\d",
        r"\D",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        ".",
        r"\.",
        r"\u00e9",
        r"\x41",
    ]
)
MEMBERS = st.sampled_from(
    ["a", "b-d", "é", "é-ü", "😀", "_", "0-8", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", ".", "^", r"\u00e9", r"\-"]
)
CLASSES = st.builds(
    lambda no, inner: f"[{no}{''.join(inner)}]", st.sampled_from(["", "^"]), st.lists(MEMBERS, min_size=1, max_size=3)
)
ENDS = st.sampled_from(["^", "$"])
REPEATS = st.sampled_from(["", "", "?", "*", "+", "{2}", "{0,2}", "{1,}"])
PATTERNS = st.recursive(
    st.one_of(ENDS, st.builds("".join, st.tuples(ATOMS | CLASSES, REPEATS))),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.builds("{}|{}".format, inner, inner),
        st.builds("({}){}".format, inner, REPEATS),
    ),
    max_leaves=6,
)
TEXTS = st.text(st.sampled_from("aabbcdAé😀ü_7- .^\u0661\u00a0\u0085\u2028\n\ufeff"), max_size=8)


@given(PATTERNS, st.lists(TEXTS, min_size=4, max_size=12))
@settings(derandomize=True, max_examples=800)
def test_re2_finds_what_python_finds(pattern: str, texts: list[str]) -> None:
    java = to_java(pattern)
    assume(not isinstance(java, PatternRefused))
    patterns = shared(str(java))
    assume(patterns)
    expected = [re.search(str(java).replace(r"\z", r"\Z"), text, re.ASCII) is not None for text in texts]
    assert pc.match_substring_regex(pa.array(texts), patterns[0]).to_pylist() == expected
