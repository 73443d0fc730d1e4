"""A contract as JSON Schema 2020-12 of one record: the schema refuses exactly the records that the contract rejects.

It has the checks that reject a single record. A missing key is null, as in JSON Lines. Rules on texts of dates become
patterns, because in 2020-12 `format` checks nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from contracts import rules
from contracts.authoring.exports import json_schema_nesting, json_text, moments
from contracts.authoring.exports.exported import (
    Account,
    Contract,
    Exported,
    ExportedColumn,
    described,
    only_hard,
    rejects,
    source_line,
)
from contracts.authoring.imports.imported import given
from contracts.files.columns import OURS
from contracts.plan import CONTAINERS, Check
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT, UNCHECKED

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TYPES = {
    "string": "string", "integer": "integer", "number": "number", "boolean": "boolean",
    "date": "string", "timestamp": "string", "time": "string", "object": "object", "array": "array", "map": "object",
}  # fmt: skip
"""The JSON type of values of each logical type."""
DATED = ("date", "timestamp", "time")
NAMES = {"i32": "int32", "i64": "int64", "f32": "float"}
"""The names of formats of numbers in OpenAPI's registry."""
Keywords = dict[str, Any]

NOT_A_RECORD = "the schema describes single records"
NO_KEYWORD = "JSON Schema has no keyword for it"
BOUNDS = (rules.Minimum, rules.Maximum, rules.ExclusiveMinimum, rules.ExclusiveMaximum)
WHY: dict[type, str] = {
    **dict.fromkeys(BOUNDS, "dates are texts in JSON Schema"),
    **dict.fromkeys((rules.Enum, rules.InvalidValues), "one moment can be written in several ways"),
    rules.MissingValues: "it checks how a value is written",
    rules.Expression: "JSON Schema compares no columns",
    rules.ForeignKey: "JSON Schema cannot refer to other data",
    rules.UniqueItems: "to JSON Schema, 1 and 1e0 are equal",
    **dict.fromkeys((rules.MinProperties, rules.MaxProperties), "JSON Schema also counts keys with a null"),
}
"""The reason that a check of records has no keywords, by its kind; that of others is `NO_KEYWORD`."""


def _keywords(  # noqa: C901 (a case for each kind)
    contract: Contract, column: ExportedColumn, check: Check
) -> Keywords | None:
    """Return a check as keywords about a value of the property's type; None if it has none.

    `logicalType`, `required`, `nullValues` and `knownKeys` shape the schema around these.
    """
    match check.rule:
        case (
            rules.Minimum(value)
            | rules.Maximum(value)
            | rules.ExclusiveMinimum(value)
            | rules.ExclusiveMaximum(value)
            | rules.MultipleOf(value)
        ):
            return None if column.prop.type in DATED else {check.kind: _value(column, value)}
        case rules.MinLength(length) | rules.MaxLength(length):
            return {check.kind: length}
        case rules.Enum(values):
            return _listed(column, values)
        case rules.Format(name) if column.prop.type == "string":
            return {"format": name, "pattern": _of_format(name)}
        case rules.Format(name):
            return {"$ref": f"#/$defs/{name}"}
        case rules.Pattern(longest=longest):
            return _matching(column.options()["pattern"], longest)
        case rules.Regex(longest=longest):
            return _matching(contract.entry(check)["implementation"]["pattern"], longest)
        case rules.InvalidValues(values, pattern, longest):
            among = {} if values is None else _listed(column, values)
            if among is None or pattern is None:
                return among
            return {**among, **_matching(contract.entry(check)["arguments"]["pattern"], longest)}
        case rules.MissingValues(values):
            return _present(column, values)
        case rules.NotBlank():
            return {"pattern": "\\S"}
    return None


def _present(column: ExportedColumn, texts: Sequence[str]) -> Keywords | None:
    """Return keywords against the texts for missing values; they are compared as texts, which numbers are not."""
    if not column.typed or not texts:
        return None if texts else {}
    if column.prop.type == "integer":
        numbers = [int(t) for t in texts if t.lstrip("-").isdecimal() and str(int(t)) == t]
        return {"not": {"enum": numbers}} if numbers else {}
    if column.prop.type == "boolean":
        words = [t == "true" for t in texts if t in ("true", "false")]
        return {"not": {"enum": words}} if words else {}
    return {"not": {"enum": list(texts)}} if TYPES[column.prop.type] == "string" else None


