"""The parser of Spark's dialect, without functions that lose an argument: tokens in, trees out.

Many functions of the parser take more arguments than they keep: `year(day, 1)` becomes `year(day)`. Spark refuses most
of these calls, and gives others a meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.parsers.spark import SparkParser

from contracts.authoring.sql.refusal import SqlRefused

Build = Callable[..., exp.Expr]


def _keeping(name: str, build: Build) -> Build:
    """Return the builder of a function that refuses a last argument which its node does not keep."""

    def built(args: list[Any], dialect: sqlglot.Dialect) -> exp.Expr:
        node = _built(build, args, dialect)
        holder = args[-1] if args else node
        while holder is not None and holder is not node:
            holder = holder.parent
        if holder is not node and _built(build, args[:-1], dialect) == node:
            message = f"`{name.lower()}` has {len(args)} arguments, which are too many."
            raise SqlRefused(message, "Leave the last one out.")
        return node

    return built


def _built(build: Build, args: list[Any], dialect: sqlglot.Dialect) -> exp.Expr:
    """Return the node of a function; as the parser does, name the dialect only to builders that take it."""
    try:
        return build(args)
    except TypeError:
        return build(args, dialect=dialect)


class Parser(SparkParser):
    """Spark's parser; a call of a function keeps all its arguments, or raises SqlRefused."""

    FUNCTIONS: ClassVar = {name: _keeping(name, build) for name, build in SparkParser.FUNCTIONS.items()}


def as_number(text: str) -> str:
    """Return a query of one true or false as one of 1 or 0; null stays null."""
    query = sqlglot.parse_one(text, read="spark")
    assert isinstance(query, exp.Query)
    (value,) = query.selects
    truth = value.unalias()
    cases = ((truth.copy(), 1), (exp.Not(this=exp.paren(truth.copy())), 0))
    value.replace(exp.Case(ifs=[exp.If(this=case, true=exp.Literal.number(number)) for case, number in cases]))
    return query.sql(dialect="spark")
