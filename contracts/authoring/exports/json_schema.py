"""A contract as JSON Schema 2020-12 of one record: what the schema refuses, the contract rejects, and the reverse.

Carried are the checks that reject a single record. A key that is not there is null, as in JSON Lines; rules on texts of
dates become patterns, as `format` checks nothing by itself in 2020-12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from contracts.authoring.exports import json_schema_nesting, json_text, moments
from contracts.authoring.exports.exported import (
    Account,
    Column,
    Contract,
    Exported,
    described,
    heading,
    only_hard,
    rejects,
)
from contracts.authoring.imports.imported import given
from contracts.files.header import OURS
from contracts.plan import CONTAINERS, FOREIGN_KEY, Check
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT, UNCHECKED

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TYPES = {
    "string": "string", "integer": "integer", "number": "number", "boolean": "boolean",
    "date": "string", "timestamp": "string", "time": "string", "object": "object", "array": "array", "map": "object",
}  # fmt: skip
"""The type of JSON that values of a logical type come in."""
DATED = ("date", "timestamp", "time")
NAMES = {"i32": "int32", "i64": "int64", "f32": "float"}
"""The names that OpenAPI's registry has for formats of numbers."""
Keywords = dict[str, Any]
Rule = Callable[[Contract, Column, Check], Keywords | None]
"""A check as keywords about a value of the property's type; None where it has none."""

NOT_A_RECORD = "the schema is of one record"


def _bound(_: Contract, column: Column, check: Check) -> Keywords | None:
    return None if column.prop.type in DATED else {check.kind: _value(column, check.arguments["value"])}


def _length(_: Contract, __: Column, check: Check) -> Keywords:
    return {check.kind: check.arguments["value"]}


def _among(_: Contract, column: Column, check: Check) -> Keywords | None:
    return _listed(column, check.arguments["values"])


def _format(_: Contract, column: Column, check: Check) -> Keywords:
    name: str = check.arguments["format"]
    if column.prop.type == "string":
        return {"format": name, "pattern": _of_format(name)}
    return {"$ref": f"#/$defs/{name}"}


def _pattern(_: Contract, column: Column, check: Check) -> Keywords:
    return _found(column.options()["pattern"], check)


def _regex(contract: Contract, _: Column, check: Check) -> Keywords:
    return _found(contract.entry(check)["implementation"]["pattern"], check)


def _valid(contract: Contract, column: Column, check: Check) -> Keywords | None:
    among = _listed(column, check.arguments["values"]) if "values" in check.arguments else {}
    if among is None or "pattern" not in check.arguments:
        return among
    return {**among, **_found(contract.entry(check)["arguments"]["pattern"], check)}


def _present(_: Contract, column: Column, check: Check) -> Keywords | None:
    """None of the texts that count as missing; they are compared as they stand, which of numbers a schema cannot."""
    texts = check.arguments["values"]
    if not column.typed or not texts:
        return None if texts else {}
    if column.prop.type == "integer":
        return {"not": {"enum": found}} if (found := [int(t) for t in texts if _is_plain(t)]) else {}
    if column.prop.type == "boolean":
        return {"not": {"enum": found}} if (found := [t == "true" for t in texts if t in ("true", "false")]) else {}
    return {"not": {"enum": texts}} if TYPES[column.prop.type] == "string" else None


def _is_plain(text: str) -> bool:
    return text.lstrip("-").isdecimal() and str(int(text)) == text


RULES: dict[str, Rule] = {
    "minimum": _bound,
    "maximum": _bound,
    "exclusiveMinimum": _bound,
    "exclusiveMaximum": _bound,
    "multipleOf": _bound,
    "minLength": _length,
    "maxLength": _length,
    "enum": _among,
    "format": _format,
    "pattern": _pattern,
    "regex": _regex,
    "invalidValues": _valid,
    "missingValues": _present,
    "notBlank": lambda *_: {"pattern": "\\S"},
}
"""Checks of values. `logicalType`, `required`, `nullValues` and `knownKeys` shape the schema around them."""
WHY = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "dates are texts in JSON Schema"),
    **dict.fromkeys(("enum", "invalidValues"), "one moment can be written in several ways"),
    "missingValues": "it checks how a value is written",
    "expression": "JSON Schema compares no columns",
    FOREIGN_KEY: "JSON Schema knows no other data",
    **json_schema_nesting.WHY,
}


