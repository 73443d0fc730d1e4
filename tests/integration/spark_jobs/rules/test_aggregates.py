"""Figures of all values (mean, stdev, min, max, sum) of whole files, held against exact arithmetic in plain Python."""

from __future__ import annotations

import random
import statistics
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts import rules
from contracts.plan import Check, Columns, Csv, Plan, Threshold
from tests.builders import kinds_of
from tests.integration.spark_jobs.summaries import dq_summary, stored
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge


def held(kind: str, name: str, operator: Any = "mustBeGreaterThan", *limits: str, severity: Any = "error") -> Check:
    """A figure with a threshold, its limits in numbers."""
    values = limits or ("0",)
    check = a_check(kind, name, scope="set", severity=severity, limits=list(values))
    of = "" if severity == "error" else ".warning"
    threshold = Threshold(operator, tuple(Decimal(v) for v in values))
    return Check(**{f: getattr(check, f) for f in check.__slots__} | {"id": check.id + of, "threshold": threshold})


PROPERTIES = [
    a_property("n", "integer"),
    a_property("x", "number"),
    a_property("day", "date", format="dd.MM.yyyy"),
    a_property("at", "timestamp"),
    a_property("pay", "integer", classification="internal"),
]
CHECKS = [held(kind, name) for name in ("n", "x") for kind in kinds_of(rules.Aggregate)]
CHECKS += [held(kind, name) for name in ("day", "at") for kind in ("min", "max")]
CHECKS += [held(kind, "pay") for kind in kinds_of(rules.Aggregate)]
PLAN = a_plan(PROPERTIES, CHECKS, columns=Columns(missing="ignore"))
HEAD = "n,x,day,at,pay\n"


def figures(judged: Judged, name: str, file: str = "a.csv") -> dict[str, Decimal | None]:
    """The figures of one property by their kind."""
    return {c.kind: judged.count(c.id, file).figure for c in judged.plan.checks if c.property == name and c.threshold}


