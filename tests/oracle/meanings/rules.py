"""Expressions and filters: what they say of records, and of nulls among them."""

from __future__ import annotations

import json
from typing import Any

from tests.oracle.meanings.case import Case, Meaning, Rows, bad, figure, good, one
from tests.oracle.queries import QUERIES, STATEMENTS

A_NUMBER: dict[str, Any] = {"v": {"logicalType": "integer"}, "w": {"logicalType": "integer"}}
A_TEXT = {"v": {"logicalType": "string"}}


def _says(text: str, rows: Rows, properties: dict[str, Any] = A_NUMBER, message: str = "") -> Case:
    """Return the case of an expression over records."""
    return Case(
        properties,
        rows,
        quality=[{"id": "@id", **figure("expression", expression=text)}],
        says={"@id": message} if message else {},
    )


def _asks(name: str, text: str, rows: Rows, message: str, **more: Any) -> Case:
    """Return the case of a query or statement of `tests.oracle.queries`, over an expression and the column v."""
    of_rows = name in STATEMENTS
    sql = (STATEMENTS if of_rows else QUERIES)[name][0].format(e=text, c="@v")
    entry = figure("statement", statement=sql) if of_rows else {"type": "sql", "query": sql, **more.pop("threshold")}
    about = {"id": "@id", "description": json.dumps([name, text, "@v"])}
    return Case(one("integer", minimum=1), rows, quality=[entry | about], says={"@id": message}, **more)


EXPRESSIONS: dict[str, Meaning] = {
    "an expression is null where it is not true or false": _says(
        "@v < @w",
        good(("1", "2"), ("1", None), (None, None)) + bad("@id", ("2", "1"), ("1", "1")),
        message="2 of 5, 2 null: failed",
    ),
    "and, or and not of null": _says(
        "(@v > 0 and @w > 0) or not @v <> 5",
        good(("1", "1"), ("5", "0"), ("5", None), ("1", None)) + bad("@id", ("1", "0"), ("0", None)),
        message="2 of 6, 1 null: failed",
    ),
    "a value of another type is null in an expression": Case(
        {"v": {"logicalType": "integer"}},
        good("1"),
        csv=bad("logicalType", "x"),
        jsonl=bad("logicalType", '"x"'),
        quality=[{"id": "@id", **figure("expression", expression="@v > 0")}],
    ),
    "between takes both ends": _says(
        "@v between 1 and @w", good(("1", "3"), ("3", "3"), (None, "3")) + bad("@id", ("0", "3"), ("4", "3"))
    ),
    "integers beyond 64 bits are null": _says(
        "@v + @w > 0", good(("1", "1"), (str(2**63 - 1), "1")), message="0 of 2, 1 null: passed"
    ),
    "division by zero is null": _says(
        "@v / @w > 1", good(("3", "2"), ("1", "0")) + bad("@id", ("1", "2")), message="1 of 3, 1 null: failed"
    ),
    "% has the sign of its left side": _says("@v % @w >= 0", good(("7", "-2"), ("1", "0")) + bad("@id", ("-7", "2"))),
    "<=> compares nulls": _says("@v <=> @w", good(("1", "1"), (None, None)) + bad("@id", ("1", None), ("1", "2"))),
    "is true knows null, and changes no text": _says(
        "(@v = 'A') is true or (@v like '_b') is not false",
        good("A", "ab", None) + bad("@id", "a", "AB", "B"),
        A_TEXT,
    ),
    "coalesce, if and case": _says(
        "coalesce(@v, 0) >= 0 and case when @w is null then false else @w > 0 end",
        good(("1", "1"), (None, "1")) + bad("@id", ("-1", "1"), ("1", None), ("1", "0")),
    ),
    "length counts code points, trim removes blanks": _says(
        "length(trim(@v)) = 1", good(" a ", "\U0001f600", None) + bad("@id", "", "\u00a0a", "ab")[1:], A_TEXT
    ),
    "like takes % and _": _says("@v like 'a_%'", good("ab", "abc") + bad("@id", "a", "ba", "A1"), A_TEXT),
}
FILTERS: dict[str, Meaning] = {
    "a filter passes records for which it is true": Case(
        {"v": {"logicalType": "integer"}, "w": {"logicalType": "integer"}},
        good(("1", "2"), (None, "1"), (None, None)) + bad("@id", (None, "2")),
        quality=[{"id": "@id", **figure("expression", expression="@v is not null", filter="@w > 1")}],
        says={"@id": "1 of 2, 0 null: failed"},
    ),
    "a filter that no record passes": Case(
        {"v": {"logicalType": "integer"}, "w": {"logicalType": "integer"}},
        good(("1", "1"), ("2", None)),
        quality=[
            {"id": "@id", **figure("expression", expression="@v < 0", filter="@w > 1")},
            {"id": "@low", "metric": "rowCount", "mustBe": 0, "arguments": {"filter": "@w > 1"}},
        ],
        says={"@id": "no-rows: not_evaluated", "@low": "0 of 0, 0 null: passed"},
    ),
    "records outside the filter repeat nothing": Case(
        {"v": {"logicalType": "integer"}, "w": {"logicalType": "integer"}},
        good(("1", "2"), ("1", "1"), ("2", "2"), ("2", "2"), (None, "2")),
        quality=[
            {
                "id": "@id",
                "metric": "duplicateValues",
                "mustBe": 0,
                "arguments": {"properties": ["@v"], "filter": "@w > 1"},
            }
        ],
        says={"@id": "2 of 4, 1 null: failed"},
    ),
    "a figure is of the filtered records": Case(
        {
            "v": {"logicalType": "number", "quality": [{"id": "@id", **figure("sum", mustBe=3, filter="@w > 1")}]},
            "w": {"logicalType": "integer"},
        },
        good(("1", "2"), ("2", "2"), ("5", "1"), ("5", None)),
        says={"@id": "3: passed"},
    ),
}
ASKED: dict[str, Meaning] = {
    "a query sees rejected records, not malformed ones": _asks(
        "count",
        "@v < 9",
        good("5", None) + bad("minimum", "0"),
        "2: passed",
        threshold={"mustBe": 2},
        csv=bad("record.fields", "1,2"),
        jsonl=bad("record.object", "}"),
    ),
    "a query of a share": _asks(
        "share", "@v > 1", good("1", "2", None, "1"), "25: failed", threshold={"mustBeLessThan": 25}
    ),
    "a query without a number": _asks(
        "most", "@v > 9", good("5"), "no-values: not_evaluated", threshold={"mustBeLessThan": 2}
    ),
    "a statement finds rows that must not exist": _asks("rows", "@v > 3", good("5", "1", None), "1: failed"),
    "a statement that finds no row holds": _asks("rows", "@v > 9", good("5", "1", None), "0: passed"),
    "nulls are one group": _asks("groups", "@v > 0", good(None, None, "1"), "1: failed"),
    "nulls have no partner": _asks("twins", "@v > 0", good(None, None, "1"), "0: passed"),
}
