"""Tests of other tools as checks of our own: a column and what a test says of it in, the table's properties out.

A test that rejects and has no filter is a key of its property, as people write it; any other is a quality entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import sqlglot
from sqlglot import exp

from contracts.authoring.imports.imported import given
from contracts.authoring.sql import expressions
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import Property

OPTIONS = "logicalTypeOptions"
OURS = {"type": "custom", "engine": "dropgate"}
TRUE = "true"
MOST_DIGITS = 15
"""Digits of a share, so that its complement in percent is exact enough."""


@dataclass(frozen=True, slots=True)
class Manner:
    """The manner of a test: its severity, the rows that it judges, the limit of failing rows, and texts about it."""

    severity: str = "error"
    filter: str | None = None
    limit: dict[str, Any] = field(default_factory=lambda: {"mustBe": 0})
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Return True if a key of a property says the same."""
        return self == Manner()

    def entry(self, body: dict[str, Any], *, arguments: str = "arguments") -> dict[str, Any]:
        """Return a quality entry with this manner; `arguments` is the key that holds a filter."""
        inside = {**body.get(arguments, {}), **given({"filter": self.filter})}
        warns = {"severity": "warning"} if self.severity == "warning" else {}
        return {**self.about, **warns, **body, **given({arguments: inside})}


