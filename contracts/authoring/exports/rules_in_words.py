"""Rules in plain words, for people who do not write contracts: a check of the plan in, a sentence about it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from contracts import rules
from contracts.authoring.properties.values import type_name
from contracts.messages import LIMITS, limit_in_words, tolerated_in_words
from contracts.plan import OF_JSON, SHEET_CHECKS, Check, Plan, Property
from contracts.sentences import bound_in_words, figure_in_words
from contracts.terms.value_form import words
from contracts.values.text_formats import INTEGERS, TEXT

TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "array": "list",
    "map": "map",
}


FAULTS: dict[type, str] = {
    rules.NullValues: "empty",
    rules.MissingValues: "missing",
    rules.NotBlank: "blank",
    rules.DuplicateValues: "repeated",
    rules.Expression: "false",
}
"""The fault that a metric counts, as an adjective, by its kind; that of others is `invalid`."""
OF_LINES: dict[type, str] = {
    rules.Fields: "Every row has as many cells as the first line.",
    rules.Quotes: "Every quote is closed on its line.",
    rules.RecordType: "Every row begins with the agreed first cell.",
    rules.LineLength: "Every line has the agreed length.",
    rules.WholeCharacters: "Every field has whole characters.",
    rules.Text: "The file is text in the agreed encoding.",
    rules.Object: "Every line is one JSON object.",
    rules.Keys: "Every key occurs once in its object.",
    rules.KnownKeys: "Every key is one of the columns below.",
}
"""The words for a rule of lines, by its kind."""
OF_SHEETS = {
    check.expected: sentence
    for check, sentence in zip(
        SHEET_CHECKS,
        ("No row has a cell beside the columns of the header.", "No cell has an error, and each formula its result."),
        strict=True,
    )
}
"""The words for a rule of rows of a sheet, by what it expects."""


def in_words(check: Check) -> str:
    """Return a check in words: a phrase without the name for a column, a sentence for the whole file."""
    if check.filter:
        bare = in_words(replace(check, filter=None, expected=check.expected.removesuffix(check.where)))
        text, watermark = check.filter.text, check.filter.watermark
        which = [f"where {text}"] if text else []
        which += [f"whose {watermark} is newer than in every file accepted before"] if watermark else []
        return f"{bare.removesuffix('.')} (only rows {' and '.join(which)})"
    rule = check.rule
    if check.threshold and check.threshold.relative:
        return f"{_figure(check)} is {limit_in_words(check.threshold)}."
    if isinstance(rule, rules.Aggregate):
        return f"The {figure_in_words(rule)} of all values is {how_limited(check)}"
    if isinstance(rule, rules.RowCount):
        return f"The file has {how_limited(check)} rows."
    if isinstance(rule, rules.Expectation):
        return f"This Great Expectations expectation is met: {check.expected}"
    if check.threshold:
        about = f" ({check.expected.partition(' (')[2]}" if " (" in check.expected else ""
        return f"{FAULTS.get(type(rule), 'invalid')} in {how_many(check)}{about}"
    if isinstance(rule, rules.RecordRule | rules.KnownKeys):
        own = OF_SHEETS.get(check.expected) or OF_LINES[type(rule)]
        return f"Records have {check.expected}." if "element" in check.expected else own  # of XML
    return _of_values(check, rule) if isinstance(rule, rules.ValueRule) else _of_several(check)


def type_in_words(prop: Property) -> str:
    """Return the type of a column in words."""
    if prop.exact or prop.type not in TYPES:
        return type_name(prop).removeprefix("a ").removeprefix("an ")
    return TYPES[prop.type]


def form_in_words(plan: Plan, prop: Property) -> str:
    """Return in words how files write values of a property; empty if as the contract does."""
    if prop.form is None:
        return ""
    is_more = plan.file_format in OF_JSON and prop.type in ("integer", "number", "boolean")
    return "; ".join(filter(None, ("also as a text" if is_more else "", words(prop.form))))


def of_breaking(plan: Plan, check: Check) -> str:
    """Return the consequence of breaking a rule; empty if one bad row rejects the file."""
    if isinstance(check.rule, rules.Unchecked):
        by_people = isinstance(check.rule, rules.ForPeople)
        return "not checked by dropgate: people check it" if by_people else "checked by another tool"
    limit = check.tolerance or (plan.tolerance if check.scope != "set" and check.severity == "error" else None)
    if check.severity == "warning":
        return "only a warning" if not limit else f"only a warning, if more than {tolerated_in_words(limit)} break it"
    return f"up to {tolerated_in_words(limit)} may break this" if limit and limit.value else ""


def how_many(check: Check) -> str:
    """Return in words how many rows may fail a check that has a threshold."""
    threshold = check.threshold
    assert threshold is not None
    of = "of the rows" if threshold.unit == "percent" else "row" if threshold.values[-1] == 1 else "rows"
    return f"{limit_in_words(threshold)} {of}"


def how_limited(check: Check) -> str:
    """Return the threshold of a figure in words."""
    assert check.threshold is not None
    if isinstance(check.rule, rules.Limited):
        return LIMITS[check.threshold.operator].format(*check.rule.limits)
    return limit_in_words(check.threshold)


def _figure(check: Check) -> str:
    """Return the name of a figure that is held against those of other files."""
    rule = check.rule
    if isinstance(rule, rules.RowCount):
        return "The number of rows"
    if isinstance(rule, rules.Aggregate):
        return f"The {figure_in_words(rule)} of all values"
    if isinstance(rule, rules.Quantile):
        return f"The quantile {rule.value} of all values"
    if isinstance(rule, rules.Sql | rules.Statement):
        return f"The result of {rule.text}"
    share = "share" if check.threshold and check.threshold.unit == "percent" else "number"
    return f"The {share} of {FAULTS.get(type(rule), 'invalid')} rows"


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts)


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _of_values(check: Check, rule: rules.ValueRule) -> str:  # noqa: C901, PLR0912 (a case for each kind)
    """Return the words for a rule of single values; the others use the text of the plan."""
    match rule:
        case rules.Required() | rules.NullValues():
            return "always filled in"
        case rules.NotBlank():
            return "not blank"
        case rules.Enum(values):
            return f"one of {_listed(values)}"
        case rules.MissingValues(values, null):
            return f"never written as {_listed(values)}{', and never empty' if null else ''}"
        case rules.Minimum() | rules.Maximum() | rules.ExclusiveMinimum() | rules.ExclusiveMaximum():
            return bound_in_words(rule)
        case rules.MultipleOf(value):
            return f"a multiple of {value}"
        case rules.Format(name) if name in TEXT:
            return f"{TEXT[name].words}, like {TEXT[name].example}"
        case rules.Format(name) if name in INTEGERS:
            least, most = INTEGERS[name]
            return f"from {least:,} to {most:,}"
        case rules.MinItems(count):
            return f"at least {_some(count, 'element')}"
        case rules.MaxItems(count):
            return f"at most {_some(count, 'element')}"
        case rules.UniqueItems():
            return "no element twice"
        case rules.MinProperties(count):
            return f"at least {_some(count, 'key')} with a value"
        case rules.MaxProperties(count):
            return f"at most {_some(count, 'key')} with a value"
        case rules.Deprecated():
            return "left empty: it is deprecated, and the next version may drop it"
    return check.expected


def _of_several(check: Check) -> str:
    """Return the words for a rule about several records or properties; the others use the text of the plan."""
    match check.rule:
        case rules.Unique():
            return "different in every row of a file"
        case rules.PrimaryKey(names) if names:
            return f"{' and '.join(names)} are filled in, and their combination is different in every row."
        case rules.PrimaryKey():
            return "filled in and different in every row"
        case rules.ForeignKey(text=text, properties=names) if names:
            return f"{' and '.join(names)} are a combination that is in {text}."
        case rules.ForeignKey(text=text):
            return f"one of the values in {text}"
    return check.expected
