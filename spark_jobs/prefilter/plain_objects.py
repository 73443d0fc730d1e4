"""Plain objects of JSON, cut at their commas: lines in; those with the right keys and types, and their values, out.

A plain object has all keys of the file's first one, in their order, and scalars without escapes. A pattern that knows
neither keys nor types, the cut, and the tests of each column take half the time of a pattern for the whole line and of
Arrow's JSON parser: the few states of the pattern stay in a processor's fastest cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.prefilter.json_objects import LINE_END

NULL = pa.scalar(None, pa.string())
NUMBERS = {"integer": pa.int64(), "number": pa.float64()}
BOOLEANS = pa.array(["true", "false", "null"])


@dataclass(frozen=True, slots=True)
class Member:
    """A key, as JSON writes it, and its values: any scalars; values of a type or of a shape (RE2), and nulls."""

    key: str
    kind: Literal["any", "text", "boolean", "integer", "number", "shape"]
    shape: str = ""


@dataclass(frozen=True, slots=True)
class PlainObject:
    """The members of plain objects, in their order.

    `character` is the pattern of a character of a text, `last` those of one at its end, where commas have no blank
    behind them and where they have; `number` is that of a number.
    """

    members: tuple[Member, ...]
    character: str
    last: tuple[str, str]
    number: str

    def pattern(self, colon: str, comma: str) -> str:
        """Return a pattern (RE2) of objects of scalars, with these signs between them.

        No text ends like such a comma: the cut would take its quote for that of a key.
        """
        text = f'"(?:{self.character}*{self.last[comma != ","]})?"'
        pair = f'"{self.character}*"{colon}(?:{text}|{self.number}|true|false|null)'
        return rf"\A\{{(?:{pair}{comma})*{pair}\}}{LINE_END}"

    def signs(self, line: bytes) -> tuple[str, str]:
        """Return the colon and the comma of a line, each with the blank that it has behind it."""
        first, second = (member.key for member in (self.members * 2)[:2])
        spaced = line.startswith(f"{{{first}: ".encode())
        return ": " if spaced else ":", ", " if f", {second}:".encode() in line else ","


def read(
    lines: pa.StringArray, are_records: pa.BooleanArray, plain: PlainObject, types: Mapping[str, pa.DataType]
) -> tuple[pa.BooleanArray, pa.Table]:
    """Return which lines are plain objects of these members; and their values of some types, by place."""
    first = pc.index(are_records, True).as_py()
    colon, comma = plain.signs(lines.view(pa.binary())[first].as_py() if first >= 0 else b"")
    shaped = pc.and_(pc.match_substring_regex(lines, plain.pattern(colon, comma)), are_records)
    own = lines if shaped.true_count == len(lines) else lines.filter(shaped)
    pairs = pc.split_pattern(own.view(pa.binary()), f'{comma}"'.encode())
    even = pc.equal(pc.list_value_length(pairs), len(plain.members))
    if even.false_count:
        pairs = pairs.filter(even)
    columns, tests, each = [], [], pairs.flatten()
    starts = pc.cumulative_sum(pa.repeat(len(plain.members), len(pairs)), start=-len(plain.members))
    for place, member in enumerate(plain.members):
        pair = each.take(pc.add(starts, place))
        begins = (member.key[1:] if place else f"{{{member.key}").encode() + colon.encode()
        text = pc.binary_replace_slice(pair, 0, len(begins), b"").view(pa.string())
        if place == len(plain.members) - 1:
            text = pc.ascii_rtrim(text, "}\r\n")  # a text ends with its quote
        values, fine = _values(text, member, types.get(str(place)))
        columns.append(values)
        tests += [pc.starts_with(pair, begins), *fine]
    right = reduce(pc.and_, tests)
    table = pa.table({place: columns[int(place)] for place in types})
    if types and right.false_count:
        table = table.filter(right)
    if even.false_count or right.false_count:
        shaped = pc.replace_with_mask(shaped, shaped, pc.replace_with_mask(even, even, right))
    return shaped, table


def _values(texts: pa.StringArray, member: Member, kind: pa.DataType | None) -> tuple[pa.Array, list[pa.BooleanArray]]:
    """Return the values of a member, of a type if it is wanted, and tests that the right ones pass."""
    are_null = pc.equal(texts, "null")
    values = pc.if_else(are_null, NULL, texts) if are_null.true_count else texts
    tests = []
    match member.kind:
        case "text":
            tests = [pc.or_(pc.starts_with(texts, '"'), are_null)]
        case "boolean":
            tests = [pc.is_in(texts, BOOLEANS)]
        case "shape":
            tests = [pc.or_(pc.match_substring_regex(texts, member.shape), are_null)]
        case "integer" | "number":
            try:
                values = values.cast(NUMBERS[member.kind])
            except pa.ArrowInvalid:  # other scalars, as the pattern knows no others
                tests = [pc.or_(pc.match_substring_regex(texts, member.shape), are_null)]
                values = pc.if_else(tests[0], values, NULL).cast(NUMBERS[member.kind])
    if kind is None or (values.type == kind and not pa.types.is_string(kind)):
        return values, tests
    if pa.types.is_string(kind):
        return pc.ascii_trim(values, '"'), tests
    if tests:
        values = pc.if_else(tests[0], values, NULL)
    return values.cast(kind), tests
