"""The job's quotes and cells, against the one rule in plain Python, over drawn lines of every dialect."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from random import Random

import pytest
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as sf

from contracts.files import csv_cells
from contracts.plan import Csv
from spark_jobs.formats import csv_lines, text_lines
from spark_jobs.prefilter import plan_tests
from spark_jobs.rules import csv_quotes
from tests.integration.spark_jobs.world import a_plan, a_property
from tests.unit.contracts.files.test_csv_cells import DIALECTS

LINES = 6_000
WIDTH = 4


def drawn(csv: Csv) -> list[str]:
    """Lines of which many are nearly right: whole cells, and quotes, escapes and blanks where they should not be."""
    chance = Random(f"quotes {csv}")
    quote, sign = csv.quote or '"', csv.delimiter
    pieces = [
        "a",
        "b c",
        "",
        quote,
        quote * 2,
        csv.escape,
        csv.escape + quote,
        " ",
        "\t",
        "\x01",
        sign,
        "é",
        "\r",
        "\n",
    ]

    if escape := csv.unquoted_escape:
        pieces += [escape, escape * 2, escape + sign, escape + quote, *(escape + letter for letter in "Nnntrx")]

    def cell() -> str:
        text = "".join(chance.choices(pieces, k=chance.randrange(4)))
        if chance.random() < 0.5:
            return text
        inner = text if csv.escape == csv.quote else text.replace(csv.escape, csv.escape * 2)
        whole = quote + inner.replace(quote, csv.escape + quote) + quote
        return whole + chance.choice(("", "", "", " ", "\x02", "x", quote))

    return [sign.join(cell() for _ in range(chance.choice((WIDTH, WIDTH, WIDTH, 1, 3, 5)))) for _ in range(LINES)]


def named(csv: Csv) -> str:
    return f"{csv.delimiter}{csv.quote}{csv.escape}{' ended' * csv.trailing_delimiter}"


@pytest.mark.parametrize("csv", DIALECTS, ids=named)
def test_cells_are_those_of_the_rule(spark: SparkSession, csv: Csv) -> None:
    lines = list(dict.fromkeys(drawn(csv)))
    rows = spark.createDataFrame([(line,) for line in lines], "line string").coalesce(1)
    parsed = text_lines.parsed(sf.col("line"), csv, WIDTH)
    frame = rows.select("line", csv_quotes.misquoted(sf.col("line"), csv).alias("bad"), parsed.alias("p"))
    collected = frame.select("line", "bad", text_lines.fits(sf.col("p")).alias("fits"), "p.*").collect()
    for row in collected:
        own = csv_cells.split(row["line"], csv)
        assert row["bad"] == (own is None), row["line"]
        if own is not None and row["line"]:
            assert row["fits"] == (len(own) == WIDTH), row["line"]
            if row["fits"]:
                assert tuple(row[f"c{n}"] or "" for n in range(WIDTH)) == own, row["line"]
    assert {row["bad"] for row in collected} == ({False, True} if csv.quote or csv.unquoted_escape else {False})


ENDED = [replace(csv, trailing_delimiter=True, record="a") for csv in DIALECTS[::3]]


@pytest.mark.parametrize("csv", [*DIALECTS, *ENDED], ids=named)
def test_records_read_again_are_those_that_fail_no_record_check(spark: SparkSession, csv: Csv) -> None:
    own, odd = drawn(csv)[:1500], ("\ufeff", "\uffff", "\0", "\ufffd", csv.delimiter, "\xa0")
    lines = [line for line in (*own, *(f"{sign}{line}" for sign in odd for line in own[:150])) if line]
    lines += [f"{line}{sign}" for sign in odd for line in own[:150]]
    lines = list(dict.fromkeys([*lines, *(f"a{csv.delimiter}{line}" for line in lines)] if csv.record else lines))
    raw = [bytearray(line.encode()) for line in lines] + [bytearray(line.encode() + b"\xc3") for line in own[:150]]
    names = tuple(f"n{n}" for n in range(WIDTH))
    plan = a_plan([a_property(name) for name in names], csv=csv)
    rows = spark.createDataFrame(list(enumerate(raw)), "id long, line binary")
    rows = rows.selectExpr("'f' as file", "0L as block", "id", "cast(line as string) as line").coalesce(1)

    again = csv_lines.records(rows, plan, names, names, [-1], True).select("id").collect()
    judged, tests = csv_lines.second_pass(rows.withColumnRenamed("line", "raw"), plan, names)
    right = judged.where(~reduce(Column.__or__, tests.values())).select("id").collect()
    assert {row["id"] for row in again} == {row["id"] for row in right}
    assert len(raw) // 100 < len(again) < len(raw)


@pytest.mark.parametrize("csv", [one for one in DIALECTS if one.quote and csv_cells.is_usual(one)], ids=named)
def test_vectors_let_no_line_pass_that_breaks_the_rule(csv: Csv) -> None:
    from spark_jobs.prefilter import arrow_tests  # noqa: PLC0415 (needs Arrow)

    names = tuple(f"n{n}" for n in range(WIDTH))
    proof = plan_tests.pass_condition(a_plan([a_property(name) for name in names], csv=csv), names, ())
    assert proof
    lines = [line for line in dict.fromkeys(drawn(csv)) if line and "\r" not in line and "\n" not in line]
    passing = [line for line in lines if arrow_tests.sure([line.encode()], proof)[0]]
    assert len(passing) > 50
    assert all(len(csv_cells.split(line, csv) or ()) == WIDTH for line in passing)
