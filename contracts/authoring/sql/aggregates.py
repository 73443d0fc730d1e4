"""Syntax of queries beyond that of expressions: functions over many records, of the calendar and of types."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from contracts.authoring.sql.expressions import (
    NUMBERS,
    Reader,
    SqlType,
    Typed,
    anonymous,
    counted,
    moment,
    refuse_unread_parts,
    shown,
)
from contracts.authoring.sql.refusal import SqlRefused
from contracts.values import sql_text

SqlAndType = tuple[str, SqlType]
"""SQL, and the type of its values."""
PARTS = {"YEAR": "year", "QUARTER": "quarter", "MONTH": "month", "WEEK": "week", "DAY": "day", "HOUR": "hour"}
CALENDAR = re.compile(r"(?:yyyy|MM|dd|HH|mm|ss|[^A-Za-z'\\\[\]{}#])+")
"""Date patterns that Spark reads as expected; it refuses `{`, `}`, `#` and a lone `]`; `[` makes a part optional."""
STRPTIME = re.compile("%[YHMSmd](?:strict)?")
SPARK = {"%Y": "yyyy", "%mstrict": "MM", "%dstrict": "dd", "%Hstrict": "HH", "%Mstrict": "mm", "%Sstrict": "ss"}
"""Parts of date patterns in the parser's notation, and in Spark's."""
MOST = 10**6
FARTHEST = 10**8
"""Days that a query may add to dates in all; Spark's moments end some 107 million days after 1970."""
LONGEST_MONTH = 31
WHOLE = re.compile(r"-?\d{1,6}", re.ASCII)


def _count(reader: Reader, node: exp.Count) -> SqlAndType:
    of = node.this
    if isinstance(of, exp.Star | exp.Distinct):
        refuse_unread_parts(of)
    if isinstance(of, exp.Star) or of is None:
        return "count(1)", "integer"
    if isinstance(of, exp.Distinct):
        if not of.expressions:
            raise SqlRefused(f"`{shown(node)}` counts nothing.", "Write `count(distinct id)`.")
        return f"count(distinct {', '.join(reader.typed(part).sql for part in of.expressions)})", "integer"
    return f"count({reader.typed(of).sql})", "integer"


def _of_doubles(function: str) -> Callable[[Reader, Any], SqlAndType]:
    def made(reader: Reader, node: Any) -> SqlAndType:
        return f"{function}(double({reader.of(node.this, *NUMBERS)}))", "number"

    return made


def _of_any(function: str, *kinds: SqlType) -> Callable[[Reader, Any], SqlAndType]:
    def made(reader: Reader, node: Any) -> SqlAndType:
        operand = reader.one_of(node.this, *kinds) if kinds else reader.typed(node.this)
        return f"{function}({operand.sql})", operand.kind

    return made


AGGREGATES: dict[type, Callable[[Any, Any], SqlAndType]] = {
    exp.Count: _count,
    exp.CountIf: lambda reader, node: (f"count_if({reader.boolean(node.this)})", "integer"),
    exp.Sum: _of_any("try_sum", *NUMBERS),
    exp.Avg: _of_doubles("avg"),
    exp.Stddev: _of_doubles("stddev_samp"),
    exp.StddevSamp: _of_doubles("stddev_samp"),
    exp.StddevPop: _of_doubles("stddev_pop"),
    exp.Min: _of_any("min"),
    exp.Max: _of_any("max"),
    exp.AnyValue: _of_any("min"),
}
"""Functions over many records."""


def _cast(reader: Reader, node: exp.Cast) -> Typed:
    wanted, inner = node.to.this, node.this
    types = exp.DataType.Type
    if wanted != types.VARCHAR:  # its length says nothing in Spark
        refuse_unread_parts(node.to)
    moments = (types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ)
    if wanted in moments and isinstance(inner, exp.Literal) and inner.is_string:
        return moment(reader, exp.Cast(this=inner, to=node.to))  # a literal
    if wanted == types.DATE:
        return Typed(f"to_date({reader.of(inner, 'date', 'timestamp')})", "date")
    if wanted == types.DOUBLE:
        if isinstance(inner, exp.Literal) and inner.is_string and inner.name.lower() in ("inf", "infinity"):
            return Typed("double('Infinity')", "number")
        return Typed(f"double({reader.of(inner, *NUMBERS)})", "number")
    if wanted in (types.TEXT, types.VARCHAR):
        return Typed(f"string({reader.of(inner, 'integer', 'text')})", "text")
    castable = "A query casts to DATE (of timestamps), DOUBLE (of numbers) and STRING (of integers)."
    raise SqlRefused(f"`{shown(node)}` changes a type.", castable)


def _truncated(reader: Reader, node: Any) -> Typed:
    unit, operand = str(node.unit or "").strip("'").upper(), reader.one_of(node.this, "date", "timestamp")
    if unit not in PARTS or (unit == "HOUR" and operand.kind == "date"):
        raise SqlRefused(f"`{shown(node)}` has an unknown unit.", f"Write one of {', '.join(PARTS)}.")
    if operand.kind == "timestamp":
        return Typed(f"date_trunc('{PARTS[unit]}', {operand.sql})", "timestamp")
    return Typed(operand.sql if unit == "DAY" else f"trunc({operand.sql}, '{PARTS[unit]}')", "date")


