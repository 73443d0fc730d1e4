"""Thresholds that no figure meets are refused, and lint warns of those that every figure meets."""

from __future__ import annotations

from decimal import Decimal
from itertools import permutations, product

import pytest

from contracts.plan import OPERATORS, Operator, Threshold
from tests.unit.contracts.authoring.documents import a_document, compiled

COUNTS = [Decimal(n) for n in range(200)]
WHOLE = [Decimal(n) for n in range(-200, 200)]
HALVES = [Decimal(n) / 4 for n in range(-800, 800)]
OURS = "type: custom, engine: dropgate, implementation: {metric: METRIC, {}}"
ENTRIES = {
    "nulls": ("integer", "metric: nullValues, {}", COUNTS),
    "repeats": ("integer", "metric: duplicateValues, {}", [n for n in COUNTS if n != 1]),
    "percent of nulls": ("integer", "metric: nullValues, unit: percent, {}", [n for n in HALVES if 0 <= n <= 100]),
    "greatest integer": ("integer", OURS.replace("METRIC", "max"), WHOLE),
    "sum of integers": ("integer", OURS.replace("METRIC", "sum"), WHOLE),
    "least number": ("number", OURS.replace("METRIC", "min"), HALVES),
    "mean of integers": ("integer", OURS.replace("METRIC", "mean"), HALVES),
    "deviation": ("integer", OURS.replace("METRIC", "stdev"), [n for n in HALVES if n >= 0]),
}
LIMITS = ("-1", "0", "0.5", "1", "1.5", "2", "3", "99", "100")
NEVER_BELOW = ("nulls", "repeats", "percent of nulls")
"""Entries in which a number below 0 is refused with any operator."""


def written() -> list[tuple[Operator, tuple[str, ...]]]:
    """Return every operator with every limit, or pair of them."""
    ends = [o for o in OPERATORS if o.endswith("Between")]
    single = [(o, (limit,)) for o in OPERATORS if o not in ends for limit in LIMITS]
    return single + [(o, pair) for o in ends for pair in permutations(LIMITS, 2)]


@pytest.mark.parametrize("name", ENTRIES)
def test_threshold_that_decides_nothing_is_reported(name: str) -> None:
    kind, entry, figures = ENTRIES[name]
    wrong = []
    for operator, limits in written():
        low, high = Decimal(limits[0]), Decimal(limits[-1])
        answers = {Threshold(operator, (low, high)[: len(limits)]).holds(figure, 0) for figure in figures}
        never = answers == {False} or low > high or (name in NEVER_BELOW and low < 0)
        wanted = ["cannot-hold"] if never else ["always-holds"] if answers == {True} else []
        listed = ", ".join(limits)
        test = f"{operator}: [{listed}]" if len(limits) > 1 else f"{operator}: {listed}"
        body = f"- name: x\n  logicalType: {kind}\n  quality: [{{{entry}}}]\n".replace("{}", test)
        codes = [f.code for f in compiled(a_document(body)).findings if f.level != "note"]
        wrong += [(test, codes)] if codes != wanted else []
    assert wrong == []


@pytest.mark.parametrize("number", [".nan", ".inf", "1e400"])
def test_number_that_is_none_is_answered(number: str) -> None:
    body = f"- name: x\n  logicalType: integer\n  quality: [{{metric: nullValues, mustBeLessThan: {number}}}]\n"
    assert compiled(a_document(body)).findings or number == "1e400"


ODD = ("5", "[]", "[1]", "[1, 2, 3]", "[1, x]", "[[1], 2]", "[.nan, 1]", ".nan", "null", "{}", "true", '"5"')
"""Limits of which none is right for every operator; `5` is right for one limit."""
OF_PROPERTIES = (
    *(OURS.replace("METRIC", metric) for metric in ("mean", "max", "quantile, quantile: 0.5", "regex, pattern: a")),
    *(f"metric: {metric}, {{}}" for metric in ("nullValues", "duplicateValues", "missingValues")),
)
OF_ROWS = (
    OURS.replace("METRIC", "statement, statement: select * from data where x > 1"),
    OURS.replace("METRIC", "expression, expression: x > 1"),
    "type: sql, query: select count(*) from data, {}",
    "metric: rowCount, {}",
)


@pytest.mark.parametrize("entry", [*OF_PROPERTIES, *OF_ROWS])
def test_limit_that_fits_no_operator_is_a_finding(entry: str) -> None:
    for operator, limit in product(OPERATORS, ODD):
        if limit == "5" and not operator.endswith("Between"):
            continue
        quality = f"[{{{entry}}}]".replace("{}", f"{operator}: {limit}")
        of_x = f"  quality: {quality}\n" if entry in OF_PROPERTIES else ""
        body = f"- name: x\n  logicalType: number\n{of_x}"
        made = compiled(a_document(body, "" if of_x else f"- {quality[1:-1]}"))
        assert made.failed, (operator, limit, made.findings)
