"""Quality metrics from contract to verdict: which records they mean, every operator, warning and error side by side."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from pyspark.sql import SparkSession

from contracts.plan import OPERATORS, Csv, Operator, Plan
from tests.integration.spark_jobs.columns import Column, expected, failing, judged_both_ways
from tests.integration.spark_jobs.world import a_check, a_plan, a_property, judge
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.documents import DROP

MISSING, BLANK, REGEX = "missingValues", "notBlank", "regex"
NOT_BLANK = r"[^\s\u00a0]"
COLUMNS = [
    Column(
        a_property("text"),
        [a_check(MISSING, "text", values=["N/A", "-"], null=False)],
        {"N/A": MISSING, "n/a": "", "-": MISSING, " -": "", "NULL": "", "x": ""},
    ),
    Column(
        a_property("day", "date"),
        [
            a_check(MISSING, "day", values=["9999-12-31", "never"], null=False),
            a_check("maximum", "day", value="2030-01-01"),
        ],
        {
            "9999-12-31": f"{MISSING} maximum",
            "never": f"logicalType {MISSING}",
            "2024-01-01": "",
            "soon": "logicalType",
        },
    ),
    Column(
        a_property("blank"),
        [a_check(BLANK, "blank", pattern=NOT_BLANK)],
        {" ": BLANK, "\t": BLANK, "\u00a0 \u00a0": BLANK, " x ": "", "NULL": ""},
    ),
    Column(
        a_property("code"),
        [a_check(REGEX, "code", pattern=r"^[A-Z]+\z")],
        {"AB": "", "ab": REGEX, "AB ": REGEX, "NULL": ""},
    ),
]


def test_metrics_of_zero_say_which_records_fail(spark: SparkSession, tmp_path: Path) -> None:
    judged = judged_both_ways(spark, tmp_path, COLUMNS, Csv(null_values=("", "NULL")))

    assert failing(spark, judged) == expected(COLUMNS)
    rows = sum(len(c.cells) for c in COLUMNS)
    for name in ("plain.csv", "quoted.csv"):
        for check, failed, values in (
            ("text.missingValues", 2, 5),
            ("day.missingValues", 2, 4),
            ("blank.notBlank", 3, 4),
            ("code.regex", 2, 3),
        ):
            count = judged.count(check, name)
            assert (count.evaluated, count.failed, count.null) == (rows, failed, rows - values)


def test_missing_value_of_parquet_is_known_by_what_it_stands_for(spark: SparkSession, tmp_path: Path) -> None:
    properties = [
        a_property("whole", "integer"),
        a_property("part", "number"),
        a_property("exact", "number", exact=(9, 2)),
        a_property("day", "date", format="dd.MM.yyyy"),
        a_property("text"),
    ]
    words = {"whole": "-9", "part": "-999", "exact": "-999", "day": "31.12.9999", "text": "-9"}
    checks = [a_check(MISSING, name, values=[word, "n/a"], null=False) for name, word in words.items()]
    frame = spark.sql(
        "select * from values (-9L, -999D, -999.00BD, date'9999-12-31', '-9'), "
        "(9L, 9.5D, 9.50BD, date'2024-01-31', '-9.0'), (null, null, null, null, null) "
        "as t(whole, part, exact, day, text)"
    )
    typed = frame.withColumn("exact", frame.exact.cast("decimal(9,2)"))
    typed.coalesce(1).write.parquet(f"{tmp_path}/made")
    body = next((tmp_path / "made").glob("part-*.parquet")).read_bytes()

    judged = judge(spark, tmp_path, a_plan(properties, checks, file_format="parquet"), {"a.parquet": body})

    counts = [judged.count(check.id, "a.parquet") for check in checks]
    assert [(c.evaluated, c.failed, c.null) for c in counts] == [(3, 1, 1)] * 5
    assert [s.place.record for c in counts for s in c.samples] == [1] * 5


def test_null_among_missing_values_forbids_nulls(spark: SparkSession, tmp_path: Path) -> None:
    columns = [
        Column(a_property("p", "integer"), [a_check(MISSING, "p", values=["-9"], null=True)], {}),
        Column(a_property("q"), [a_check(MISSING, "q", values=[], null=True)], {}),
    ]
    plan = a_plan([c.property for c in columns], [check for c in columns for check in c.checks])
    judged = judge(spark, tmp_path, plan, {"a.csv": 'p,q\n1,a\n,b\n-9,""\n"-9",c\nx,d\n7\n'})

    p, q = judged.count("p.missingValues"), judged.count("q.missingValues")
    assert (p.evaluated, p.failed, p.null) == (5, 3, 0)  # the malformed record is nobody's
    assert (q.evaluated, q.failed, q.null) == (5, 1, 0)
    assert [s.place.record for s in p.samples] == [2, 3, 4]


METRICS = {
    "nullValues": "metric: nullValues, {}",
    "missingValues": "metric: missingValues, arguments: {{missingValues: [null, N/A]}}, {}",
    "invalidValues": "metric: invalidValues, arguments: {{pattern: ^a}}, {}",
    "notBlank": "type: custom, engine: dropgate, implementation: {{metric: notBlank, {}}}",
    "regex": "type: custom, engine: dropgate, implementation: {{metric: regex, pattern: ^a, {}}}",
    "allowedPrefixes": "type: custom, engine: dropgate, implementation: {{metric: allowedPrefixes, prefixes: [a], {}}}",
}
CELLS = ["a", "b", "a,b", "N/A", " ", "", "ab", "aa", "   ", ""]
FAILED = {"nullValues": 2, "missingValues": 3, "invalidValues": 4, "notBlank": 2, "regex": 4, "allowedPrefixes": 4}
"""Records among them that each metric counts."""


def a_file(cells: list[str]) -> str:
    return "x,y\n" + "".join(f'"{cell}",1\n' if "," in cell else f"{cell},1\n" for cell in cells)


def contract(entries: list[str], of_file: Sequence[str] = (), drop: str = DROP) -> Plan:
    """The plan of a contract with these quality entries of `x`, and of the file."""
    quality = "".join(f"    - {{{entry}}}\n" for entry in entries)
    text = f"- name: y\n  logicalType: integer\n- name: x\n  logicalType: string\n  quality:\n{quality}"
    return documents.a_plan(documents.a_document(text, "".join(f"- {{{e}}}\n" for e in of_file), drop))


def operators(number: int) -> list[tuple[Operator, str]]:
    """Every operator at a number, just below and just above it; ranges around it and at its ends."""
    single = [(o, str(n)) for o in OPERATORS if "Between" not in o for n in (number - 1, number, number + 1)]
    ranges = [f"[{number - 1}, {number + 1}]", f"[{number}, {number + 2}]", f"[{number - 2}, {number}]"]
    return [*single, *((o, r) for o in ("mustBeBetween", "mustNotBeBetween") for r in ranges)]


def holds(operator: str, seen: Fraction, wanted: str) -> bool:
    """Return the result of an operator as the standard defines it."""
    numbers = [Fraction(n) for n in wanted.strip("[]").split(",")]
    inside = numbers[0] < seen < numbers[-1]
    return {
        "mustBe": seen == numbers[0],
        "mustNotBe": seen != numbers[0],
        "mustBeGreaterThan": seen > numbers[0],
        "mustBeGreaterOrEqualTo": seen >= numbers[0],
        "mustBeLessThan": seen < numbers[0],
        "mustBeLessOrEqualTo": seen <= numbers[0],
        "mustBeBetween": inside,
        "mustNotBeBetween": not inside,
    }[operator]


def test_every_operator_holds_every_metric(spark: SparkSession, tmp_path: Path) -> None:
    entries: list[str] = []
    wanted: dict[str, str] = {}
    for metric, form in METRICS.items():
        for unit, factor in (("rows", 1), ("percent", 10)):
            seen = FAILED[metric] * factor
            for operator, value in operators(seen):
                wanted[f"c{len(entries)}"] = "passed" if holds(operator, Fraction(seen), value) else "failed"
                entries.append(f"id: c{len(entries)}, {form.format(f'{operator}: {value}, unit: {unit}')}")
    judged = judge(spark, tmp_path, contract(entries), {"a.csv": a_file(CELLS)})

    assert len(set(wanted.values())) > 1
    assert {o.id: o.result for o in judged.decision().checks if o.id in wanted} == wanted


SOFT = dict.fromkeys(METRICS, "mustBe: 0") | dict.fromkeys(("nullValues", "regex"), "mustBeLessThan: 10, unit: percent")
"""The limit from which on each metric warns: rows, or their share; beyond 50 percent the file fails."""
FILES: dict[str, tuple[list[str], list[str], str, int]] = {
    "good.csv": (["a", "aa"], [], "accepted", 0),
    "nulls.csv": (["a", "aa", ""], ["nullValues", "missingValues"], "accepted_with_warnings", 1),
    "blanks.csv": (
        ["a", "aa", " "],
        ["invalidValues", "notBlank", "regex", "allowedPrefixes"],
        "accepted_with_warnings",
        1,
    ),
    "many-nulls.csv": (["", "", "", "a", "a"], ["nullValues", "missingValues"], "rejected", 3),
    "many-blanks.csv": (
        [" ", " ", " ", "a", "a"],
        ["invalidValues", "notBlank", "regex", "allowedPrefixes"],
        "rejected",
        3,
    ),
}
"""By file: its cells, the metrics that are beyond their soft threshold, the verdict, flagged records."""


def test_warning_and_error_of_every_metric_are_both_decided(spark: SparkSession, tmp_path: Path) -> None:
    entries = [form.format("mustBeLessOrEqualTo: 50, unit: percent") for form in METRICS.values()]
    entries += [form.format(SOFT[metric]) + ", severity: warning" for metric, form in METRICS.items()]
    rows = ["metric: rowCount, mustBeLessThan: 3, severity: warning", "metric: rowCount, mustBeLessThan: 5"]
    files = {name: a_file(cells) for name, (cells, *_) in FILES.items()}

    judged = judge(spark, tmp_path, contract(entries, rows), files)

    for name, (_, hit, verdict, flagged) in FILES.items():
        decision = judged.decision(name)
        results = {o.id.removeprefix("x."): o.result for o in decision.checks}
        assert {m for m in METRICS if results[f"{m}.warning"] == "warning"} == set(hit)
        assert {m for m in METRICS if results[m] == "failed"} == set(hit if verdict == "rejected" else ())
        assert (decision.verdict, judged.drop(name).flagged) == (verdict, flagged)
        expected_rows = ("warning" if hit else "passed", "failed" if verdict == "rejected" else "passed")
        assert (results["rowCount.warning"], results["rowCount"]) == expected_rows


def test_metrics_of_a_missing_column_are_not_made(spark: SparkSession, tmp_path: Path) -> None:
    entries = [form.format("mustBe: 0") for form in METRICS.values()]
    entries += [f"id: s{n}, {form.format('mustBeLessThan: 5')}" for n, form in enumerate(METRICS.values())]
    plan = contract(entries, drop=DROP + "columns: {missing: ignore}")
    judged = judge(spark, tmp_path, plan, {"a.csv": "y\n1\n"})

    assert {(c.state, c.reason) for c in judged.drop().counts[4:]} == {("not_evaluated", "allowed-missing")}
    assert judged.decision().verdict == "accepted"
