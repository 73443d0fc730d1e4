"""Quality entries of Great Expectations (`type: custom`, `engine: greatExpectations`): an entry in, a check out.

`implementation` is an expectation's type and arguments, as a mapping or as text of YAML or JSON: the standard has both.
It is read against the table of core expectations, so that everything that Great Expectations would refuse is reported
here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from contracts import rules
from contracts.authoring.document import source, walking
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path, Position
from contracts.authoring.quality import library_metrics, queries
from contracts.authoring.quality.expectations import expectation_arguments
from contracts.authoring.quality.expectations.core_expectations import Core, expectations
from contracts.plan import HOLDS_TRUE, Check, Property, Severity
from contracts.problem import nearest, quoted

ENGINES = ("greatExpectations", "great-expectations")
"""As the standard's text and its schema call it."""
EXAMPLE = "{type: expect_column_values_to_not_be_null, kwargs: {column: id}}"
KEYS = ("type", "kwargs", "severity", "description", "meta", "notes", "id")
"""Of an expectation as Great Expectations writes it down; the last four only describe."""
SEVERITIES: dict[str, Severity] = {"critical": "error", "warning": "warning", "info": "warning"}


def read(
    document: Document, path: Path, entry: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> Check | None:
    """The check that an entry means; None where a finding says why there is none."""
    before, at = document.errors(), (*path, "implementation")
    implementation = _implementation(document, at, entry)
    library_metrics.others(document, path, entry, library_metrics.CUSTOM, "`implementation`")
    if implementation is None:
        return None
    inner, core = implementation
    severity = _severity(document, path, entry, inner)
    kwargs = _kwargs(document, at, inner, core, prop)
    if kwargs is None or severity is None:
        return None
    used = expectation_arguments.used(document, (*at, "kwargs"), inner["type"], core, kwargs, props)
    if document.errors() > before:
        return None
    if core.about == "query":
        expectation = (inner["type"], severity, kwargs["unexpected_rows_query"])
        return queries.unexpected(document, (*at, "kwargs", "unexpected_rows_query"), entry, expectation, props)
    message = (
        "Great Expectations runs its own scans of every file: seconds more for each, where other checks share one."
    )
    fix = f"{core.instead} says it without." if core.instead else "Keep it for what no other check can say."
    document.note((*at, "type"), "own-scans", message, fix)
    return _check(entry, inner["type"], core, kwargs, used, severity, props)


def _check(
    entry: dict[str, Any],
    name: str,
    core: Core,
    kwargs: dict[str, Any],
    used: expectation_arguments.Used,
    severity: Severity,
    props: Sequence[Property],
) -> Check:
    own = next((p for p in props if p.name == kwargs.get("column")), None)
    plain = _plain(kwargs)
    order = dict(sorted(plain.items(), key=lambda one: one[0] not in core.needs))
    words = ", ".join(f"{k} {json.dumps(v, ensure_ascii=False)}" for k, v in order.items() if k != "condition_parser")
    several = tuple(used.names) if own is None or used.names != [own.name] else ()
    return Check(
        id=library_metrics.identity(entry, own, name, severity),
        rule=rules.Expectation(name, plain, core.about, several, used.given or None),
        scope="set",
        severity=severity,
        dimension=entry.get("dimension") or core.dimension,
        expected=f"{name} ({words})" if words else name,
        property=own.name if own and core.about != "header" else None,
        threshold=HOLDS_TRUE,
        description=entry.get("description"),
    )


# ---- what stands in an entry


def _implementation(document: Document, path: Path, entry: dict[str, Any]) -> tuple[dict[str, Any], Core] | None:
    """The expectation of an entry; of a text of YAML or JSON its values, each at its place in the file."""
    inner = entry["implementation"]
    if isinstance(inner, str):
        mark = document.place(path)
        opened = source.read(inner.encode(), document.file)
        at = _placing(document, mark)
        document.positions |= {(*path, *steps): at(own) for steps, own in opened.positions.items()}
        document.keys |= {(*path, *steps): at(own) for steps, own in opened.keys.items()}
        for one in opened.findings:
            place = at(Position(one.line, one.column))
            document.findings.append(replace(one, line=place.line, column=place.column))
        inner = entry["implementation"] = opened.data if opened.data is not None or opened.findings else {}
        if inner is None:
            return None
    if not isinstance(inner, dict):
        message, fix = "`implementation` must be an expectation's `type` and `kwargs`.", f"Write it as `{EXAMPLE}`."
        document.error(path, "wrong-type", message, fix)
        return None
    for key in [k for k in inner if k not in KEYS]:
        close = "type" if key == "expectation_type" else nearest(key, KEYS)
        fix = f"Write `{close}`." if close else "Arguments of the expectation belong under `kwargs`."
        document.error((*path, key), "unknown-key", f"An expectation has no key `{key}`.", fix, on_key=True)
        if close and close not in inner:  # read on as if it were written so, so that one fault has one finding
            inner = {**{k: v for k, v in inner.items() if k != key}, close: inner[key]}
            walking.copy_positions(document, (*path, key), (*path, close))
    name, by_type = inner.get("type"), expectations()
    core = by_type.get(name) if isinstance(name, str) else None
    if core is None:
        message = f"Great Expectations has no core expectation `{name}`." if name else "The entry names no expectation."
        close = nearest(name, by_type) if isinstance(name, str) else None
        fix = f"Write `{close}`." if close else "Write `type:` with one, as `expect_column_values_to_not_be_null`."
        document.error((*path, "type"), "unknown-expectation", message, fix)
    elif core.elsewhere is not None:
        message, _, fix = f"`{name}` {core.elsewhere}".partition("; ")
        document.error((*path, "type"), "elsewhere", f"{message}.", f"{fix[0].upper()}{fix[1:]}.")
        return None
    return (inner, core) if core else None


def _placing(document: Document, mark: Position) -> Any:
    """Return a function from positions in a text to those in the file; a block begins on the line after its sign."""
    lines = document.raw.decode("utf-8-sig", "replace").split("\n")
    if lines[mark.line - 1][mark.column - 1 : mark.column] not in ("|", ">"):
        return lambda own: own._replace(line=mark.line, column=mark.column)
    first = next((line for line in lines[mark.line :] if line.strip()), "")
    indent = len(first) - len(first.lstrip(" "))
    return lambda own: own._replace(line=own.line + mark.line, column=own.column + indent)


def _severity(document: Document, path: Path, entry: dict[str, Any], inner: dict[str, Any]) -> Severity | None:
    """The severity of an entry: next to the expectation, or within it in the words of Great Expectations."""
    if "severity" not in inner:
        return library_metrics.severity(document, path, entry)
    at: Path = (*path, "implementation", "severity")
    own = inner["severity"]
    if "severity" in entry:
        message, fix = "The entry has two severities.", "Keep the one next to `implementation`."
        document.error(at, "two-severities", message, fix, on_key=True)
    elif not isinstance(own, str) or own not in SEVERITIES:
        close = nearest(own, SEVERITIES) if isinstance(own, str) else None
        fix = f"Write `{close}`." if close else f"Write one of {quoted(SEVERITIES)}."
        document.error(at, "unknown-severity", f"`{own}` is not a severity of Great Expectations.", fix)
    else:
        return SEVERITIES[own]
    return None


def _kwargs(
    document: Document, path: Path, inner: dict[str, Any], core: Core, prop: Property | None
) -> dict[str, Any] | None:
    """The arguments by the names of Great Expectations, with the property that has the entry."""
    given, at = inner.get("kwargs") or {}, (*path, "kwargs")
    if not isinstance(given, dict):
        document.wrong_type(at, "a mapping of arguments")
        return None
    kwargs: dict[str, Any] = {}
    for written, value in given.items():
        snake = re.sub(r"(?<=[a-z])([A-Z])", lambda m: f"_{m[1].lower()}", written)
        is_other = written not in core.arguments and snake in core.arguments
        if is_other:  # the standard's own example has `minValue`
            message = f"`{written}` is read as `{snake}`, which is its name in Great Expectations."
            document.note((*at, written), "other-spelling", message, f"Write `{snake}`.", on_key=True)
        kwargs[snake if is_other else written] = value
    if prop is None:
        return kwargs
    if core.needs.get("column") is None:
        fix = "Write it under `quality` of the schema object, next to its `properties`."
        document.error((*path, "type"), "wrong-place", f"`{inner['type']}` is not about one property.", fix)
    elif kwargs.setdefault("column", prop.name) != prop.name:
        message = f"The entry belongs to `{prop.name}`, and its expectation is about `{kwargs['column']}`."
        document.error((*at, "column"), "wrong-place", message, "Leave `column` out, or write the entry there.")
        kwargs["column"] = prop.name
    return kwargs


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers with a fraction are doubles there."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return float(value) if isinstance(value, Decimal) else value
