"""Values that a contract writes for a property (bounds, allowed values): a YAML value in, its text for the plan or a finding out."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from contracts.authoring import datetimes
from contracts.authoring.finding import Path
from contracts.authoring.schema import wrong_type
from contracts.authoring.source import Document
from contracts.plan import Property

NAMES = {"string": "text", "integer": "a whole number of 64 bits", "number": "a number", "boolean": "true or false"}
DEFAULT_FORMATS = {"date": "yyyy-MM-dd", "timestamp": "yyyy-MM-dd'T'HH:mm:ssX"}


def type_name(prop: Property) -> str:
    """What a cell of the property must be, for people: `an integer`, `a date like 2026-01-31`."""
    if prop.type in DEFAULT_FORMATS:
        return f"a {prop.type} like {datetimes.example(prop.format or DEFAULT_FORMATS[prop.type])}"
    return {"integer": "an integer", "number": "a number", "boolean": "true or false"}.get(prop.type, "text")


def text_of(document: Document, path: Path, value: Any, prop: Property) -> str | None:
    """A value as text in the plan's notation; None, and a finding, if it is not of the property's type."""
    fits = {
        "string": isinstance(value, str),
        "integer": _is_integer(value),
        "number": isinstance(value, (int, Decimal)) and not isinstance(value, bool),
        "boolean": isinstance(value, bool) and document.word(path) is None,
    }
    if prop.type in fits:
        if fits[prop.type]:
            return _written(document, path, value)
        document.findings.append(wrong_type(document, path, NAMES[prop.type], prop.type == "string"))
        return None
    if isinstance(value, str) and datetimes.parse(value, prop.type, prop.format):
        return value
    document.error(path, "wrong-type", f"`{document.text(path) or ''}` is not {type_name(prop)}.", f"Write {type_name(prop)}, in quotes.")
    return None


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _written(document: Document, path: Path, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else (document.text(path) or str(value)).removeprefix("+")


def order_of(text: str, prop: Property) -> Any:
    """A value's text as something that can be compared with another of the same property."""
    return Decimal(text) if prop.type in ("integer", "number") else datetimes.parse(text, prop.type, prop.format)


def shown(texts: list[str]) -> str:
    """Allowed values for people, the first twelve of them."""
    return "one of " + ", ".join(texts[:12]) + (f" and {len(texts) - 12} more" if len(texts) > 12 else "")
