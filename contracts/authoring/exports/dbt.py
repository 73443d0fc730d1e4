"""A contract as properties of a dbt model (a `schema.yml`): columns with types of Spark, constraints and data tests.

A row rule that rejects becomes an equal test of dbt itself, or a `check` constraint in Spark SQL, which nulls pass as
they pass the contract's rule. No packages of dbt are needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from contracts import rules
from contracts.authoring.exports import moments
from contracts.authoring.exports.exported import Account, Contract, Exported, ExportedColumn, described
from contracts.authoring.exports.spark_types import is_valid_name, literal, nested_type, of_each, valid_name
from contracts.authoring.imports import writing
from contracts.authoring.imports.imported import given
from contracts.authoring.properties.logical_options import SIGNS
from contracts.authoring.properties.values import moment_of
from contracts.authoring.quality.relationships import target
from contracts.plan import Check, Limit, Operator, Threshold
from contracts.problem import quoted
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT

OPENING = re.compile(r"\{[{%#]")
"""The beginning of a Jinja template, which dbt reads in every text."""
OTHERWISE = re.compile(r"endraw|\r|\n\Z|\A\s*(?:env_var|ref|var|source|doc)\s*\(")
"""Text that a raw block of Jinja cannot hold, and text that dbt reads as a call in an argument of a test."""
SIGNS_OF_JINJA = "{}%#\\'\""
FIRST_PLAIN = ord(" ")
QUOTE, DOUBLE = "'", '"'
BEYOND: dict[Operator, str] = {
    "mustBe": "!= {0}",
    "mustNotBe": "= {0}",
    "mustBeGreaterThan": "<= {0}",
    "mustBeGreaterOrEqualTo": "< {0}",
    "mustBeLessThan": ">= {0}",
    "mustBeLessOrEqualTo": "> {0}",
}
"""The condition on failing rows for `error_if` and `warn_if`; dbt has none with two bounds."""
Tested = rules.ForbidsNull | rules.Unique | rules.Enum | rules.ForeignKey
"""The rules with a test of dbt, which counts as the contract does; a primary key of one property has two."""
Constrained = (
    rules.Bound
    | rules.MultipleOf
    | rules.Count
    | rules.Pattern
    | rules.Regex
    | rules.NotBlank
    | rules.Format
    | rules.MissingValues
    | rules.InvalidValues
)
"""The row rules with a condition in Spark SQL."""
BEFORE_ARGUMENTS = (
    "dbt before 1.10.5: it does not read `arguments` of data tests; there, write what is in them one level up, beside "
    "`config`."
)
"""docs.getdbt.com, "About data tests property"."""
OF_THE_FILE = "dbt itself has no test for it"
NOT_SOFT = "a constraint has neither tolerance nor warnings"
NO_KEYS = "a struct has all of its fields, null or not"
NO_NAME = "SQL cannot hold its name"
NO_SQL = "Spark's value does not show how it was written"


def condition(column: ExportedColumn, check: Check) -> str | None:
    """Return a row check of a nested or plain property as a condition in Spark SQL; None if it has none."""
    rule = check.rule
    if not column.prop.path and not isinstance(rule, Constrained):
        return None
    if not all(map(is_valid_name, column.prop.route)) or _holds("", column, rule) is None:
        return None

    def test(value: str, owner: str | None) -> str:
        sql = _holds(value, column, rule) or ""
        return f"({owner} IS NULL OR {sql})" if owner and rules.forbids_null(rule) else sql

    return of_each(column.prop.route, test)


def _holds(  # noqa: C901 (a case for each kind)
    value: str, column: ExportedColumn, rule: rules.Rule
) -> str | None:
    """Return the condition that a value in SQL meets a rule, with the job's patterns; None if SQL has none."""
    match rule:
        case rules.Minimum() | rules.ExclusiveMinimum() | rules.Maximum() | rules.ExclusiveMaximum():
            bound = _literal(column, rule.value)
            return None if bound is None else f"{value} {SIGNS[rule.kind]} {bound}"
        case rules.MultipleOf(text):
            return f"{value} % {text} = 0"
        case rules.MinLength(length):
            return f"char_length({value}) >= {length}"
        case rules.MaxLength(length):
            return f"char_length({value}) <= {length}"
        case rules.Pattern(pattern) | rules.Regex(pattern) | rules.NotBlank(pattern):
            return _matches(value, pattern)
        case rules.Format(name):
            return _format(value, column, name)
        case rules.MissingValues(texts, null) if column.prop.type == "string":
            listed = ", ".join(literal(text) for text in texts)
            parts = [f"{value} NOT IN ({listed})"] if listed else []
            return " AND ".join([*parts, *([f"{value} IS NOT NULL"] if null else [])])
        case rules.InvalidValues(values, pattern):
            return _valid(value, column, values or (), pattern)
        case rules.Enum(values):
            return _valid(value, column, values, None)
        case rules.MinItems(count) | rules.MinProperties(count):
            return _size(value, column, f">= {count}")
        case rules.MaxItems(count) | rules.MaxProperties(count):
            return _size(value, column, f"<= {count}")
        case rules.Required() | rules.NullValues():
            return f"{value} IS NOT NULL"
    return None


