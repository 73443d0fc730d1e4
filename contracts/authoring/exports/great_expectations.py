"""A contract as a suite of Great Expectations 1.24: for rows in typed columns, with the types of Spark.

Each check becomes the equal expectation, or a query for the rows that break it, with its severity; checks of nested
properties are queries. A typed column no longer shows texts that are not of the type, so the suite does not check them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from contracts import rules
from contracts.authoring.exports import dbt, json_text
from contracts.authoring.exports.exported import Account, Contract, Exported, ExportedColumn
from contracts.authoring.exports.spark_types import is_valid_name, of_each
from contracts.authoring.properties.values import moment_of
from contracts.plan import Check, Operator, Property, Threshold
from contracts.problem import quoted
from contracts.values.text_formats import TEXT

VERSION = "1.24.1"
SEVERITY = {"error": "critical", "warning": "warning"}
Kwargs: TypeAlias = dict[str, Any]
Expectations = list[tuple[str, Kwargs]]
"""Expectations by type and arguments; none if there is no equal one."""
OF_VALUES = "expect_column_values_to_"
NOT_NULL: tuple[str, Kwargs] = (f"{OF_VALUES}not_be_null", {})
UNIQUE: tuple[str, Kwargs] = (f"{OF_VALUES}be_unique", {})
RANGES: dict[Operator, Kwargs] = {
    "mustBe": {"min_value": 0, "max_value": 1},
    "mustBeGreaterThan": {"min_value": 0, "strict_min": True},
    "mustBeGreaterOrEqualTo": {"min_value": 0},
    "mustBeLessThan": {"max_value": 0, "strict_max": True},
    "mustBeLessOrEqualTo": {"max_value": 0},
    "mustBeBetween": {"min_value": 0, "strict_min": True, "max_value": 1, "strict_max": True},
}
"""The arguments of a range by operator; a bound is the index of its number in the threshold."""
DIGITS = 15
"""Digits that every double holds exactly."""
WHOLE_KEYS = {"ignore_row_if": "any_value_is_missing"}
NO_EQUAL = "Great Expectations has no equal expectation"
OF_VALUES_ALONE = "Great Expectations takes shares of values that are not null, and has no number of rows"
WRITTEN = "the value does not show how it was written"
OF_ONE_BATCH = "a suite is of one batch of data"


def _of_values(  # noqa: C901, PLR0912 (a case for each kind)
    column: ExportedColumn, check: Check
) -> Expectations:
    """Return the expectations of a check of single values, or of a column as a whole, without a threshold."""
    match check.rule:
        case rules.Required() | rules.NullValues():
            return [NOT_NULL]
        case rules.Unique():
            return [UNIQUE]
        case rules.PrimaryKey():
            return [NOT_NULL, UNIQUE]
        case rules.Enum(values):
            return _among(column, values)
        case rules.Minimum(text):
            return _bound(column, check, text, "min_value")
        case rules.ExclusiveMinimum(text):
            return _bound(column, check, text, "min_value", strict_min=True)
        case rules.Maximum(text):
            return _bound(column, check, text, "max_value")
        case rules.ExclusiveMaximum(text):
            return _bound(column, check, text, "max_value", strict_max=True)
        case rules.MinLength(length):
            return [("expect_column_value_lengths_to_be_between", {"min_value": length})]
        case rules.MaxLength(length):
            return [("expect_column_value_lengths_to_be_between", {"max_value": length})]
        case rules.Pattern(pattern) | rules.Regex(pattern) | rules.NotBlank(pattern):
            return [_matching(pattern)]
        case rules.Format(name) if column.prop.type == "string":
            return [_matching(TEXT[name].pattern)]
        case rules.InvalidValues(values, pattern):
            among = [] if values is None else _among(column, values)
            if values is not None and not among:
                return []
            return [*among, *([] if pattern is None else [_matching(pattern)])]
        case rules.MissingValues(texts, null) if column.prop.type == "string":
            listed = [(f"{OF_VALUES}not_be_in_set", {"value_set": list(texts)})] if texts else []
            return [*([NOT_NULL] if null else []), *listed]
        case (
            rules.MultipleOf()
            | rules.Format()
            | rules.MinItems()
            | rules.MaxItems()
            | rules.MinProperties()
            | rules.MaxProperties()
        ):
            return _query(column, check)
    return []


def _bound(column: ExportedColumn, check: Check, text: str, side: str, **strict: bool) -> Expectations:
    value = _value(column.prop, text)
    if _is_long(value):
        return _query(column, check)
    return [] if value is None else [(f"{OF_VALUES}be_between", {side: value, **strict})]


def _among(column: ExportedColumn, texts: Sequence[str]) -> Expectations:
    values = [_value(column.prop, text) for text in texts]
    return [] if None in values else [(f"{OF_VALUES}be_in_set", {"value_set": values})]


def _matching(pattern: str) -> tuple[str, Kwargs]:
    return f"{OF_VALUES}match_regex", {"regex": pattern}


def _query(column: ExportedColumn, check: Check) -> Expectations:
    condition = dbt.condition(column, check)
    return [_breaking(condition)] if condition else []


def _breaking(condition: str, rows: str = "{batch}") -> tuple[str, Kwargs]:
    """Return a query for the rows that break a condition; its braces are doubled, as the query is a template."""
    plain = condition.replace("{", "{{").replace("}", "}}")
    return "unexpected_rows_expectation", {"unexpected_rows_query": f"SELECT * FROM {rows} WHERE NOT ({plain})"}  # noqa: S608 (text)


def write(contract: Contract) -> Exported:
    """Return the suite as JSON.

    It expects the columns that must exist if the contract rejects a file without them.
    """
    account, plan = Account(contract), contract.plan
    expectations = [entry for check in plan.checks for entry in _expectations(account, check)]
    if plan.columns.missing == "reject" and not contract.bare:
        names = [name for p in plan.properties if (name := _column_name(p))]
        free = any(c.prop.type == "object" and not contract.inner(c) for c in contract.every)
        closed = plan.columns.extra == "reject" and not free
        if plan.columns.order == "exact" and closed:
            kind, kwargs = "expect_table_columns_to_match_ordered_list", Kwargs(column_list=names)
        else:
            kind, kwargs = "expect_table_columns_to_match_set", Kwargs(column_set=names, exact_match=closed)
        if not plan.nested:
            known_keys = (c for c in plan.checks if isinstance(c.rule, rules.KnownKeys))
            account.carried |= {c.id for c in known_keys if c.severity == "error"}
        expectations.insert(0, {"type": kind, "kwargs": kwargs, "meta": {}, "severity": "critical"})
    account.keys({"description"}, {"description"}, {"description"})
    account.checks(_why)
    for line in _not_on_pandas(contract, expectations):
        account.lose(line)
    meta = {"great_expectations_version": VERSION, "contract": contract.name, "version": plan.version}
    suite = {"name": contract.name, "expectations": expectations, "meta": meta, "notes": account.notes()}
    return account.done(json_text.text(suite) + "\n")


def _not_on_pandas(contract: Contract, expectations: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the parts of a suite that Great Expectations runs on Spark, and cannot run on pandas.

    Queries are for Spark and SQL (docs.greatexpectations.io, "Use SQL to define a custom Expectation").
    """
    queries, patterns = (
        dict.fromkeys(each["meta"]["check"] for each in expectations if is_such(each["kwargs"]))
        for is_such in (lambda kwargs: "unexpected_rows_query" in kwargs, _has_a_pattern_of_java)
    )
    if queries:
        yield f"On pandas: the queries of {quoted(queries, most=20)}, which are for Spark and SQL."
    if patterns:
        yield f"On pandas: the patterns of {quoted(patterns, most=20)}, which are Java's."
    if contract.plan.nested:
        yield "On pandas: columns within others, which a data frame of pandas does not have."


