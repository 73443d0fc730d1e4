"""Contracts that somebody changed, by chance: a document in, the same with some of its rules changed out."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from contracts.authoring.diff.directions import OTHER_END
from contracts.authoring.quality import watermarks
from tests.oracle.contracts import TRIES, Document, compiled
from tests.oracle.expressions import an_expression

OTHER_FILES = "maker/more/*"
OF_THE_TYPE = ("format", "timezone", "defaultTimezone", "pattern")
DIGITS = ("decimal(10,2)", "decimal(12,2)", "decimal(12,4)", "decimal(9,2)", "double")


def changed(chance: Random, document: Document, most: int = 2) -> Document:
    """A document that compiles, with one change or more."""
    for _ in range(TRIES):
        variant = copy.deepcopy(document)
        for _ in range(chance.choice((1, 1, most))):
            chance.choice(CHANGES)(chance, variant)
        if variant != document and compiled(variant | {"status": "active"}):
            return variant
    message = f"lint refuses each of {TRIES} changes that were drawn"
    raise AssertionError(message)


def thinned(chance: Random, document: Document) -> Document:
    """A document with few rules, so that files depend on those that change: two properties, of each one entry."""
    for _ in range(TRIES):
        thinner = copy.deepcopy(document)
        one = thinner["schema"][0]
        one["properties"] = one["properties"][:2]
        one["quality"] = [e for e in one["quality"] if chance.random() < 0.3]
        for prop in one["properties"]:
            prop["quality"] = chance.sample(prop["quality"], min(len(prop["quality"]), chance.choice((0, 0, 1))))
            for flag in ("unique", "primaryKey", "primaryKeyPosition"):
                prop.pop(flag, None)
        block = _block(thinner)
        checks = block.pop("checks", {})
        plan = compiled(thinner)
        if plan is None:
            continue
        ids = {c.id for c in plan.checks}
        if kept := {name: wanted for name, wanted in checks.items() if name in ids and chance.random() < 0.5}:
            block["checks"] = kept
        return thinner
    message = f"lint refuses each of {TRIES} contracts with few rules that were drawn"
    raise AssertionError(message)


def _properties(document: Document) -> list[Document]:
    properties: list[Document] = document["schema"][0]["properties"]
    return properties


def _block(document: Document) -> Document:
    block: Document = document["customProperties"][0]["value"]
    return block


def _option(chance: Random, document: Document) -> None:
    """A bound or a length moved, or gone."""
    every = [p["logicalTypeOptions"] for p in _properties(document) if "logicalTypeOptions" in p]
    options_by_key = [(options, key) for options in every for key in options if key not in OF_THE_TYPE]
    if not options_by_key:
        return
    options, key = chance.choice(options_by_key)
    if key in OTHER_END and OTHER_END[key] not in options and chance.random() < 0.3:
        options[OTHER_END[key]] = options.pop(key)
        return
    if chance.random() < 0.2:
        del options[key]
    elif isinstance(options[key], str):
        options[key] = chance.choice([v for k, v in options.items() if k not in OF_THE_TYPE and isinstance(v, str)])
    else:
        options[key] = type(options[key])(options[key] + chance.choice((-1, 1, 1, 2)))


def _new_option(chance: Random, document: Document) -> None:
    prop = chance.choice(_properties(document))
    options = prop.setdefault("logicalTypeOptions", {})
    if prop["logicalType"] == "string":
        options.setdefault(*chance.choice((("minLength", 1), ("maxLength", 3), ("pattern", "^.*$"))))
    elif prop["logicalType"] in ("integer", "number"):
        options.setdefault(*chance.choice((("minimum", 0), ("maximum", 10), ("multipleOf", 2))))


def _flag(chance: Random, document: Document) -> None:
    prop = chance.choice(_properties(document))
    flag = chance.choice(("required", "unique"))
    prop[flag] = not prop.get(flag, False)


def _enum(chance: Random, document: Document) -> None:
    texts = [p for p in _properties(document) if p["logicalType"] == "string"]
    if not texts:
        return
    prop = chance.choice(texts)
    words = prop.get("enum")
    if not words:
        prop["enum"] = [{"value": w} for w in ("SP", "a", "ab", "abc", "x1", "7")]
    elif chance.random() < 0.3:
        del prop["enum"]
    elif chance.random() < 0.5 and len(words) > 1:
        words.pop()
    else:
        words.append({"value": "more"})


def _twin(chance: Random, document: Document) -> None:
    """A rule that another one may have as well, often in its place."""
    prop = chance.choice(_properties(document))
    values = [entry["value"] for entry in prop.get("enum") or []]
    twins: list[tuple[str, Document]] = [
        ("required", {"metric": "nullValues", "mustBe": 0}),
        ("required", {"metric": "nullValues", "mustBeLessThan": 2}),
        ("unique", {"metric": "duplicateValues", "mustBe": 0}),
        ("primaryKey", {"metric": "duplicateValues", "mustBe": 0}),
    ]
    for most in (1, len(values)) if values else ():
        valid = {"validValues": values[:most]}
        twins.append(("enum", {"metric": "invalidValues", "arguments": valid, "mustBe": 0}))
    key, entry = chance.choice(twins)
    if chance.random() < 0.6:
        prop.pop(key, None)
    name = f"{key}-of-{_properties(document).index(prop)}"
    prop["quality"] = [e for e in prop.get("quality") or [] if e.get("id") != name]
    if chance.random() < 0.8:
        prop["quality"].append({"id": name} | entry)
    else:
        prop[chance.choice(("required", "unique", "primaryKey"))] = True


def _digits(chance: Random, document: Document) -> None:
    numbers = [p for p in _properties(document) if p["logicalType"] == "number"]
    if numbers:
        chance.choice(numbers)["physicalType"] = chance.choice(DIGITS)


def _entries(document: Document) -> list[list[Document]]:
    one = document["schema"][0]
    return [entries for owner in (one, *_properties(document)) if (entries := owner.get("quality"))]


def _entry(chance: Random, document: Document) -> None:
    """An entry of quality gone, or its severity or threshold another."""
    if not (lists := _entries(document)):
        return
    entries = chance.choice(lists)
    entry = chance.choice(entries)
    what = chance.random()
    if what < 0.2:
        entries.remove(entry)
    elif what < 0.4:
        entry["severity"] = "error" if entry.get("severity") == "warning" else "warning"
    else:
        _threshold(chance, entry.get("implementation", entry))


def _threshold(chance: Random, entry: Document) -> None:
    operator = next((k for k in entry if k.startswith("must")), "mustBe")
    value = entry.setdefault(operator, 0)  # an expression may leave it out
    if isinstance(value, str):
        return
    if chance.random() < 0.3:
        other = ("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeGreaterOrEqualTo", "mustNotBe", "mustBe")
        entry[chance.choice(other)] = value[0] if isinstance(entry.pop(operator), list) else value
        return
    by = chance.choice((-1, 1, 3))
    entry[operator] = [v + by for v in value] if isinstance(value, list) else value + by


def _arguments(chance: Random, document: Document) -> None:
    """Lists of an entry's valid or missing values longer or shorter."""
    lists = [
        values
        for entries in _entries(document)
        for entry in entries
        for values in (entry.get("arguments") or {}).values()
        if isinstance(values, list) and len(values) > 1 and "properties" not in entry["arguments"]
    ]
    if lists:
        chance.choice(lists).pop(chance.randrange(2))


