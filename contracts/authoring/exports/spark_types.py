"""The types of Spark SQL for a contract's columns: a column in; its type, and the checks that the type implies, out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts import rules
from contracts.authoring.exports import moments
from contracts.authoring.exports.exported import Account, ExportedColumn
from contracts.plan import CONTAINERS, REPEATING
from contracts.values.sql_text import quoted_name

STRING, BIGINT, DOUBLE, TIMESTAMP = "string", "bigint", "double", "timestamp"
TYPES: dict[tuple[str, str | None], str] = {
    ("string", None): STRING,
    ("integer", None): BIGINT,
    ("integer", "i8"): "tinyint",
    ("integer", "i16"): "smallint",
    ("integer", "i32"): "int",
    ("integer", "u8"): "smallint",
    ("integer", "u16"): "int",
    ("number", None): DOUBLE,
    ("number", "f32"): "float",
    ("boolean", None): "boolean",
    ("date", None): "date",
    ("timestamp", None): TIMESTAMP,
    ("time", None): STRING,
}
"""The Spark type by logical type and rejecting format; None stands for all other formats."""
WHOLE = ("i8", "i16", "i32", "i64", "f32", "f64")
"""Formats that are exactly a type of Spark."""
IN_JSON = {"bigint": "long", "int": "integer", "smallint": "short", "tinyint": "byte"}
"""The different names of types in the JSON of a StructType."""
ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
FIRST_LONG = 0x10000
SUBSTITUTED, UNSUBSTITUTED = "${", "\\u0024{"
"""The beginning of a variable, which Spark replaces in every statement; and an escape of it, which it does not."""
LONGEST = 2**31 - 1
"""Characters of the longest `varchar`."""


@dataclass(frozen=True, slots=True)
class SparkType:
    """A type in DDL, and the greatest length of texts, if the contract has one."""

    name: str
    length: int | None = None


def spark_type(account: Account, column: ExportedColumn) -> SparkType:
    """Return the type of a column; count the checks that it implies as carried, and add what it loses."""
    prop, rule, length = column.prop, column.rule(rules.Format), column.rule(rules.MaxLength)
    if not column.typed:
        account.lose(f"Values of `{column.name}` that are of another type: the contract only warns of them.")
    if prop.type != "time":
        account.carry(column, rules.LogicalType)
    account.carried |= column.null_checks()
    account.undefined_content(column)
    form = rule.format if rule else None
    if form in WHOLE and not prop.exact:
        account.carry(column, rules.Format)
    if prop.exact:
        return SparkType(f"decimal({prop.exact[0]},{prop.exact[1]})")
    if prop.type == "timestamp" and moments.is_local(prop):
        return SparkType("timestamp_ntz")
    if prop.type == "string" and length and 0 < length.value <= LONGEST:
        return SparkType(STRING, length.value)
    return SparkType(prop.type if prop.type in CONTAINERS else TYPES.get((prop.type, form), TYPES[prop.type, None]))


def nested_type(account: Account, column: ExportedColumn) -> str:
    """Return the type of a column with its parts; carried checks and losses are counted as in `spark_type`."""
    kind, inner = spark_type(account, column), account.contract.inner(column)
    if column.prop.type == "object":
        fields = [f"{quoted_name(valid_name(account, part.key))}: {nested_type(account, part)}" for part in inner]
        return f"struct<{', '.join(fields)}>"
    if column.prop.type in CONTAINERS:
        return f"{column.prop.type}<{', '.join([nested_type(account, part) for part in inner] or [STRING])}>"
    return kind.name


Condition = Callable[[str, str | None], str]
"""A function from a value and the object that holds it, both in SQL, to the condition in SQL."""


def of_each(route: Sequence[str], condition: Condition) -> str:
    """Return a condition on all values at the end of a route, in SQL; absent values meet it."""
    return _of_each(quoted_name(route[0]), None, route[1:], condition)


def _of_each(value: str, owner: str | None, steps: Sequence[str], condition: Condition, depth: int = 0) -> str:
    if not steps:
        return condition(value, owner)
    step, rest = steps[0], steps[1:]
    if step not in REPEATING:
        return _of_each(f"{value}.{quoted_name(step[1:])}", value, rest, condition, depth)
    several = {"[]": value, "*": f"map_values({value})", "~": f"map_keys({value})"}[step]
    return f"forall({several}, x{depth} -> {_of_each(f'x{depth}', None, rest, condition, depth + 1)})"


def is_valid_name(name: str) -> bool:
    """Return True if SQL text can hold a name; nothing is escaped within backquotes.

    Spark puts a variable in the place of `${...}` before it reads a statement; its command line ends one at a `;`.
    """
    return SUBSTITUTED not in name and ";" not in name and name.isprintable()


def valid_name(account: Account, name: str) -> str:
    """Return a unique name that is valid in SQL text; add a loss if it is not the contract's name."""
    if is_valid_name(name):
        return name
    plain = "".join(c if c.isprintable() and c not in "$;" else "_" for c in name)
    made = f"{plain}_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    account.lose(f"The name `{name}`; here it is `{made}`.")
    return made


def literal(text: str) -> str:
    """Return a text as a literal of Spark SQL; characters that are not printable are escaped."""
    return f"'{''.join(map(_escaped, text)).replace(SUBSTITUTED, UNSUBSTITUTED)}'"


def _escaped(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    if character == " " or character.isprintable():
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number < FIRST_LONG else f"\\U{number:08x}"