def _has_a_pattern_of_java(kwargs: Kwargs) -> bool:
    r"""Return True if Python cannot read a pattern; before 3.14 it has no `\z`."""
    pattern = str(kwargs.get("regex", ""))
    try:
        re.compile(pattern)
    except re.error:
        return True
    return r"\z" in pattern


def _why(check: Check) -> str:
    if isinstance(check.rule, rules.LogicalType | rules.KnownKeys):
        return WRITTEN
    if isinstance(check.rule, rules.ForeignKey):
        return OF_ONE_BATCH
    if not all(map(is_valid_name, check.properties())):
        return dbt.NO_NAME
    return OF_VALUES_ALONE if check.tolerance and check.tolerance.value else NO_EQUAL


def _column_name(prop: Property) -> str | None:
    """Return the name of a column, or of a field within an object, in Great Expectations; None if it has none."""
    steps = prop.path[1:]
    if any(not step.startswith(".") for step in steps):
        return None
    *outer, last = [prop.route[0], *(step[1:] for step in steps)]
    return ".".join([*outer, f"`{last}`" if "." in last else last])


def _expectations(account: Account, check: Check) -> list[dict[str, Any]]:
    """Return the expectations of a check in a suite; a check with any expectation counts as carried."""
    equal = [] if check.filter else _equal(account.contract, check)
    share: Kwargs = {}
    if check.tolerance and check.tolerance.value:
        if check.tolerance.unit != "percent" or not isinstance(check.rule, rules.ForbidsNull):
            return []  # a suite has no number of rows, and computes shares without nulls
        share = {"mostly": (100 - check.tolerance.value) / 100}
    if not equal:
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
        for kind, kwargs in equal
    ]


