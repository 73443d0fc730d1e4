"""The header of a file whose columns are found by their place: its texts in, its problems out. Pure.

Only texts that the contract states (`Property.header_names`) must be there. Other texts are free, but the name of
another column in the place of a column is an exchange of both, and a line of values is no header.
"""

from __future__ import annotations

import re

from contracts.files import column_problems
from contracts.files.columns import alike
from contracts.place import HEADER
from contracts.plan import Plan
from contracts.problem import Problem, quoted, visible

MEASURED = ("integer", "number", "date", "timestamp", "time")
"""The types whose values hold digits."""
VALUE = re.compile(r"[\W\d_TZ]*\d[\W\d_TZ]*")
"""A text that is a number, a date or a time, and the name of no column."""


def problems(plan: Plan, sent: tuple[str, ...]) -> tuple[Problem, ...]:
    """Return all problems of a header's texts, without the columns that dropgate adds."""
    texts = tuple(alike(text, "byPosition") for text in sent)
    named = {text for prop in plan.roots for text in prop.headings} - plan.csv.lacking
    pairs = [(prop, text) for prop, text in zip(plan.roots, texts, strict=False) if text not in plan.csv.lacking]
    measured = [text for prop, text in pairs if prop.type in MEASURED and text.strip()]
    is_record = not named & set(texts) and bool(measured) and all(VALUE.fullmatch(text) for text in measured)
    if is_record:
        message = "The first line holds values where the header must be."
        fix = column_problems.asked(
            plan, f"Begin the file with a header of {_columns(len(plan.roots))}.", "csv.header: false"
        )
        return (Problem("missing-header", message, fix, place=HEADER),)
    faults = [*column_problems.shortened(_others(plan, texts)), *_exchanged(plan, texts)]
    for nth, prop in enumerate(plan.roots[len(texts) :], len(texts) + 1):
        if level := column_problems.level_of_missing(plan, prop):
            shown, there = visible(prop.headings[0]), _columns(len(texts))
            message = f"Column {nth}, `{shown}`, is missing from the header, which has {there}."
            fix = f"Add the column ({prop.type}) as column {nth}."
            faults.append(Problem("missing-column", message, fix, level, property=prop.name))
    more = enumerate(texts[len(plan.roots) :], len(plan.roots) + 1)
    return (*faults, *column_problems.unknown(plan, [text.strip() or f"column {nth}" for nth, text in more]))


def _others(plan: Plan, texts: tuple[str, ...]) -> list[Problem]:
    """Return the problems of texts that are not those that the contract states for their places."""
    faults = []
    for nth, (prop, text) in enumerate(zip(plan.roots, texts, strict=False), 1):
        if prop.header_names and text not in prop.header_names:
            shown = f"is `{visible(text)}`" if text.strip() else "has no name"
            message = f"Column {nth} of the header {shown}; the contract has {_stated(prop.header_names)} there."
            fix = f"Write {_stated(prop.header_names)} as the name of column {nth}, and its values below it."
            faults.append(Problem("other-column", message, fix, property=prop.name))
    return faults


def _exchanged(plan: Plan, texts: tuple[str, ...]) -> list[Problem]:
    """Return the problem of columns in the place of others, by the names that they have."""
    owners = {text: (n, prop) for n, prop in reversed(list(enumerate(plan.roots))) for text in prop.headings}
    for n, (prop, text) in enumerate(zip(plan.roots, texts, strict=False)):
        at, owner = owners.get(text, (n, prop))
        if (
            text not in owners
            or text in prop.headings
            or prop.header_names
            or (at < len(texts) and texts[at] in owner.headings)
        ):
            continue
        message = f"Column {n + 1} is `{visible(text)}`, which is column {at + 1} of the contract."
        fix = f"Write the columns in this order: {quoted((visible(p.headings[0]) for p in plan.roots), most=40)}."
        return [Problem("column-order", message, fix)]
    return []


def _columns(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"


def _stated(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{visible(name)}`" for name in names)
