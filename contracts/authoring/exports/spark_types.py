"""The types of Spark SQL for a contract's columns: a column in, its type, and what the type says of it, out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.authoring.exports.exported import Account, Column
from contracts.plan import CONTAINERS, REPEATING

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
"""By logical type and the format that the contract insists on; None for all other formats."""
WHOLE = ("i8", "i16", "i32", "i64", "f32", "f64")
"""Formats that a type of Spark says in full."""
IN_JSON = {"bigint": "long", "int": "integer", "smallint": "short", "tinyint": "byte"}
"""The names that types have in the JSON of a StructType, where they are others."""
ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
FIRST_LONG = 0x10000
SUBSTITUTED, UNSUBSTITUTED = "${", "\\u0024{"
"""What begins a variable, which Spark replaces in every statement; and the same in a text, which it leaves."""
LONGEST = 2**31 - 1
"""Characters of the longest `varchar`."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A type as DDL names it, and the longest text, if the contract says one."""

    name: str
    length: int | None = None


def typed(account: Account, column: Column) -> Typed:
    """The type of a column; what it says is carried, what it takes away is told."""
    prop, check = column.prop, column.check("format")
    if not column.typed:
        account.lose(f"That values of `{column.name}` may be of another type: it is only a warning.")
    if (of_type := column.check("logicalType")) and prop.type != "time":
        account.carried.add(of_type.id)
    account.carried |= column.null_checks()
    account.unsaid(column)
    form = check.arguments["format"] if check else None
    if check and form in WHOLE and not prop.exact:
        account.carried.add(check.id)
    longest = column.check("maxLength")
    if prop.exact:
        return Typed(f"decimal({prop.exact[0]},{prop.exact[1]})")
    if prop.type == "timestamp" and prop.offset is False and prop.zone is None:
        return Typed("timestamp_ntz")
    if prop.type == "string" and longest and 0 < longest.arguments["value"] <= LONGEST:
        return Typed(STRING, longest.arguments["value"])
    return Typed(prop.type if prop.type in CONTAINERS else TYPES.get((prop.type, form), TYPES[prop.type, None]))


def written(account: Account) -> None:
    """Name what is about text alone: Spark's values have a form of their own."""
    for prop in account.contract.plan.properties:
        if prop.format:
            account.lose(f"The way in which `{prop.name}` is written (`{prop.format}`).")
        if prop.zone:
            account.lose(f"The zone of `{prop.name}` ({prop.zone}).")


def nested_type(account: Account, column: Column) -> str:
    """The type of a column with all that it holds, which it is told of as by `typed`."""
    kind, inner = typed(account, column), account.contract.inner(column)
    if column.prop.type == "object":
        fields = ", ".join(f"{quoted_name(sayable(account, one.key))}: {nested_type(account, one)}" for one in inner)
        return f"struct<{fields}>"
    if column.prop.type in CONTAINERS:
        return f"{column.prop.type}<{', '.join([nested_type(account, one) for one in inner] or [STRING])}>"
    return kind.name


Condition = Callable[[str, str | None], str]
"""Of a value, and of the object that it lies in, both in SQL: what must be true of it."""


def of_each(route: Sequence[str], condition: Condition) -> str:
    """A condition of all that lies at the end of a route, in SQL; what is within nothing keeps it."""
    return _of_each(quoted_name(route[0]), None, route[1:], condition)


def _of_each(value: str, owner: str | None, steps: Sequence[str], condition: Condition, depth: int = 0) -> str:
    if not steps:
        return condition(value, owner)
    step, rest = steps[0], steps[1:]
    if step not in REPEATING:
        return _of_each(f"{value}.{quoted_name(step[1:])}", value, rest, condition, depth)
    several = {"[]": value, "*": f"map_values({value})", "~": f"map_keys({value})"}[step]
    return f"forall({several}, x{depth} -> {_of_each(f'x{depth}', None, rest, condition, depth + 1)})"


def quoted_name(name: str) -> str:
    """A name of a column or table, in backquotes."""
    return "`" + name.replace("`", "``") + "`"


def is_sayable(name: str) -> bool:
    """Return True if SQL text can hold a name; nothing is escaped within backquotes.

    Spark puts a variable in the place of `${...}` before it reads a statement; its command line ends one at a `;`.
    """
    return SUBSTITUTED not in name and ";" not in name and name.isprintable()


def sayable(account: Account, name: str) -> str:
    """A name as SQL text can hold it; one that is not the contract's is told, and equals no other."""
    if is_sayable(name):
        return name
    plain = "".join(c if c.isprintable() and c not in "$;" else "_" for c in name)
    made = f"{plain}_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    account.lose(f"The name `{name}`; here it is `{made}`.")
    return made


def literal(text: str) -> str:
    """A text as SQL of Spark writes it, character for character; what would not print is an escape of SQL's."""
    return f"'{''.join(map(_escaped, text)).replace(SUBSTITUTED, UNSUBSTITUTED)}'"


def _escaped(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    if character == " " or character.isprintable():
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number < FIRST_LONG else f"\\U{number:08x}"
