"""Tests of dbt in: those of dbt itself, of dbt_utils and of dbt_expectations; checks of a table, or the test, out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports.imported import given, lost
from contracts.authoring.imports.suites import expectations
from contracts.authoring.imports.suites.judged import Manner, Table, bounds

CONFIG = (
    "severity", "where", "error_if", "warn_if", "enabled", "limit", "tags", "store_failures", "fail_calc", "meta",
    "store_failures_as", "group", "database", "schema", "alias",
)  # fmt: skip
"""The keys of a test that are about how it runs."""
OF_THE_RUN = ("name", "description", "config", "arguments", "column_name", "model", "test_name")
LIMIT = re.compile(r"\s*(!=|>=|>|=|==)\s*(\d{1,9})\s*")
OPERATORS = {"!=": ("mustBe", 0), ">": ("mustBeLessOrEqualTo", 0), ">=": ("mustBeLessThan", 0)}
"""The operator on failing rows of a check that holds where a condition of dbt fails."""
REF = re.compile(
    r"\s*(?:\{\{)?\s*(ref|source)\s*\(\s*(['\"])([^'\"]+)\2\s*(?:,\s*(['\"])([^'\"]+)\4\s*)?\)\s*(?:\}\})?\s*"
)
"""A call of a model, perhaps of a package, or of a table of a source."""
JINJA = re.compile(r"\{[{%]")
COUNTED = ("not_null", "accepted_values", "dbt_utils.not_empty_string")
"""The tests whose failing rows dbt counts as a contract does."""


@dataclass(frozen=True, slots=True)
class Test:
    """A test as dbt reads it: its name with its package, its arguments, its configuration, and where it is written."""

    name: str
    arguments: dict[str, Any]
    config: dict[str, Any]
    path: Path
    column: str | None = None
    description: str | None = None


def test_of(written: Any, path: Path, column: str | None) -> Test | None:
    """Return a test as a `schema.yml` has it; None if it is none.

    It is a name, or a mapping of the name to its arguments, which since dbt 1.10 may have a key of their own.
    """
    own: Any = None
    if isinstance(written, str):
        name = written
    elif isinstance(written, dict) and isinstance(written.get("test_name"), str):
        name, own = written["test_name"], written
    elif isinstance(written, dict) and written:
        name, own = next(iter(written.items()))
        own = own if isinstance(own, dict) else {}
        own = {**{key: value for key, value in written.items() if key != name}, **own}
    else:
        return None
    own = own or {}
    config = own.get("config") if isinstance(own.get("config"), dict) else {}
    config = {**{key: own[key] for key in CONFIG if key in own}, **config}
    inner = own.get("arguments") if isinstance(own.get("arguments"), dict) else {}
    arguments = {key: value for key, value in own.items() if key not in (*CONFIG, *OF_THE_RUN)} | inner
    about = own.get("description")
    return Test(name, arguments, config, path, column, about if isinstance(about, str) else None)


@dataclass(slots=True)
class Tests:
    """The tests of one table; `targets` are columns of all tables by id: their place in a contract and type."""

    document: Document
    table: Table
    targets: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def apply(self, test: Test) -> None:
        """Add the checks that say the same as a test, or the test with a note."""
        if test.config.get("enabled") is False:
            lost(self.document, test.path, f"The test `{test.name:.60}` is not enabled.", on_key=False)
            return
        manner = self._manner(test)
        if manner is None or not self._applied(test, manner):
            self._keep(test)

    def _manner(self, test: Test) -> Manner | None:
        """Return the manner of a test; None if it has a filter or a limit that has no equivalent."""
        config = test.config
        warns = str(config.get("severity", "error")).casefold() == "warn"
        where = config.get("where")
        condition = None if where is None else self.table.condition(str(where)) if is_plain(where) else None
        if where is not None and condition is None:
            return None
        limit = config.get("warn_if" if warns else "error_if")
        manner = Manner("warning" if warns else "error", condition, about=given({"description": test.description}))
        if limit in (None, "!=0", "!= 0", ">0", "> 0"):
            return manner
        match = LIMIT.fullmatch(str(limit))
        operator = OPERATORS.get(match[1]) if match else None
        if match is None or operator is None or test.name not in COUNTED:
            return None
        return Manner(manner.severity, condition, {operator[0]: int(match[2])}, manner.about)

    def _applied(  # noqa: C901, PLR0912 (a case for each test)
        self, test: Test, manner: Manner
    ) -> bool:
        table, own, column = self.table, test.arguments, test.column
        package, _, name = test.name.rpartition(".")
        if package in ("dbt_expectations", "great_expectations"):
            named = {"column": column} if column else {}
            regular = {k: v for k, v in own.items() if k not in ("row_condition", "quote_values", "is_raw", "flags")}
            ours = {**named, **given(regular)}
            if (condition := own.get("row_condition")) is not None:
                read = table.condition(str(condition)) if manner.filter is None else None
                if read is None:
                    return False
                manner = Manner(manner.severity, read, manner.limit, manner.about)
            return expectations.of_type(table, name, ours) or expectations.applied(table, name, ours, manner)
        match name if package in ("", "dbt", "dbt_utils") else "":
            case "not_null" if column:
                return table.required(column, manner)
            case "unique" if column:
                return table.unique(column, manner)
            case "accepted_values" if column and isinstance(own.get("values"), list):
                return table.among(column, _values(table, column, own), manner)
            case "relationships" if column:
                return self._relate(test, column, manner)
            case "unique_combination_of_columns" if _are_names(own.get("combination_of_columns")):
                return table.unique_together(own["combination_of_columns"], manner)
            case "accepted_range" if column:
                is_open = own.get("inclusive", True) is False
                return table.between(
                    column, bounds(own.get("min_value"), own.get("max_value"), above=is_open, below=is_open), manner
                )
            case "not_empty_string" if column and own.get("trim_whitespace", True) is not True:
                return table.sized(column, {"minLength": 1}, manner)
            case "not_empty_string" if column:
                return table.written(column, manner)
            case "expression_is_true" if isinstance(own.get("expression"), str) and is_plain(own["expression"]):
                text = table.in_spark(f"{column or ''} {own['expression']}".strip())
                return text is not None and table.holds(text, manner)
            case "not_null_proportion" if column and own.get("at_most", 1) in (1, Decimal(1)):
                share = {"column": column, "mostly": own.get("at_least")}
                return expectations.applied(table, f"{expectations.VALUES}not_be_null", share, manner)
        return False

    def _relate(self, test: Test, column: str, manner: Manner) -> bool:
        """Add a relationship to a column of another table of the source."""
        call = REF.fullmatch(str(test.arguments.get("to")))
        table = "" if call is None else f"{call[3]}-{call[5]}" if call[1] == "source" else call[5] or call[3]
        target = self.targets.get((table, str(test.arguments.get("field"))))
        if target is None or not manner.is_plain:
            return False
        prop, (place, kind) = self.table.column(column), target
        if column in self.table.untyped and prop.get("logicalType") == "string":
            prop["logicalType"] = kind
        prop.setdefault("relationships", []).append({"to": place})
        return True

    def _keep(self, test: Test) -> None:
        """Keep a test that has no equal check as one of dbt, which is judged there and not here."""
        subject = f"{self.table.name}.{test.column}" if test.column else self.table.name
        message = f"The test `{test.name:.60}` of `{subject:.80}` stays one of dbt: no file is held against it."
        lost(
            self.document,
            test.path,
            message,
            "Write a check in its place if files are to be held against it.",
            on_key=False,
        )
        inner = given({"test": test.name, "arguments": test.arguments, "config": test.config})
        about = given({"description": test.description})
        entry = {**about, "type": "custom", "engine": "dbt", "implementation": inner}
        owner = self.table.properties.get(test.column or "")
        if owner is None:
            self.table.quality.append(entry)
        else:
            owner.setdefault("quality", []).append(entry)


def _values(table: Table, column: str, own: dict[str, Any]) -> list[Any]:
    """Return the accepted values in the type of their column; dbt compares them as they are written."""
    values = own["values"]
    if table.column(column).get("logicalType") in ("integer", "number"):
        return [_number(value) if isinstance(value, str) else value for value in values]
    return [value if value is not True and value is not False else str(value).lower() for value in values]


def _number(text: str) -> Any:
    try:
        number = Decimal(text)
    except ArithmeticError:
        return text
    return int(number) if number.is_finite() and number == number.to_integral_value() else number


def _are_names(values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(value, str) for value in values)


def is_plain(text: Any) -> bool:
    """Return True if a text has no template that dbt fills in."""
    return not JINJA.search(str(text))
