"""Contracts that no file can meet: a plan in, a finding for each rule that contradicts another or a limit out.

Only what is surely so is told: a value that no rule of its property lets pass, columns and keys beyond the limits of
files, a number of records that is refused anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.patterns import regex
from contracts.authoring.properties import nesting
from contracts.authoring.properties.logical_options import LOWER, SIGNS, UPPER
from contracts.authoring.properties.values import order_of
from contracts.errors import PatternInvalid
from contracts.files.header import LONGEST_HEADER, MOST_COLUMNS
from contracts.plan import Check, Plan, Property, Threshold
from contracts.terms.key_pattern import Token, tokens
from contracts.values.text_formats import INTEGERS, TEXT

LONGEST_KEY = 1024
"""Bytes of an object's key (Amazon S3 user guide, "Naming Amazon S3 objects")."""
LENGTHS: Mapping[str, tuple[int, int]] = {
    "uuid": (36, 36),
    "ipv4": (7, 15),
    "ipv6": (2, 45),
    "email": (3, 254),
    "hostname": (1, 253),
}
"""The characters of values of a format, at least and at most."""
BOUNDS = (*LOWER, *UPPER)
PROPERTIES: Path = ("schema", 0, "properties")
FIX = "Change one of the two, or leave it out."
Rules = Mapping[str, Check]
"""The row checks of a property that reject, by kind."""
Span = tuple[int, int | None]
"""The least and the greatest length of texts; None if there is no greatest."""


def read(document: Document, plan: Plan, path: Path) -> None:
    """Refuse what no file can meet; `path` is that of the block."""
    places = {p.route: p.path for p in nesting.places(document, PROPERTIES, document.value(PROPERTIES) or [])}
    own: dict[str | None, dict[str, Check]] = defaultdict(dict)
    for check in plan.checks:
        if check.severity == "error" and check.scope == "row" and not check.filter:
            own[check.property].setdefault(check.kind, check)
    for prop in plan.properties:
        at = places[prop.route]
        options = document.value((*at, "logicalTypeOptions"))
        why = next(_contradictions(plan, prop, own[prop.name], options if isinstance(options, dict) else {}), None)
        if why:
            document.error(at, "cannot-hold", f"`{prop.name}` can have no value: {why}.", FIX)
    _records(document, plan)
    _columns(document, plan)
    _keys(document, plan, path)


def _contradictions(plan: Plan, prop: Property, rules: Rules, options: dict[str, Any]) -> Iterator[str]:
    """Return why a property can have no value."""
    spans = list(_spans(rules, options))
    for (low, (least, _)), (high, (_, most)) in product(spans, spans):
        if most is not None and least > most:
            yield f"{low} asks for at least {least:,} characters, {high} for at most {most:,}"
    yield from _numbers(prop, rules)
    yield from _sizes(plan, prop, rules, options.get("required") or ())
    for kind in ("enum", "invalidValues"):
        texts: list[str] = (rules[kind].arguments.get("values") or []) if kind in rules else []
        reasons = [_refused(plan, prop, rules, text) for text in texts]
        if reasons and all(reasons):
            what = "its only value" if len(reasons) == 1 else f"each of its {len(reasons)} values, as"
            yield f"{what} `{texts[0]}` {reasons[0]}"


# ---- texts


def _spans(rules: Rules, options: dict[str, Any]) -> Iterator[tuple[str, Span]]:
    """The lengths that each rule allows, by what it is called."""
    yield from _lengths(rules)
    if (check := rules.get("format")) and check.arguments["format"] in LENGTHS:
        yield f"`format: {check.arguments['format']}`", LENGTHS[check.arguments["format"]]
    if "pattern" in rules and "pattern" in options:
        yield "`pattern`", regex.lengths(options["pattern"])


def _lengths(rules: Rules) -> Iterator[tuple[str, Span]]:
    if check := rules.get("minLength"):
        yield "`minLength`", (int(check.arguments["value"]), None)
    if check := rules.get("maxLength"):
        yield "`maxLength`", (0, int(check.arguments["value"]))


def _refused(plan: Plan, prop: Property, rules: Rules, text: str) -> str | None:
    """Return why a rule lets a value of a contract not pass; None if it may."""
    if plan.file_format == "csv" and text in plan.csv.null_values and prop.required:
        return "is among `csv.nullValues`, and the property is required"
    if prop.type == "string":
        return _refused_text(plan, rules, text)
    if prop.type == "boolean":
        return None
    where = order_of(text, prop)
    for kind in BOUNDS:
        if kind in rules and not _is_within(kind, where, order_of(rules[kind].arguments["value"], prop)):
            return f"is not {SIGNS[kind]} {rules[kind].arguments['value']}"
    if "multipleOf" in rules and Fraction(text) % Fraction(rules["multipleOf"].arguments["value"]):
        return f"is no multiple of {rules['multipleOf'].arguments['value']}"
    return None