def _tolerance(chance: Random, document: Document) -> None:
    if chance.random() < 0.3:
        _block(document).pop("tolerance", None)
    else:
        _block(document)["tolerance"] = {"rows": chance.choice((0, 1, 2, 5, "5%", "10%", "50%", "0%"))}


def _override(chance: Random, document: Document) -> None:
    plan = compiled(document)
    if plan is None:
        return
    check = chance.choice(plan.checks)
    wanted = _block(document).setdefault("checks", {}).setdefault(check.id, {})
    if chance.random() < 0.5 and check.scope != "record":
        wanted["severity"] = chance.choice(("error", "warning"))
    elif not check.threshold:
        wanted["tolerance"] = chance.choice((0, 1, 3, "10%", "50%"))
    if not wanted:
        del _block(document)["checks"][check.id]


def _filter(chance: Random, document: Document) -> None:
    """A check that looks at some records alone, at others, or at all again."""
    plan = compiled(document)
    if plan is None:
        return
    kinds = {p.name: p.type for p in plan.properties}
    check = chance.choice(plan.checks)
    wanted = _block(document).setdefault("checks", {}).setdefault(check.id, {})
    if "filter" in wanted and chance.random() < 0.5:
        del wanted["filter"]
    else:
        wanted["filter"] = an_expression(chance, kinds, 1)
    if not wanted:
        del _block(document)["checks"][check.id]