def write(contract: Contract) -> Exported:
    """The schema of a contract's records."""
    account = Account(contract)
    defs: Keywords = {}
    closed = _closed(account)
    properties = {c.name: _property(account, c, defs, closed=bool(closed)) for c in contract.columns()}
    account.keys({"description"}, {"description"}, CARRIED)
    account.checks(only_hard(lambda check: NOT_A_RECORD if check.scope == "set" else WHY[check.kind]))
    _beyond(account)
    required = [c.name for c in contract.columns() if _never_null(account, c)]
    schema = {
        "$schema": DIALECT,
        "$comment": "\n".join([heading(contract), "Not said here:", *account.lost]),
        **given({"title": contract.object["name"], "description": described(contract)}),
        "type": "object",
        "properties": properties,
        **given({"required": required}),
        **closed,
        **given({"$defs": {name: defs[name] for name in sorted(defs)}}),
    }
    return account.done(json_text.text(schema) + "\n")


CARRIED = {"description", "businessName", "examples", "deprecated"}


def _property(account: Account, column: Column, defs: Keywords, *, closed: bool) -> Keywords:
    """The schema of one property: its type, and the rules about values of it."""
    said = {
        "title": column.source.get("businessName"),
        "description": column.source.get("description"),
        "examples": column.source.get("examples"),
        "deprecated": column.source.get("deprecated"),
    }
    rules: list[Keywords] = []
    if column.prop.type in CONTAINERS:
        rules += json_schema_nesting.rules(
            account,
            column,
            lambda inner: _property(account, inner, defs, closed=closed),
            lambda inner: _never_null(account, inner),
            closed=closed,
        )
    for check in column.checks:
        if not rejects(check) or check.kind not in RULES:
            continue
        keywords = RULES[check.kind](account.contract, column, check)
        if keywords is not None:
            rules.append(keywords)
            account.carried.add(check.id)
    account.carried |= {
        c.id for c in column.checks if rejects(c) and c.kind in ("logicalType", "required", "nullValues")
    }
    _classified(account, column)
    kind = TYPES[column.prop.type]
    rules.sort(key=lambda keywords: "$ref" not in keywords)  # what they define, the others need not say
    typed = _typed(column, rules)
    _define(defs, [*typed, *rules])
    if column.typed:
        null = not _never_null(account, column)
        return _together(
            [given(said), {"type": [kind, "null"] if null else kind}, *typed, *rules], null=null, defs=defs
        )
    of_type = _together([{"type": kind}, *typed], null=False, defs=defs)
    then = _together(rules, null=False, defs=defs)
    return {
        **given(said),
        **({"not": {"type": "null"}} if _never_null(account, column) else {}),
        **({"if": of_type, "then": then} if then else {}),
    }


def _never_null(account: Account, column: Column) -> bool:
    """Return True if a carried check forbids nulls."""
    kinds = ("required", "nullValues", "missingValues")
    forbidding = [c for c in column.checks if c.kind in kinds and c.arguments.get("null", True)]
    return any(c.id in account.carried for c in forbidding)


def _classified(account: Account, column: Column) -> None:
    name = column.options().get("format")
    if column.prop.type == "string" and name in UNCHECKED:
        account.lose(f"The format `{name}` of `{column.name}`: it checks nothing.")


def _typed(column: Column, rules: list[Keywords]) -> list[Keywords]:
    """Return the further keywords for the values of a column, besides their JSON type."""
    prop = column.prop
    refs = [rule["$ref"] for rule in rules if "$ref" in rule and column.typed]
    if prop.type in DATED:
        plain = prop.format in (None, moments.ISO_DATE)
        called = "date" if prop.type == "date" and plain else None
        called = "date-time" if prop.type == "timestamp" and prop.format is None and prop.offset else called
        return [given({"format": called}) | {"pattern": moments.pattern(prop)}]
    if prop.exact:
        whole = refs == ["#/$defs/u64"] and prop.exact == (20, 0)
        return [] if whole else [{"$ref": f"#/$defs/decimal-{prop.exact[0]}-{prop.exact[1]}"}]
    if prop.type in ("integer", "number") and not refs:
        return [{"$ref": "#/$defs/i64"} if prop.type == "integer" else {"format": "double"}]
    return []


def _define(defs: Keywords, all_keywords: Iterable[Keywords]) -> None:
    for keywords in all_keywords:
        if ref := keywords.get("$ref"):
            name = ref.rpartition("/")[2]
            defs[name] = _definition(name)