def write(contract: Contract) -> Exported:
    """Return the schema of a contract's records."""
    account, plan = Account(contract), contract.plan
    defs: Keywords = {}
    if plan.columns.extra == "warn":
        account.lose("The warning about columns that the contract lacks.")
    closed: Keywords = {}
    known_keys = [c for c in plan.checks if isinstance(c.rule, rules.KnownKeys)]
    if plan.columns.extra == "reject" and not contract.bare and all(rejects(c) for c in known_keys):
        account.carried |= {c.id for c in known_keys}
        # the keys that `rejected.csv` adds stay allowed
        closed = {"patternProperties": {f"^({'|'.join(OURS)})$": {}}, "additionalProperties": False}
    properties = {c.name: _property(account, c, defs, closed=bool(closed)) for c in contract.columns()}
    account.keys({"description"}, {"description"}, CARRIED)
    account.checks(only_hard(lambda c: NOT_A_RECORD if c.scope == "set" else WHY.get(type(c.rule), NO_KEYWORD)))
    _beyond(account)
    required = [c.name for c in contract.columns() if _never_null(account, c)]
    schema = {
        "$schema": DIALECT,
        "$comment": "\n".join([source_line(contract), "Not exported:", *account.lost]),
        **given({"title": contract.object["name"], "description": described(contract)}),
        "type": "object",
        "properties": properties,
        **given({"required": required}),
        **closed,
        **given({"$defs": {name: defs[name] for name in sorted(defs)}}),
    }
    return account.done(json_text.text(schema) + "\n")


CARRIED = {"description", "businessName", "examples", "deprecated"}


def _property(account: Account, column: ExportedColumn, defs: Keywords, *, closed: bool) -> Keywords:
    """Return the schema of one property: its type, and the keywords of its checks."""
    about = {
        "title": column.source.get("businessName"),
        "description": column.source.get("description"),
        "examples": column.source.get("examples"),
        "deprecated": column.source.get("deprecated"),
    }
    parts: list[Keywords] = []
    if column.prop.type in CONTAINERS:
        parts += json_schema_nesting.keywords(
            account,
            column,
            lambda inner: _property(account, inner, defs, closed=closed),
            lambda inner: _never_null(account, inner),
            closed=closed,
        )
    for check in column.checks:
        if rejects(check) and (keywords := _keywords(account.contract, column, check)) is not None:
            parts.append(keywords)
            account.carried.add(check.id)
    around = rules.LogicalType | rules.ForbidsNull
    account.carried |= {c.id for c in column.checks if rejects(c) and isinstance(c.rule, around)}
    name = column.options().get("format")
    if column.prop.type == "string" and name in UNCHECKED:
        account.lose(f"The format `{name}` of `{column.name}`: it checks nothing.")
    kind = TYPES[column.prop.type]
    parts.sort(key=lambda keywords: "$ref" not in keywords)  # the other parts need not repeat a definition
    typed = _typed(column, parts)
    names = [part["$ref"].rpartition("/")[2] for part in (*typed, *parts) if "$ref" in part]
    defs |= {name: _definition(name) for name in names}
    if column.typed:
        null = not _never_null(account, column)
        return _together(
            [given(about), {"type": [kind, "null"] if null else kind}, *typed, *parts], null=null, defs=defs
        )
    of_type = _together([{"type": kind}, *typed], null=False, defs=defs)
    then = _together(parts, null=False, defs=defs)
    return {
        **given(about),
        **({"not": {"type": "null"}} if _never_null(account, column) else {}),
        **({"if": of_type, "then": then} if then else {}),
    }


def _never_null(account: Account, column: ExportedColumn) -> bool:
    """Return True if a carried check forbids nulls."""
    return any(c.id in account.carried and rules.forbids_null(c.rule) for c in column.checks)


