"""Plain objects of JSON, cut at their commas: lines in; those with the right keys and types, and their values, out.

A plain object has the keys of the batch's first one, in their order, and scalars without escapes. A pattern that knows
neither keys nor types, the cut, and the tests of each column take half the time of a pattern for the whole line and of
Arrow's JSON parser: the few states of the pattern stay in a processor's fastest cache.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.prefilter.json_objects import LINE_END

NULL = pa.scalar(None, pa.string())
NUMBERS = {"integer": pa.int64(), "number": pa.float64()}
MANY, SOME = 1_000, 100
"""Of a batch of more lines than this, so many are tried first."""
BOOLEANS = pa.array(["true", "false", "null"])


@dataclass(frozen=True, slots=True)
class Member:
    """A key, as JSON writes it, its place among all, and its values: of a type or of a shape (RE2), or nulls."""

    at: int
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

    def written(self, line: bytes) -> Writing | None:
        """Return how a line writes an object of some of these members; None if it is no such object."""
        try:
            pairs = json.loads(line, object_pairs_hook=tuple)
        except (ValueError, RecursionError):
            return None
        keys = [f'"{key}"' for key, _ in pairs] if isinstance(pairs, tuple) else []
        there = set(keys)
        members = tuple(member for member in self.members if member.key in there)
        if not keys or keys != [member.key for member in members]:
            return None
        colon = ": " if line.startswith(f"{{{keys[0]}: ".encode()) else ":"
        comma = ", " if f", {keys[-1]}:".encode() in line else ","
        return Writing(members, colon, comma)

    def pattern(self, writing: Writing) -> str:
        """Return a pattern (RE2) of objects of scalars that are written so.

        No text ends like a comma between two members: the cut would take its quote for that of a key.
        """
        text = f'"(?:{self.character}*{self.last[writing.comma != ","]})?"'
        pair = f'"{self.character}*"{writing.colon}(?:{text}|{self.number}|true|false|null)'
        return rf"\A\{{(?:{pair}{writing.comma})*{pair}\}}{LINE_END}"


@dataclass(frozen=True, slots=True)
class Writing:
    """The way in which objects are written: their members; colon and comma, each with the blank behind it if any."""

    members: tuple[Member, ...]
    colon: str
    comma: str


def read(
    lines: pa.StringArray, are_records: pa.BooleanArray, plain: PlainObject, types: Mapping[str, pa.DataType]
) -> tuple[pa.BooleanArray, pa.Table]:
    """Return which lines are plain objects with the members of the first one; and values of some types, by place.

    If fewer than half of the first lines are, none is taken for one, as the others are read in another way.
    """
    first = pc.index(are_records, True).as_py()
    writing = plain.written(lines.view(pa.binary())[first].as_py()) if first >= 0 else None
    if writing and len(lines) > MANY:
        some, _ = _cut(lines[:SOME], are_records[:SOME], plain, writing, types)
        writing = writing if 2 * some.true_count >= are_records[:SOME].true_count else None
    if writing is None:
        return pc.and_not(are_records, are_records), pa.table({at: pa.array([], kind) for at, kind in types.items()})
    return _cut(lines, are_records, plain, writing, types)


def _cut(
    lines: pa.StringArray,
    are_records: pa.BooleanArray,
    plain: PlainObject,
    writing: Writing,
    types: Mapping[str, pa.DataType],
) -> tuple[pa.BooleanArray, pa.Table]:
    """Return the same for lines that are written so."""
    shaped = pc.and_(pc.match_substring_regex(lines, plain.pattern(writing)), are_records)
    own = lines if shaped.true_count == len(lines) else lines.filter(shaped)
    pairs = pc.split_pattern(own.view(pa.binary()), f'{writing.comma}"'.encode())
    width = len(writing.members)
    even = pc.equal(pc.list_value_length(pairs), width)
    if even.false_count:
        pairs = pairs.filter(even)
    each, starts = pairs.flatten(), pc.cumulative_sum(pa.repeat(width, len(pairs)), start=-width)
    columns = {at: pa.nulls(len(pairs), kind) for at, kind in types.items()}
    tests = []
    for n, member in enumerate(writing.members):
        pair = each.take(pc.add(starts, n))
        begins = f"{member.key[1:] if n else '{' + member.key}{writing.colon}".encode()
        text = pc.binary_replace_slice(pair, 0, len(begins), b"").view(pa.string())
        if n == width - 1:
            text = pc.ascii_rtrim(text, "}\r\n")  # a text ends with its quote
        values, fine = _values(text, member, types.get(str(member.at)))
        tests += [pc.starts_with(pair, begins), *fine]
        if str(member.at) in types:
            columns[str(member.at)] = values
    right = reduce(pc.and_, tests)
    table = pa.table(columns)
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
