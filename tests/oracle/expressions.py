"""Expressions over the columns of a record, by chance, and what each says of one: three-valued, in plain Python.

What a text means is worked out from the tree of its parser, on the oracle's own values; no SQL is run.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import sqlglot
from sqlglot import exp

from tests.oracle.records import Cell

FAMILIES = {"integer": "number", "number": "number", "string": "text", "date": "date", "timestamp": "timestamp"}
SIGNS = ("=", "<>", "<", "<=", ">", ">=", "<=>")
LITERALS: dict[str, tuple[str, ...]] = {
    "number": ("0", "1", "-7", "2.5", "0.01", "1e2", "9223372036854775807"),
    "text": ("'a'", "'SP'", "''", "'é'", "r'a\\d'"),
    "date": ("date '2024-01-01'", "date '2024-02-29'"),
    "timestamp": ("timestamp '2024-01-01 00:00:00'", "timestamp '2024-03-31 01:30:00'"),
    "time": ("null",),
    "boolean": ("true", "false"),
}
LEAST, BEYOND = -(2**63), 2**63
Truth = bool | None


def an_expression(chance: Random, columns: Mapping[str, str], depth: int = 2) -> str:
    """A boolean over columns, which come with their logical types; those named `exact` multiply nothing."""
    if depth and chance.random() < 0.5:
        inner = [an_expression(chance, columns, depth - 1) for _ in range(2)]
        shape = chance.choice(("({0} and {1})", "({0} or {1})", "not {0}", "if({0}, {1}, true)", "({0} is not true)"))
        return shape.format(*inner)
    name = chance.choice(sorted(columns))
    family = FAMILIES.get(columns[name], columns[name])
    one, other = _term(chance, columns, family), _term(chance, columns, family)
    if family == "boolean":
        return chance.choice((f"`{name}`", f"(`{name}` {chance.choice(('=', '<>', '<=>'))} {other})"))
    return chance.choice(
        (
            f"(`{name}` {chance.choice(SIGNS)} {other})",
            f"({one} {chance.choice(SIGNS)} {other})",
            f"(`{name}` between {one} and {other})",
            f"(`{name}` in ({one}, {other}, null))",
            f"(`{name}` is null)",
            *((f"(`{name}` like {chance.choice(OF_LIKE)})",) if family == "text" else ()),
        )
    )


OF_LIKE = ("'%a%'", "'S_'", "'%'", "'a%b'", "'_'")


def _term(chance: Random, columns: Mapping[str, str], family: str) -> str:
    alike = [f"`{n}`" for n, kind in sorted(columns.items()) if FAMILIES.get(kind, kind) == family]
    literal = chance.choice(LITERALS[family])
    plain = chance.choice((*alike, literal))
    if chance.random() < 0.5:
        return plain
    other = chance.choice((*alike, literal))
    shapes = {
        "number": ("({0} + {1})", "({0} - {1})", "({0} / {1})", "abs({0})", "(-{0})", "coalesce({0}, {1})"),
        "text": ("upper({0})", "trim({0})", "substring({0}, 2, 1)", "({0} || {1})", "coalesce({0}, {1})"),
    }
    return chance.choice(shapes.get(family, ("coalesce({0}, {1})", "if({0} < {1}, {0}, {1})"))).format(plain, other)


def truth(text: str, cells: Mapping[str, Cell]) -> Truth:
    """What an expression says of a record."""
    found = _value(_tree(text), cells)
    assert found is None or isinstance(found, bool), (text, found)
    return found


@cache
def _tree(text: str) -> Any:
    return sqlglot.parse_one(text, dialect="spark")


def _value(node: Any, cells: Mapping[str, Cell]) -> Any:
    match node:
        case exp.Column():
            return cells[node.name].value
        case exp.Literal():
            return node.name if node.is_string else _number(node.name)
        case exp.RawString():
            return node.this
        case exp.Boolean():
            return node.this
        case exp.Null():
            return None
        case exp.Paren():
            return _value(node.this, cells)
        case exp.Cast():
            return _moment(node.this.name)
        case exp.And() | exp.Or():
            return _joined(isinstance(node, exp.Or), _value(node.this, cells), _value(node.expression, cells))
        case exp.Not():
            inner = _value(node.this, cells)
            return None if inner is None else not inner
        case exp.If():
            return _value(node.args["true" if _value(node.this, cells) else "false"], cells)
        case exp.Is():
            wanted = _value(node.expression, cells)
            return _value(node.this, cells) is wanted
        case exp.Coalesce():
            values = (_value(part, cells) for part in (node.this, *node.expressions))
            return next((v for v in values if v is not None), None)
        case exp.NullSafeEQ():
            left, right = _alike(_value(node.this, cells), _value(node.expression, cells))
            return bool(left == right) if left is not None and right is not None else left is right
        case exp.In():
            return _among(_value(node.this, cells), [_value(part, cells) for part in node.expressions])
        case exp.Between():
            it, low, high = (_value(node.args[part], cells) for part in ("this", "low", "high"))
            return _joined(False, _compared(operator.ge, it, low), _compared(operator.le, it, high))
        case exp.Substring():
            text = _value(node.this, cells)
            start, length = int(node.args["start"].name), int(node.args["length"].name)
            return None if text is None else text[start - 1 : start - 1 + length]
        case exp.Neg() if isinstance(node.this, exp.Literal):
            return -_number(node.this.name)
    return _called(node, [_value(part, cells) for part in (node.this, node.args.get("expression")) if part is not None])


def _called(node: Any, values: Sequence[Any]) -> Any:
    if any(v is None for v in values):
        return None
    if function := COMPARED.get(type(node)):
        return _compared(function, *values)
    return OF_VALUES[type(node)](*values)


def _compared(how: Callable[[Any, Any], Any], left: Any, right: Any) -> Truth:
    if left is None or right is None:
        return None
    return bool(how(*_alike(left, right)))


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    """Two numbers as they are compared and counted with: as floats if one of them is."""
    if isinstance(left, float) or isinstance(right, float):
        return (None if left is None else float(left)), (None if right is None else float(right))
    return left, right


def _joined(either: bool, *sides: Truth) -> Truth:
    if either in sides:
        return either
    return None if None in sides else not either


def _among(value: Any, others: Sequence[Any]) -> Truth:
    return _joined(True, *(_compared(operator.eq, value, other) for other in others))


def _counted(how: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def count(left: Any, right: Any) -> Any:
        return _bounded(how(*_alike(left, right)))

    return count


def _bounded(number: Any) -> Any:
    return None if type(number) is int and not LEAST <= number < BEYOND else number


def _divided(left: Any, right: Any) -> float | None:
    return float(left) / float(right) if right else None


def _like(text: str, pattern: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(_like(text[n:], pattern[1:]) for n in range(len(text) + 1))
    return bool(text) and pattern[0] in ("_", text[0]) and _like(text[1:], pattern[1:])


def _number(text: str) -> Any:
    if "e" in text:
        return float(text)
    return Fraction(text) if "." in text else int(text)


def _moment(text: str) -> int:
    from datetime import UTC, datetime  # noqa: PLC0415

    since = datetime.fromisoformat(text).replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return since.days if len(text) == 10 else (since.days * 86_400 + since.seconds) * 1_000_000


COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
OF_VALUES: dict[type, Callable[..., Any]] = {
    exp.Add: _counted(operator.add),
    exp.Sub: _counted(operator.sub),
    exp.Div: _divided,
    exp.Neg: lambda number: _bounded(-number),
    exp.Abs: lambda number: _bounded(abs(number)),
    exp.Upper: str.upper,
    exp.Trim: lambda text: text.strip(" "),
    exp.DPipe: operator.add,
    exp.Like: _like,
}
"""What is worked out of values that are all there; anything of a null is null."""
