"""Settings that any kind of check can have in its `quality` entry or in `drop.checks`.

They are the records that the check judges (`filter`, `watermark`), the values of names in its SQL (`parameters`), and
the properties that are shown of a failing record (`referenceColumns`). They are in `implementation` of our own entries,
in `arguments` of the standard's metrics and in `customProperties` of its queries. All other texts of an entry are
copied into the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.quality import history, library_metrics, watermarks
from contracts.authoring.sql import expressions, parameters
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import Check, Filter, Property

Settings = dict[str, tuple[Path, Any]]
"""The settings of a check, by key: the place of each, and its value."""
OF_ANY = ("filter", "watermark", "parameters", "referenceColumns")
"""The keys that entries of all kinds have."""
TEXTS = ("expression", "statement")
"""The keys of SQL in `implementation`."""
ALWAYS = (rules.LogicalType, rules.KnownKeys)
"""The row rules that all others rest on."""
ABOUT = ("businessImpact", "tags", "schedule", "scheduler")
"""The keys of an entry for people and tools, which results repeat."""


def apart(entry: dict[str, Any], path: Path) -> tuple[dict[str, Any], Settings]:
    """Divide an entry at a path: the entry without the settings that any kind has, and these settings."""
    if entry.get("type") == "sql":
        each = [e if isinstance(e, dict) else {} for e in entry.get("customProperties") or ()]
        ours = {n: e["property"] for n, e in enumerate(each) if e.get("property") in OF_ANY}
        rest = [e for n, e in enumerate(each) if n not in ours]
        settings = {key: ((*path, "customProperties", n, "value"), each[n].get("value")) for n, key in ours.items()}
        return ({**entry, "customProperties": rest}, settings) if settings else (entry, {})
    place = "implementation" if entry.get("type") == "custom" else "arguments"
    inner = entry.get(place)
    if not isinstance(inner, dict) or not any(key in inner for key in OF_ANY):
        return entry, {}
    bare = {**entry, place: {key: value for key, value in inner.items() if key not in OF_ANY}}
    return bare, {key: ((*path, place, key), inner[key]) for key in OF_ANY if key in inner}


def filled(
    document: Document, path: Path, entry: dict[str, Any], settings: Settings, prop: Property | None
) -> tuple[dict[str, Any], Settings] | None:
    """An entry and its filter with SQL in place of names; None, and findings, if a name has no value."""
    before = document.errors()
    values = parameters.values(document, *settings["parameters"]) if "parameters" in settings else {}
    fillable = dict(values)
    if values or entry.get("type") == "sql":  # the standard's own placeholders
        own = parameters.quoted_name(document.data["schema"][0]["name"])
        fillable = {"model": own} | fillable | dict.fromkeys(("object", "table"), own)
        fillable |= dict.fromkeys(("property", "column"), parameters.quoted_name(prop.name)) if prop else {}
    names = parameters.Names(document, fillable)
    if entry.get("type") == "sql":
        entry = {**entry, "query": names.fill((*path, "query"), entry["query"])}
    elif isinstance(inner := entry.get("implementation"), dict):
        texts = {key: names.fill((*path, "implementation", key), inner[key]) for key in TEXTS if key in inner}
        entry = {**entry, "implementation": {**inner, **texts}} if texts else entry
    if "filter" in settings:
        place, text = settings["filter"]
        settings = {**settings, "filter": (place, names.fill(place, text))}
    for name in values:
        if name not in names.used:
            message = f"The parameter `{name}` is used in no text."
            at = (*settings["parameters"][0], name)
            document.error(
                at, "not-used", message, f"Write `${{{name}}}` where it is meant, or leave it out.", on_key=True
            )
    return (entry, settings) if document.errors() == before else None


def joined(document: Document, check: Check, settings: Settings, props: Sequence[Property]) -> Check | None:
    """A check with its settings; None, and findings, where it cannot have them."""
    rule = check.rule
    if settings and isinstance(rule, rules.Unchecked):
        path = next(iter(settings.values()))[0]
        document.error(path, "wrong-place", f"`{check.id}` is not checked at all.", "Leave this out.", on_key=True)
        return None
    is_query_of_theirs = isinstance(rule, rules.Statement) and rule.query is not None
    if settings and (isinstance(rule, rules.Expectation) or is_query_of_theirs):
        key, (path, _) = next(iter(settings.items()))
        inside = "it in the query" if is_query_of_theirs else "`row_condition`"
        fix = f"Write {inside} among its `kwargs`." if key == "filter" else "Leave this out."
        document.error(path, "wrong-place", f"Great Expectations knows no `{key}`.", fix, on_key=True)
        return None
    before = document.errors()
    only, names = _only(document, check, settings, props), check.reference
    if "referenceColumns" in settings:
        path, wanted = settings["referenceColumns"]
        if check.scope == "set":
            message = f"`{check.id}` is about the file: no record fails it."
            document.error(path, "wrong-place", message, "Leave `referenceColumns` out.", on_key=True)
        elif not isinstance(wanted, list) or not wanted:
            document.wrong_type(path, "a list of names of properties")
        else:
            library_metrics.are_properties(document, path, wanted, [p.name for p in props])
            names = tuple(wanted)
    if document.errors() > before:
        return None
    narrowed = replace(check, filter=only or check.filter, reference=names)
    return replace(narrowed, expected=f"{check.expected.removesuffix(check.where)}{narrowed.where}")


def described(check: Check, entry: dict[str, Any]) -> Check:
    """A check with the texts of its entry for people and tools."""
    about = {key: entry[key] for key in ABOUT if entry.get(key)}
    every = (e for e in entry.get("customProperties") or () if isinstance(e, dict) and "property" in e)
    others = [e for e in every if e["property"] != history.KEY or entry.get("type") != "sql"]
    about |= {str(e["property"]): e.get("value") for e in others}
    return replace(check, about=parameters.plain(about)) if about else check


def _only(document: Document, check: Check, settings: Settings, props: Sequence[Property]) -> Filter | None:
    """Return the filter of a check from its entry and from its settings; None if it reads all records."""
    only = check.filter
    given = {key: settings[key] for key in ("filter", "watermark") if key in settings}
    for key, (path, _) in given.items():
        if check.scope == "record" or isinstance(check.rule, ALWAYS):
            message = f"`{check.id}` reads every record, because other checks depend on it."
            document.error(path, "wrong-place", message, f"Leave `{key}` out.", on_key=True)
            return None
        if only and (only.text if key == "filter" else only.watermark):
            message = f"`{check.id}` has a {key} in its quality entry."
            document.error(path, "bad-value", message, "Keep one of them.", on_key=True)
            return None
    path, text = given.get("filter", ((), None))
    if isinstance(text, str):
        try:
            condition = expressions.read(text, props, constant=True)
        except SqlRefused as refused:
            document.error(path, "bad-expression", refused.message, refused.fix)
        else:
            named, watermark = tuple(condition.properties), only.watermark if only else None
            only = Filter(condition.sql, " ".join(text.split()), named, watermark)
    elif "filter" in given:
        document.wrong_type(path, "an expression, as `country = 'BR'`", text=True)
    if "watermark" in given and (prop := watermarks.read(document, *given["watermark"], props)):
        only = replace(only or Filter("true", "", ()), watermark=prop.name)
    return only
