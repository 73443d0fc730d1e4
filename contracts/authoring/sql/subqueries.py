"""Subqueries that are compared with rows: one of `exists` in, its selected columns and the rows' sides out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlglot import exp

from contracts.authoring.sql.aggregates import AGGREGATES
from contracts.authoring.sql.expressions import NUMBERS, SqlType, Typed, shown
from contracts.authoring.sql.refusal import SqlRefused

Node = Any


def split(node: Node, names: Collection[str]) -> tuple[Node, list[Node]]:
    """Return a subquery that selects the values it compares by `=` with rows of tables `names`, and the rows' values.

    Other tests stay in the subquery; without such a comparison it is unchanged.
    """
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    where = node.args.get("where")
    if where is None or not isinstance(node, exp.Select) or node.args.get("group") or node.args.get("having"):
        return node, []
    start = node.args.get("from_")
    sources = [*([start.this] if start else []), *(join.this for join in node.args.get("joins") or ())]
    outer = set(names) - {source.alias_or_name for source in sources}
    pairs: list[tuple[Node, Node]] = []
    rest: list[Node] = []
    for test in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        sides = (test.this, test.expression) if isinstance(test, exp.EQ) else ()
        theirs = [side for side in sides if (of := {c.table for c in side.find_all(exp.Column)}) and of <= outer]
        if len(theirs) == 1:
            pairs.append((test.expression if theirs[0] is test.this else test.this, theirs[0]))
        else:
            rest.append(test)
    if not pairs:
        return node, []
    if any(has_aggregate(part) for part in node.expressions):
        raise SqlRefused(f"`{shown(node)}` has a row even where it finds none.", "Write `select 1`.")
    bare = node.copy()
    bare.set("expressions", [mine.copy() for mine, _ in pairs])
    bare.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)
    return bare, [side for _, side in pairs]


def keyed(node: Node, value: Typed, column: str, kind: SqlType) -> tuple[str, str]:
    """Return the SQL of a subquery's column and of a compared value, cast so that equal values are equal keys."""
    if not alike(value.kind, kind):
        raise SqlRefused(f"`{shown(node)}` compares {value.kind} with {kind}.", "Compare values of one type.")
    if "number" in (value.kind, kind) and value.kind != kind:
        return f"double({column})", f"double({value.sql})"
    return column, value.sql


def alike(left: SqlType, right: SqlType) -> bool:
    """Return True if values of two types can be equal."""
    return left == right or "null" in (left, right) or {left, right} <= set(NUMBERS)


def has_aggregate(node: Node) -> bool:
    """Return True if a part aggregates rows, apart from windows and subqueries."""
    if isinstance(node, exp.Window | exp.Query):
        return False
    return type(node) in AGGREGATES or any(has_aggregate(part) for part in node.iter_expressions())
