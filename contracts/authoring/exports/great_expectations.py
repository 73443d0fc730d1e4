"""A contract as a suite of Great Expectations 1.24: for rows in columns of their types, as Spark's types have them.

Each check becomes the expectation that means the same, or a query for the rows that break it, with its severity; what
is asked of a property within another is a query. What was written where a value could not be read is not there any
more, so that no expectation speaks of it.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

from contracts.authoring.exports import dbt, json_text
from contracts.authoring.exports.exported import Account, Column, Contract, Exported, described, heading
from contracts.authoring.exports.spark_types import is_sayable, of_each
from contracts.authoring.properties.values import moment_of
from contracts.plan import EXPECTATION, FOREIGN_KEY, Check, Operator, Property, Threshold
from contracts.values.text_formats import TEXT

VERSION = "1.24.1"
SEVERITY = {"error": "critical", "warning": "warning"}
Kwargs: TypeAlias = dict[str, Any]
Found = list[tuple[str, Kwargs]]
"""Expectations by type and arguments; none where there is no equal one."""
Rule = Callable[[Column, Check], Found]
OF_VALUES = "expect_column_values_to_"
BOUND: dict[str, Kwargs] = {
    "minimum": {"min_value": 0},
    "exclusiveMinimum": {"min_value": 0, "strict_min": True},
    "maximum": {"max_value": 0},
    "exclusiveMaximum": {"max_value": 0, "strict_max": True},
}
RANGES: dict[Operator, Kwargs] = {
    "mustBe": {"min_value": 0, "max_value": 1},
    "mustBeGreaterThan": {"min_value": 0, "strict_min": True},
    "mustBeGreaterOrEqualTo": {"min_value": 0},
    "mustBeLessThan": {"max_value": 0, "strict_max": True},
    "mustBeLessOrEqualTo": {"max_value": 0},
    "mustBeBetween": {"min_value": 0, "strict_min": True, "max_value": 1, "strict_max": True},
}
"""The arguments of a range by operator; a bound is the place of its number among the threshold's."""
DIGITS = 15
"""That every double holds."""
WHOLE_KEYS = {"ignore_row_if": "any_value_is_missing"}
NO_EQUAL = "Great Expectations has no expectation that means the same"
OF_VALUES_ALONE = "a share is taken of values that are not null, and a number of rows cannot be said"
WRITTEN = "the value does not show how it was written"
OF_ONE_BATCH = "a suite is of one batch of data"


def _bound(column: Column, check: Check) -> Found:
    value = _value(column.prop, check.arguments["value"])
    if _is_long(value):
        return _query(column, check)
    bound = BOUND[check.kind]
    kwargs = {k: v if v is True else value for k, v in bound.items()}
    return [] if value is None else [(f"{OF_VALUES}be_between", kwargs)]


def _length(_: Column, check: Check) -> Found:
    name = "min_value" if check.kind == "minLength" else "max_value"
    return [("expect_column_value_lengths_to_be_between", {name: check.arguments["value"]})]


def _among(column: Column, check: Check) -> Found:
    values = [_value(column.prop, text) for text in check.arguments["values"]]
    return [] if None in values else [(f"{OF_VALUES}be_in_set", {"value_set": values})]


def _pattern(_: Column, check: Check) -> Found:
    return [(f"{OF_VALUES}match_regex", {"regex": check.arguments["pattern"]})]


def _valid(column: Column, check: Check) -> Found:
    among = _among(column, check) if "values" in check.arguments else []
    if "values" in check.arguments and not among:
        return []
    return [*among, *(_pattern(column, check) if "pattern" in check.arguments else [])]


def _present(column: Column, check: Check) -> Found:
    if column.prop.type != "string":
        return []
    texts = check.arguments["values"]
    null = [(f"{OF_VALUES}not_be_null", Kwargs())] if check.arguments["null"] else []
    return [*null, *([(f"{OF_VALUES}not_be_in_set", {"value_set": texts})] if texts else [])]


def _format(column: Column, check: Check) -> Found:
    if column.prop.type == "string":
        return [(f"{OF_VALUES}match_regex", {"regex": TEXT[check.arguments["format"]].pattern})]
    return _query(column, check)


def _query(column: Column, check: Check) -> Found:
    condition = dbt.condition(column, check)
    return [_breaking(condition)] if condition else []


