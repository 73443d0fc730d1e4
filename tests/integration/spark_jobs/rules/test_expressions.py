"""Expressions as the job runs them: what each says of each record, the same in every format, whatever stands there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.plan import FileFormat, Plan
from tests.integration.spark_jobs.world import judge
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.documents import DROP

PROPERTIES = """\
- {name: n, logicalType: integer}
- {name: x, logicalType: number}
- {name: price, logicalType: number, physicalType: "decimal(10,2)"}
- {name: text, logicalType: string}
- {name: day, logicalType: date}
- {name: at, logicalType: timestamp}
"""
RECORDS = [
    {"n": "-9223372036854775808", "x": "1e308", "price": "0.15", "text": " ab ", "day": "2024-02-29",
     "at": "2024-12-31T23:59:59Z"},
    {"n": "7", "x": "0", "price": "10.00", "text": "Straße", "day": "0001-01-01", "at": "2024-01-01T00:00:00Z"},
    {"n": "", "x": "", "price": "", "text": "", "day": "", "at": ""},
    {"n": "9223372036854775807", "x": "-0.0", "price": "-0.07", "text": "a\\d", "day": "9999-12-31",
     "at": "2024-02-29T12:00:00+14:00"},
]  # fmt: skip
OUTCOMES = {
    "n + 1 > n": "TT??",
    "-n > 0": "?F?F",
    "abs(n) >= 0": "?T?T",
    "n * 2 / 2 = n": "?T??",
    "1 / n > 0": "FT?T",
    "n / x > 0": "F???",
    "n % x = 0": "F???",
    "x * 10 > 1e307": "TF?F",
    "x = 0": "FT?T",
    "price % 0.05 = 0": "TT?F",
    "price = 0.15": "TF?F",
    "price + x > 1": "TT?F",
    "n > price": "FF?T",
    "length(trim(text)) = 2": "TF?F",
    "upper(text) = 'STRASSE'": "FT?F",
    "text like '%ß_'": "FT?F",
    r"text rlike r'\\d$'": "FF?T",
    "text = r'a\\d'": "FF?T",
    "text between 'S' and 'b'": "FT?T",
    "coalesce(text, 'none') = 'none'": "FFTF",
    "text is null or n is not null": "TTTT",
    "n in (7, null)": "?T??",
    "n not in (7, 8)": "TF?T",
    "n <=> null": "FFTF",
    "day <= date '2024-02-29'": "TT?F",
    "year(day) + month(day) * 100 + day(day) = 2024 + 200 + 29": "TF?F",
    "datediff(day, date '2024-02-28') = 1": "TF?F",
    "at < timestamp '2024-02-29 00:00:00'": "FT?T",
    "year(at) = 2024 and month(at) = 12": "TF?F",
    "case when n > 0 then x = 0 when n < 0 then false end": "FT?T",
    "if(n is null, true, x < 1)": "FTTT",
    "nullif(n, 7) is null": "FTTF",
    "least(n, 0) = 0": "FTTT",
    "substring(text, 1, 2) = 'St'": "FT?F",
    "startswith(text, ' ') or endswith(text, 'e') or contains(text, 'ß')": "TT?F",
}
"""The value of each expression for each record: true, false or null (?)."""


def a_plan(form: FileFormat) -> Plan:
    """A contract with an entry for each expression."""
    inner = (json.dumps({"metric": "expression", "expression": text}) for text in OUTCOMES)
    entries = (f"- {{id: e{n}, type: custom, engine: dropgate, implementation: {i}}}\n" for n, i in enumerate(inner))
    return documents.a_plan(documents.a_document(PROPERTIES, "".join(entries), DROP.replace("csv", form)))


def files(spark: SparkSession, folder: Path) -> dict[FileFormat, str | bytes]:
    """The same records in each format."""
    text = ",".join(RECORDS[0]) + "\n" + "".join(",".join(r.values()) + "\n" for r in RECORDS)
    (folder / "all.csv").write_text(text, encoding="utf-8")
    schema = "n bigint, x double, price decimal(10,2), text string, day date, at timestamp"
    spark.read.csv(f"{folder}/all.csv", header=True, schema=schema).coalesce(1).write.parquet(f"{folder}/all")
    return {
        "csv": text.replace(" ab ", '" ab "'),
        "jsonl": "".join(json.dumps({k: as_json(k, v) for k, v in r.items()}) + "\n" for r in RECORDS),
        "parquet": next((folder / "all").glob("part-*.parquet")).read_bytes(),
    }


def as_json(name: str, text: str) -> object:
    """A cell as JSON has it."""
    return None if not text else int(text) if name == "n" else float(text) if name in ("x", "price") else text


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_expressions_say_the_same_in_every_format(spark: SparkSession, tmp_path: Path, form: FileFormat) -> None:
    name, body = f"a.{form}", files(spark, tmp_path)[form]
    judged = judge(spark, tmp_path, a_plan(form), {name: body})

    fails = {n: set(row["checks"]) for row in judged.evidence(spark) for n in [row["record"]]}
    for n, (text, outcomes) in enumerate(OUTCOMES.items()):
        count = judged.count(f"e{n}", name)
        failed = "".join("F" if f"e{n}" in fails.get(r, ()) else "-" for r in range(1, 5))
        assert failed == re.sub("[^F]", "-", outcomes), text
        assert (count.evaluated, count.failed, count.null) == (4, outcomes.count("F"), outcomes.count("?")), text


def test_samples_of_an_expression_show_all_that_it_looks_at(spark: SparkSession, tmp_path: Path) -> None:
    entry = "{id: sum, type: custom, engine: dropgate, implementation: {metric: expression, expression: a + b > c}}"
    columns = "".join(f"- {{name: {n}, logicalType: integer}}\n" for n in "abc")
    plan = documents.a_plan(documents.a_document(columns, f"- {entry}\n"))
    judged = judge(spark, tmp_path, plan, {"a.csv": 'a,b,c\n1,2,2\n1,1,2\n"1",0,5\n1,,5\n'})

    assert [(s.place.record, s.value) for s in judged.count("sum").samples] == [
        (2, "a=1, b=1, c=2"),
        (3, "a=1, b=0, c=5"),
    ]
    (problem, *_) = judged.decision().problems
    assert problem.message == "`a + b > c` is not true in 2 of 4 records (50.0 %)."
    assert problem.fix == "Correct `a`, `b`, `c` in these rows, so that `a + b > c`; or leave them out."


def test_expression_over_a_column_that_is_missing_is_not_made(spark: SparkSession, tmp_path: Path) -> None:
    entry = "{id: sum, type: custom, engine: dropgate, implementation: {metric: expression, expression: a > b}}"
    columns = "".join(f"- {{name: {n}, logicalType: integer}}\n" for n in "ab")
    plan = documents.a_plan(documents.a_document(columns, f"- {entry}\n", more_drop="columns: {missing: ignore}\n"))
    judged = judge(spark, tmp_path, plan, {"a.csv": "a\n1\n2\n"})

    count = judged.count("sum")
    assert (count.state, count.reason) == ("not_evaluated", "allowed-missing")
    assert judged.decision().verdict == "accepted"