def _format(value: str, column: ExportedColumn, name: str) -> str:
    if column.prop.type == "string":
        return _matches(value, TEXT[name].pattern)
    if name == "f32":
        return f"abs({value}) < {Decimal(BEYOND_F32):f}D"
    least, most = INTEGERS[name]
    return f"{value} BETWEEN {least} AND {most}"


def _valid(value: str, column: ExportedColumn, texts: Sequence[str], pattern: str | None) -> str | None:
    values = [_literal(column, text) for text in texts]
    listed = ", ".join(v for v in values if v is not None)
    parts = [f"{value} IN ({listed})"] if listed else []
    parts += [] if pattern is None else [_matches(value, pattern)]
    return None if None in values else " AND ".join(parts)


def _size(value: str, column: ExportedColumn, limit: str) -> str | None:
    if column.prop.type == "object":
        return None
    held = f"map_filter({value}, (k, v) -> v IS NOT NULL)" if column.prop.type == "map" else value
    return f"({value} IS NULL OR size({held}) {limit})"


def write(contract: Contract) -> Exported:
    """Return a `schema.yml` with one model."""
    account = Account(contract)
    columns = [_column(account, column) for column in contract.columns()]
    account.keys({"description", "tags"}, {"description", "tags"}, {"description", "tags"})
    account.checks(_why)
    account.lose_notation()
    closed = contract.plan.columns.extra == "reject" and not contract.bare
    if not closed:
        account.lose("Columns that the contract lacks and allows: an enforced contract of dbt refuses them.")
    tests = [test for column in columns for test in column.get("data_tests", ()) if isinstance(test, dict)]
    if any("arguments" in settings for test in tests for settings in test.values()):
        account.lose(BEFORE_ARGUMENTS)
    tags = [*(contract.data.get("tags") or ()), *(contract.object.get("tags") or ())]
    meta = {"contract": contract.name, "version": contract.plan.version}
    model = {
        "name": valid_name(account, contract.object["name"]),
        **given({"description": described(contract)}),
        "config": {**({"contract": {"enforced": True}} if closed else {}), **given({"tags": tags}), "meta": meta},
        "columns": columns,
    }
    return account.done(writing.text({"version": 2, "models": [_plain(model)]}, account.comment()))


def _column(account: Account, column: ExportedColumn) -> dict[str, Any]:
    kind = nested_type(account, column)
    start = column.prop.route
    inside = [part for part in account.contract.every if part.prop.route[: len(start)] == start]
    for part in inside:
        account.carried -= part.null_checks()  # only a test or a constraint carries them
    if named := [part.name for part in inside if part.prop.path and part.source.keys() & {"description", "tags"}]:
        account.lose(f"Descriptions and tags of {quoted(named, most=20)}.")
    tests: list[Any] = []
    constraints: list[dict[str, Any]] = []
    for part, check in [(owner, check) for owner in inside for check in owner.checks]:
        whole_key = isinstance(check.rule, rules.PrimaryKey) and check.property is not None
        of_numbers = isinstance(check.rule, rules.MultipleOf | rules.Bound)  # says nothing where no type is enforced
        if not part.prop.path and (whole_key or isinstance(check.rule, Tested)):
            equal = _tests(column, check)
            tests += [test for test in equal if test not in tests]
            account.carried |= {check.id} if equal else set()
            account.tolerated |= {check.id}
        elif _is_hard(check) and (part.typed or not of_numbers) and (sql := condition(part, check)):
            constraints.append({"type": "check", "expression": sql})
            account.carried.add(check.id)
    tags = column.source.get("tags")
    return {
        "name": valid_name(account, column.name),
        **given({"description": (column.source.get("description") or "").rstrip("\n")}),
        **({"quote": True} if not column.name.isidentifier() or not column.name.isascii() else {}),
        "data_type": kind,
        **given({"config": given({"tags": tags}), "constraints": constraints, "data_tests": tests}),
    }


