"""A sample of a contract's files: a plan in, a small file with invented values out, or why there is none. Pure.

It shows the layout: columns, dialect, notations of dates and numbers. Values meet types, bounds, lengths and lists of
values. Rules that no value is made for (patterns, SQL, references, rules of whole files) are named.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from contracts import rules
from contracts.catalog import example
from contracts.plan import OF_JSON, RECODED, Check, Plan, Property
from contracts.values.date_formats import DateFormats, written
from contracts.values.text_formats import TEXT

RECORDS = 3
MADE = (
    rules.LogicalType,
    rules.Required,
    rules.NullValues,
    rules.Enum,
    rules.Minimum,
    rules.Maximum,
    rules.MinLength,
    rules.MaxLength,
    rules.AllowedPrefixes,
    rules.Format,
    rules.NotBlank,
    rules.Unique,
    rules.PrimaryKey,
)
"""The rules that values are made for."""
DAY = datetime(2026, 1, 30, 8, 30)  # noqa: DTZ001 - a local time of the file


@dataclass(frozen=True, slots=True)
class SampleFile:
    """A sample with its name; `unmet` are the checks that no value was made for, which may fail it."""

    name: str
    body: bytes
    unmet: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoSample:
    """The reason why a contract has no sample."""

    reason: str


def sample_file(plan: Plan) -> SampleFile | NoSample:
    """Return a sample of a plan's files."""
    if reason := _obstacle(plan):
        return NoSample(reason)
    records = [[_value(plan, prop, n) for prop in plan.properties] for n in range(1, RECORDS + 1)]
    text = _json(plan, records) if plan.file_format in OF_JSON else _csv(plan, records)
    try:
        body = text.encode(plan.csv.encoding if plan.has_cells else "utf-8")
    except (LookupError, UnicodeEncodeError):
        return NoSample(f"its encoding {plan.csv.encoding} is written by no function of ours")
    unmet = [check.id for check in plan.checks if check.scope != "record" and not isinstance(check.rule, MADE)]
    return SampleFile(example(plan.files[0]).rpartition("/")[2], body, tuple(unmet))


def _obstacle(plan: Plan) -> str | None:
    """Return why no sample is made of a plan; None if there is one."""
    dialect = plan.csv
    if plan.file_format not in ("csv", *OF_JSON):
        return f"samples are made of CSV and JSON, and its files are {plan.file_format}"
    if plan.packing != "none" or plan.set:
        return "its files are packed, or come in sets"
    if plan.file_format == "csv" and len(dialect.delimiter) > 1:
        return "its delimiter has several characters"
    if any(prop.path or prop.type in ("object", "array", "map") for prop in plan.properties):
        return "its records hold other records"
    rows_around = dialect.has_top or dialect.ending or dialect.record or dialect.lacking or dialect.encoding in RECODED
    if plan.file_format == "csv" and rows_around:
        return "its files have more than a header and records"
    return "its records lie under keys" if plan.json and plan.json.keys else None


def _csv(plan: Plan, records: list[list[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, **plan.csv.for_python, lineterminator=plan.csv.record_delimiter or "\n")
    header = [[prop.headings[0] for prop in plan.properties]] if plan.csv.header else []
    cells = [[prop.as_cell(value) for prop, value in zip(plan.properties, each, strict=True)] for each in records]
    more = [""] if plan.csv.trailing_delimiter else []
    writer.writerows([*row, *more] for row in (*header, *cells))
    return out.getvalue()


def _json(plan: Plan, records: list[list[str]]) -> str:
    each = [{prop.key: _typed(prop, value) for prop, value in zip(plan.properties, r, strict=True)} for r in records]
    if plan.file_format == "json":
        return json.dumps(each, ensure_ascii=False, indent=2) + "\n"
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in each)


def _typed(prop: Property, value: str) -> Any:
    if prop.form or prop.type not in ("integer", "number", "boolean"):
        return prop.as_cell(value)
    return json.loads(value)


def _value(plan: Plan, prop: Property, n: int) -> str:
    """Return the n-th value of a property, as the contract writes it."""
    checks = {type(check.rule): check for check in plan.checks if check.property == prop.name}
    if enum := _rule(checks, rules.Enum):
        return str(enum.values[n % len(enum.values)])
    match prop.type:
        case "integer" | "number":
            return _number(checks, n)
        case "boolean":
            return "true" if n % 2 else "false"
        case "date" | "timestamp" | "time":
            return _moment(prop, n)
    return _text(checks, prop, n)


def _rule(checks: dict[type, Check], kind: type) -> Any:
    return checks[kind].rule if kind in checks else None


def _number(checks: dict[type, Check], n: int) -> str:
    low, high = _rule(checks, rules.Minimum), _rule(checks, rules.Maximum)
    value = Decimal(low.value) + n - 1 if low else min(Decimal(n), Decimal(high.value)) if high else Decimal(n)
    return f"{min(value, Decimal(high.value)) if high else value:f}"


def _moment(prop: Property, n: int) -> str:
    at = DAY + timedelta(days=n - 1)
    if prop.format:
        return written(at, prop.format, DateFormats((prop.format,)))
    texts = {"date": f"{at:%Y-%m-%d}", "time": f"{at:%H:%M:%S}"}
    return texts.get(prop.type, f"{at:%Y-%m-%dT%H:%M:%S}{'Z' if prop.offset else ''}")


def _text(checks: dict[type, Check], prop: Property, n: int) -> str:
    named = _rule(checks, rules.Format)
    if named and named.format in TEXT:
        return TEXT[named.format].example
    prefixes, least, most = (_rule(checks, kind) for kind in (rules.AllowedPrefixes, rules.MinLength, rules.MaxLength))
    text = f"{prefixes.prefixes[0]}{n}" if prefixes else f"{prop.name}-{n}"
    text = text.ljust(int(least.value), "x") if least else text
    if most is None or len(text) <= most.value:
        return text
    return f"{text[: max(0, int(most.value) - 1)]}{n}"[: int(most.value)]
