"""Contracts that no file can meet: a plan in, a finding for each rule that contradicts another or a limit out.

Only certain contradictions are reported: a property without a valid value, columns and keys beyond the limits of files,
a number of records that is refused anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any, TypeVar, cast

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.patterns import regex
from contracts.authoring.properties import nesting
from contracts.authoring.properties.logical_options import SIGNS
from contracts.authoring.properties.values import is_within, order_of
from contracts.errors import PatternInvalid
from contracts.files import encodings
from contracts.files.header import LONGEST_HEADER, MOST_COLUMNS
from contracts.plan import Plan, Property
from contracts.terms.key_pattern import tokens
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
LOWER = (rules.Minimum, rules.ExclusiveMinimum)
BOUNDS = (*LOWER, rules.Maximum, rules.ExclusiveMaximum)
INCLUSIVE, EXCLUSIVE = ("mustBe", "mustBeLessOrEqualTo"), ("mustBeLessThan", "mustBeBetween")
"""The operators of thresholds that have a greatest number, and whether it is allowed itself."""
PROPERTIES: Path = ("schema", 0, "properties")
FIX = "Change one of the two, or leave it out."
R = TypeVar("R", bound=rules.Rule)
Rules = Mapping[type[Any], rules.Rule]
"""The rules of a property whose failing rows are rejected, by class."""
Span = tuple[int, int | None]
"""The least and the greatest length of texts; None if there is no greatest."""


def read(document: Document, plan: Plan, path: Path) -> None:
    """Refuse rules that no file can meet; `path` is that of the block."""
    places = {p.route: p.path for p in nesting.places(document, PROPERTIES, document.value(PROPERTIES) or [])}
    own: dict[str | None, dict[type[Any], rules.Rule]] = defaultdict(dict)
    for check in plan.checks:
        if check.severity == "error" and check.scope == "row" and not check.filter:
            own[check.property].setdefault(type(check.rule), check.rule)
    for prop in plan.properties:
        at = places[prop.route]
        options = document.value((*at, "logicalTypeOptions"))
        why = next(_contradictions(plan, prop, own[prop.name], options if isinstance(options, dict) else {}), None)
        if why:
            document.error(at, "cannot-hold", f"`{prop.name}` can have no value: {why}.", FIX)
    counts = [c for c in plan.checks if isinstance(c.rule, rules.RowCount) and c.severity == "error" and not c.filter]
    limits = [
        (c.threshold.operator, c.threshold.values[-1]) for c in counts if c.threshold and not c.threshold.relative
    ]
    below_one = [operator for operator, most in limits if operator in INCLUSIVE and most < 1]
    below_one += [operator for operator, most in limits if operator in EXCLUSIVE and most <= 1]
    if plan.empty == "reject" and below_one:
        message = "`rowCount` asks for a file without records, which `empty: reject` refuses."
        document.error(("schema", 0, "quality"), "cannot-hold", message, "Write `empty: accept`, or change `rowCount`.")
    _columns(document, plan)
    for key in ("delimiter", "quote", "escape") if plan.file_format == "csv" else ():
        if not encodings.fits(sign := getattr(plan.csv, key), plan.csv.encoding):
            message = f"`{sign}` is no character of {plan.csv.encoding}: no file can have it."
            document.error((*path, "csv", key), "cannot-hold", message, "Write another sign, or `encoding: utf-8`.")
    _keys(document, plan, path)


def _the(own: Rules, kind: type[R]) -> R | None:
    """Return the rule of a kind; None if the property has none."""
    return cast("R | None", own.get(kind))


def _contradictions(plan: Plan, prop: Property, own: Rules, options: dict[str, Any]) -> Iterator[str]:
    """Return why a property can have no value."""
    spans = list(_lengths(own))
    if (form := _the(own, rules.Format)) and form.format in LENGTHS:
        spans.append((f"`format: {form.format}`", LENGTHS[form.format]))
    if rules.Pattern in own and "pattern" in options:
        spans.append(("`pattern`", regex.lengths(options["pattern"])))
    for (low, (least, _)), (high, (_, most)) in product(spans, spans):
        if most is not None and least > most:
            yield f"{low} asks for at least {least:,} characters, {high} for at most {most:,}"
    yield from _numbers(prop, own)
    yield from _sizes(plan, prop, own, options.get("required") or ())
    for rule in (_the(own, rules.Enum), _the(own, rules.InvalidValues)):
        texts = (rule.values or ()) if rule else ()
        reasons = [_refused(plan, prop, own, text) for text in texts]
        if reasons and all(reasons):
            what = "its only value" if len(reasons) == 1 else f"each of its {len(reasons)} values, as"
            yield f"{what} `{texts[0]}` {reasons[0]}"


# ---- texts


def _lengths(own: Rules) -> Iterator[tuple[str, Span]]:
    """The lengths that `minLength` and `maxLength` allow, with the name of each."""
    if least := _the(own, rules.MinLength):
        yield "`minLength`", (least.value, None)
    if most := _the(own, rules.MaxLength):
        yield "`maxLength`", (0, most.value)


def _refused(plan: Plan, prop: Property, own: Rules, text: str) -> str | None:
    """Return why a rule lets a value of a contract not pass; None if it may."""
    if plan.has_cells and text in plan.csv.nulls_of(prop) and prop.required:
        return "is among the `nullValues`, and the property is required"
    if prop.type == "string" and prop.form and prop.form.cell(text) != text:
        return "has blanks around it, which `trim` takes away"
    if prop.type == "string":
        return _refused_text(plan, own, text)
    if prop.type == "boolean":
        return None
    where = order_of(text, prop)
    for bound in _bounds(own):
        if not is_within(bound, where, order_of(bound.value, prop)):
            return f"is not {SIGNS[bound.kind]} {bound.value}"
    if (step := _the(own, rules.MultipleOf)) and Fraction(text) % Fraction(step.value):
        return f"is no multiple of {step.value}"
    return None


def _refused_text(plan: Plan, own: Rules, text: str) -> str | None:
    if plan.has_cells and not encodings.fits(text, plan.csv.encoding):
        return f"has letters that {plan.csv.encoding} lacks"
    for low, (least, most) in _lengths(own):
        if not least <= len(text) <= (len(text) if most is None else most):
            return f"does not keep to {low}"
    for kind in (rules.Pattern, rules.Regex, rules.NotBlank, rules.InvalidValues):
        rule = _the(own, kind)
        if isinstance(rule, rules.Matching | rules.NotBlank) and rule.pattern and not regex.matches(rule.pattern, text):
            return f"does not match the pattern of `{rule.kind}`"
    form = _the(own, rules.Format)
    if form and form.format in TEXT and not regex.matches(TEXT[form.format].pattern, text):
        return f"is not {TEXT[form.format].words}"
    return None


# ---- numbers and moments


def _bounds(own: Rules) -> list[rules.Bound]:
    return [rule for kind in BOUNDS if isinstance(rule := own.get(kind), rules.Bound)]


def _numbers(prop: Property, own: Rules) -> Iterator[str]:
    """Bounds beyond the range of the type or the format, if that is certain, or with no multiple between them."""
    if prop.type not in ("integer", "number"):
        return
    least, most, holds = Decimal(0), Decimal(0), ""
    if (rule := _the(own, rules.Format)) and rule.format in INTEGERS:
        (least, most), holds = map(Decimal, INTEGERS[rule.format]), f"`format: {rule.format}` lets pass"
    elif prop.exact:
        precision, scale = prop.exact
        most, holds = Decimal(10**precision - 1).scaleb(-scale), "the `physicalType` holds"
        least = -most
    elif prop.type == "integer":
        least, most, holds = Decimal(-(2**63)), Decimal(2**63 - 1), "64 bits hold"
    bounds = _bounds(own)
    for bound in bounds:
        beyond = not is_within(bound, most if isinstance(bound, LOWER) else least, Decimal(bound.value))
        if beyond and holds:
            yield f"none that {holds} is {SIGNS[bound.kind]} {bound.value}"
    multiple = _the(own, rules.MultipleOf)
    if multiple is None:
        return
    lows = [Fraction(bound.value) for bound in bounds if isinstance(bound, LOWER)]
    if not lows or len(lows) == len(bounds):
        return
    step = Fraction(multiple.value)
    first = -(-max(lows) // step) * step
    candidates = (first, first + step)
    if not any(all(is_within(bound, c, Fraction(bound.value)) for bound in bounds) for c in candidates):
        yield f"no multiple of {multiple.value} is within its bounds"


# ---- objects, arrays, maps


def _sizes(plan: Plan, prop: Property, own: Rules, required: Sequence[str]) -> Iterator[str]:
    """Counts of keys or elements that the properties within cannot reach."""
    inner = [p for p in plan.properties if p.path and p.route[:-1] == prop.route]
    if prop.type == "object" and inner and (fewest := _the(own, rules.MinProperties)) and fewest.value > len(inner):
        yield f"`minProperties` asks for {fewest.value} keys, and it has {len(inner)} properties"
    if prop.type == "object" and (most := _the(own, rules.MaxProperties)):
        always = sum(p.required for p in inner) or len(required)
        if always > most.value:
            yield f"{always} keys are required, and `maxProperties` allows {most.value}"
    if prop.type == "array" and inner and rules.UniqueItems in own and (least := _the(own, rules.MinItems)):
        element = inner[0]
        of_it = [c for c in plan.checks if c.property == element.name and c.scope == "row"]
        enum = next(((c, c.rule) for c in of_it if isinstance(c.rule, rules.Enum)), None)
        several = None  # elements that are not the same, null among them, if their number is known
        if element.type == "boolean":
            several = 2 + (not element.required)
        elif enum and element.type == "string" and enum[0].severity == "error" and not enum[0].filter:
            several = len(set(enum[1].values)) + (not element.required)
        if several is not None and several < least.value:
            yield f"`minItems` asks for {least.value} elements, no two the same, of which there are {several}"


# ---- files


def _columns(document: Document, plan: Plan) -> None:
    """Refuse columns that no file may have."""
    fix = "Divide it into several contracts, or write values of one kind as records."
    if len(plan.roots) > MOST_COLUMNS and plan.read_as != "jsonl":
        message = f"The contract has {len(plan.roots):,} columns; files of more than {MOST_COLUMNS:,} are not taken."
        document.error((*PROPERTIES, MOST_COLUMNS), "cannot-hold", message, fix)
    elif len(plan.properties) > MOST_COLUMNS:
        # Spark's planning grows faster than their number: 2,500 take minutes for three records.
        message = f"The contract has {len(plan.properties):,} properties; the job judges at most {MOST_COLUMNS:,}."
        document.error(PROPERTIES, "cannot-hold", message, fix)
    if plan.read_as != "csv" or not plan.csv.header:
        return
    names = [p.headings[0] for p in plan.roots]
    for n, name in ((n, text) for n, p in enumerate(plan.roots) for text in p.headings):
        if not encodings.fits(name, plan.csv.encoding):
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
        shortest = [  # the fewest bytes that each piece takes
            len(token.text.encode()) if token.kind == "literal" else token.width if token.kind == "date" else 1
            for token in parts
            if token.kind in ("literal", "date", "one", "part")
        ]
        if part := next((p for p in pattern.split("/") if p in (".", "..")), None):
            message = f"`{pattern}` has a part `{part}`: files with such a key are refused."
            document.error(at, "bad-pattern", message, "Write the folder's own name.")
        elif not pattern.isprintable():
            message = f"{pattern!r} has characters that cannot be printed: files with such a key are refused."
            document.error(at, "bad-pattern", message, "Write letters, digits, blanks and `._-+%=@`.")
        elif (length := sum(shortest) + len(plan.contract) + 1) > LONGEST_KEY:
            message = (
                f"The keys of `{pattern[:40]}...` take {length:,} bytes or more; there is room for {LONGEST_KEY:,}."
            )
            document.error(at, "bad-pattern", message, "Shorten the folders or the name.")