def _breaking(condition: str, rows: str = "{batch}") -> tuple[str, Kwargs]:
    """The rows that break a condition; braces of its text are doubled, as the query is a template."""
    plain = condition.replace("{", "{{").replace("}", "}}")
    return "unexpected_rows_expectation", {"unexpected_rows_query": f"SELECT * FROM {rows} WHERE NOT ({plain})"}  # noqa: S608 (text)


RULES: dict[str, Rule] = {
    "required": lambda *_: [(f"{OF_VALUES}not_be_null", {})],
    "nullValues": lambda *_: [(f"{OF_VALUES}not_be_null", {})],
    "unique": lambda *_: [(f"{OF_VALUES}be_unique", {})],
    "primaryKey": lambda *_: [(f"{OF_VALUES}not_be_null", {}), (f"{OF_VALUES}be_unique", {})],
    "enum": _among,
    "minimum": _bound,
    "maximum": _bound,
    "exclusiveMinimum": _bound,
    "exclusiveMaximum": _bound,
    "multipleOf": _query,
    "minLength": _length,
    "maxLength": _length,
    "pattern": _pattern,
    "regex": _pattern,
    "notBlank": _pattern,
    "format": _format,
    "invalidValues": _valid,
    "missingValues": _present,
    **dict.fromkeys(("minItems", "maxItems", "minProperties", "maxProperties"), _query),
}
"""Checks of single values, and of columns as a whole, without threshold."""
FIGURES = {kind: f"expect_column_{kind}_to_be_between" for kind in ("mean", "stdev", "min", "max", "sum")}


def write(contract: Contract) -> Exported:
    """The suite as JSON."""
    account = Account(contract)
    of_checks = [one for check in contract.plan.checks for one in _expectations(account, check)]
    expectations = [*_of_columns(account), *of_checks]
    account.keys({"description"}, {"description"}, {"description"})
    account.checks(_why)
    notes = "\n".join([*filter(None, [described(contract)]), heading(contract), "Not said here:", *account.lost])
    meta = {"great_expectations_version": VERSION, "contract": contract.name, "version": contract.plan.version}
    suite = {"name": contract.name, "expectations": expectations, "meta": meta, "notes": notes}
    return account.done(json_text.text(suite) + "\n")


def _why(check: Check) -> str:
    if check.kind in ("logicalType", "knownKeys"):
        return WRITTEN
    if check.kind == FOREIGN_KEY:
        return OF_ONE_BATCH
    if not all(map(is_sayable, check.properties())):
        return dbt.NO_NAME
    return OF_VALUES_ALONE if check.tolerance and check.tolerance.value else NO_EQUAL


def _of_columns(account: Account) -> list[dict[str, Any]]:
    """Return expectations about the columns that must exist, if the contract rejects a file without them."""
    plan = account.contract.plan
    names = [name for p in plan.properties if (name := _column_name(p))]
    free = any(c.prop.type == "object" and not account.contract.inner(c) for c in account.contract.every)
    closed = plan.columns.extra == "reject" and not free
    if account.contract.bare or plan.columns.missing != "reject":
        return []
    if plan.columns.order == "exact" and closed:
        kind, kwargs = "expect_table_columns_to_match_ordered_list", Kwargs(column_list=names)
    else:
        kind, kwargs = "expect_table_columns_to_match_set", Kwargs(column_set=names, exact_match=closed)
    if not plan.nested:
        account.carried |= {c.id for c in plan.checks if c.kind == "knownKeys" and c.severity == "error"}
    return [{"type": kind, "kwargs": kwargs, "meta": {}, "severity": "critical"}]


def _column_name(prop: Property) -> str | None:
    """Return the name of a column, or of a field within an object, in Great Expectations; None if it has none."""
    steps = prop.path[1:]
    if any(not step.startswith(".") for step in steps):
        return None
    *outer, last = [prop.route[0], *(step[1:] for step in steps)]
    return ".".join([*outer, f"`{last}`" if "." in last else last])


