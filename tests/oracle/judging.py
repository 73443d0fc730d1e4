"""The judgement of a file without Spark: a plan and its records in, facts as the job's and each failing record out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from contracts import rules
from contracts.decision import Decision
from contracts.files.mojibake import Letters
from contracts.job import Count, DropResult
from contracts.plan import CONTAINERS, Check, Plan
from contracts.problem import Problem
from contracts.verdict import decide
from contracts.watermarks import HighMark
from tests.builders import kinds_of
from tests.oracle import figures, nested, queries
from tests.oracle.expressions import truth
from tests.oracle.records import Cell, Content, Record
from tests.oracle.rules import FAILS
from tests.oracle.values import value_of

NULL, FAILED, GOOD = "null", "failed", "good"


@dataclass(frozen=True, slots=True)
class Opinion:
    """The oracle's opinion of a file: facts, the failing checks of each record that has any, the decision."""

    facts: DropResult
    rows: dict[int, tuple[str, frozenset[str]]]
    decision: Decision


Marks = tuple[HighMark, ...]


def judge(plan: Plan, content: Content, notes: tuple[Problem, ...] = (), marks: Marks = ()) -> Opinion:
    """Judge the records of a file; `notes` are the warnings of the door, `marks` what accepted files reach."""
    content = replace(content, marks={m.property: Fraction(m.value) for m in marks})
    ids = tuple(c.id for c in plan.checks)
    if content.refused:
        facts = DropResult("a", 1, notes=notes, refusal=Problem("open-quote", "", ""))
        return Opinion(facts, {}, decide(plan, facts, ids))
    failing = [_failing(plan, content, record) for record in content.records]
    rows = {n: (_outcome(plan, ids), frozenset(ids)) for n, ids in enumerate(failing, 1) if ids}
    rejected = sum(outcome == "rejected" for outcome, _ in rows.values())
    facts = DropResult(
        *("a", 1),
        read=len(content.records),
        valid=len(content.records) - rejected,
        rejected=rejected,
        flagged=len(rows) - rejected,
        blank=content.blank,
        counts=tuple(_count(plan, content, check) for check in plan.checks),
        masks=_masks(plan, rows),
        notes=notes,
        marks=_reached(plan, content, {n for n, (outcome, _) in rows.items() if outcome == "rejected"}),
        sums=sums(plan, content) or None,
        ending=content.ending,
        letters=_letters(plan, content),
    )
    return Opinion(facts, rows, decide(plan, facts, ids))


def _letters(plan: Plan, content: Content) -> Letters | None:
    utf8, ansi, own = (sum(record.letters == name for record in content.records) for name in ("utf8", "ansi", "own"))
    return Letters(utf8, ansi, own=own) if plan.csv.mojibake != "ignore" and utf8 + ansi else None


def sums(plan: Plan, content: Content) -> dict[str, Decimal]:
    """The sums that a trailer may say, of all records that are one."""
    sound = [record for record in content.records if not record.broken]
    values = {n: [r.cell(n).value for r in sound if n in content.names] for n in plan.summed}
    return {
        n: figures.decimal(sum((Fraction(v) for v in of if v is not None), Fraction(0))) for n, of in values.items()
    }


def _reached(plan: Plan, content: Content, rejected: set[int]) -> Marks:
    """The greatest value of each watermark among the valid records."""
    valid = [record for n, record in enumerate(content.records, 1) if n not in rejected]
    highest = {}
    for name in plan.watermarks:
        cells = [r.cell(name).value for r in valid if name in content.names and not r.broken]
        if values := [figures.counted(Cell("", v)) for v in cells if v is not None]:
            highest[name] = max(Fraction(v) for v in values)
    return tuple(HighMark(n, plan.property_named(n).type, figures.decimal(v)) for n, v in highest.items())


def _failing(plan: Plan, content: Content, record: Record) -> list[str]:
    return [c.id for c in plan.row_checks() if _is_made(c, content) and _of_record(c, plan, record, content) == FAILED]


def _outcome(plan: Plan, ids: Sequence[str]) -> str:
    return "rejected" if any(c.severity == "error" for c in plan.checks if c.id in ids) else "flagged"


def _masks(plan: Plan, rows: dict[int, tuple[str, frozenset[str]]]) -> tuple[tuple[str, int], ...]:
    bits = {c.id: 1 << n for n, c in enumerate(plan.row_checks())}
    masks = Counter(sum(bits[i] for i in ids) for _, ids in rows.values())
    return tuple(sorted((f"{mask:x}", n) for mask, n in masks.items()))


def _is_made(check: Check, content: Content) -> bool:
    return content.names.issuperset(check.needs())


def _lets_through(check: Check, record: Record, content: Content) -> bool:
    """Return whether the filter of a check lets a record through."""
    if check.filter is None:
        return True
    if (name := check.filter.watermark) and name in content.marks:
        value: Any = record.cell(name).value
        if value is None or Fraction(value) <= content.marks[name]:
            return False
    return not check.filter.text or truth(check.filter.text, record.scope) is True


