"""Calls of every function that queries know, each with as many arguments as it takes."""

from __future__ import annotations

from contracts.authoring.sql.aggregates import NAMES
from contracts.authoring.sql.expressions import FUNCTIONS

ENDLESS = ("coalesce", "concat", "greatest", "least")
"""Functions of any number of arguments."""
OVER = " over (order by n, x)"
ARGUMENTS = {
    "abs": "n", "add_months": "d, 1", "any_value": "n", "avg": "n", "cast": "n as double", "contains": "x, 'a'",
    "count": "n", "count_if": "n > 1", "current_date": "", "current_timestamp": "", "date_add": "d, 1",
    "date_trunc": "'month', ts", "datediff": "d, d", "day": "d", "dayofweek": "d", "dayofyear": "d",
    "dense_rank": "", "endswith": "x, 'a'", "hour": "ts", "if": "n > 1, n, 2", "instr": "x, 'a'", "isnotnull": "x",
    "isnull": "x", "lag": "n, 1", "last_day": "d", "lead": "n, 1", "left": "x, 1", "length": "x", "lower": "x",
    "ltrim": "x", "max": "n", "min": "n", "minute": "ts", "month": "d", "now": "", "nullif": "n, 1", "quarter": "d",
    "rank": "", "right": "x, 1", "row_number": "", "rtrim": "x", "second": "ts", "startswith": "x, 'a'",
    "stddev_pop": "n", "stddev_samp": "n", "substring": "x, 1, 2", "sum": "n", "to_date": "x, 'yyyy-MM-dd'",
    "trim": "x", "trunc": "d, 'month'", "try_divide": "n, 2", "upper": "x", "weekofyear": "d", "year": "d",
    "stddev": "n", "date": "ts", "double": "n", "string": "n", "char_length": "x", "character_length": "x",
    "charindex": "'a', x", "locate": "'a', x", "curdate": "", "dateadd": "d, 1", "ucase": "x", "lcase": "x",
    "substr": "x, 1, 2",
}  # fmt: skip
WINDOWS = ("dense_rank", "lag", "lead", "rank", "row_number")
MORE = ("n", "1", "'week'")
"""Arguments beyond those that a function takes."""
assert {*FUNCTIONS, *NAMES} - {*ENDLESS} <= ARGUMENTS.keys()


def call(name: str, more: str = "") -> str:
    """Return a call of a function, with another argument if there is one."""
    arguments = ", ".join(part for part in (ARGUMENTS[name], more) if part)
    return f"{name}({arguments}){OVER if name in WINDOWS else ''}"
