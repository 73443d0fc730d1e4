"""Cells of failing objects are the texts of their values: the short way gives what the exact way gives."""

from __future__ import annotations

import json
from random import Random

from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.values import long_lines
from spark_jobs import validate
from spark_jobs.formats import json_lines
from tests.integration.spark_jobs.world import a_plan, a_property

PLAN = a_plan(
    [
        a_property("a", "number"),
        a_property("b b", "number"),
        a_property("c`c", "string"),
        a_property("d", "integer"),
        a_property("e", "string"),
    ],
    (),
    file_format="jsonl",
)
EXACT = "0.0001234"
"""A number for which the cells of its whole object are made the exact way."""
TEXTS = (
    '"x"',
    '""',
    '"0.12345678"',
    '"a\\"b"',
    '"ü"',
    '"\\u00fc"',
    "null",
    "true",
    '{"a": 1.50}',
    "[1.0, 2]",
    '"null"',
)
MOST = 1_000


def number(draw: Random) -> str:
    """Draw a number of JSON: whole, a decimal, with an exponent."""
    whole = draw.choice(("0", str(draw.randrange(10)), str(draw.randrange(1, 10 ** draw.randint(1, 25)))))
    digits = draw.randint(1, 12)
    fraction = draw.choice(("", f".{draw.randrange(10**digits):0{digits}d}", ".0", ".50", ".001"))
    return draw.choice(("", "-")) + whole + fraction + draw.choice(("", "", "", "e3", "E-7", "e+0"))


def objects(draw: Random) -> list[dict[str, str]]:
    """Draw objects: their values, as they are written, by key; keys may be absent, or unknown."""
    every = []
    for _ in range(MOST):
        own = {"a": number(draw), "b b": number(draw), "c`c": draw.choice(TEXTS), "d": number(draw), "e": '"z"'}
        own |= {"unknown.key": draw.choice((number(draw), *TEXTS))} if draw.random() < 0.3 else {}
        keys = draw.sample(sorted(own), draw.randint(1, len(own)))
        every.append({key: own[key] for key in keys})
    return every


def written(values: dict[str, str]) -> str:
    return "{" + ", ".join(f"{json.dumps(key)}: {value}" for key, value in values.items()) + "}"


def cells(spark: SparkSession, lines: list[str]) -> list[dict[str, str | None]]:
    """Return the cells of sound lines."""
    rows = spark.createDataFrame([(n, line) for n, line in enumerate(lines)], "n int, raw string")
    shown = json_lines.with_cells(rows, PLAN, (), sf.lit(False)).orderBy("n").collect()
    return [row["cells"] for row in shown]


def test_cells_do_not_depend_on_the_other_values_of_an_object(spark: SparkSession) -> None:
    drawn = objects(Random("cells"))
    session = validate.configured(spark)
    short = cells(session, [written(values) for values in drawn])
    exact = cells(session, [written({**values, "exact": EXACT}) for values in drawn])

    assert short == [{key: text for key, text in own.items() if key != "exact"} for own in exact]
    assert all(set(own) == {p.name for p in PLAN.roots} | set(values) for own, values in zip(short, drawn, strict=True))


def test_numbers_keep_their_digits(spark: SparkSession) -> None:
    (own,) = cells(
        validate.configured(spark),
        ['{"a": 0.1234567890123456789, "b b": 12345678.5, "c`c": "1e5", "d": 12345678901234567890123, "e": null}'],
    )
    assert own == {
        "a": "0.1234567890123456789",
        "b b": "12345678.5",
        "c`c": "1e5",
        "d": "12345678901234567890123",
        "e": None,
    }


def test_malformed_and_very_long_lines_have_no_cells(spark: SparkSession) -> None:
    session = validate.configured(spark)
    long = written({"e": json.dumps("x" * long_lines.LONGEST)})
    rows = session.createDataFrame([("[1]", True), ('{"a": 1}', True), (long, False)], "raw string, bad boolean")
    shown = json_lines.with_cells(rows, PLAN, (), sf.col("bad")).collect()
    assert [row["cells"] for row in shown] == [None, None, None]
