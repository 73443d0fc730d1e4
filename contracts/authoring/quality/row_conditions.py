"""Conditions in the words of Great Expectations, as text or as a mapping: one in; the same in Spark's SQL out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from contracts.authoring.sql import parameters
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import Property
from contracts.values import sql_text

COLUMN = r"""col\(\s*(?:"(?P<name>[^"]+)"|'(?P<other>[^']+)')\s*\)"""
VALUE = r"""(?P<number>-?\d+(?:\.\d+)?)|(?P<text>"[^"]*"|'[^']*')|date\(\s*(?P<date>"[^"]*"|'[^']*')\s*\)"""
TEXT = re.compile(rf"\s*{COLUMN}\s*(?:(?P<filled>\.notNull\(\))|(?P<sign>==|!=|<=|>=|<|>)\s*(?:{VALUE}))\s*", re.ASCII)
SIGNS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "IN": "in", "NOT_IN": "not in"}
KEYS = {
    "comparison": {"type", "column", "operator", "parameter"},
    "nullity": {"type", "column", "is_null"},
    "and": {"type", "conditions"},
    "or": {"type", "conditions"},
}
INSTEAD = "Write `condition_parser: spark`, and the condition in SQL, as `amount > 0`."


def sql(condition: str | dict[str, Any], props: Sequence[Property]) -> str:
    """A condition in SQL; raises SqlRefused where it is none of the few that are known."""
    if not isinstance(condition, str):
        return _of_mapping(condition, {p.name: p.type for p in props if p.type in ("date", "timestamp")})
    parts = TEXT.fullmatch(condition)
    if parts is None:
        raise SqlRefused(f"`{condition:.60}` is not a known condition of Great Expectations.", INSTEAD)
    name = sql_text.quoted_name(parts["name"] or parts["other"])
    if parts["filled"]:
        return f"{name} is not null"
    if parts["date"]:
        return f"{name} {SIGNS[parts['sign']]} date {sql_text.literal(parts['date'][1:-1])}"
    value = parts["number"] or sql_text.literal(parts["text"][1:-1])
    return f"{name} {SIGNS[parts['sign']]} {value}"


def _of_mapping(condition: Any, dated: dict[str, str]) -> str:
    kind = condition.get("type") if isinstance(condition, dict) else None
    if not isinstance(kind, str) or set(condition) != KEYS.get(kind):
        raise SqlRefused("The condition is none that is known.", INSTEAD)
    if kind in ("and", "or"):
        if not isinstance(condition["conditions"], list) or not condition["conditions"]:
            raise SqlRefused(f"`{kind}` has no conditions.", INSTEAD)
        return f" {kind} ".join(f"({_of_mapping(one, dated)})" for one in condition["conditions"])
    column = condition["column"]
    if not isinstance(column, dict) or list(column) != ["name"] or not isinstance(column["name"], str):
        raise SqlRefused("The condition names no column.", "Write `column: {name: id}`.")
    name = sql_text.quoted_name(column["name"])
    if kind == "nullity":
        if not isinstance(condition["is_null"], bool):
            raise SqlRefused("`is_null` must be true or false.", INSTEAD)
        return f"{name} is {'' if condition['is_null'] else 'not '}null"
    sign, value = SIGNS.get(str(condition["operator"])), parameters.literal(condition["parameter"])
    if sign is None or value is None or (sign.endswith("in")) != isinstance(condition["parameter"], list):
        raise SqlRefused("The condition compares values that cannot be compared.", INSTEAD)
    kind = dated.get(column["name"], "") if isinstance(condition["parameter"], str) else ""
    return f"{name} {sign} {kind} {value}"
