"""Subqueries that rows are held against: one of `exists` in; what it selects to be compared with each row out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlglot import exp

from contracts.authoring.sql.aggregates import AGGREGATES
from contracts.authoring.sql.expressions import NUMBERS, Kind, Refused, Typed, shown

Node = Any


def parted(node: Node, names: Collection[str]) -> tuple[Node, list[Node]]:
    """A subquery that selects what it compares by `=` with rows of the tables `names`, and these rows' sides of it.

    What is not compared with them stays in it; without such a comparison it is as it was.
    """
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    where = node.args.get("where")
    if where is None or not isinstance(node, exp.Select) or node.args.get("group") or node.args.get("having"):
        return node, []
    outer = set(names) - _own_tables(node)
    pairs: list[tuple[Node, Node]] = []
    rest: list[Node] = []
    for test in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        pair = _pair(test, outer)
        if pair:
            pairs.append(pair)
        else:
            rest.append(test)
    if not pairs:
        return node, []
    if any(has_aggregate(part) for part in node.expressions):
        raise Refused(f"`{shown(node)}` has a row even where it finds none.", "Write `select 1`.")
    bare = node.copy()
    bare.set("expressions", [mine.copy() for mine, _ in pairs])
    bare.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)
    return bare, [theirs for _, theirs in pairs]


def keyed(node: Node, value: Typed, column: str, kind: Kind) -> tuple[str, str]:
    """A column of a subquery, and a value that it is held against, in SQL: so that equal ones are one key."""
    if not alike(value.kind, kind):
        raise Refused(f"`{shown(node)}` compares {value.kind} with {kind}.", "Compare values of one type.")
    if "number" in (value.kind, kind) and value.kind != kind:
        return f"double({column})", f"double({value.sql})"
    return column, value.sql


def alike(one: Kind, other: Kind) -> bool:
    """Return True if values of two types can be equal."""
    return one == other or "null" in (one, other) or {one, other} <= set(NUMBERS)


def has_aggregate(node: Node) -> bool:
    """Return True if a part aggregates rows, apart from windows and subqueries."""
    if isinstance(node, exp.Window | exp.Query):
        return False
    return type(node) in AGGREGATES or any(has_aggregate(part) for part in node.iter_expressions())


def _own_tables(node: exp.Select) -> set[str]:
    start = node.args.get("from_")
    sources = [*([start.this] if start else []), *(join.this for join in node.args.get("joins") or ())]
    return {source.alias_or_name for source in sources}


def _pair(test: Node, outer: Collection[str]) -> tuple[Node, Node] | None:
    """The subquery's side of a comparison by `=`, and that of the rows around it."""
    if not isinstance(test, exp.EQ):
        return None
    theirs = [side for side in (test.this, test.expression) if (of := _tables_of(side)) and of <= set(outer)]
    if len(theirs) != 1:
        return None
    return (test.expression if theirs[0] is test.this else test.this), theirs[0]


def _tables_of(node: Node) -> set[str]:
    """The tables whose columns a part names; the empty name where it does not say."""
    return {column.table for column in node.find_all(exp.Column)}
