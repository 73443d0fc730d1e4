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
JOINED = ("({0} and {1})", "({0} or {1})", "not {0}", "if({0}, {1}, true)", "({0} is not true)")
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
Of = Callable[[Any], Any]
"""What a part of an expression is in the record at hand."""


def an_expression(chance: Random, columns: Mapping[str, str], depth: int = 2) -> str:
    """A boolean over columns, which come with their logical types."""
    if depth and chance.random() < 0.5:
        inner = [an_expression(chance, columns, depth - 1) for _ in range(2)]
        return chance.choice(JOINED).format(*inner)
    name = chance.choice(sorted(columns))
    family = FAMILIES.get(columns[name], columns[name])
    one, other = _term(chance, columns, family), _term(chance, columns, family)
    if family == "boolean":
        return chance.choice((f"`{name}`", f"(`{name}` {chance.choice(('=', '<>', '<=>'))} {other})"))
    shapes = [
        f"(`{name}` {chance.choice(SIGNS)} {other})",
        f"({one} {chance.choice(SIGNS)} {other})",
        f"(`{name}` between {one} and {other})",
        f"(`{name}` in ({one}, {other}, null))",
        f"(`{name}` is null)",
    ]
    shapes += [f"(`{name}` like {chance.choice(OF_LIKE)})"] if family == "text" else []
    return chance.choice(shapes)


OF_LIKE = ("'%a%'", "'S_'", "'%'", "'a%b'", "'_'")


def _term(chance: Random, columns: Mapping[str, str], family: str) -> str:
    alike = [f"`{n}`" for n, kind in sorted(columns.items()) if FAMILIES.get(kind, kind) == family]
    literal = chance.choice(LITERALS[family])
    plain = chance.choice((*alike, literal))
    if chance.random() < 0.5:
        return plain
    other = chance.choice((*alike, literal))
    shapes = {
        "number": ("({0} + {1})", "({0} - {1})", "({0} / {1})", "abs({0})", "(- {0})", "coalesce({0}, {1})"),
        "text": ("upper({0})", "trim({0})", "substring({0}, 2, 1)", "({0} || {1})", "coalesce({0}, {1})"),
    }
    shape = chance.choice(shapes.get(family, ("coalesce({0}, {1})", "if({0} < {1}, {0}, {1})")))
    return shape.format(plain, other)


def truth(text: str, cells: Mapping[str, Cell]) -> Truth:
    """Return the truth of an expression for a record."""
    answer = _value(_tree(text), cells)
    assert answer is None or isinstance(answer, bool), (text, answer)
    return answer


@cache
def _tree(text: str) -> Any:
    return sqlglot.parse_one(text, dialect="spark")


def _value(node: Any, cells: Mapping[str, Cell]) -> Any:
    """Return the value of a part of an expression in a record."""
    if isinstance(node, exp.Column):
        return cells[node.name].value
    if function := CONSTANTS.get(type(node)):
        return function(node)
    if lazy := LAZY.get(type(node)):
        return lazy(lambda part: _value(part, cells), node)
    parts = [node.this, *(node.args[name] for name in ("expression", "start", "length") if node.args.get(name))]
    return _called(node, [_value(part, cells) for part in parts])


def _if(value: Of, node: exp.If) -> Any:
    return value(node.args["true" if value(node.this) else "false"])


def _case(value: Of, node: exp.Case) -> Any:
    branches = (part.args["true"] for part in node.args["ifs"] if value(part.this) is True)
    branch = next(branches, node.args.get("default"))
    return None if branch is None else value(branch)


def _first(value: Of, node: exp.Coalesce) -> Any:
    return next((v for part in (node.this, *node.expressions) if (v := value(part)) is not None), None)


def _same(value: Of, node: exp.NullSafeEQ) -> Truth:
    left, right = _alike(value(node.this), value(node.expression))
    return bool(left == right) if left is not None and right is not None else left is right


def _within(value: Of, node: exp.Between) -> Truth:
    it, low, high = (value(node.args[part]) for part in ("this", "low", "high"))
    return _joined(False, _compared(operator.ge, it, low), _compared(operator.le, it, high))


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


def _among(value: Of, node: exp.In) -> Truth:
    it = value(node.this)
    return _joined(True, *(_compared(operator.eq, it, value(other)) for other in node.expressions))


def _counted(how: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def count(left: Any, right: Any) -> Any:
        return _bounded(how(*_alike(left, right)))

    return count


def _bounded(number: Any) -> Any:
    return None if type(number) is int and not LEAST <= number < BEYOND else number


def _divided(left: Any, right: Any) -> float | None:
    return float(left) / float(right) if right else None


def _remainder(left: int, right: int) -> int | None:
    """With the sign of the left side."""
    return None if right == 0 else (abs(left) % abs(right)) * (1 if left >= 0 else -1)


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


CONSTANTS: dict[type, Callable[[Any], Any]] = {
    exp.Literal: lambda node: node.name if node.is_string else _number(node.name),
    exp.RawString: lambda node: node.this,
    exp.Boolean: lambda node: node.this,
    exp.Null: lambda _: None,
    exp.Cast: lambda node: _moment(node.this.name),
}
LAZY: dict[type, Callable[[Of, Any], Any]] = {
    exp.Paren: lambda value, node: value(node.this),
    exp.And: lambda value, node: _joined(False, value(node.this), value(node.expression)),
    exp.Or: lambda value, node: _joined(True, value(node.this), value(node.expression)),
    exp.Is: lambda value, node: value(node.this) is value(node.expression),
    exp.If: _if,
    exp.Case: _case,
    exp.Coalesce: _first,
    exp.NullSafeEQ: _same,
    exp.In: _among,
    exp.Between: _within,
}
"""What says something of a null, too."""
COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
OF_VALUES: dict[type, Callable[..., Any]] = {
    exp.Not: operator.not_,
    exp.Substring: lambda text, start, length: text[start - 1 : start - 1 + length],
    exp.Add: _counted(operator.add),
    exp.Sub: _counted(operator.sub),
    exp.Div: _divided,
    exp.Mod: _remainder,
    exp.Neg: lambda number: _bounded(-number),
    exp.Abs: lambda number: _bounded(abs(number)),
    exp.Upper: str.upper,
    exp.Length: len,
    exp.Trim: lambda text: text.strip(" "),
    exp.DPipe: operator.add,
    exp.Like: _like,
}
"""What is worked out of values that are all there; anything of a null is null."""
