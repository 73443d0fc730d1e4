"""Contracts that somebody wrote in another way, by chance: a document in, one of the same meaning out."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from contracts.authoring.drop_block import block as blocks
from tests.oracle.contracts import Document, compiled

KEYS = ("required", "unique", "primaryKey")
"""The flags of a property that other rules may say instead."""


def rewritten(chance: Random, document: Document) -> tuple[Document, tuple[str, ...]]:
    """Return a document of the same meaning, and the names of the ways in which it is written otherwise."""
    names = []
    for name in chance.sample(list(REWRITES), len(REWRITES)):
        variant = copy.deepcopy(document)
        if chance.random() < 0.7 and (REWRITES[name](chance, variant) and variant != document and compiled(variant)):
            document = variant
            names.append(name)
    return document, tuple(names)


def flagged(chance: Random, document: Document) -> Document:
    """Return a document with rules that may be written otherwise, as far as it compiles with them."""
    for rules in (
        chance.choice(({"primaryKey": True}, {"unique": True}, {"required": True}, {"required": True, "unique": True})),
        {"enum": [{"value": word} for word in ("SP", "a", "ab", "7")]},
        {"logicalTypeOptions": {"minimum": 1}},
        {"logicalTypeOptions": {"pattern": "^[a-z]"}},
    ):
        variant = copy.deepcopy(document)
        prop = chance.choice(_properties(variant))
        if not prop.keys() & rules.keys() and chance.random() < 0.7:
            prop |= rules
            document = variant if compiled(variant) else document
    return document


def _properties(document: Document) -> list[Document]:
    properties: list[Document] = document["schema"][0]["properties"]
    return properties


def _block(document: Document) -> Document:
    value: Document = document["customProperties"][0]["value"]
    return value


def _refuses_missing(block: Document) -> bool:
    policy: str = block.get("columns", {}).get("missing", "reject")
    return policy == "reject"


def _says_instead(document: Document, prop: Document, key: str, entry: Document) -> bool:
    """Put an entry of `quality` in place of a key; the check keeps its settings under another id, if it rejects."""
    name = f"{key}-of-{_properties(document).index(prop)}"
    prop.setdefault("quality", []).append({"id": name} | entry)
    checks = _block(document).get("checks", {})
    if settings := checks.pop(f"{prop['name']}.{key}", None):
        checks[name] = settings
    return not settings or settings.get("severity") != "warning"


def _required(chance: Random, document: Document) -> bool:
    """`required` as `nullValues`, where a file without the column is refused all the same."""
    props = [p for p in _properties(document) if p.get("required")]
    if not props or not _refuses_missing(_block(document)):
        return False
    prop = chance.choice(props)
    del prop["required"]
    return _says_instead(document, prop, "required", {"metric": "nullValues", "mustBe": 0})


def _key(chance: Random, document: Document) -> bool:
    """A primary key as `required` and `unique`, where no tolerance is lent to `required`; or the way back."""
    block = _block(document)
    keys = [p for p in _properties(document) if p.get("primaryKey")]
    own = {f"{p['name']}.{key}" for p in _properties(document) for key in KEYS}
    if block.get("tolerance") or own & block.get("checks", {}).keys():
        return False
    if len(keys) == 1:
        del keys[0]["primaryKey"]
        keys[0] |= {"required": True, "unique": True}
        return _refuses_missing(block)
    both = [p for p in _properties(document) if p.get("required") and p.get("unique")]
    if keys or not both:
        return False
    prop = chance.choice(both)
    del prop["unique"]
    del prop["required"]
    prop["primaryKey"] = True
    return _refuses_missing(block)


def _unique(chance: Random, document: Document) -> bool:
    props = [p for p in _properties(document) if p.get("unique")]
    if not props or any(name.endswith(".unique") for name in _block(document).get("checks", {})):
        return False
    prop = chance.choice(props)
    del prop["unique"]
    return _says_instead(document, prop, "unique", {"metric": "duplicateValues", chance.choice(ZERO): 0})


ZERO = ("mustBe", "mustBeLessOrEqualTo")


def _enum(chance: Random, document: Document) -> bool:
    props = [p for p in _properties(document) if p.get("enum")]
    if not props:
        return False
    prop = chance.choice(props)
    values = [entry["value"] for entry in prop.pop("enum")]
    entry = {"metric": "invalidValues", "arguments": {"validValues": values[::-1]}, "mustBe": 0}
    return _says_instead(document, prop, "enum", entry)


def _pattern(chance: Random, document: Document) -> bool:
    props = [p for p in _properties(document) if (p.get("logicalTypeOptions") or {}).get("pattern")]
    props = [p for p in props if p["logicalType"] == "string" and "maxLength" not in p["logicalTypeOptions"]]
    if not props:
        return False
    prop = chance.choice(props)
    pattern = prop["logicalTypeOptions"].pop("pattern")
    entry = {"metric": "invalidValues", "arguments": {"pattern": pattern}, "mustBe": 0}
    return _says_instead(document, prop, "pattern", entry)


def _default_format(_: Random, document: Document) -> bool:
    dates = [p for p in _properties(document) if p["logicalType"] == "date"]
    plain = [p for p in dates if "format" not in (p.get("logicalTypeOptions") or {})]
    for prop in plain:
        prop.setdefault("logicalTypeOptions", {})["format"] = "yyyy-MM-dd"
    return bool(plain)


def _default_zone(_: Random, document: Document) -> bool:
    times = [p for p in _properties(document) if p["logicalType"] == "timestamp"]
    plain = [p for p in times if not {"timezone", "defaultTimezone"} & (p.get("logicalTypeOptions") or {}).keys()]
    for prop in plain:
        prop.setdefault("logicalTypeOptions", {})["defaultTimezone"] = "UTC"
    return bool(plain)


def _excluded_end(chance: Random, document: Document) -> bool:
    """A least whole number by the one below it."""
    whole = [p for p in _properties(document) if p["logicalType"] == "integer"]
    own = [p for p in whole if isinstance((p.get("logicalTypeOptions") or {}).get("minimum"), int)]
    if not own or any(name.endswith(".minimum") for name in _block(document).get("checks", {})):
        return False
    options = chance.choice(own)["logicalTypeOptions"]
    options["exclusiveMinimum"] = options.pop("minimum") - 1
    return True


def _sixty_four_bits(_: Random, document: Document) -> bool:
    whole = [p for p in _properties(document) if p["logicalType"] == "integer" and not p.get("physicalType")]
    plain = [p for p in whole if "format" not in (p.get("logicalTypeOptions") or {})]
    for prop in plain:
        prop.setdefault("logicalTypeOptions", {})["format"] = "i64"
    return bool(plain)


def _no_length(chance: Random, document: Document) -> bool:
    texts = [p for p in _properties(document) if p["logicalType"] == "string"]
    plain = [p for p in texts if "minLength" not in (p.get("logicalTypeOptions") or {})]
    if plain:
        chance.choice(plain).setdefault("logicalTypeOptions", {})["minLength"] = 0
    return bool(plain)


def _defaults(_: Random, document: Document) -> bool:
    """Every default of the block, its dialect among them, written out."""
    block = _block(document)
    for key, shape in blocks.schema()["properties"].items():
        if "default" in shape and key not in ("values", "checks", "references", "notify"):
            block.setdefault(key, copy.deepcopy(shape["default"]))
    if block["format"] == "csv":
        csv = block.setdefault("csv", {})
        for key in ("delimiter", "quote", "encoding", "escape", "header", "multiLine", "nullValues", "mojibake"):
            csv.setdefault(key, copy.deepcopy(blocks.schema()["$defs"]["csv"]["properties"][key]["default"]))
    return True


def _no_tolerance(chance: Random, document: Document) -> bool:
    """A tolerance of nothing, for a check that has none."""
    block = _block(document)
    plan = compiled(document)
    if plan is None or block.get("tolerance"):
        return False
    checks = [c for c in plan.checks if c.refuses and not (c.tolerance or c.threshold or c.quiet)]
    block.setdefault("checks", {}).setdefault(chance.choice(checks).id, {})["tolerance"] = chance.choice((0, "0%"))
    return True


def _order(chance: Random, document: Document) -> bool:
    """Lists whose order has no meaning."""
    for prop in _properties(document):
        for key in ("enum", "quality"):
            chance.shuffle(prop.get(key) or [])
    block = _block(document)
    if isinstance(block["files"], list):
        chance.shuffle(block["files"])
    chance.shuffle(block.get("csv", {}).get("nullValues") or [])
    return True


def _threshold(chance: Random, document: Document) -> bool:
    """A count below a whole number as one up to the number before it."""
    one = document["schema"][0]
    entries = [e for owner in (one, *one["properties"]) for e in owner.get("quality") or []]
    counts = [e for e in entries if isinstance(e.get("mustBeLessThan"), int) and e.get("unit", "rows") == "rows"]
    counts = [e for e in counts if e.get("metric") in ("nullValues", "invalidValues", "missingValues", "rowCount")]
    counts = [e for e in counts if not (e.get("arguments") or {}).get("relativeTo")]
    if counts:
        entry = chance.choice(counts)
        entry["mustBeLessOrEqualTo"] = entry.pop("mustBeLessThan") - 1
    return bool(counts)


REWRITES: dict[str, Callable[[Random, Any], bool]] = {
    "required as nullValues": _required,
    "primary key as required and unique": _key,
    "unique as duplicateValues": _unique,
    "enum as validValues": _enum,
    "pattern as invalidValues": _pattern,
    "format of dates written out": _default_format,
    "zone of timestamps written out": _default_zone,
    "minimum as exclusiveMinimum": _excluded_end,
    "64 bits written out": _sixty_four_bits,
    "a length of nothing": _no_length,
    "defaults written out": _defaults,
    "a tolerance of nothing": _no_tolerance,
    "another order": _order,
    "below as up to": _threshold,
}
