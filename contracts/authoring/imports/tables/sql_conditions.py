"""Conditions of CHECK: an expression of sqlglot and the columns in; what a property holds, or an expression, out.

A row for which a condition is unknown passes in SQL, and a value that is null passes here.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlglot import exp

from contracts.authoring.document.source import number_of

OPTIONS = "logicalTypeOptions"
BOUNDS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.GTE: ("minimum", "maximum"),
    exp.GT: ("exclusiveMinimum", "exclusiveMaximum"),
    exp.LTE: ("maximum", "minimum"),
    exp.LT: ("exclusiveMaximum", "exclusiveMinimum"),
}
"""The option that holds a comparison, with the column on its left and on its right."""
BOUNDED = ("integer", "number", "date")
KNOWN = (
    exp.And, exp.Or, exp.Not, exp.Paren, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between, exp.Is,
    exp.Null, exp.Column, exp.Identifier, exp.Literal, exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Length, exp.Upper,
    exp.Lower, exp.Boolean,
)  # fmt: skip
"""Parts of a condition that mean the same in every database and in a contract's `expression`."""


def applied(condition: exp.Expr, properties: dict[str, dict[str, Any]]) -> bool:
    """Write a condition about one column into its property; return False if there is no such key."""
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        parts = [condition.this, condition.expression]
        trial = [_options(part, properties) for part in parts]
        return None not in trial and all(applied(part, properties) for part in parts)
    options = _options(condition, properties)
    if options is None:
        return False
    prop, keys = options
    if "enum" in keys:
        prop["enum"] = keys["enum"]
    else:
        prop[OPTIONS] = {**prop.get(OPTIONS, {}), **keys}
    return True


def expression(condition: exp.Expr, properties: dict[str, dict[str, Any]]) -> str | None:
    """Return a condition in the SQL of a contract; None if it has parts that may mean something else there."""
    if not all(isinstance(part, KNOWN) for part in condition.walk()):
        return None
    columns = [properties.get(column.name.casefold()) for column in condition.find_all(exp.Column)]
    if None in columns or not columns:
        return None
    written = condition.copy()
    for column in list(written.find_all(exp.Column)):
        column.replace(exp.column(properties[column.name.casefold()]["name"]))
    return written.unnest().sql(dialect="spark")


def _options(
    condition: exp.Expr, properties: dict[str, dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the property of a condition and the keys that say the same; None if there are none."""
    condition = condition.unnest()
    inner = condition.this.unnest() if isinstance(condition.this, exp.Expr) else None
    if type(condition) in BOUNDS:
        sides = (condition.this.unnest(), condition.expression.unnest())
        n = next((n for n, side in enumerate(sides) if isinstance(side, (exp.Column, exp.Length))), None)
        value = _value(sides[1 - n]) if n is not None else None
        if n is None or value is None:
            return None
        key = BOUNDS[type(condition)][n]
        if isinstance(sides[n], exp.Length):
            prop, option = (
                _property(sides[n].this, properties),
                {"minimum": "minLength", "maximum": "maxLength"}.get(key),
            )
            return (prop, {option: value}) if prop and option and isinstance(value, int) else None
        prop = _property(sides[n], properties)
        return (prop, {key: value}) if prop and _is_bound(prop, value) else None
    if isinstance(condition, exp.Between) and inner is not None:
        prop, low, high = _property(inner, properties), _value(condition.args["low"]), _value(condition.args["high"])
        are_bounds = prop and all(value is not None and _is_bound(prop, value) for value in (low, high))
        return (prop, {"minimum": low, "maximum": high}) if prop and are_bounds else None
    if isinstance(condition, exp.In) and inner is not None and condition.expressions:
        prop, values = _property(inner, properties), [_value(each) for each in condition.expressions]
        kind = prop and {"string": str, "integer": int}.get(prop.get("logicalType", ""))
        if prop and kind and all(isinstance(value, kind) for value in values):
            return prop, {"enum": [{"value": value} for value in dict.fromkeys(values)]}
    return None


def _property(node: exp.Expr, properties: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    return properties.get(node.name.casefold()) if isinstance(node, exp.Column) else None


def _is_bound(prop: dict[str, Any], value: int | Decimal | str) -> bool:
    """Return True if a value can be a bound of a property's type."""
    kind = prop.get("logicalType")
    return (
        kind in BOUNDED and isinstance(value, str) == (kind == "date") and (kind != "integer" or isinstance(value, int))
    )


def _value(node: exp.Expr) -> int | Decimal | str | None:
    """Return the value of a literal, perhaps in brackets, negative or cast to a date."""
    node = node.unnest()
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
        node = node.this
    if isinstance(node, exp.Neg):
        value = _value(node.this)
        return -value if isinstance(value, (int, Decimal)) else None
    if not isinstance(node, exp.Literal):
        return None
    return node.name if node.is_string else number_of(node.name)