def _refused_text(plan: Plan, rules: Rules, text: str) -> str | None:
    if plan.file_format == "csv" and not _fits(text, plan.csv.encoding):
        return f"has letters that {plan.csv.encoding} lacks"
    for low, (least, most) in _lengths(rules):
        if not least <= len(text) <= (len(text) if most is None else most):
            return f"does not keep to {low}"
    for kind in ("pattern", "regex", "notBlank", "invalidValues"):
        java = rules[kind].arguments.get("pattern") if kind in rules else None
        if java and not regex.matches(java, text):
            return f"does not match the pattern of `{kind}`"
    name = rules["format"].arguments["format"] if "format" in rules else None
    if name in TEXT and not regex.matches(TEXT[name].pattern, text):
        return f"is not {TEXT[name].words}"
    return None


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


# ---- numbers and moments


def _is_within(kind: str, where: Any, bound: Any) -> bool:
    match kind:
        case "minimum":
            return bool(where >= bound)
        case "exclusiveMinimum":
            return bool(where > bound)
        case "maximum":
            return bool(where <= bound)
    return bool(where < bound)


def _numbers(prop: Property, rules: Rules) -> Iterator[str]:
    """Bounds beyond what the type or the format holds, or between which no multiple lies."""
    if prop.type not in ("integer", "number"):
        return
    least, most, holds = _range(prop, rules)
    for kind in BOUNDS:
        if kind in rules:
            text = rules[kind].arguments["value"]
            beyond = not _is_within(kind, most if kind in LOWER else least, Decimal(text))
            if beyond and holds:
                yield f"none that {holds} is {SIGNS[kind]} {text}"
    if "multipleOf" in rules and (whole := _multiples(rules)):
        yield whole


def _range(prop: Property, rules: Rules) -> tuple[Decimal, Decimal, str]:
    """The least and the greatest number of a property, and what says so; nothing where it is not sure."""
    name = rules["format"].arguments["format"] if "format" in rules else None
    if name in INTEGERS:
        least, most = INTEGERS[name]
        return Decimal(least), Decimal(most), f"`format: {name}` lets pass"
    if prop.exact:
        precision, scale = prop.exact
        greatest = Decimal(10**precision - 1).scaleb(-scale)
        return -greatest, greatest, "the `physicalType` holds"
    if prop.type == "integer":
        return Decimal(-(2**63)), Decimal(2**63 - 1), "64 bits hold"
    return Decimal(0), Decimal(0), ""