def _of_record(check: Check, plan: Plan, record: Record, content: Content) -> str | None:
    """Return the outcome of a check for a record; None where it is not evaluated."""
    if check.scope == "record":
        return FAILED if check.kind in record.broken else GOOD
    if record.broken or not _lets_through(check, record, content):
        return None
    if isinstance(check.rule, rules.Expression):
        return {None: NULL, False: FAILED, True: GOOD}[truth(check.rule.text, record.scope)]
    if isinstance(check.rule, rules.ForeignKey):
        key = tuple(record.cells[name].value for name in check.properties())
        return NULL if None in key else GOOD if key in content.keys[check.id] else FAILED
    if check.property is None:
        return FAILED if record.unknown else GOOD
    if check.property not in record.inner:
        return of_cell(check, plan, record.cells[check.property])
    outcomes = {of_cell(check, plan, cell) for cell in record.inner[check.property]}
    return next((one for one in (FAILED, GOOD) if one in outcomes), NULL)


def of_cell(check: Check, plan: Plan, cell: Cell) -> str:
    match check.rule:
        case rules.Required() | rules.NullValues():
            return FAILED if cell.text is None else GOOD
        case rules.MissingValues(null=null) if cell.text is None:
            return FAILED if null else NULL
        case rules.MissingValues(values=words):
            return FAILED if _is_missing(words, check, plan, cell) else GOOD
        case rules.LogicalType() if cell.text is not None:
            return FAILED if cell.value is None else GOOD
        case rules.Deprecated() if cell.text is not None:
            return FAILED
    if cell.value is None:
        return NULL
    prop = plan.property_named(check.property or "")
    if prop.type in CONTAINERS:
        return FAILED if nested.fails(check, prop, plan, cell.value) else GOOD
    return FAILED if FAILS[check.kind](cell.value, check.rule, prop) else GOOD


def _is_missing(words: Sequence[str], check: Check, plan: Plan, cell: Cell) -> bool:
    """Return whether a cell is a missing value: as it is written; or by its value, where nobody wrote it as text."""
    prop = plan.property_named(check.property or "")
    typed = plan.file_format == "parquet" and prop.type not in ("string", "time")
    number = plan.read_as == "jsonl" and prop.type in ("integer", "number")
    by_value = (typed or number) and cell.value is not None and cell.value in [value_of(w, prop) for w in words]
    return by_value or (not typed and cell.text in words)


def _count(plan: Plan, content: Content, check: Check) -> Count:
    if not _is_made(check, content):
        return Count(state="not_evaluated", reason="allowed-missing")
    if check.kind in FIGURES:
        return FIGURES[check.kind](check, content)
    outcomes = Counter(_of_record(check, plan, record, content) for record in content.records)
    del outcomes[None]
    return Count(outcomes.total(), outcomes[FAILED], outcomes[NULL])


def _looked_at(check: Check, content: Content) -> list[Record]:
    return [r for r in content.records if not r.broken and _lets_through(check, r, content)]


def _row_count(check: Check, content: Content) -> Count:
    count = len(_looked_at(check, content) if check.filter else content.records)
    return Count(count, count)


def _unique(check: Check, content: Content) -> Count:
    keys = [[r.cell(name) for name in check.properties()] for r in _looked_at(check, content)]
    times = Counter(tuple(c.value for c in key) for key in keys if all(c.value is not None for c in key))
    null = len(keys) - times.total()
    forbidden = sum(any(c.text is None for c in key) for key in keys) if check.kind == "primaryKey" else 0
    return Count(len(keys), sum(n for n in times.values() if n > 1) + forbidden, null - forbidden)


def _figure(check: Check, content: Content) -> Count:
    name, records = check.property or "", _looked_at(check, content)
    cells = [r.inner[name] if name in r.inner else [r.cell(name)] for r in records]
    values = [figures.counted(c) for of in cells for c in of if c.value is not None]
    figure = figures.figure(check.kind, values) if cells else "no-rows"
    if isinstance(figure, str):
        return Count(state="not_evaluated", reason=figure)
    return Count(len(cells), 0, sum(all(c.value is None for c in of) for of in cells), figure=figure)


def _answer(check: Check, content: Content) -> Count:
    rows = _looked_at(check, content)
    null = 0
    if isinstance(check.rule, rules.Quantile) and rows:
        answer, null = queries.quantile(check.rule.value, [r.cell(check.property or "") for r in rows])
    else:
        answer = queries.answer(check, rows) if rows else "no-rows"
    if answer is None or isinstance(answer, str):
        return Count(state="not_evaluated", reason=answer or "no-values")
    exact = Fraction(answer)
    return Count(len(rows), null=null, figure=Decimal(exact.numerator) / Decimal(exact.denominator))


FIGURES: dict[str, Callable[[Check, Content], Count]] = {
    "rowCount": _row_count,
    **dict.fromkeys(("unique", "primaryKey", "duplicateValues"), _unique),
    **dict.fromkeys(("mean", "stdev", "min", "max", "sum"), _figure),
    **dict.fromkeys(kinds_of(rules.Query), _answer),
}
"""Figures of a file as a whole, by the kind of their check."""