def _is_hard(check: Check) -> bool:
    return check.severity == "error" and check.scope == "row" and not check.tolerance


def _why(check: Check) -> str:
    if check.property and not is_valid_name(check.property):
        return NO_NAME
    if isinstance(check.rule, rules.MinProperties | rules.MaxProperties):
        return NO_KEYS
    if isinstance(check.rule, Constrained) and check.scope == "row":
        return NO_SQL if _is_hard(check) else NOT_SOFT
    return OF_THE_FILE


def _tests(column: ExportedColumn, check: Check) -> list[Any]:
    """Return the tests equal to a check; none if dbt counts or judges differently."""
    config, rule = _config(check), check.rule
    if config is None or (isinstance(rule, rules.Unique | rules.PrimaryKey) and check.tolerance):
        return []  # dbt counts repeated values, the contract counts records with them
    match rule:
        case rules.PrimaryKey():
            return [_test("not_null", {}, config), _test("unique", {}, config)]
        case rules.Unique():
            return [_test("unique", {}, config)]
        case rules.Required() | rules.NullValues():
            return [_test("not_null", {}, config)]
        case rules.ForeignKey():  # to the model or seed that is named for the object or the file
            written = {str(e.get("id") or check.id): e["to"] for e in column.source["relationships"]}[check.id]
            reference = target(written if isinstance(written, str) else written[0])
            call = _Call(f"ref({_in_jinja(reference.object if reference else rule.to, QUOTE)})")
            return [_test("relationships", {"to": call, "field": rule.columns[0]}, config)]
        case rules.Enum(texts):
            values = [_literal(column, text) for text in texts]
            if None in values:
                return []
            is_text = column.prop.type == "string"
            arguments = {"values": list(texts) if is_text else values, **({} if is_text else {"quote": False})}
            return [_test("accepted_values", arguments, config)]
    return []


def _test(name: str, arguments: dict[str, Any], config: dict[str, str]) -> Any:
    if not arguments and not config:
        return name
    return {name: given({"arguments": arguments, "config": config})}


def _config(check: Check) -> dict[str, str] | None:
    """Return severity and limits of a test; None if dbt has no such limit."""
    limit: Limit | Threshold | None = check.threshold or check.tolerance
    warns = {"severity": "warn"} if check.severity == "warning" else {}
    if limit is None:
        return warns
    if limit.unit == "percent" or (isinstance(limit, Threshold) and limit.relative):
        return None
    if isinstance(limit, Limit):
        beyond = f"> {limit.value}"
        return {**warns, "warn_if": beyond} if warns else {"error_if": beyond}
    if limit.operator not in BEYOND:
        return None
    beyond = BEYOND[limit.operator].format(*limit.values)
    return {**warns, "warn_if": beyond, **({} if warns else {"error_if": beyond})}


def _matches(value: str, pattern: str) -> str:
    return f"{value} RLIKE {literal(pattern)}"


def _literal(column: ExportedColumn, text: str) -> str | None:
    """Return a value of a column in Spark SQL, whatever the contract's own format; None for times of day."""
    prop = column.prop
    if prop.type == "string":
        return literal(text)
    if prop.type in ("date", "timestamp"):
        moment = moment_of(text, prop)
        if moment is None:
            return None
        if prop.type == "date":
            return f"DATE {literal(moment.date().isoformat())}"
        written = moment.replace(tzinfo=None).isoformat(" ")
        return f"TIMESTAMP_NTZ {literal(written)}" if moments.is_local(prop) else f"TIMESTAMP {literal(written + 'Z')}"
    if prop.type == "time":
        return None
    return f"{text}D" if prop.type == "number" and not prop.exact else text


class _Call(str):
    """A text that dbt must read as a call."""

    __slots__ = ()


def _plain(value: Any) -> Any:
    """Return a value that dbt, which renders each text once, reads unchanged."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, _Call):
        return str(value)
    if not isinstance(value, str):
        return value
    if OTHERWISE.search(value):
        return f"{{{{ {_in_jinja(value, DOUBLE)} }}}}"
    return f"{{% raw %}}{value}{{% endraw %}}" if OPENING.search(value) else value


def _in_jinja(text: str, quote: str) -> str:
    """Return a text as a Jinja literal, without any sign that could end the literal or the template."""
    plain = (f"\\x{ord(c):02x}" if c in SIGNS_OF_JINJA or ord(c) < FIRST_PLAIN else c for c in text)
    return f"{quote}{''.join(plain)}{quote}"