def _multiples(rules: Rules) -> str | None:
    """Return why no multiple lies between two bounds."""
    step = Fraction(rules["multipleOf"].arguments["value"])
    lows = [(Fraction(rules[k].arguments["value"]), k) for k in LOWER if k in rules]
    highs = [(Fraction(rules[k].arguments["value"]), k) for k in UPPER if k in rules]
    if not lows or not highs:
        return None
    first = -(-max(lows)[0] // step) * step
    candidates = (first, first + step)
    if any(all(_is_within(k, c, v) for v, k in (*lows, *highs)) for c in candidates):
        return None
    return f"no multiple of {rules['multipleOf'].arguments['value']} lies within its bounds"


# ---- objects, arrays, maps


def _sizes(plan: Plan, prop: Property, rules: Rules, required: Sequence[str]) -> Iterator[str]:
    """Counts of keys or elements that the properties within cannot reach."""
    inner = [p for p in plan.properties if p.path and p.route[:-1] == prop.route]
    if prop.type == "object" and inner and "minProperties" in rules:
        wanted = int(rules["minProperties"].arguments["value"])
        if wanted > len(inner):
            yield f"`minProperties` asks for {wanted} keys, and it has {len(inner)} properties"
    if prop.type == "object" and "maxProperties" in rules:
        always = sum(p.required for p in inner) or len(required)
        if always > int(rules["maxProperties"].arguments["value"]):
            yield f"{always} keys are required, and `maxProperties` allows {rules['maxProperties'].arguments['value']}"
    if prop.type == "array" and {"uniqueItems", "minItems"} <= rules.keys():
        wanted = int(rules["minItems"].arguments["value"])
        several = _values(plan, inner[0]) if inner else None
        if several is not None and several < wanted:
            yield f"`minItems` asks for {wanted} elements, no two the same, of which there are {several}"


def _values(plan: Plan, element: Property) -> int | None:
    """Return how many elements there may be that are not the same, null among them; None if that is not told."""
    enum = next((c for c in plan.checks if c.property == element.name and c.kind == "enum" and c.scope == "row"), None)
    if element.type == "boolean":
        return 2 + (not element.required)
    if enum is None or enum.severity != "error" or enum.filter or element.type != "string":
        return None
    return len(set(enum.arguments["values"])) + (not element.required)


# ---- files


def _records(document: Document, plan: Plan) -> None:
    """Refuse a number of records that the contract refuses anyway."""
    counts = [c for c in plan.checks if c.kind == "rowCount" and c.severity == "error" and not c.filter and c.threshold]
    if plan.empty == "reject" and any(c.threshold and not _may_be_some(c.threshold) for c in counts):
        message = "`rowCount` asks for a file without records, which `empty: reject` refuses."
        document.error(("schema", 0, "quality"), "cannot-hold", message, "Write `empty: accept`, or change `rowCount`.")


def _may_be_some(limit: Threshold) -> bool:
    """Return whether a number of records above none is allowed."""
    value = limit.values[-1]
    match limit.operator:
        case "mustBe" | "mustBeLessOrEqualTo":
            return value >= 1
        case "mustBeLessThan" | "mustBeBetween":
            return value > 1
    return True


def _columns(document: Document, plan: Plan) -> None:
    """Refuse columns that no file may have."""
    fix = "Divide it into several contracts, or write values of one kind as records."
    if len(plan.roots) > MOST_COLUMNS and plan.file_format != "jsonl":
        message = f"The contract has {len(plan.roots):,} columns; files of more than {MOST_COLUMNS:,} are not taken."
        document.error((*PROPERTIES, MOST_COLUMNS), "cannot-hold", message, fix)
    elif len(plan.properties) > MOST_COLUMNS:
        # Spark's planning grows faster than their number: 2,500 take minutes for three records.
        message = f"The contract has {len(plan.properties):,} properties; the job judges at most {MOST_COLUMNS:,}."
        document.error(PROPERTIES, "cannot-hold", message, fix)
    if plan.file_format != "csv" or not plan.csv.header:
        return
    names = [p.name for p in plan.roots]
    for n, name in enumerate(names):
        if not _fits(name, plan.csv.encoding):
            message = f"`{name}` has letters that {plan.csv.encoding} lacks: no header can have it."
            document.error(
                (*PROPERTIES, n, "name"), "cannot-hold", message, "Write another name, or `encoding: utf-8`."
            )
        elif not plan.csv.quote and plan.csv.delimiter in name:
            message = f"`{name}` has the delimiter in it, and nothing quotes it in a header."
            document.error(
                (*PROPERTIES, n, "name"), "cannot-hold", message, "Write another name, or let `csv.quote` be."
            )
    length = len(plan.csv.delimiter.join(names).encode())
    if length > LONGEST_HEADER:
        message = f"The names of the columns take {length:,} bytes; a header line has at most {LONGEST_HEADER:,}."
        document.error(PROPERTIES, "cannot-hold", message, "Write shorter names, or files without a header.")


# ---- keys


def _keys(document: Document, plan: Plan, path: Path) -> None:
    """Refuse patterns of keys that no object may have, or that consumers could not have."""
    written = document.value((*path, "files"))
    for n, pattern in enumerate(plan.files):
        at = (*path, "files") if isinstance(written, str) else (*path, "files", n)
        try:
            parts = tokens(pattern)
        except PatternInvalid:
            continue
        if part := next((p for p in pattern.split("/") if p in (".", "..")), None):
            message = f"`{pattern}` has a part `{part}`: files with such a key are refused."
            document.error(at, "bad-pattern", message, "Write the folder's own name.")
        elif not pattern.isprintable():
            message = f"{pattern!r} has characters that cannot be printed: files with such a key are refused."
            document.error(at, "bad-pattern", message, "Write letters, digits, blanks and `._-+%=@`.")
        elif (length := sum(map(_shortest, parts)) + len(plan.contract) + 1) > LONGEST_KEY:
            message = (
                f"The keys of `{pattern[:40]}...` take {length:,} bytes or more; there is room for {LONGEST_KEY:,}."
            )
            document.error(at, "bad-pattern", message, "Shorten the folders or the name.")


def _shortest(token: Token) -> int:
    """The fewest bytes that a piece of a pattern takes."""
    if token.kind == "literal":
        return len(token.text.encode())
    if token.kind == "date":
        return token.width
    return int(token.kind in ("one", "part"))
