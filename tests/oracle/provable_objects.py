"""Contracts of JSON Lines whose lines vectors may judge, and lines that people send for them."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import strategies as st

from contracts.plan import Policy, Property
from tests.integration.spark_jobs.world import a_plan
from tests.oracle import hostile, records
from tests.oracle.provable import GOOD, ODD, Made, checks_of, properties

BARE = ("integer", "number", "boolean")
"""The types whose values JSON has without quotes."""
SIGNS = ("", ",", '"', '""', " ", "0", "+", "-", "{", "}", ":", "\\", "\\u0041", "\\ud83d", "\t", ",,", *ODD)
KEYS = ("c0", "a b", "é", "a.b", "x-y", "k$", "_reason")


class MadeObjects(Made):
    """A plan of objects, and the keys that they may have."""

    def __post_init__(self) -> None:
        pass

    def record(self, line: str) -> records.Record | None:
        """Read a line as a record; None if it is none."""
        record = records._object(self.plan, line)
        is_unknown = record.unknown and self.plan.columns.extra == "reject"
        return None if record.broken or is_unknown else record


@st.composite
def contracts(draw: st.DrawFn) -> Made:
    """Plans of one to four properties of any type with any checks; objects may have other keys."""
    names = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True))
    props = [replace(draw(properties(name)), form=None) for name in names]
    checks = [check for prop in props for check in draw(st.lists(checks_of(prop), max_size=3))]
    named = [replace(check, id=f"{check.id}.{n}") for n, check in enumerate(checks)]
    extra: Policy = draw(st.sampled_from(["reject", "ignore"]))
    header = (*draw(st.permutations(names)), *draw(st.sampled_from([(), ("more",), ("_record", "_reasons")])))
    by_name = {p.name: p for p in props}
    cells = tuple(_values(by_name.get(name)) for name in header)
    return MadeObjects(a_plan(props, named, columns_extra=extra, file_format="jsonl"), header, cells)


def _values(prop: Property | None) -> tuple[str, ...]:
    """Return JSON values that a property may have, and some that it may not have."""
    if prop is None:
        return ("1", "null", '"x"', "[1]")
    good = tuple(text if prop.type in BARE else _text(text) for text in GOOD[prop.type])
    odd = (*hostile.CELLS[prop.type], *hostile.ANY)
    return (*(good * 4), "null", "null", *map(_text, odd), *odd, json.dumps("é\n"), "1E2", "1.0E-5", "[]", "{}")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@st.composite
def lines(draw: st.DrawFn, made: Made) -> str:
    """Lines of a file: most are objects, some nearly so."""
    kind = draw(st.sampled_from(["record"] * 7 + ["few", "few", "odd", "odd", "moved", "twice", "empty"]))
    if kind == "empty":
        return ""
    pairs = [(name, draw(st.sampled_from(values))) for name, values in zip(made.header, made.cells, strict=True)]
    if kind == "few":
        pairs = [pair for pair in pairs if draw(st.booleans())]
    if kind in ("moved", "twice"):
        pairs = draw(st.permutations(pairs)) if kind == "moved" else [*pairs, pairs[0]]
    colon, comma = draw(st.sampled_from([(":", ","), (": ", ", "), (": ", ","), (":  ", " ,")]))
    line = "{" + comma.join(f"{_text(name)}{colon}{value}" for name, value in pairs) + "}"
    return draw(_damaged(line)) if kind == "odd" else line


@st.composite
def _damaged(draw: st.DrawFn, line: str) -> str:
    """Draw a line with something put into it, or without some of it."""
    at = draw(st.integers(0, len(line)))
    return line[:at] + draw(st.sampled_from(SIGNS)) + line[at + draw(st.sampled_from([0, 0, 1, 3])) :]