def _watermark(chance: Random, document: Document) -> None:
    """A check that looks at newer records alone, goes by another property, or looks at all again."""
    plan = compiled(document)
    above = [p for p in plan.properties if watermarks.unfit(p) is None] if plan else []
    if plan is None or not above:
        return
    check = chance.choice(plan.checks)
    wanted = _block(document).setdefault("checks", {}).setdefault(check.id, {})
    if "watermark" in wanted and chance.random() < 0.5:
        del wanted["watermark"]
    else:
        wanted["watermark"] = chance.choice(above).name
    if not wanted:
        del _block(document)["checks"][check.id]


def _no_override(chance: Random, document: Document) -> None:
    if checks := _block(document).get("checks"):
        del checks[chance.choice(list(checks))]


def _columns(chance: Random, document: Document) -> None:
    columns = _block(document).setdefault("columns", {})
    keys = ("extra",) if _block(document)["format"] in ("jsonl", "json") else ("extra", "missing", "order")
    key = chance.choice(keys)
    columns[key] = chance.choice(("any", "exact") if key == "order" else ("reject", "warn", "ignore"))


def _naming(chance: Random, document: Document) -> None:
    """Another way to find columns, or a text more or less that a column may have."""
    block = _block(document)
    if block["format"] != "csv" or not block.get("csv", {}).get("header", True):
        return
    columns = block.setdefault("columns", {})
    if chance.random() < 0.5:
        columns["match"] = chance.choice(("exact", "trimmed", "anyCase"))
        return
    aliases = columns.setdefault("aliases", {})
    texts = aliases.setdefault(chance.choice(_properties(document))["name"], [])
    other = chance.choice(("size", "more", "Size"))
    texts.remove(other) if other in texts else texts.append(other)
    columns["aliases"] = {name: own for name, own in aliases.items() if own}


def _empty(chance: Random, document: Document) -> None:
    _block(document)["empty"] = chance.choice(("reject", "warn", "accept"))


def _files(chance: Random, document: Document) -> None:
    _block(document)["files"] = chance.choice((["maker/things/*", OTHER_FILES], [OTHER_FILES], ["maker/things/{n}"]))


def _status(chance: Random, document: Document) -> None:
    document["status"] = chance.choice(("active", "deprecated", "draft"))


def _nulls(chance: Random, document: Document) -> None:
    csv = _block(document).get("csv")
    if csv and _block(document)["format"] == "csv":
        csv["nullValues"] = chance.choice(([""], ["", "NA"], []))


def _around(chance: Random, document: Document) -> None:
    """A setting of the lines of a file that has a direction: on or off, a line or a figure more or less."""
    form = _block(document)["format"]
    if form not in ("csv", "fixed"):
        return
    lines = _block(document).setdefault(form, {})
    if form == "fixed" and chance.random() < 0.5:
        lines["shortLines"] = chance.choice(("reject", "accept"))
    elif chance.random() < 0.4:
        if lines.pop("record", None) is None:
            lines["record"] = {"begins": chance.choice(("D", "1", "a"))}
    elif trailer := lines.get("trailer"):
        figures = chance.choice(([trailer], [trailer["sums"]] if trailer.get("sums") else [trailer]))[0]
        figures.pop("rows" if figures is trailer else chance.choice(list(figures)), None)
    elif footer := lines.get("footer"):
        footer["lines"] = footer.get("lines", 1) + chance.choice((-1, 1, 1))
    elif form == "csv":
        key = chance.choice(("separatorLine", "trailingDelimiter"))
        lines[key] = not lines.get(key, False)


def _less(chance: Random, document: Document) -> None:
    properties = _properties(document)
    if len(properties) > 2:
        properties.remove(chance.choice(properties))


def _more(chance: Random, document: Document) -> None:
    new: Document = {"name": "more", "logicalType": chance.choice(("string", "integer"))}
    if chance.random() < 0.3:
        new["required"] = True
    _properties(document).insert(chance.randrange(3), new)


def _order(chance: Random, document: Document) -> None:
    chance.shuffle(_properties(document))


def _type(chance: Random, document: Document) -> None:
    numbers = [p for p in _properties(document) if p["logicalType"] in ("integer", "number")]
    if numbers:
        prop = chance.choice(numbers)
        prop["logicalType"] = "number" if prop["logicalType"] == "integer" else "integer"


CHANGES: tuple[Callable[[Random, Any], None], ...] = (
    *(_option, _option, _new_option, _entry, _override, _tolerance, _filter, _watermark, _twin) * 2,
    *(_flag, _enum, _digits, _arguments, _no_override, _columns, _empty, _files, _status, _nulls, _less, _more),
    *(_order, _type, _around, _around, _naming),
)
"""What people change; the first of them more often."""
