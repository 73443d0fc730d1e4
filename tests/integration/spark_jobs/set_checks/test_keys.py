"""Values that several records have: every kind of key in one read, held against a count in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Check, Columns, Threshold
from tests.integration.spark_jobs.summaries import dq_summary, stored
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge

NAMES = ("shop", "id", "price", "day", "open", "at", "code")
HEAD = ",".join(NAMES) + "\n"
SAME: dict[str, dict[str, Any]] = {
    "shop": {"A": "A", "a": "a", '"A"': "A", "B b": "B b"},
    "id": {"7": 7, "007": 7, "+7": 7, "8": 8, "7.0": None},
    "price": {"1": 1.0, "1.0": 1.0, "1e0": 1.0, "0": 0.0, "-0": 0.0, "0.1": 0.1, "1d": None},
    "day": {"01.02.2024": 1, "02.01.2024": 2, "2024-02-01": None},
    "open": {"true": True, "TRUE": True, "false": False, "yes": None},
    "at": {"2024-01-01T10:00:00Z": 1, "2024-01-01T12:00:00+02:00": 1, "2024-01-01 10:00:00": 1, "now": None},
    "code": {"x": "x", "X": "X"},
}
"""Texts of cells and what they are as values, equal ones alike; None is not of the type."""


def key(kind: str, *names: str, number: str = "") -> Check:
    """A check of a key of several properties."""
    return replace(a_check(kind, scope="set", properties=list(names)), id=f"{kind}{number}")


def must(check: Check, operator: Any, value: str, unit: Any = "rows", severity: Any = "error") -> Check:
    """A check with a threshold; a warning's id says so."""
    of = "" if severity == "error" else ".warning"
    threshold = Threshold(operator, (Decimal(value),), unit)
    return replace(check, threshold=threshold, id=check.id + of, severity=severity)


PLAN = a_plan(
    [
        a_property("shop"),
        a_property("id", "integer"),
        a_property("price", "number"),
        a_property("day", "date", format="dd.MM.yyyy"),
        a_property("open", "boolean"),
        a_property("at", "timestamp"),
        a_property("code", classification="internal"),
    ],
    [
        *(a_check("unique", name, scope="set") for name in NAMES),
        key("primaryKey", "shop", "id"),
        *(must(a_check("duplicateValues", name, scope="set"), "mustBe", "0") for name in NAMES),
        must(key("duplicateValues", "day", "price", "id", number="1"), "mustBeLessThan", "5"),
        must(key("duplicateValues", "open", "at", number="2"), "mustBeLessThan", "50", "percent"),
        must(key("duplicateValues", "code", "shop", number="3"), "mustBeLessThan", "1"),
    ],
    columns=Columns(missing="ignore"),
)
KEYS = [check for check in PLAN.checks if check.scope == "set"]


def rows(seed: int, count: int) -> list[list[str]]:
    """Random records, an eighth of the cells null."""
    chance = random.Random(seed)
    return [["" if chance.random() < 0.125 else chance.choice([*SAME[name]]) for name in NAMES] for _ in range(count)]


def counted(check: Check, records: list[list[str]]) -> tuple[int, int]:
    """Records that fail a check, and those that are null to it, by the letter of docs/reference/semantics.md."""
    at = [NAMES.index(name) for name in check.properties()]
    cells = [[(NAMES[n], record[n]) for n in at] for record in records]
    values = [tuple(SAME[name][text] if text else None for name, text in own) for own in cells]
    whole = [v for v in values if None not in v]
    sharing = sum(n for n in Counter(whole).values() if n > 1)
    keyless = sum(any(not text for _, text in own) for own in cells) if check.kind == "primaryKey" else 0
    return sharing + keyless, len(records) - len(whole) - keyless


SEEDS = {f"{seed}.csv": rows(seed, count) for seed, count in enumerate((40, 9, 3, 1, 200))}


