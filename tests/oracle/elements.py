"""The records of XML as the oracle reads them: bytes and a plan in, each record as members of JSON out.

Written from docs/reference/semantics.md, "File formats", with the parser of Python that makes a tree of the whole
document.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

from contracts.plan import Plan, Property, Xml
from tests.oracle import forms
from tests.oracle.nested import Number, Pairs, in_files
from tests.oracle.values import value_of_cell

XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
XML = "{http://www.w3.org/XML/1998/namespace}"
SPACES = " \t\r\n"
BLANKS = "".join(c for c in map(chr, range(0x10000)) if c.isspace() and c not in "\x1c\x1d\x1e\x1f\x85") + "\ufeff"
OF_TEXTS = ("string", None)
ORDINARY = 300
"""Digits of a number up to which it is one."""
LONGEST = 700


class Mixed(Exception):
    """A record of which no value can be told."""


def records(plan: Plan, data: bytes) -> Iterator[Pairs | None]:
    """Each record; None for one with both text and elements in an element."""
    assert plan.xml
    root, *steps = (_name(step, plan.xml) for step in plan.xml.record.split("/"))
    found = [ET.fromstring(data)]  # noqa: S314 (documents of tests)
    assert found[0].tag == root
    for step in steps:
        found = [inner for element in found for inner in element if inner.tag == step]
    for element in found:
        try:
            yield Pairs(_members(plan, element, ()).items())
        except Mixed:
            yield None


def _name(step: str, xml: Xml) -> str:
    prefix, _, local = step.rpartition(":")
    uri = xml.namespaces.get(prefix, "")
    return f"{{{uri}}}{local}" if uri else local


def _key(tag: str, xml: Xml, *, attribute: bool = False) -> str:
    uri, _, local = tag.rpartition("}")
    prefixes = {uri: prefix for prefix, uri in xml.namespaces.items() if prefix or not attribute}
    if uri.lstrip("{") in prefixes:
        prefix = prefixes[uri.lstrip("{")]
        return f"{prefix}:{local}" if prefix else local
    if tag.startswith(XML) and attribute:
        return f"xml:{local}"
    return tag if uri or attribute or "" not in xml.namespaces else f"{{}}{tag}"


def _at(plan: Plan, route: tuple[str, ...]) -> Property | None:
    return next((p for p in plan.properties if in_files(plan, p) == route), None)


def _within(plan: Plan, route: tuple[str, ...], key: str) -> tuple[str, ...]:
    above = _at(plan, route)
    if not route:
        return (key,)
    return (*route, "*" if above and above.type == "map" else f".{key}")


def _members(plan: Plan, element: Any, route: tuple[str, ...]) -> dict[str, Any]:
    """The members of an element that is an object."""
    assert plan.xml
    ignored = plan.columns.extra == "ignore"
    of_schema = element.attrib.keys() & {
        f"{XSI}{n}" for n in ("nil", "type", "schemaLocation", "noNamespaceSchemaLocation")
    }
    members: dict[str, Any] = {}
    for name, text in element.attrib.items():
        key = f"@{_key(name, plan.xml, attribute=True)}"
        if name in of_schema and not _at(plan, _within(plan, route, key)):
            continue
        own = _at(plan, _within(plan, route, key))
        if own or not ignored:
            members[key] = _value(plan, text, own)
    several: dict[str, list[Any]] = {}
    others: dict[str, Any] = {}
    for inner in element:
        key = _key(inner.tag, plan.xml)
        own = _at(plan, _within(plan, route, key))
        above = _at(plan, route)
        if own is None and ignored and (above is None or above.type == "object"):
            continue
        at = _within(plan, route, key)
        if own and own.type == "array":
            at = (*at, "[]")
        several.setdefault(key, []).append(_element(plan, inner, at, others, key))
    for key, values in several.items():
        own = _at(plan, _within(plan, route, key))
        members[key] = values if (own and own.type == "array") or len(values) > 1 else values[0]
    text, own = _text(element), _at(plan, _within(plan, route, "#text"))
    if len(element) and text.strip(SPACES):
        raise Mixed
    if not len(element) and (own or text.strip(SPACES)):
        members["#text"] = _value(plan, text, own)
    return others | members


def _text(element: Any) -> str:
    return (element.text or "") + "".join(inner.tail or "" for inner in element)


def _element(plan: Plan, element: Any, route: tuple[str, ...], others: dict[str, Any], key: str) -> Any:
    """The value of an element within a record; attributes of a single value are among the `others`."""
    assert plan.xml
    own, text = _at(plan, route), _text(element)
    if element.attrib.get(f"{XSI}nil", "").strip(SPACES) in ("true", "1"):
        if own and (len(element) or text.strip(SPACES)):
            raise Mixed
        return None
    if own and own.type not in ("object", "map") and not len(element):
        for name, value in element.attrib.items():
            if plan.columns.extra != "ignore" and not name.startswith(XSI):
                others[f"{key}/@{_key(name, plan.xml, attribute=True)}"] = value
        return _value(plan, text, own)
    is_text = not len(element) and not [name for name in element.attrib if not name.startswith(XSI)]
    if is_text and own is None:
        return text
    if is_text and own and text.strip(SPACES) and not _at(plan, _within(plan, route, "#text")):
        return text
    if own is None:
        return Pairs([("an unknown", "object")])
    return Pairs(_members(plan, element, route).items())


def _value(plan: Plan, text: str, prop: Property | None) -> Any:
    """A text as JSON has it, by the type of its property."""
    assert plan.xml
    kind, form = (prop.type, prop.form) if prop else (None, None)
    cell = text.strip(BLANKS) if (form.trim if form else plan.xml.trim) else text
    cell = cell if kind in OF_TEXTS else cell.strip(SPACES)
    if cell in (form.nulls if form and form.nulls is not None else plan.xml.null_values):
        return None
    if prop and form and form.formats:
        return _moment(cell, prop)
    if prop and form:
        own = forms.plain(cell, prop)
        if own is None:
            return cell
        cell = own
    if kind == "boolean" and cell in ("true", "false", "1", "0"):
        return cell in ("true", "1")
    if kind not in ("integer", "number") or not cell.isascii() or "_" in cell or cell != cell.strip():
        return cell
    return _number(cell, whole=kind == "integer")


def _moment(cell: str, prop: Property) -> Any:
    """A date or time in ISO 8601; a text that is none in the form of its property is in a list if it looks so."""
    value = value_of_cell(cell, prop)
    if value is None:
        return (
            [cell] if (cell[:4].isdigit() and cell[4:5] == "-") or (cell[:2].isdigit() and cell[2:3] == ":") else cell
        )
    moment = datetime(1970, 1, 1, tzinfo=UTC)
    if prop.type == "date":
        return str((moment + timedelta(days=int(value))).date())
    moment += timedelta(microseconds=int(value))
    return moment.isoformat() if prop.type == "timestamp" else moment.time().isoformat()


def _number(cell: str, *, whole: bool) -> Any:
    digits, power = cell, ""
    if "e" in cell.lower():
        at = cell.lower().index("e")
        digits, power = cell[:at], cell[at:]
    unsigned = digits[1:] if digits[:1] in ("+", "-") else digits
    before, point, after = unsigned.partition(".")
    exponent = power[1:].removeprefix("-") if power[1:2] == "-" else power[1:].removeprefix("+")
    is_number = f"{before}{after}".isdigit() and (not power or (exponent.isdigit() and len(exponent) < 5))
    is_long = len(before.lstrip("0")) > ORDINARY or len(after) > ORDINARY or len(cell) > LONGEST
    if not is_number or is_long or (whole and (point or power)):
        return cell
    sign = "-" if digits.startswith("-") else ""
    return Number(f"{sign}{before.lstrip('0') or '0'}{'.' + after if after else ''}{power}")
