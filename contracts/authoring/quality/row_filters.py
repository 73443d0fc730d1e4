"""Settings that any kind of check can have in its `quality` entry or in `drop.checks`.

Which records it looks at (`filter`, `watermark`), what names in its SQL stand for (`parameters`), what else is told of
a failing record (`referenceColumns`). It stands in `implementation` of our own entries, in `arguments` of the
standard's metrics and in `customProperties` of its queries. What else an entry says of itself travels into the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.quality import library_metrics, watermarks
from contracts.authoring.sql import expressions, parameters
from contracts.plan import EXPECTATION, UNCHECKED, Check, Property

Said = dict[str, tuple[Path, Any]]
"""What is said, by key: where it stands, and what it is."""
OF_ANY = ("filter", "watermark", "parameters", "referenceColumns")
"""The keys that entries of all kinds have."""
TEXTS = ("expression", "statement")
"""The keys of SQL in `implementation`."""
ALWAYS = ("logicalType", "knownKeys")
"""Kinds of row checks that all others rest on."""
TOLD = ("businessImpact", "tags", "schedule", "scheduler")
"""What an entry says for people and tools, and results repeat."""


def apart(entry: dict[str, Any], path: Path) -> tuple[dict[str, Any], Said]:
    """An entry at a path without what any kind may say, and that."""
    if entry.get("type") == "sql":
        each = [e if isinstance(e, dict) else {} for e in entry.get("customProperties") or ()]
        ours = {n: e["property"] for n, e in enumerate(each) if e.get("property") in OF_ANY}
        rest = [e for n, e in enumerate(each) if n not in ours]
        said = {key: ((*path, "customProperties", n, "value"), each[n].get("value")) for n, key in ours.items()}
        return ({**entry, "customProperties": rest}, said) if said else (entry, {})
    place = "implementation" if entry.get("type") == "custom" else "arguments"
    inner = entry.get(place)
    if not isinstance(inner, dict) or not any(key in inner for key in OF_ANY):
        return entry, {}
    bare = {**entry, place: {key: value for key, value in inner.items() if key not in OF_ANY}}
    return bare, {key: ((*path, place, key), inner[key]) for key in OF_ANY if key in inner}


def filled(
    document: Document, path: Path, entry: dict[str, Any], said: Said, prop: Property | None
) -> tuple[dict[str, Any], Said] | None:
    """An entry and its filter with SQL in place of names; None, and findings, where a name stands for nothing."""
    before = document.errors()
    values = parameters.values(document, *said["parameters"]) if "parameters" in said else {}
    known = {**values, **_names(document, prop)} if values or entry.get("type") == "sql" else values
    names = parameters.Names(document, known)
    if entry.get("type") == "sql":
        entry = {**entry, "query": names.fill((*path, "query"), entry["query"])}
    elif isinstance(inner := entry.get("implementation"), dict):
        texts = {key: names.fill((*path, "implementation", key), inner[key]) for key in TEXTS if key in inner}
        entry = {**entry, "implementation": {**inner, **texts}} if texts else entry
    if "filter" in said:
        place, text = said["filter"]
        said = {**said, "filter": (place, names.fill(place, text))}
    for name in values:
        if name not in names.used:
            message = f"The parameter `{name}` stands in no text."
            at = (*said["parameters"][0], name)
            document.error(
                at, "not-used", message, f"Write `${{{name}}}` where it is meant, or leave it out.", on_key=True
            )
    return (entry, said) if document.errors() == before else None


def _names(document: Document, prop: Property | None) -> dict[str, str]:
    """Return the values of the standard's own placeholders."""
    object_ = parameters.quoted_name(document.data["schema"][0]["name"])
    found = {"object": object_, "table": object_}
    return found | (dict.fromkeys(("property", "column"), parameters.quoted_name(prop.name)) if prop else {})


def joined(document: Document, check: Check, said: Said, props: Sequence[Property]) -> Check | None:
    """A check with what was said of it; None, and findings, where that cannot be."""
    if said and check.kind in UNCHECKED:
        path = next(iter(said.values()))[0]
        document.error(path, "wrong-place", f"`{check.id}` is not checked at all.", "Leave this out.", on_key=True)
        return None
    if said and (check.kind == EXPECTATION or "query" in check.arguments):
        key, (path, _) = next(iter(said.items()))
        inside = "`row_condition`" if check.kind == EXPECTATION else "it in the query"
        fix = f"Write {inside} among its `kwargs`." if key == "filter" else "Leave this out."
        document.error(path, "wrong-place", f"Great Expectations knows no `{key}`.", fix, on_key=True)
        return None
    before = document.errors()
    arguments = dict(check.arguments)
    if only := _only(document, check, said, props):
        arguments["filter"] = only
    if "referenceColumns" in said and (names := _reference(document, *said["referenceColumns"], check, props)):
        arguments["reference"] = names
    if document.errors() > before:
        return None
    made = replace(check, arguments=arguments)
    return replace(made, expected=f"{check.expected.removesuffix(check.where)}{made.where}")


def told(check: Check, entry: dict[str, Any]) -> Check:
    """A check with what its entry says for people and tools."""
    about = {key: entry[key] for key in TOLD if entry.get(key)}
    others = [e for e in entry.get("customProperties") or () if isinstance(e, dict) and "property" in e]
    about |= {str(e["property"]): e.get("value") for e in others}
    return replace(check, arguments={**check.arguments, "about": parameters.plain(about)}) if about else check


def _only(document: Document, check: Check, said: Said, props: Sequence[Property]) -> dict[str, Any]:
    """Return the filter of a check from its entry and from its settings; empty if it reads all records."""
    before: dict[str, Any] = check.arguments.get("filter") or {}
    found = {key: said[key] for key in ("filter", "watermark") if key in said}
    for key, (path, _) in found.items():
        if check.scope == "record" or check.kind in ALWAYS:
            message = f"`{check.id}` reads every record, because other checks depend on it."
            document.error(path, "wrong-place", message, f"Leave `{key}` out.", on_key=True)
            return {}
        if before.get("text" if key == "filter" else key):
            message = f"`{check.id}` has a {key} in its quality entry."
            document.error(path, "bad-value", message, "Keep one of them.", on_key=True)
            return {}
    only = dict(before)
    if "filter" in found:
        only |= _filter(document, *found["filter"], props) or {}
    if "watermark" in found and (prop := watermarks.read(document, *found["watermark"], props)):
        only = {"sql": "true", "text": "", "properties": []} | only | {"watermark": prop.name}
    return only


def _filter(document: Document, path: Path, text: Any, props: Sequence[Property]) -> dict[str, Any] | None:
    if not isinstance(text, str):
        document.wrong_type(path, "an expression, as `country = 'BR'`", text=True)
        return None
    try:
        found = expressions.read(text, props, constant=True)
    except expressions.Refused as refused:
        document.error(path, "bad-expression", refused.message, refused.fix)
        return None
    return {"sql": found.sql, "text": " ".join(text.split()), "properties": list(found.properties)}


def _reference(document: Document, path: Path, names: Any, check: Check, props: Sequence[Property]) -> list[str]:
    if check.scope == "set":
        message = f"`{check.id}` is about the file: no record fails it."
        document.error(path, "wrong-place", message, "Leave `referenceColumns` out.", on_key=True)
        return []
    if not isinstance(names, list) or not names:
        document.wrong_type(path, "a list of names of properties")
        return []
    library_metrics.are_properties(document, path, names, [p.name for p in props])
    return names