@pytest.fixture(scope="module")
def together(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Random files in one request, one of them with malformed lines and one without some columns."""
    files = {name: HEAD + "".join(",".join(r) + "\n" for r in records) for name, records in SEEDS.items()}
    files["4.csv"] = files["4.csv"].replace("\n", "\n7,7\n", 3)
    files["narrow.csv"] = "id,price\n7,1\n007,1.0\n"
    files["whole.csv"] = f"{HEAD}A,7,,,,,\nB,7,,,,,\nA,007,,,,,\nA,+7,,,,,\nB,7,,,,,\n,1,,,,,\nC,,,,,,\nD,x,,,,,\n"
    files["masked.csv"] = f"{HEAD}A,,,,,,x\nA,,,,,,x\n"
    files["nine.csv"] = HEAD + "".join(f"{n % 9},{n},,,,,\n" for n in range(27))
    return judge(spark, tmp_path_factory.mktemp("keys"), PLAN, files)


@pytest.mark.parametrize("check", KEYS, ids=lambda check: check.id)
@pytest.mark.parametrize("name", SEEDS)
def test_keys_agree_with_a_count_in_plain_python(together: Judged, name: str, check: Check) -> None:
    count = together.count(check.id, name)
    assert (count.failed, count.null) == counted(check, SEEDS[name])
    assert count.evaluated == len(SEEDS[name])


def test_key_without_one_of_its_columns_is_not_looked_for(together: Judged) -> None:
    assert together.count("primaryKey", "narrow.csv").reason == "allowed-missing"
    assert together.count("id.unique", "narrow.csv").failed == 2


def test_samples_show_the_whole_key(together: Judged) -> None:
    count = together.count("primaryKey", "whole.csv")
    assert (count.failed, count.null) == (7, 1)
    assert [(s.place.record, s.value, s.note) for s in count.samples] == [
        (1, "shop=A, id=7", "also record 3, line 4 and 1 more"),
        (2, "shop=B, id=7", "also record 5, line 6"),
        (6, "id=1", "has no shop"),
        (7, "shop=C", "has no id"),
    ]


def test_classified_part_masks_the_whole_key(together: Judged) -> None:
    count = together.count("duplicateValues3", "masked.csv")
    assert (count.failed, count.observed) == (2, "2")
    assert [(s.place.record, s.value, s.note) for s in count.samples] == [(1, "***", "also record 2, line 3")]
    assert [s.value for s in together.count("shop.unique", "masked.csv").samples] == ["A"]


def test_first_five_values_are_shown(together: Judged) -> None:
    samples = together.count("shop.unique", "nine.csv").samples
    assert [(s.place.record, s.note) for s in samples] == [
        (n, f"also record {n + 9}, line {n + 10} and 1 more") for n in range(1, 6)
    ]


def test_duplicates_are_held_against_rows_and_percent(spark: SparkSession, tmp_path: Path) -> None:
    check = a_check("duplicateValues", "id", scope="set")
    held = {
        "below 3": (must(check, "mustBeLessThan", "3"), "passed", "2"),
        "below 2": (must(check, "mustBeLessThan", "2"), "failed", "2"),
        "at most 40 %": (must(check, "mustBeLessOrEqualTo", "40", "percent"), "passed", "40 %"),
        "below 40 %": (must(check, "mustBeLessThan", "40", "percent", "warning"), "warning", "40 %"),
    }
    plan = a_plan([a_property("id", "integer")], [replace(own, id=name) for name, (own, *_) in held.items()])
    decision = judge(spark, tmp_path, plan, {"a.csv": 'id\n1\n2\n3\n01\n""\n'}).decision()
    results = {o.id: (o.result, o.observed) for o in decision.checks if o.id in held}
    assert results == {name: (result, observed) for name, (_, result, observed) in held.items()}
    assert decision.verdict == "rejected"


def test_warning_and_error_of_duplicates_are_both_decided(spark: SparkSession, tmp_path: Path) -> None:
    whole = key("duplicateValues", "id", "day")
    checks = [must(whole, "mustBe", "0", severity="warning"), must(whole, "mustBeLessThan", "50", "percent")]
    plan = a_plan([a_property("id"), a_property("day")], checks)
    decision = judge(spark, tmp_path, plan, {"a.csv": "id,day\n1,1\n1,1\n1,2\n1,3\n1,\n"}).decision()
    assert [(o.id, o.result, o.observed) for o in decision.checks[-2:]] == [
        ("duplicateValues.warning", "warning", "2"),
        ("duplicateValues", "passed", "40 %"),
    ]
    assert decision.verdict == "accepted_with_warnings"


def test_evidence_says_whether_the_metric_holds(spark: SparkSession, tmp_path: Path) -> None:
    checks = [must(a_check("duplicateValues", "id", scope="set"), "mustBe", "0"), key("primaryKey", "id", "day")]
    plan = a_plan([a_property("id"), a_property("day")], checks)
    judged = judge(spark, tmp_path, plan, {"a.csv": "id,day\n1,1\n1,2\n", "none.csv": "id,day\n"})
    rows = {(r.drop_id, r.rule_id): r for r in dq_summary(spark, stored(judged.folder, plan)).collect()}
    metric, whole = rows["a.csv", "id.duplicateValues"], rows["a.csv", "primaryKey"]
    assert (metric.complex_rule_validation_success_flag, metric.complex_rule_validation_errors_count) == (False, 2)
    assert (whole.complex_rule_validation_success_flag, whole.column_id) == (True, None)
    assert {
        (r.result, r.rows_validated, r.complex_rule_validation_success_flag)
        for (drop, _), r in rows.items()
        if drop == "none.csv"
    } == {("not_evaluated", None, None)}