def _equal(contract: Contract, check: Check) -> Expectations:
    """Return the expectations equal to a check; none if there are none."""
    rule, threshold = check.rule, check.threshold
    column = next((c for c in contract.every if c.name == check.property), None)
    if threshold and threshold.relative:
        return []
    match rule:
        case rules.Expectation():
            return [(rule.type, dict(rule.kwargs))]
        case rules.Statement(query=str(query)):
            return [("unexpected_rows_expectation", {"unexpected_rows_query": query})]
        case rules.RowCount() if threshold:
            return _range("expect_table_row_count_to_be_between", threshold, threshold.values)
        case rules.Expression() if not threshold:
            used = [(n, p.route) for n, p in enumerate(contract.plan.properties) if p.name in rule.properties]
            if not all(is_valid_name(step) for _, route in used for step in route):
                return []
            values = ", ".join(f"{of_each(route, lambda value, _: value)} AS v{n}" for n, route in used)
            return [_breaking(rule.sql, f"(SELECT *, {values} FROM {{batch}})")]  # noqa: S608 (text)
        case rules.PrimaryKey() if column is None:
            names = check.properties()
            null = [(f"{OF_VALUES}not_be_null", {"column": name}) for name in names]
            return [*null, ("expect_compound_columns_to_be_unique", {"column_list": list(names), **WHOLE_KEYS})]
    if column is None or check.scope == "record":
        return []
    if column.prop.path:
        return _query(column, check) if check.scope == "row" else []
    return _limited(column.prop, rule, threshold) if threshold else _of_values(column, check)


def _limited(prop: Property, rule: rules.Rule, threshold: Threshold) -> Expectations:
    """Return a limit of a figure, or that of the share of nulls as a limit of the share of other values."""
    if isinstance(rule, rules.Aggregate):
        limits = [_value(prop, text) for text in rule.limits]
        kind = f"expect_column_{rule.kind}_to_be_between"
        return [] if None in limits or any(map(_is_long, limits)) else _range(kind, threshold, limits)
    if not isinstance(rule, rules.NullValues) or threshold.unit != "percent":
        return []
    kind = "expect_column_proportion_of_non_null_values_to_be_between"
    values = [(100 - value) / 100 for value in threshold.values]
    complement = {
        "min_value": "max_value",
        "max_value": "min_value",
        "strict_min": "strict_max",
        "strict_max": "strict_min",
    }
    return [(kind, {complement[k]: v for k, v in kwargs.items()}) for kind, kwargs in _range(kind, threshold, values)]


def _range(kind: str, threshold: Threshold, values: Any) -> Expectations:
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
    """Return a value for an expectation; None for moments, which JSON has no single notation for."""
    if prop.type in ("integer", "number"):
        return _number(Decimal(text))
    if prop.type == "boolean":
        return text == "true"
    if prop.type == "date":
        moment = moment_of(text, prop)
        return moment.date().isoformat() if moment else None
    return text if prop.type == "string" else None