def exact(values: list[Fraction]) -> dict[str, Decimal]:
    """The figures of some numbers, by the definition of each."""
    mean = sum(values, Fraction(0)) / len(values)
    variance = sum(((v - mean) ** 2 for v in values), Fraction(0)) / (len(values) - 1)
    ratios = {"mean": mean, "min": min(values), "max": max(values), "sum": sum(values, Fraction(0))}
    with localcontext(prec=60):
        decimals = {kind: Decimal(v.numerator) / Decimal(v.denominator) for kind, v in ratios.items()}
        decimals["stdev"] = (Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt()
    return decimals


def alike(computed: dict[str, Decimal | None], wanted: dict[str, Decimal]) -> bool:
    """Return whether two sets of figures agree in the 28 digits that Python's decimals have."""
    return {kind: value and +value for kind, value in computed.items()} == {kind: +v for kind, v in wanted.items()}


CHANCE = random.Random(5)
INTEGERS = [CHANCE.choice([-1, 1]) * CHANCE.randrange(2**63) for _ in range(60)]
NUMBERS = [f"{CHANCE.choice('-+')}{CHANCE.randrange(10**10)}.{CHANCE.randrange(10**5):05}" for _ in range(60)]
NEAR = [f"17000000{n % 7}.{n % 10}" for n in range(60)]
FILES = {
    "wide.csv": "".join(f"{n},{x},,,\n" for n, x in zip(INTEGERS, NUMBERS, strict=True)),
    "near.csv": "".join(f"{9 * 10**18 + n},{x},,,\n" for n, x in enumerate(NEAR)),
    "quoted.csv": "".join(f'"{n}","{x}",,,\n' for n, x in zip(INTEGERS, NUMBERS, strict=True)),
    "bad.csv": "7,1.5,,,\nx,1d,,,\n8,2.5\n,,,,\n-3,-1e2,,,\n",
    "one.csv": "5,0.1,29.02.2024,2024-02-29T10:00:00+02:00,4\n",
    "nulls.csv": ",,,,\n,,,,\n",
    "misfits.csv": "x,y,z,now,a\n",
    "malformed.csv": "1,2\n",
    "empty.csv": "",
    "narrow.csv": "",
    "days.csv": ",,01.03.0000,0000-02-29T23:59:59.5Z,\n,,31.12.9999,9999-12-31 23:59:59.999999,\n,,30.02.2024,,\n",
    "huge.csv": ",1e308,,,\n,1e308,,,\n",
    "tiny.csv": ",1e-20,,,\n,3e-20,,,\n",
}


@pytest.fixture(scope="module")
def together(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """All files in one request."""
    files = {name: HEAD + text for name, text in FILES.items()}
    files["narrow.csv"] = "n\n5\n6\n"
    return judge(spark, tmp_path_factory.mktemp("figures"), PLAN, files)


@pytest.mark.parametrize("name", ["wide.csv", "quoted.csv"])
def test_figures_are_exact_in_plain_and_in_quoted_lines(together: Judged, name: str) -> None:
    assert alike(figures(together, "n", name), exact([Fraction(n) for n in INTEGERS]))
    assert alike(figures(together, "x", name), exact([Fraction(x) for x in NUMBERS]))


def test_small_deviations_of_great_values_are_exact(together: Judged) -> None:
    assert alike(figures(together, "n", "near.csv"), exact([Fraction(9 * 10**18 + n) for n in range(60)]))
    assert alike(figures(together, "x", "near.csv"), exact([Fraction(x) for x in NEAR]))


def test_only_values_of_sound_records_count(together: Judged) -> None:
    assert alike(figures(together, "n", "bad.csv"), exact([Fraction(7), Fraction(-3)]))
    assert alike(figures(together, "x", "bad.csv"), exact([Fraction(3, 2), Fraction(-100)]))
    mean = together.count("n.mean", "bad.csv")
    assert (mean.evaluated, mean.failed, mean.null, mean.observed) == (4, 0, 2, "2")


def test_numbers_count_as_they_are_written(together: Judged) -> None:
    assert figures(together, "x", "one.csv")["mean"] == Decimal("0.1")


def test_numbers_beyond_14_digits_are_added_as_doubles(together: Judged) -> None:
    doubles = {kind: float(value) for kind, value in figures(together, "x", "tiny.csv").items() if value}
    assert doubles == pytest.approx(
        {"mean": 2e-20, "stdev": statistics.stdev([1e-20, 3e-20]), "min": 1e-20, "max": 3e-20, "sum": 4e-20}
    )


def test_dates_have_a_first_and_a_last_in_their_format(together: Judged) -> None:
    seen = [together.count(f"{name}.{kind}", "days.csv").observed for name in ("day", "at") for kind in ("min", "max")]
    assert seen == ["01.03.0000", "31.12.9999", "0000-02-29T23:59:59.500000Z", "9999-12-31T23:59:59.999999Z"]
    assert together.count("day.min", "one.csv").figure == 19782
    assert together.count("at.max", "one.csv").observed == "2024-02-29T08:00:00Z"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nulls.csv", "no-values"),
        ("misfits.csv", "no-values"),
        ("malformed.csv", "no-rows"),
        ("empty.csv", "no-rows"),
    ],
)
def test_without_a_value_no_figure_is_green(together: Judged, name: str, reason: str) -> None:
    counts = [together.count(c.id, name) for c in CHECKS]
    assert {(c.state, c.reason, c.figure) for c in counts} == {("not_evaluated", reason, None)}


def test_values_too_few_or_too_large_have_no_figure(together: Judged) -> None:
    assert together.count("n.stdev", "one.csv").reason == "too-few-values"
    assert together.count("n.mean", "one.csv").state == "counted"
    reasons = {c.kind: together.count(c.id, "huge.csv").reason for c in CHECKS if c.property == "x"}
    assert reasons == {"mean": "too-large", "stdev": "too-large", "sum": "too-large", "min": None, "max": None}


def test_figure_of_a_column_that_may_be_missing_is_not_taken(together: Judged) -> None:
    assert {together.count(f"x.{kind}", "narrow.csv").reason for kind in kinds_of(rules.Aggregate)} == {
        "allowed-missing"
    }
    assert together.count("n.sum", "narrow.csv").figure == 11


def test_figures_of_classified_values_are_masked(together: Judged) -> None:
    count = together.count("pay.max", "one.csv")
    assert (count.observed, count.figure) == ("***", Decimal(4))


def decided(spark: SparkSession, folder: Path, *checks: Check) -> tuple[Plan, Judged]:
    plan = a_plan([a_property("n", "integer")], checks)
    return plan, judge(spark, folder, plan, {"a.csv": "n\n1\n2\n4\n"})