def _expectations(account: Account, check: Check) -> list[dict[str, Any]]:
    """Return the expectations of a check in a suite; a check with any expectation counts as carried."""
    found = [] if check.filter else _found(account.contract, check)
    share = _share(check)
    if not found or share is None:
        return []
    account.carried.add(check.id)
    account.tolerated.add(check.id)
    column = {"column": check.property} if check.property else {}
    meta = {"check": check.id, **({"notes": check.description} if check.description else {})}
    return [
        {
            "type": kind,
            "kwargs": {**({} if kind == "unexpected_rows_expectation" else column), **kwargs, **share},
            "meta": meta,
            "severity": SEVERITY[check.severity],
        }
        for kind, kwargs in found
    ]


def _share(check: Check) -> Kwargs | None:
    """The share of rows that must keep a rule; None where a suite has none, or takes it of values that are not null."""
    if check.tolerance is None or not check.tolerance.value:
        return {}
    if check.tolerance.unit != "percent" or check.kind not in ("required", "nullValues"):
        return None
    return {"mostly": (100 - check.tolerance.value) / 100}


def _own(check: Check) -> Found:
    """Return an expectation of the contract unchanged."""
    if check.kind == EXPECTATION:
        return [(check.arguments["type"], check.arguments["kwargs"])]
    if "query" in check.arguments:
        return [("unexpected_rows_expectation", {"unexpected_rows_query": check.arguments["query"]})]
    return []


def _found(contract: Contract, check: Check) -> Found:
    if own := _own(check):
        return own
    if check.kind == "rowCount" and check.threshold:
        return _range("expect_table_row_count_to_be_between", check.threshold, check.threshold.values)
    if check.kind == "expression" and not check.threshold:
        used = [(n, p.route) for n, p in enumerate(contract.plan.properties) if p.name in check.properties()]
        if not all(is_sayable(step) for _, route in used for step in route):
            return []
        values = ", ".join(f"{of_each(route, lambda value, _: value)} AS v{n}" for n, route in used)
        return [_breaking(check.arguments["sql"], f"(SELECT *, {values} FROM {{batch}})")]  # noqa: S608 (text)
    column = next((c for c in contract.every if c.name == check.property), None)
    if check.kind == "primaryKey" and column is None:
        names = list(check.properties())
        null = [(f"{OF_VALUES}not_be_null", {"column": name}) for name in names]
        return [*null, ("expect_compound_columns_to_be_unique", {"column_list": names, **WHOLE_KEYS})]
    if column is None or check.scope == "record":
        return []
    if column.prop.path:
        return _query(column, check) if check.scope == "row" else []
    if check.kind in FIGURES and check.threshold:
        return _figure(column.prop, check, check.threshold)
    if check.threshold:
        return _counted(check, check.threshold)
    return RULES[check.kind](column, check) if check.kind in RULES else []


def _figure(prop: Property, check: Check, threshold: Threshold) -> Found:
    limits = [_value(prop, text) for text in check.arguments["limits"]]
    return [] if None in limits or any(map(_is_long, limits)) else _range(FIGURES[check.kind], threshold, limits)


def _counted(check: Check, threshold: Threshold) -> Found:
    """A share of nulls, as the share of values that are none."""
    if check.kind != "nullValues" or threshold.unit != "percent":
        return []
    kind = "expect_column_proportion_of_non_null_values_to_be_between"
    values = [(100 - value) / 100 for value in threshold.values]
    turned = {
        "min_value": "max_value",
        "max_value": "min_value",
        "strict_min": "strict_max",
        "strict_max": "strict_min",
    }
    return [(kind, {turned[k]: v for k, v in kwargs.items()}) for kind, kwargs in _range(kind, threshold, values)]


def _range(kind: str, threshold: Threshold, values: Any) -> Found:
    ends = RANGES.get(threshold.operator)
    if ends is None:
        return []
    return [(kind, {k: v if v is True else _number(values[min(v, len(values) - 1)]) for k, v in ends.items()})]


def _is_long(value: Any) -> bool:
    """Return True if a number has more digits than a double, the type in which Great Expectations reads bounds."""
    return isinstance(value, (int, Decimal)) and len(Decimal(value).as_tuple().digits) > DIGITS


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value


def _value(prop: Property, text: str) -> Any:
    """A value for an expectation; None for moments that JSON has no one way to write."""
    if prop.type in ("integer", "number"):
        return _number(Decimal(text))
    if prop.type == "boolean":
        return text == "true"
    if prop.type == "date":
        found = moment_of(text, prop)
        return found.date().isoformat() if found else None
    return text if prop.type == "string" else None