def _typed(column: ExportedColumn, parts: list[Keywords]) -> list[Keywords]:
    """Return the further keywords for the values of a column, besides their JSON type."""
    prop = column.prop
    refs = [part["$ref"] for part in parts if "$ref" in part and column.typed]
    if prop.type in DATED:
        plain = prop.format in (None, moments.ISO_DATE)
        name = "date" if prop.type == "date" and plain else None
        name = "date-time" if prop.type == "timestamp" and prop.format is None and prop.offset else name
        return [given({"format": name}) | {"pattern": moments.pattern(prop)}]
    if prop.exact:
        whole = refs == ["#/$defs/u64"] and prop.exact == (20, 0)
        return [] if whole else [{"$ref": f"#/$defs/decimal-{prop.exact[0]}-{prop.exact[1]}"}]
    if prop.type in ("integer", "number") and not refs:
        return [{"$ref": "#/$defs/i64"} if prop.type == "integer" else {"format": "double"}]
    return []


def _definition(name: str) -> Keywords:
    """Return the range of a format of numbers."""
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
    """Return one schema of several that all must hold; a repeated keyword goes into `allOf`."""
    whole: Keywords = {}
    others: list[Keywords] = []
    for part in parts:
        own = {**part, "enum": [*part["enum"], None]} if null and "enum" in part else part
        defined = defs.get(str(whole.get("$ref")).rpartition("/")[2], {})
        own = {k: v for k, v in own.items() if whole.get(k, defined.get(k)) != v and _narrows(k, v, defined)}
        if any(key in whole and key != "format" for key in own):
            others += [own] if own not in others else []
        else:
            whole |= {k: v for k, v in own.items() if k not in whole}
    return {**whole, **({"allOf": others} if others else {})}


def _narrows(key: str, value: Any, defined: Keywords) -> bool:
    """Return True if a keyword is not a bound that the definition already has."""
    if key in ("maximum", "exclusiveMaximum") and "maximum" in defined:
        return bool(value <= defined["maximum"])
    return key not in ("minimum", "exclusiveMinimum") or "minimum" not in defined or bool(value >= defined["minimum"])


def _beyond(account: Account) -> None:
    """Add losses of values that the types of JSON Schema allow and the contract does not."""
    props = account.contract.plan.properties
    if any(p.type == "integer" for p in props):
        account.lose("Integers with a point or an exponent: to JSON Schema, 1.0 is an integer.")
    if any(p.type == "number" and not p.exact for p in props):
        account.lose("Numbers that are too large for 64 bits.")
    if any(p.exact and p.type == "number" for p in props):
        account.lose("Decimals with an exponent, or with more digits than agreed, even zeros.")
    if any(p.exact and p.exact[1] for p in props):
        account.lose("The exact comparison of decimals: a validator that computes with doubles may refuse 0.07.")
    if any(p.zone for p in props):
        account.lose("Local times that do not exist, because clocks skip an hour in spring.")


def _value(column: ExportedColumn, text: str) -> Any:
    """Return a text of the plan as a JSON value."""
    if column.prop.type == "boolean":
        return text == "true"
    if column.prop.type not in ("integer", "number"):
        return text
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() and "e" not in text.casefold() else number


def _listed(column: ExportedColumn, texts: Sequence[str]) -> Keywords | None:
    if column.prop.type in DATED and not moments.one_text(column.prop):
        return None
    return {"enum": list(dict.fromkeys(_value(column, text) for text in texts))}


def _matching(pattern: str, longest: int | None) -> Keywords:
    """Return keywords for a pattern, with the length beyond which no text matches."""
    return {"pattern": pattern, **({"maxLength": longest} if longest else {})}


def _of_format(name: str) -> str:
    """Return the pattern of a format in ECMA-262, which has no possessive repetition."""
    plain = TEXT[name].pattern.replace("]++|", "]|").replace("]+|", "]|")
    for java, ecma in (("++", "+"), ("*+", "*"), (r"\z", "$")):
        plain = plain.replace(java, ecma)
    return plain
