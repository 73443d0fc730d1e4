"""A contract as properties of a dbt model (a `schema.yml`): columns with types of Spark, constraints and data tests.

A rule of one row that rejects becomes a test of dbt itself, where it has one that means the same, else a `check`
constraint in Spark SQL, which nulls pass as they pass the contract's. Packages of others are not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from contracts.authoring.exports.exported import Account, Column, Contract, Exported, described, heading
from contracts.authoring.exports.spark_types import is_sayable, literal, nested_type, of_each, sayable, written
from contracts.authoring.imports import writing
from contracts.authoring.imports.imported import given
from contracts.authoring.properties.values import moment_of
from contracts.authoring.quality.relationships import target
from contracts.plan import FORBID_NULL, FOREIGN_KEY, Check, Limit, Operator, Property, Threshold
from contracts.problem import quoted
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT

OPENING = re.compile(r"\{[{%#]")
"""What begins a template of Jinja, which dbt reads in every text."""
OTHERWISE = re.compile(r"endraw|\r|\n\Z|\A\s*(?:env_var|ref|var|source|doc)\s*\(")
"""What a text of Jinja cannot hold as it stands, and what dbt takes for a call where it is a test's whole argument."""
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
"""When a number of failing rows is too much, for `error_if` and `warn_if`; two bounds at once dbt cannot say."""
SIGNS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
Sql = Callable[[str, Column, Check], str | None]
"""Of a value in SQL, and the column and the check that it is about: what must be true; None where SQL cannot say it."""


def _bound(value: str, column: Column, check: Check) -> str | None:
    bound = _literal(column, check.arguments["value"])
    return None if bound is None else f"{value} {SIGNS[check.kind]} {bound}"


def _multiple(value: str, _: Column, check: Check) -> str:
    return f"{value} % {check.arguments['value']} = 0"


def _length(value: str, _: Column, check: Check) -> str:
    sign = ">=" if check.kind == "minLength" else "<="
    return f"char_length({value}) {sign} {check.arguments['value']}"


def _pattern(value: str, _: Column, check: Check) -> str:
    return _matches(value, check.arguments["pattern"])


def _format(value: str, column: Column, check: Check) -> str:
    name = check.arguments["format"]
    if column.prop.type == "string":
        return _matches(value, TEXT[name].pattern)
    if name == "f32":
        return f"abs({value}) < {Decimal(BEYOND_F32):f}D"
    least, most = INTEGERS[name]
    return f"{value} BETWEEN {least} AND {most}"


def _present(value: str, column: Column, check: Check) -> str | None:
    if column.prop.type != "string":
        return None
    texts = ", ".join(literal(text) for text in check.arguments["values"])
    parts = [f"{value} NOT IN ({texts})"] if texts else []
    parts += [f"{value} IS NOT NULL"] if check.arguments["null"] else []
    return " AND ".join(parts)


def _valid(value: str, column: Column, check: Check) -> str | None:
    values = [_literal(column, text) for text in check.arguments.get("values", ())]
    listed = ", ".join(v for v in values if v is not None)
    parts = [f"{value} IN ({listed})"] if listed else []
    parts += [_matches(value, check.arguments["pattern"])] if "pattern" in check.arguments else []
    return None if None in values else " AND ".join(parts)


def _filled(value: str, *_: object) -> str:
    return f"{value} IS NOT NULL"


def _size(value: str, column: Column, check: Check) -> str | None:
    if column.prop.type == "object":
        return None
    given = f"map_filter({value}, (k, v) -> v IS NOT NULL)" if column.prop.type == "map" else value
    sign = ">=" if check.kind.startswith("min") else "<="
    return f"({value} IS NULL OR size({given}) {sign} {check.arguments['value']})"