def test_warning_and_error_of_a_figure_are_both_decided(spark: SparkSession, tmp_path: Path) -> None:
    checks = [
        held("mean", "n", "mustBeLessThan", "2", severity="warning"),
        held("mean", "n", "mustBeLessThan", "3"),
        held("stdev", "n", "mustBeBetween", "1.5", "1.6"),
        held("sum", "n", "mustBe", "7"),
        held("max", "n", "mustNotBe", "4"),
    ]
    plan, judged = decided(spark, tmp_path, *checks)
    results = {o.id: (o.result, o.observed) for o in judged.decision().checks[-5:]}
    assert results == {
        "n.mean.warning": ("warning", "2.33333333333333"),
        "n.mean": ("passed", "2.33333333333333"),
        "n.stdev": ("passed", "1.52752523165195"),
        "n.sum": ("passed", "7"),
        "n.max": ("failed", "4"),
    }
    assert judged.decision().verdict == "rejected"
    flags = {r.rule_id: r for r in dq_summary(spark, stored(judged.folder, plan)).collect()}
    assert [flags[c.id].complex_rule_validation_success_flag for c in plan.checks[-5:]] == [
        False, True, True, True, False,
    ]  # fmt: skip


def test_figures_of_cells_over_several_lines(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan(PROPERTIES[:2], [held("sum", "x"), held("max", "n")], csv=Csv(multi_line=True))
    judged = judge(spark, tmp_path, plan, {"a.csv": 'n,x\n1,0.1\n"7",0.2\n'})
    assert figures(judged, "x") == {"sum": Decimal("0.3")}
    assert figures(judged, "n") == {"max": Decimal(7)}


def test_integers_of_twenty_digits_are_added_up_exactly(spark: SparkSession, tmp_path: Path) -> None:
    values = [10**20 - 1, 1 - 10**20, 2**64 - 1, 12_345_678_901_234_567_890, 0, -7, -(10**10), 10**10 - 1]
    plan = a_plan([a_property("n", "integer", exact=(20, 0))], [held(kind, "n") for kind in kinds_of(rules.Aggregate)])
    judged = judge(spark, tmp_path, plan, {"a.csv": "n\n" + "".join(f"{value}\n" for value in values)})
    assert judged.count("n.logicalType").failed == 0
    assert alike(figures(judged, "n"), exact([Fraction(value) for value in values]))


TOTAL = Fraction("1234567890123455.79")
DIGITS = {"short": (18, 2), "middle": (28, 9), "long": (38, 18)}
"""Exact numbers by their digits in all and after the point."""


def test_exact_numbers_are_added_up_with_all_their_digits(spark: SparkSession, tmp_path: Path) -> None:
    properties = [a_property(name, "number", exact=exact) for name, exact in DIGITS.items()]
    plan = a_plan(properties, [held(kind, name) for name in DIGITS for kind in ("sum", "mean")])
    rows = "".join(f"{v},{v},{v}\n" for v in ("1234567890123456.78", '"0.01"', "-1", "x"))
    judged = judge(spark, tmp_path, plan, {"a.csv": f"short,middle,long\n{rows}"})
    for name in DIGITS:
        assert alike(figures(judged, name), {"sum": Decimal("1234567890123455.79"), "mean": figure(TOTAL / 3)}), name


def test_exact_numbers_within_arrays_are_added_up_with_all_their_digits(spark: SparkSession, tmp_path: Path) -> None:
    inner = {f"{name}[]": exact for name, exact in DIGITS.items()}
    properties = [a_property(name, "array") for name in DIGITS]
    properties += [a_property(name, "number", exact=of, path=(name[:-2], "[]")) for name, of in inner.items()]
    plan = a_plan(properties, [held(k, name) for name in inner for k in ("sum", "mean")], file_format="jsonl")
    arrays = ("[1234567890123456.78, 0.01, null]", "[-1]", "[]")
    lines = "".join("{" + ", ".join(f'"{name}": {array}' for name in DIGITS) + "}\n" for array in arrays)
    judged = judge(spark, tmp_path, plan, {"a.jsonl": lines})
    for name in inner:
        wanted = {"sum": Decimal("1234567890123455.79"), "mean": figure(TOTAL / 3)}
        assert alike(figures(judged, name, "a.jsonl"), wanted), name


def figure(value: Fraction) -> Decimal:
    """A fraction with more digits than are compared."""
    with localcontext(prec=60):
        return Decimal(value.numerator) / Decimal(value.denominator)


def test_ends_are_exact_and_a_zero_has_no_sign(spark: SparkSession, tmp_path: Path) -> None:
    long = a_property("n", "number", exact=(38, 2))
    plan = a_plan([long, a_property("x", "number")], [held("min", "n"), held("max", "n"), held("min", "x")])
    judged = judge(spark, tmp_path, plan, {"a.csv": f"n,x\n{'1234' * 9}.25,-0\n-{'9' * 36}.75,0.5\n"})
    assert figures(judged, "n") == {"min": Decimal(f"-{'9' * 36}.75"), "max": Decimal(f"{'1234' * 9}.25")}
    assert str(judged.count("x.min").figure) == "0"