def _definition(name: str) -> Keywords:
    """The values that a format of numbers has."""
    if name.startswith("decimal-"):
        precision, scale = (int(n) for n in name.split("-")[1:])
        least, most = (Decimal((sign, (9,) * precision, -scale)) for sign in (1, 0))  # no context rounds these
        return {"minimum": least, "maximum": most, "multipleOf": Decimal((0, (1,), -scale))}
    named = given({"format": NAMES.get(name)})
    if name == "f32":
        beyond = int(BEYOND_F32)
        return {**named, "exclusiveMinimum": -beyond, "exclusiveMaximum": beyond}
    lowest, highest = INTEGERS[name]
    return {**named, "minimum": lowest, "maximum": highest}


def _together(parts: Iterable[Keywords], *, null: bool, defs: Keywords) -> Keywords:
    """One schema of several that all must hold; a keyword that stands already goes into `allOf`."""
    found: Keywords = {}
    others: list[Keywords] = []
    for part in parts:
        one = {**part, "enum": [*part["enum"], None]} if null and "enum" in part else part
        known = defs.get(str(found.get("$ref")).rpartition("/")[2], {})
        one = {k: v for k, v in one.items() if found.get(k, known.get(k)) != v and _says_more(k, v, known)}
        if any(key in found and key != "format" for key in one):
            others += [one] if one not in others else []
        else:
            found |= {k: v for k, v in one.items() if k not in found}
    return {**found, **({"allOf": others} if others else {})}


def _says_more(key: str, value: Any, known: Keywords) -> bool:
    """Return True if a bound is not in the definition already."""
    if key in ("maximum", "exclusiveMaximum") and "maximum" in known:
        return bool(value <= known["maximum"])
    return key not in ("minimum", "exclusiveMinimum") or "minimum" not in known or bool(value >= known["minimum"])


def _closed(account: Account) -> Keywords:
    """Return the keyword for additional keys of a record; the keys that `rejected.csv` adds stay allowed."""
    plan = account.contract.plan
    if plan.columns.extra == "warn":
        account.lose("That a column which the contract lacks is a warning.")
    known = [c for c in plan.checks if c.kind == "knownKeys"]
    if plan.columns.extra != "reject" or account.contract.bare or not all(rejects(c) for c in known):
        return {}
    account.carried |= {c.id for c in known}
    return {"patternProperties": {f"^({'|'.join(OURS)})$": {}}, "additionalProperties": False}


def _beyond(account: Account) -> None:
    """Name what the types of JSON Schema take and the contract does not."""
    props = account.contract.plan.properties
    if any(p.type == "integer" for p in props):
        account.lose("That an integer is written without point and exponent: to JSON Schema 1.0 is one.")
    if any(p.type == "number" and not p.exact for p in props):
        account.lose("That a number is not too large for 64 bits.")
    if any(p.exact and p.type == "number" for p in props):
        account.lose("That a decimal is written without exponent, and with no more digits than agreed, zeros either.")
    if any(p.exact and p.exact[1] for p in props):
        account.lose("That decimals are compared exactly: a validator that counts in doubles may refuse 0.07.")
    if any(p.zone for p in props):
        account.lose("That a local time exists: clocks skip an hour in spring.")


def _value(column: Column, text: str) -> Any:
    """A text of the plan as a value of JSON."""
    if column.prop.type == "boolean":
        return text == "true"
    if column.prop.type not in ("integer", "number"):
        return text
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() and "e" not in text.casefold() else number


def _listed(column: Column, texts: list[str]) -> Keywords | None:
    if column.prop.type in DATED and not moments.one_text(column.prop):
        return None
    return {"enum": list(dict.fromkeys(_value(column, text) for text in texts))}


def _found(pattern: str, check: Check) -> Keywords:
    """A pattern, and the length beyond which no text matches it."""
    longest = check.arguments.get("longest")
    return {"pattern": pattern, **({"maxLength": longest} if longest else {})}


def _of_format(name: str) -> str:
    """The pattern of a format in ECMA-262, which has no possessive repetition."""
    plain = TEXT[name].pattern.replace("]++|", "]|").replace("]+|", "]|")
    for java, ecma in (("++", "+"), ("*+", "*"), (r"\z", "$")):
        plain = plain.replace(java, ecma)
    return plain
