"""The core expectations of Great Expectations, as data: a type in, its subject and its arguments out.

`expectations.json` has a line for each; a test holds it against the release that it names. Nothing is imported from
there, so that contracts can be read where it is not installed.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from contracts.plan import LogicalType

About = Literal["values", "column", "pairs", "columns", "table", "header", "query"]
Kind = str | list[str]
"""The kind of an argument: the name of its kind of value, or the words that it may be."""

WORDS = {
    "column": "the name of a property",
    "columns": "a list of names of properties",
    "share": "a number from 0 to 1",
    "number": "a number",
    "whole": "a whole number",
    "bound": "a number, or a date as `2026-01-31`",
    "text": "text",
    "texts": "a list of texts",
    "list": "a list of values",
    "boolean": "true or false",
    "mapping": "a mapping",
    "condition": "a condition in Spark's SQL",
    "query": "a query in Spark's SQL",
}
TYPES: dict[str, tuple[LogicalType, ...]] = {
    "any": ("string", "integer", "number", "boolean", "date", "timestamp", "time"),
    "numbers": ("integer", "number"),
    "ordered": ("integer", "number", "date", "timestamp"),
    "plain": ("integer", "number", "boolean", "string", "time"),
    "texts": ("string", "time"),
}
"""Logical types that an expectation takes; the `plain` ones have the same values in Python as in a contract."""


@dataclass(frozen=True, slots=True)
class Core:
    """An expectation: its subject, the dimension of its check, the arguments that it needs and takes by kind.

    `types` names the logical types of its columns (see TYPES); if `alike` is True, these must be of one family.
    `instead` is a check of ours with the same meaning; `elsewhere` is the reason why the job cannot run it.
    """

    about: About
    dimension: str
    needs: Mapping[str, Kind] = field(default_factory=dict)
    takes: Mapping[str, Kind] = field(default_factory=dict)
    types: str = "any"
    alike: bool = False
    instead: str | None = None
    elsewhere: str | None = None

    @property
    def arguments(self) -> dict[str, Kind]:
        """All its arguments."""
        return {**self.needs, **self.takes}

    @property
    def wants_bound(self) -> bool:
        """Return True if the expectation needs a bound: without one it would always be met."""
        return {"min_value", "max_value"} <= set(self.takes) and "threshold" not in self.needs


@cache
def expectations() -> dict[str, Core]:
    """All of them, by type."""
    text = (
        importlib.resources.files("contracts.authoring.quality.expectations")
        .joinpath("expectations.json")
        .read_text("utf-8")
    )
    data: Any = json.loads(text)
    by_type = {}
    for name, own in data["expectations"].items():
        common = data["about"][own["about"]]
        needs, takes = ({**common.get(part, {}), **own.get(part, {})} for part in ("needs", "takes"))
        by_type[name] = Core(**{**own, "needs": needs, "takes": takes})
    return by_type


def fits(kind: Kind, value: Any) -> bool:
    """Return True if a value of the contract is of a kind."""
    if isinstance(kind, list):
        return value in kind
    match kind:
        case "boolean":
            return isinstance(value, bool)
        case "bound" if isinstance(value, str):
            try:
                datetime.fromisoformat(value)
            except ValueError:
                return False
            return True
        case "number" | "share" | "whole" | "bound":
            if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
                return False
            return value == int(value) if kind == "whole" else kind != "share" or 0 <= value <= 1
        case "list" | "columns" | "texts":
            if not isinstance(value, list) or not value:
                return False
            return kind == "list" or all(isinstance(one, str) for one in value)
        case "mapping" | "condition":
            return isinstance(value, dict) or (kind == "condition" and isinstance(value, str))
    return isinstance(value, str)
