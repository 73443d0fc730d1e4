"""Questions about a file, by chance: an entry of `quality` in SQL, and what it finds in plain Python; no SQL is run.

An entry is made of an expression and a column; which ones stands in its description, so that they need not be read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from contracts.plan import Check
from tests.oracle import figures
from tests.oracle.expressions import an_expression, truth
from tests.oracle.records import Cell, Record

Found = int | Fraction | None
"""A number, or none."""


def _where(records: Sequence[Record], text: str) -> list[Record]:
    return [r for r in records if truth(text, r.cells) is True]


def _values(records: Sequence[Record], column: str) -> Counter[Any]:
    return Counter(r.cells[column].value for r in records)


def _repeated(records: Sequence[Record], column: str) -> int:
    """Records whose value another record also has; nulls never do, as a join sees it."""
    return sum(n for value, n in _values(records, column).items() if value is not None and n > 1)


def _members(records: Sequence[Record], text: str, column: str) -> list[Record]:
    """Records whose value one of those has of which an expression is true; nulls never do."""
    there = set(_values(_where(records, text), column)) - {None}
    return [r for r in records if r.cells[column].value in there]


def _strangers(records: Sequence[Record], text: str, column: str) -> int:
    """Records of which it is sure that none of those has their value, as SQL's `not in` has it."""
    there = set(_values(_where(records, text), column))
    if not there:
        return len(records)
    return (
        0 if None in there else sum(n for v, n in _values(records, column).items() if v is not None and v not in there)
    )


def _share(records: Sequence[Record], text: str, _: str) -> Found:
    return Fraction(100 * len(_where(records, text)), len(records))


QUERIES: dict[str, tuple[str, Callable[[Sequence[Record], str, str], Found]]] = {
    "count": ("select count(*) from data where {e}", lambda rows, e, _: len(_where(rows, e))),
    "values": (
        "select count(distinct {c}) from data where {e}",
        lambda rows, e, c: len(set(_values(_where(rows, e), c)) - {None}),
    ),
    "share": ("select sum(case when {e} then 1 else 0 end) * 100 / count(*) from ${{object}}", _share),
    "most": (
        "select max(n) from (select {c}, count(*) as n from data where {e} group by {c})",
        lambda rows, e, c: max(_values(_where(rows, e), c).values(), default=None),
    ),
    "members": (
        "select count_if({c} in (select {c} from data where {e})) from data",
        lambda rows, e, c: len(_members(rows, e, c)),
    ),
    "united": (
        "select count(*) from (select {c} from data where {e} union select {c} from data where not ({e}))",
        lambda rows, e, c: len(_values([r for r in rows if truth(e, r.cells) is not None], c)),
    ),
    "beside": (
        "select count(*) from data left join (select {c}, 1 as n from data group by {c}) b using ({c}) where n is null",
        lambda rows, _, c: _values(rows, c)[None],
    ),
}
"""By name: a query of one number over an expression e and a column c, and that number."""
STATEMENTS: dict[str, tuple[str, Callable[[Sequence[Record], str, str], int]]] = {
    "rows": ("select * from data where {e}", lambda rows, e, _: len(_where(rows, e))),
    "empty": (
        "select * from (select count(*) as n from data where {e}) where n = 0",
        lambda rows, e, _: int(not _where(rows, e)),
    ),
    "groups": (
        "select {c}, count(*) as n from data group by {c} having n > 1",
        lambda rows, _, c: sum(n > 1 for n in _values(rows, c).values()),
    ),
    "twins": (
        "select a.* from data a join (select {c} from data group by {c} having count(*) > 1) b using ({c})",
        lambda rows, _, c: _repeated(rows, c),
    ),
    "common": (
        """with w as (select {c}, count(*) over (partition by {c}) as n, count(distinct {c}) over () as d from data)
        select * from w where n > d and n * 3 > (select count(*) from data)""",
        lambda rows, _, c: _common(rows, c),
    ),
    "strangers": (
        "select * from data where {c} not in (select {c} from data where {e})",
        _strangers,
    ),
    "alike": (
        "select a.* from data a where exists (select 1 from data b where b.{c} = a.{c} and ({e}))",
        lambda rows, e, c: len(_members(rows, e, c)),
    ),
    "orphans": (
        """select a.* from data a join (select distinct {c} from data) k using ({c})
        where not exists (select * from data b where ({e}) and a.{c} = b.{c})""",
        lambda rows, e, c: sum(_values(rows, c).values()) - _values(rows, c)[None] - len(_members(rows, e, c)),
    ),
    "any": (
        "select {c} from data where exists (select * from data where {e}) union all select {c} from data where {e}",
        lambda rows, e, _: len(rows) * bool(_where(rows, e)) + len(_where(rows, e)),
    ),
    "kinds": (
        "select distinct {c} from data where not ({e})",
        lambda rows, e, c: len(_values([r for r in rows if truth(e, r.cells) is False], c)),
    ),
}
"""By name: a statement, and how many rows it finds."""


def _common(records: Sequence[Record], column: str) -> int:
    """Records whose value stands in a third of all, and more often than there are values."""
    times = _values(records, column)
    kinds = len(set(times) - {None})
    return sum(n for n in times.values() if n > kinds and n * 3 > len(records))


def an_entry(chance: Random, number: int, kinds: Mapping[str, str], threshold: dict[str, Any]) -> dict[str, Any]:
    """An entry of quality over columns, which come with their logical types."""
    chosen: dict[str, tuple[str, Any]] = chance.choice((QUERIES, STATEMENTS))
    name, text = chance.choice(sorted(chosen)), an_expression(chance, kinds, 1)
    column = chance.choice(sorted(kinds))
    sql = chosen[name][0].format(e=text, c=f"`{column}`")
    sql = sql.replace("${object}", "`things`") if chance.random() < 0.5 else sql
    about = {"id": f"s{number}", "description": json.dumps([name, text, column])}
    if chosen is QUERIES:
        return about | {"type": "sql", "query": sql} | threshold
    inner = {"metric": "statement", "statement": sql} | (threshold if chance.random() < 0.3 else {})
    return about | {"type": "custom", "engine": "dropgate", "implementation": inner}


def quantile(share: str, cells: Sequence[Cell]) -> tuple[Any, int]:
    """The least value that a share of all values do not exceed, None without values; and how many are none."""
    values = sorted(figures.counted(c) for c in cells if c.value is not None)
    place = max(1, -(-Fraction(share) * len(values) // 1))
    return values[int(place) - 1] if values else None, len(cells) - len(values)


def answer(check: Check, records: Sequence[Record]) -> Found:
    """Return the answer of a query over the records that pass its condition."""
    name, text, column = json.loads(check.description or "")
    return (QUERIES | STATEMENTS)[name][1](records, text, column)