@dataclass(slots=True)
class Table:
    """A table while tests about it are read; `untyped` are the columns whose type the source does not say."""

    name: str
    properties: dict[str, dict[str, Any]] = field(default_factory=dict)
    quality: list[dict[str, Any]] = field(default_factory=list)
    custom: list[dict[str, Any]] = field(default_factory=list)
    untyped: list[str] = field(default_factory=list)

    def column(self, name: str, typed: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the property of a column, which is text until something says more."""
        if name not in self.properties:
            self.properties[name] = {"name": name, **(typed or {"logicalType": "string"})}
            if typed is None:
                self.untyped.append(name)
        return self.properties[name]

    def is_number(self, name: str) -> bool:
        """Return True if a column is a number; one without a type becomes one."""
        if name in self.untyped and self.properties[name].get("logicalType") == "string":
            self.properties[name]["logicalType"] = "number"
        return self.column(name).get("logicalType") in ("integer", "number")

    def required(self, name: str, manner: Manner) -> bool:
        """Add that a column has no nulls."""
        if manner.is_plain:
            self.column(name)["required"] = True
        else:
            self._add(name, manner.entry({"metric": "nullValues", **manner.limit}))
        return True

    def nulls(self, name: str, limit: dict[str, Any], manner: Manner) -> bool:
        """Add a limit of a column's nulls."""
        self._add(name, manner.entry({"metric": "nullValues", **limit}))
        return True

    def unique(self, name: str, manner: Manner) -> bool:
        """Add that no value of a column is there twice."""
        if manner.is_plain:
            self.column(name)["unique"] = True
        else:
            self._add(name, manner.entry({"metric": "duplicateValues", **manner.limit}))
        return True

    def unique_together(self, names: Sequence[str], manner: Manner) -> bool:
        """Add that no values of several columns are there twice together; they must be columns of the table."""
        if not set(names) <= self.properties.keys():
            return False
        body = {"metric": "duplicateValues", "arguments": {"properties": list(names)}, **manner.limit}
        self._place(self.quality, "", manner.entry(body))
        return True

    def among(self, name: str, values: Sequence[Any], manner: Manner) -> bool:
        """Add that a column has only some values."""
        kind = self.column(name).get("logicalType")
        if kind not in ("string", "integer", "number") or not values:
            return False
        listed = [value if kind != "string" else str(value) for value in values if value is not None]
        if any(isinstance(value, (bool, dict, list)) for value in values) or not all(
            kind == "string" or isinstance(value, (int, Decimal)) for value in listed
        ):
            return False
        listed = list(dict.fromkeys(listed))
        if manner.is_plain:
            self.column(name)["enum"] = [{"value": value} for value in listed]
        else:
            self._add(
                name, manner.entry({"metric": "invalidValues", "arguments": {"validValues": listed}, **manner.limit})
            )
        return True

    def between(self, name: str, bounds: dict[str, Any], manner: Manner) -> bool:
        """Add the bounds of a column, by the keys of ODCS; they are numbers."""
        are_numbers = all(isinstance(v, (int, Decimal)) and not isinstance(v, bool) for v in bounds.values())
        if not bounds or not are_numbers or not self.is_number(name):
            return False
        prop = self.column(name)
        if prop["logicalType"] == "integer" and any(value != int(value) for value in bounds.values()):
            return False
        if manner.is_plain:
            prop[OPTIONS] = {**prop.get(OPTIONS, {}), **bounds}
            return True
        signs = {"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}
        return self.holds(" and ".join(f"`{name}` {signs[key]} {value}" for key, value in bounds.items()), manner)

    def sized(self, name: str, bounds: dict[str, int], manner: Manner) -> bool:
        """Add the least and the greatest length of a column's texts."""
        prop = self.column(name)
        if prop.get("logicalType") != "string" or not bounds:
            return False
        if manner.is_plain:
            prop[OPTIONS] = {**prop.get(OPTIONS, {}), **bounds}
            return True
        signs = {"minLength": ">=", "maxLength": "<="}
        return self.holds(
            " and ".join(f"length(`{name}`) {signs[key]} {value}" for key, value in bounds.items()), manner
        )

    def matches(self, name: str, pattern: str, manner: Manner) -> bool:
        """Add that a pattern is somewhere in a column's texts."""
        prop = self.column(name)
        if prop.get("logicalType") != "string":
            return False
        if manner.is_plain and "pattern" not in prop.get(OPTIONS, {}):
            prop[OPTIONS] = {**prop.get(OPTIONS, {}), "pattern": pattern}
            return True
        body = {**OURS, "implementation": {"metric": "regex", "pattern": pattern, **manner.limit}}
        self._add(name, manner.entry(body, arguments="implementation"))
        return True

    def written(self, name: str, manner: Manner) -> bool:
        """Add that a column's texts are not blank."""
        if self.column(name).get("logicalType") != "string":
            return False
        body = {**OURS, "implementation": {"metric": "notBlank", **manner.limit}}
        self._add(name, manner.entry(body, arguments="implementation"))
        return True

    def figure(self, name: str, metric: str, limits: Sequence[dict[str, Any]], manner: Manner) -> bool:
        """Add limits of a figure of a column's numbers."""
        if not limits or manner.limit != {"mustBe": 0} or not self.is_number(name):
            return False
        for limit in limits:
            body = {**OURS, "implementation": {"metric": metric, **limit}}
            self._add(name, manner.entry(body, arguments="implementation"))
        return True

    def rows(self, limits: Sequence[dict[str, Any]], manner: Manner) -> bool:
        """Add limits of the number of rows."""
        if manner.filter or manner.limit != {"mustBe": 0}:
            return False
        for limit in limits:
            self._place(self.quality, "", manner.entry({"metric": "rowCount", **limit}))
        return bool(limits)

    def holds(self, condition: str, manner: Manner) -> bool:
        """Add a condition on each row, in the SQL of a contract; return False if it cannot be one."""
        if manner.limit != {"mustBe": 0} or not self._is_readable(condition):
            return False
        number = sum(entry.get("id", "").startswith("rule-") for entry in self.quality) + 1
        body = {"id": f"rule-{number}", **OURS, "implementation": {"metric": "expression", "expression": condition}}
        self.quality.append(manner.entry(body, arguments="implementation"))
        return True

    def condition(self, text: str) -> str | None:
        """Return a condition of another database as a filter; None if it has no equivalent."""
        written = self.in_spark(text)
        return written if written and self._is_readable(written, constant=True) else None

    def in_spark(self, text: str) -> str | None:
        """Return one expression of any database in Spark's SQL; None if it cannot be read.

        A text that is compared with a date or a timestamp becomes one.
        """
        try:
            (tree,) = sqlglot.parse(text)
        except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
            return None
        for node in list(tree.find_all(exp.Binary)) if tree is not None else ():
            for column, other in ((node.this, node.expression), (node.expression, node.this)):
                kind = (
                    self.properties.get(column.name, {}).get("logicalType") if isinstance(column, exp.Column) else None
                )
                if kind in ("date", "timestamp") and isinstance(other, exp.Literal) and other.is_string:
                    other.replace(exp.cast(other.copy(), kind))
        return tree.sql("spark") if tree is not None else None

    def _is_readable(self, condition: str, *, constant: bool = False) -> bool:
        props = [Property(p["name"], p.get("logicalType", "string")) for p in self.properties.values()]
        try:
            expressions.read(condition, props, constant=constant)
        except (SqlRefused, sqlglot.errors.SqlglotError, RecursionError):
            return False
        return True

    def _add(self, name: str, entry: dict[str, Any]) -> None:
        self._place(self.column(name).setdefault("quality", []), f"{name}-", entry)

    def _place(self, entries: list[dict[str, Any]], prefix: str, entry: dict[str, Any]) -> None:
        """Add an entry; a second one of the same metric has an id, as their ids would be the same."""
        metric = _metric(entry)
        number = sum(_metric(other) == metric for other in entries) + 1
        named = {"id": re.sub(r"[^A-Za-z0-9_-]", "_", f"{prefix}{metric}-{number}")} if number > 1 else {}
        entries.append({**named, **entry})


def _metric(entry: dict[str, Any]) -> Any:
    return entry.get("metric") or entry.get("implementation", {}).get("metric")


def limits(low: Any, high: Any, *, above: bool = False, below: bool = False) -> list[dict[str, Any]]:
    """Return the operators of a range; `above` and `below` exclude its ends."""
    if low is not None and low == high:
        return [{"mustBe": low}]
    lower, upper = (
        ("mustBeGreaterThan" if above else "mustBeGreaterOrEqualTo"),
        ("mustBeLessThan" if below else "mustBeLessOrEqualTo"),
    )
    return [{key: value} for key, value in ((lower, low), (upper, high)) if value is not None]


def bounds(low: Any, high: Any, *, above: bool = False, below: bool = False) -> dict[str, Any]:
    """Return the options of a range of values."""
    lower, upper = "exclusiveMinimum" if above else "minimum", "exclusiveMaximum" if below else "maximum"
    return {key: value for key, value in ((lower, low), (upper, high)) if value is not None}
