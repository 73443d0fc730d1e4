"""Exact numbers: which texts a decimal holds as they are, bounds and multiples without rounding, in a whole run."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Csv, LogicalType, Threshold
from tests.integration.spark_jobs.columns import Column, expected, failing, judged_both_ways
from tests.integration.spark_jobs.rules.test_casting import values
from tests.integration.spark_jobs.world import a_check, a_plan, a_property, judge

TEXTS = [
    *("0", "-0", "+7", "007", "5.", ".5", "-.5", "123.45", "-123.45", "0" * 50 + "1.1"),
    *(
        "1.234",
        "1.230",
        "1234",
        "1234.5",
        "1e2",
        "1E2",
        "1.5e0",
        "",
        "-",
        "+",
        ".",
        "-.",
        "1..2",
        "1.2.3",
        "--1",
        "+-1",
    ),
    *(" 1", "1 ", "1\t", "1,5", "1_0", "1d", "0x1", "NaN", "Infinity", "\uff11", "1\x00", "9" * 400, "0." + "0" * 400),
]
LONGEST = "9" * 38
OF: dict[tuple[LogicalType, tuple[int, int]], list[str]] = {
    ("number", (5, 2)): TEXTS[:10],
    ("number", (3, 0)): [*TEXTS[:4], "5."],
    ("number", (2, 2)): ["0", "-0", ".5", "-.5"],
    ("integer", (3, 0)): TEXTS[:4],
}


@pytest.mark.parametrize("of", OF)
def test_decimal_is_what_it_holds_as_it_stands(spark: SparkSession, of: tuple[LogicalType, tuple[int, int]]) -> None:
    parsed = values(spark, TEXTS, a_property("p", of[0], exact=of[1]))
    assert [text for text, value in parsed if value is not None] == OF[of]
    assert all(Decimal(text) == Decimal(str(value)) for text, value in parsed if value is not None)


def test_longest_decimals_are_exact(spark: SparkSession) -> None:
    for exact, texts in {
        (38, 0): [LONGEST, f"-{LONGEST}", f"{LONGEST}."],
        (38, 38): [f"0.{LONGEST}", f"-.{LONGEST}", "0." + "0" * 37 + "1"],
        (38, 18): ["9" * 20 + "." + "9" * 18],
    }.items():
        parsed = values(spark, [*texts, f"1{LONGEST}", f"0.{LONGEST}1"], a_property("p", "number", exact=exact))
        assert [text for text, value in parsed if value is not None] == texts
        assert all(Decimal(text) == Decimal(str(value)) for text, value in parsed[: len(texts)])


TYPE, MULTIPLE = "logicalType", "multipleOf"
DOUBLES_DENY = "9007199254740993"
"""The first whole number that a double does not have."""
COLUMNS = [
    Column(
        a_property("price", "number", exact=(10, 2)),
        [a_check("minimum", "price", value="-0.10"), a_check("exclusiveMaximum", "price", value="99999999.99")],
        {
            "-0.1": "",
            "-0.11": "minimum",
            "99999999.98": "",
            "99999999.99": "exclusiveMaximum",
            "100000000": TYPE,
            "1.999": TYPE,
            "1.990": TYPE,
            "1e1": TYPE,
            "NA": "",
            "007": "",
        },
    ),
    Column(
        a_property("long", "number", exact=(38, 18)),
        [a_check("maximum", "long", value=DOUBLES_DENY), a_check("enum", "long", values=[DOUBLES_DENY, "0.5"])],
        {DOUBLES_DENY: "", "9007199254740994": "maximum enum", "9007199254740992": "enum", "0.50": ""},
    ),
    Column(
        a_property("cents", "number", exact=(38, 18)),
        [a_check(MULTIPLE, "cents", value="0.01")],
        {
            "0.07": "",
            "-0.29": "",
            "0.075": MULTIPLE,
            "1e-2": TYPE,
            "9" * 20 + ".99": "",
            "0." + "0" * 17 + "1": MULTIPLE,
        },
    ),
    Column(
        a_property("hair", "number", exact=(38, 38)),
        [a_check(MULTIPLE, "hair", value="0." + "0" * 37 + "2")],
        {"0." + "0" * 37 + "1": MULTIPLE, "0." + "0" * 37 + "4": "", "0." + "9" * 37 + "8": "", "1": TYPE},
    ),
    Column(
        a_property("fives", "integer"),
        [a_check(MULTIPLE, "fives", value="5")],
        {"0": "", "-10": "", "7": MULTIPLE, "-1": MULTIPLE, "9223372036854775805": "", "x": TYPE},
    ),
    Column(
        a_property("u64", "integer", exact=(20, 0)),
        [a_check("format", "u64", format="u64"), a_check("minimum", "u64", value="1")],
        {
            "18446744073709551615": "",
            "18446744073709551616": "format",
            "0": "minimum",
            "-1": "format minimum",
            "1.0": TYPE,
            "1" + "0" * 20: TYPE,
        },
    ),
]


def test_exact_values_are_judged_exactly(spark: SparkSession, tmp_path: Path) -> None:
    judged = judged_both_ways(spark, tmp_path, COLUMNS, Csv(null_values=("", "NA")))

    assert failing(spark, judged) == expected(COLUMNS)
    rows = sum(len(c.cells) for c in COLUMNS)
    for name in ("plain.csv", "quoted.csv"):
        count = judged.count("cents.multipleOf", name)
        assert (count.evaluated, count.failed, count.null) == (rows, 2, rows - 5)
        assert judged.count("long.maximum", name).observed == "9007199254740994"


def test_exact_keys_are_compared_as_values(spark: SparkSession, tmp_path: Path) -> None:
    unique = a_check("unique", "p", scope="set")
    invalid = replace(
        a_check("invalidValues", "p", scope="set", values=["1.5"]), threshold=Threshold("mustBeLessThan", (Decimal(9),))
    )
    plan = a_plan([a_property("p", "number", exact=(5, 2)), a_property("n")], [unique, invalid])
    judged = judge(spark, tmp_path, plan, {"a.csv": 'p,n\n1.5,a\n"01.50",b\n1.51,c\n,d\n1.505,e\n'})
    assert (judged.count("p.unique").failed, judged.count("p.unique").null) == (2, 2)
    assert (judged.count("p.invalidValues").failed, judged.count("p.invalidValues").null) == (1, 2)
