"""Watermarks: the property that a check goes by, read from a contract, and a high mark, read from a command line."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.properties.values import moment_of, order_of
from contracts.authoring.quality import aggregates, library_metrics
from contracts.plan import Plan, Property
from contracts.problem import nearest, quoted
from contracts.watermarks import TYPES, HighMark


class Refused(ValueError):
    """A mark that a plan has no use for, in a sentence."""


def read(document: Document, path: Path, name: Any, props: Sequence[Property]) -> Property | None:
    """The property of a watermark; None, and a finding, where it can be none."""
    before = document.errors()
    library_metrics.is_property(document, path, name, [p.name for p in props])
    if document.errors() > before:
        return None
    prop = next(p for p in props if p.name == name)
    if misfit := unfit(prop):
        document.error(path, *misfit)
        return None
    if not prop.required:
        message = f"A record without `{name}` is judged only until there is a high mark."
        document.warning(path, "may-be-null", message, f"Make `{name}` required.")
    return prop


def unfit(prop: Property) -> tuple[str, str, str] | None:
    """Return why a property cannot be a watermark, as code, message and fix; None if it can."""
    if prop.type not in TYPES or (prop.type == "number" and not prop.exact):
        message = f"A watermark is a date, a timestamp, an integer or an exact number; `{prop.name}` is {prop.type}."
        fix = "Give it a `physicalType: decimal(p,s)`." if prop.type == "number" else "Name another property."
        return "wrong-type", message, fix
    if prop.repeats:
        return "wrong-place", f"A record may have several of `{prop.name}`.", "Name a property outside of arrays."
    if prop.masked:
        message = f"`{prop.name}` is classified, and a high mark is kept where people look."
        return "classified", message, "Name another property, or say `classification: public`."
    return None


def mark(plan: Plan, text: str) -> HighMark:
    """The high mark that `<property>=<value>` says, the value as the property's cells write it; Refused."""
    name, equals, value = text.partition("=")
    if name not in plan.watermarks or not equals:
        close = nearest(name, plan.watermarks)
        marks = f"Its watermarks are {quoted(plan.watermarks)}." if plan.watermarks else "It has no watermark."
        hint = f"Did you mean {close}={value or '...'}?" if close and close != name else marks
        raise Refused(f"{text} is no high mark of {plan.contract}, as `day=2026-01-31` is one. {hint}")
    prop = plan.property_named(name)
    if prop.type in aggregates.MOMENTS:
        if moment_of(value, prop) is None:
            raise Refused(f"{value} is no {prop.type} as `{name}` is written ({prop.format or 'ISO 8601'}).")
        return HighMark(name, prop.type, Decimal(order_of(value, prop)))
    digits = value.removeprefix("-").replace(".", "", 0 if prop.type == "integer" else 1)
    if not (digits.isascii() and digits.isdigit()):
        raise Refused(f"{value} is no {prop.type}.")
    return HighMark(name, prop.type, Decimal(value))
