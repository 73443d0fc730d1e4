"""A contract as properties of a dbt model (a `schema.yml`): columns with types of Spark, constraints and data tests.

A rule of one row that rejects becomes a test of dbt itself, where it has one that means the same, else a `check`
constraint in Spark SQL, which nulls pass as they pass the contract's. Packages of others are not asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from contracts.authoring.exporting.exported import Account, Column, Contract, Exported, described, heading
from contracts.authoring.exporting.spark_types import literal, quoted_name, typed, written
from contracts.authoring.importing import writing
from contracts.authoring.importing.imported import given
from contracts.authoring.relationships import target
from contracts.authoring.values import moment_of
from contracts.formats import BEYOND_F32, INTEGERS, TEXT
from contracts.plan import FOREIGN_KEY, Check, Limit, Operator, Property, Threshold

OPENINGS = ("{{", "{%", "{#")
"""What begins a template of Jinja, which dbt reads in every text."""
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
Sql = Callable[[Column, Check], str | None]


def _bound(column: Column, check: Check) -> str | None:
    value = _literal(column, check.arguments["value"])
    return None if value is None else f"{quoted_name(column.name)} {SIGNS[check.kind]} {value}"


def _multiple(column: Column, check: Check) -> str:
    return f"{quoted_name(column.name)} % {check.arguments['value']} = 0"


def _length(column: Column, check: Check) -> str:
    sign = ">=" if check.kind == "minLength" else "<="
    return f"char_length({quoted_name(column.name)}) {sign} {check.arguments['value']}"


def _pattern(column: Column, check: Check) -> str:
    return _matches(column, check.arguments["pattern"])


def _format(column: Column, check: Check) -> str:
    name = check.arguments["format"]
    if column.prop.type == "string":
        return _matches(column, TEXT[name].pattern)
    if name == "f32":
        return f"abs({quoted_name(column.name)}) < {Decimal(BEYOND_F32):f}D"
    least, most = INTEGERS[name]
    return f"{quoted_name(column.name)} BETWEEN {least} AND {most}"


def _present(column: Column, check: Check) -> str | None:
    if column.prop.type != "string":
        return None
    texts = ", ".join(literal(text) for text in check.arguments["values"])
    parts = [f"{quoted_name(column.name)} NOT IN ({texts})"] if texts else []
    parts += [f"{quoted_name(column.name)} IS NOT NULL"] if check.arguments["null"] else []
    return " AND ".join(parts)


def _valid(column: Column, check: Check) -> str | None:
    values = [_literal(column, text) for text in check.arguments.get("values", ())]
    listed = ", ".join(v for v in values if v is not None)
    parts = [f"{quoted_name(column.name)} IN ({listed})"] if listed else []
    parts += [_matches(column, check.arguments["pattern"])] if "pattern" in check.arguments else []
    return None if None in values else " AND ".join(parts)


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
}
"""Row checks as conditions of Spark SQL; patterns are those that the job runs."""
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
NO_SQL = "Spark's value does not show how it was written"


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
        "name": contract.object["name"],
        **given({"description": _plain(described(contract))}),
        "config": {**({"contract": {"enforced": True}} if closed else {}), **given({"tags": tags}), **_meta(contract)},
        "columns": columns,
    }
    head = [heading(contract), *(["Not said here:"] if account.lost else []), *(f"  {line}" for line in account.lost)]
    return account.done(writing.text({"version": 2, "models": [model]}, head))


def _meta(contract: Contract) -> dict[str, Any]:
    return {"meta": {"contract": contract.name, "version": contract.plan.version}}


def _column(account: Account, column: Column) -> dict[str, Any]:
    kind = typed(account, column)
    account.carried -= column.null_checks()  # a test says it, or nothing
    tests: list[Any] = []
    constraints: list[dict[str, Any]] = []
    for check in column.checks:
        if check.kind in TESTS or (check.kind == "primaryKey" and check.property):
            found = _tests(column, check)
            tests += [one for one in found if one not in tests]
            account.carried |= {check.id} if found else set()
            account.tolerated |= {check.id}
        elif check.kind in CONSTRAINTS and _is_hard(check) and _is_said(check, column):
            condition = CONSTRAINTS[check.kind](column, check)
            if condition:
                constraints.append({"type": "check", "expression": _plain(condition)})
                account.carried.add(check.id)
    tags = column.source.get("tags")
    return {
        "name": column.name,
        **given({"description": _plain(column.source.get("description") or "")}),
        **({"quote": True} if not column.name.isidentifier() or not column.name.isascii() else {}),
        "data_type": kind.name,
        **given({"config": given({"tags": tags}), "constraints": constraints, "data_tests": tests}),
    }


def _is_hard(check: Check) -> bool:
    return check.severity == "error" and check.scope == "row" and not check.tolerance


def _is_said(check: Check, column: Column) -> bool:
    """Whether a rule about numbers is not in the type already, and whether values of the type are insisted on."""
    return column.typed or check.kind not in ("multipleOf", *SIGNS)


def _why(check: Check) -> str:
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
    return {"to": f"ref('{found.object if found else check.arguments['to']}')", "field": check.arguments["columns"][0]}


def _test(name: str, arguments: dict[str, Any], config: dict[str, str]) -> Any:
    if not arguments and not config:
        return name
    inner = {k: [_plain(v) for v in found] if isinstance(found, list) else found for k, found in arguments.items()}
    return {name: given({"arguments": inner, "config": config})}


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


def _matches(column: Column, pattern: str) -> str:
    return f"{quoted_name(column.name)} RLIKE {literal(pattern)}"


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


def _plain(text: str) -> str:
    """A text that dbt takes as it stands."""
    return f"{{% raw %}}{text}{{% endraw %}}" if any(opening in text for opening in OPENINGS) else text