CONSTRAINTS: dict[str, Sql] = {
    "minimum": _bound,
    "maximum": _bound,
    "exclusiveMinimum": _bound,
    "exclusiveMaximum": _bound,
    "multipleOf": _multiple,
    "minLength": _length,
    "maxLength": _length,
    "pattern": _pattern,
    "regex": _pattern,
    "notBlank": _pattern,
    "format": _format,
    "missingValues": _present,
    "invalidValues": _valid,
    **dict.fromkeys(("minItems", "maxItems", "minProperties", "maxProperties"), _size),
}
"""Row checks as conditions of Spark SQL; patterns are those that the job runs."""
WITHIN: dict[str, Sql] = {**CONSTRAINTS, "required": _filled, "nullValues": _filled, "enum": _valid}
"""The same of properties within others, for which there are no tests."""
TESTS = {
    "required": "not_null",
    "nullValues": "not_null",
    "unique": "unique",
    "enum": "accepted_values",
    FOREIGN_KEY: "relationships",
}
"""Checks that a test of dbt says, which counts as the contract does."""
OF_THE_FILE = "dbt itself has no test for it"
NOT_SOFT = "a constraint is not held in part, nor as a warning"
NO_KEYS = "a struct has all of its fields, null or not"
NO_NAME = "SQL cannot hold its name"
NO_SQL = "Spark's value does not show how it was written"


def condition(column: Column, check: Check) -> str | None:
    """Return a row check of a nested or plain property as a condition in Spark SQL; None if it has none."""
    made = (WITHIN if column.prop.path else CONSTRAINTS).get(check.kind)
    if made is None or not all(map(is_sayable, column.prop.route)) or made("", column, check) is None:
        return None

    def asked(value: str, owner: str | None) -> str:
        found = made(value, column, check) or ""
        return f"({owner} IS NULL OR {found})" if owner and _minds_null(check) else found

    return of_each(column.prop.route, asked)


def _minds_null(check: Check) -> bool:
    return check.kind in FORBID_NULL or bool(check.arguments.get("null"))


def write(contract: Contract) -> Exported:
    """A `schema.yml` with one model."""
    account = Account(contract)
    columns = [_column(account, column) for column in contract.columns()]
    account.keys({"description", "tags"}, {"description", "tags"}, {"description", "tags"})
    account.checks(_why)
    written(account)
    closed = contract.plan.columns.extra == "reject" and not contract.bare
    if not closed:
        account.lose("That columns which the contract lacks are let through: an enforced contract of dbt refuses them.")
    tags = [*(contract.data.get("tags") or ()), *(contract.object.get("tags") or ())]
    model = {
        "name": sayable(account, contract.object["name"]),
        **given({"description": described(contract)}),
        "config": {**({"contract": {"enforced": True}} if closed else {}), **given({"tags": tags}), **_meta(contract)},
        "columns": columns,
    }
    head = [heading(contract), *(["Not said here:"] if account.lost else []), *(f"  {line}" for line in account.lost)]
    return account.done(writing.text({"version": 2, "models": [_plain(model)]}, head))


def _meta(contract: Contract) -> dict[str, Any]:
    return {"meta": {"contract": contract.name, "version": contract.plan.version}}


def _column(account: Account, column: Column) -> dict[str, Any]:
    kind = nested_type(account, column)
    start = column.prop.route
    inside = [one for one in account.contract.every if one.prop.route[: len(start)] == start]
    for one in inside:
        account.carried -= one.null_checks()  # a test or a constraint says it, or nothing
    if named := [one.name for one in inside if one.prop.path and one.source.keys() & {"description", "tags"}]:
        account.lose(f"What is said of {quoted(named, most=20)} in words.")
    tests: list[Any] = []
    constraints: list[dict[str, Any]] = []
    for one, check in [(each, check) for each in inside for check in each.checks]:
        if not one.prop.path and (check.kind in TESTS or (check.kind == "primaryKey" and check.property)):
            found = _tests(column, check)
            tests += [test for test in found if test not in tests]
            account.carried |= {check.id} if found else set()
            account.tolerated |= {check.id}
        elif _is_hard(check) and _is_said(check, one) and (asked := condition(one, check)):
            constraints.append({"type": "check", "expression": asked})
            account.carried.add(check.id)
    tags = column.source.get("tags")
    return {
        "name": sayable(account, column.name),
        **given({"description": (column.source.get("description") or "").rstrip("\n")}),
        **({"quote": True} if not column.name.isidentifier() or not column.name.isascii() else {}),
        "data_type": kind,
        **given({"config": given({"tags": tags}), "constraints": constraints, "data_tests": tests}),
    }