def _later(reader: Reader, node: Any) -> Typed:
    """Add days or months to a date."""
    by_months = isinstance(node, exp.AddMonths)
    if not by_months and str(node.args.get("unit") or "DAY").upper() != "DAY":
        raise SqlRefused(f"`{shown(node)}` has a unit.", "Write `date_add(day, 7)` or `add_months(day, 1)`.")
    number = _whole(node.expression)
    _shift(reader, node, number * LONGEST_MONTH if by_months else number)
    return Typed(f"{'add_months' if by_months else 'date_add'}({reader.of(node.this, 'date')}, {number})", "date")


def _shift(reader: Reader, node: Any, days: int) -> int:
    """Return the days that a part adds; refuse it if all of a query together may leave the range of Spark's moments."""
    reader.shifts.append(abs(days))
    if sum(reader.shifts) > FARTHEST:
        message = f"`{shown(node)}`, with all else that is added to dates, may reach a day that Spark cannot have."
        raise SqlRefused(message, "Write smaller numbers, or fewer of them.")
    return days


def _whole(node: Any) -> int:
    """Return a literal integer, or the product of some."""
    match node:
        case exp.Paren():
            return _whole(node.this)
        case exp.Neg():
            return -_whole(node.this)
        case exp.Mul() if abs(product := _whole(node.this) * _whole(node.expression)) <= MOST:
            return product
        case exp.Literal() if WHOLE.fullmatch(node.name):
            return int(node.name)
    raise SqlRefused(f"`{shown(node)}` is not a whole number.", "Write the number itself, as `7`.")


def _read_as(reader: Reader, node: Any) -> Typed:
    """Return a text as a date; null if it is not one."""
    if node.args.get("format") is None:
        return Typed(f"to_date({reader.of(node.this, 'date', 'timestamp')})", "date")
    java = STRPTIME.sub(lambda part: SPARK.get(part[0], part[0]), node.args["format"].name)
    if not CALENDAR.fullmatch(java) or any(java.count(part) > 1 for part in ("yyyy", "MM", "dd", "HH", "mm", "ss")):
        raise SqlRefused(f"`{shown(node)}` has a pattern that is not known.", "Write it of yyyy MM dd HH mm ss.")
    return Typed(f"to_date(try_to_timestamp({reader.of(node.this, 'text')}, '{java}'))", "date")


def _sum_or_shift(reader: Reader, node: exp.Sub | exp.Add) -> Typed:
    """Add or subtract numbers, or an interval to a date or timestamp."""
    span = node.expression
    if not isinstance(span, exp.Interval):
        return counted("try_subtract" if isinstance(node, exp.Sub) else "try_add")(reader, node)  # type: ignore[no-any-return]
    refuse_unread_parts(span)
    unit = str(span.unit or "").upper().removesuffix("S")
    if unit not in ("DAY", "HOUR", "MINUTE", "SECOND"):
        raise SqlRefused(f"`{shown(node)}` has an unknown unit.", "Write DAY, HOUR, MINUTE or SECOND.")
    sign, start = "-" if isinstance(node, exp.Sub) else "+", reader.one_of(node.this, "date", "timestamp")
    if start.kind != "date":
        length = _shift(reader, node, _whole(span.this))
        return Typed(f"({start.sql} {sign} interval '{length}' {unit})", "timestamp")
    if unit != "DAY":
        raise SqlRefused(f"`{shown(node)}` adds {unit}S to a date.", "Add days, as `day + interval 7 days`.")
    days = _shift(reader, node, _whole(span.this))
    return Typed(f"date_add({start.sql}, {-days if isinstance(node, exp.Sub) else days})", "date")


def _now(function: str, kind: SqlType) -> Callable[[Reader, Any], Typed]:
    def read_it(reader: Reader, _: Any) -> Typed:
        if function in reader.by_name:
            raise SqlRefused(
                f"`{function}` is also a property.", f"Write {sql_text.quoted_name(function)} for the property."
            )
        return Typed(f"{function}()", kind)

    return read_it


def _anonymous(reader: Reader, node: exp.Anonymous) -> Typed:
    if node.name.lower() == "now" and not node.expressions:
        return _now("current_timestamp", "timestamp")(reader, node)
    return anonymous(reader, node)


OF_QUERIES: dict[type, Callable[[Any, Any], Typed]] = {
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Anonymous: _anonymous,
    exp.DateTrunc: _truncated,
    exp.TimestampTrunc: _truncated,
    exp.TsOrDsAdd: _later,
    exp.DateAdd: _later,
    exp.AddMonths: _later,
    exp.TsOrDsToDate: _read_as,
    exp.StrToDate: _read_as,
    exp.Add: _sum_or_shift,
    exp.Sub: _sum_or_shift,
    exp.CurrentDate: _now("current_date", "date"),
    exp.CurrentTimestamp: _now("current_timestamp", "timestamp"),
}
"""Nodes that only queries may have; the result of an expression must not depend on the day."""
RANKS: dict[type, str] = {exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank"}
NEIGHBOURS: dict[type, str] = {exp.Lag: "lag", exp.Lead: "lead"}
"""Window functions: the rank of a row, and the value of a row before or after it."""
NAMES = (
    *("add_months", "any_value", "avg", "cast", "count", "count_if", "current_date", "current_timestamp", "date_add"),
    *("date_trunc", "dense_rank", "lag", "lead", "max", "min", "now", "rank", "row_number", "stddev_pop"),
    *("stddev_samp", "sum", "to_date", "trunc"),
)
"""Functions that queries have in addition to those of expressions, for people."""