def _is_hard(check: Check) -> bool:
    return check.severity == "error" and check.scope == "row" and not check.tolerance


def _is_said(check: Check, column: Column) -> bool:
    """Return False for a rule about numbers on a column whose type is not enforced."""
    return column.typed or check.kind not in ("multipleOf", *SIGNS)


def _why(check: Check) -> str:
    if check.property and not is_sayable(check.property):
        return NO_NAME
    if check.kind in ("minProperties", "maxProperties"):
        return NO_KEYS
    if check.kind in CONSTRAINTS and check.scope == "row":
        return NO_SQL if _is_hard(check) else NOT_SOFT
    return OF_THE_FILE


def _tests(column: Column, check: Check) -> list[Any]:
    """The tests that say what a check says; none where dbt counts or judges otherwise."""
    config = _config(check)
    if config is None or (check.kind in ("unique", "primaryKey") and check.tolerance):
        return []  # dbt counts values that repeat, the contract records that have them
    if check.kind == "primaryKey":
        return [_test("not_null", {}, config), _test("unique", {}, config)]
    if check.kind == FOREIGN_KEY:
        return [_test(TESTS[FOREIGN_KEY], _related(column, check), config)]
    if check.kind != "enum":
        return [_test(TESTS[check.kind], {}, config)]
    values = [_literal(column, text) for text in check.arguments["values"]]
    if None in values:
        return []
    texts = column.prop.type == "string"
    arguments = {"values": check.arguments["values"] if texts else values, **({} if texts else {"quote": False})}
    return [_test("accepted_values", arguments, config)]


def _related(column: Column, check: Check) -> dict[str, str]:
    """The model or seed that is looked in, which is called as the object or the reference file, and its column."""
    written = {str(e.get("id") or check.id): e["to"] for e in column.source["relationships"]}[check.id]
    found = target(written if isinstance(written, str) else written[0])
    name = found.object if found else check.arguments["to"]
    return {"to": _Call(f"ref({_in_jinja(name, QUOTE)})"), "field": check.arguments["columns"][0]}


def _test(name: str, arguments: dict[str, Any], config: dict[str, str]) -> Any:
    if not arguments and not config:
        return name
    return {name: given({"arguments": arguments, "config": config})}


def _config(check: Check) -> dict[str, str] | None:
    """Severity and limits of a test; None where dbt has no such limit."""
    limit: Limit | Threshold | None = check.threshold or check.tolerance
    warns = {"severity": "warn"} if check.severity == "warning" else {}
    if limit is None:
        return warns
    if limit.unit == "percent":
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


def _literal(column: Column, text: str) -> str | None:
    """A value of a column in Spark SQL; None for dates and times that are not written as SQL reads them."""
    prop = column.prop
    if prop.type == "string":
        return literal(text)
    if prop.type == "time":
        return None
    if prop.type in ("date", "timestamp"):
        return _moment(text, prop)
    return f"{text}D" if prop.type == "number" and not prop.exact else text


def _moment(text: str, prop: Property) -> str | None:
    """A date or timestamp as SQL reads it, whatever the contract's own format."""
    found = moment_of(text, prop)
    if found is None:
        return None
    if prop.type == "date":
        return f"DATE {literal(found.date().isoformat())}"
    local = prop.offset is False and prop.zone is None
    written = found.replace(tzinfo=None).isoformat(" ")
    return f"TIMESTAMP_NTZ {literal(written)}" if local else f"TIMESTAMP {literal(written + 'Z')}"


class _Call(str):
    """A text that dbt is to take for a call."""

    __slots__ = ()


def _plain(value: Any) -> Any:
    """A value that dbt takes as it stands: it renders each text in it once."""
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
    """A text as Jinja writes one: it has no sign in it that could end it or the template, whatever stands in it."""
    plain = (f"\\x{ord(c):02x}" if c in SIGNS_OF_JINJA or ord(c) < FIRST_PLAIN else c for c in text)
    return f"{quote}{''.join(plain)}{quote}"
