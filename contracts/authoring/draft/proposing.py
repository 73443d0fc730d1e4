"""A profile in; a property of the contract for each column, with the basis of each proposal, out.

Rules about values (bounds, lengths, lists, keys, nulls) are proposed where enough values carry them, with room for the
next file, and warn until a person confirms them. Types and formats of dates are structure, and reject.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any, Literal

from contracts.authoring.draft.columns import spread
from contracts.authoring.draft.columns.dates import count_in_words
from contracts.authoring.draft.columns.personal import CLASSIFICATION, personal
from contracts.authoring.draft.columns.spread import LEAST
from contracts.authoring.draft.profile import ColumnProfile, Profile
from contracts.plan import CONTAINERS, REPEATING
from contracts.problem import visible

MOST_VALUES, LONGEST_VALUE = 50, 60
OFTEN = 5
"""The count of each of few values from which they are proposed as an `enum`: one more would have been seen as well."""
VARIED = 10
"""Different texts from which on their common length is one of all texts."""
LONGEST_KEY = 40
LIKE_KEY = {"id", "key", "uuid", "guid", "number", "no", "nr", "index"}
NAMES = LIKE_KEY | {"code", "sku", "zip", "plz", "postcode", "account", "year", "phone"}
"""Words in the names of numbers that count nothing, so that no bound is carried by others."""
NO_KEY = {
    *("amount", "price", "cost", "total", "sum", "value", "quantity", "qty", "count", "code", "iban", "sku", "zip"),
    *("betrag", "preis", "menge", "wert", "summe", "plz", "phone", "email", "mail", "account", "lat", "lon"),
}
"""Words in the names of values that no record is named by, even if none of them occurs twice."""
ROOM_BEFORE = 2
"""Extra digits before the point, beyond those of the samples."""
SEVERAL = 3
"""Samples from which on they show how much files differ, so that less room is left."""
FLAGS = ("required", "primaryKey", "enum")
"""The keys of a property whose checks warn, besides those of `logicalTypeOptions`."""
WIDEST = 90
"""The percentage of nulls from which on no limit is proposed."""

Notes = dict[str, str]


@dataclass(frozen=True, slots=True)
class Proposed:
    """A property in ODCS, the basis of each proposal by key, and the kinds of its checks that warn."""

    value: dict[str, Any]
    notes: Notes = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def key_of(profile: Profile) -> str | None:
    """Return the column that identifies a record: the first one with a name like a key's, or the first of the file."""
    unique = keys_of(profile)
    named = [c for c in unique if LIKE_KEY & {*_words(c.name)}]
    return next((c.name for c in (*named, *(c for c in unique if c is profile.columns[0]))), None)


def keys_of(profile: Profile) -> list[ColumnProfile]:
    """Return the columns that could identify a record."""
    return [c for c in profile.columns if is_key(c)]


def is_key(column: ColumnProfile) -> bool:
    """Return True if every record has its own value, in enough records, with the type, length and name of a key."""
    like = column.type == "integer" or (column.type == "string" and column.longest <= LONGEST_KEY)
    is_unique = column.unique and like and not column.nulls and column.records >= LEAST
    return is_unique and not NO_KEY & {*_words(column.name)} and not _personal(column)


def property_of(column: ColumnProfile, *, is_primary: bool, is_whole: bool = True, samples: int = 1) -> Proposed:
    """Return the proposal for a column; of one whose first values alone are known, without what others may break."""
    last = column.path[-1] if column.path else f".{column.name}"
    named = {} if last in REPEATING else {"name": last[1:]}
    value: dict[str, Any] = {**named, "logicalType": column.type}
    notes: Notes = {"logicalType": _on_type(column)}
    for key, proposal, note in _rules(column, is_primary=is_primary, is_whole=is_whole, samples=samples):
        if proposal is not None:
            value[key] = proposal
        if note:
            notes[key] = note
    if hint := _count_of(column):
        notes["logicalType"] += f"; they could be {hint} in `values` of the drop block"
    if column.unsure:
        notes["logicalType"] += f"; {column.unsure}"
    options = value.get("logicalTypeOptions", {}) if column.type in ("integer", "number", "string") else {}
    return Proposed(value, notes, (*(key for key in FLAGS if key in value), *options))


def _rules(column: ColumnProfile, *, is_primary: bool, is_whole: bool, samples: int) -> Iterator[tuple[str, Any, str]]:
    """Yield the rules for a column: key, value (None if there is only a remark) and basis."""
    is_key_of_map = column.path[-1:] == ("~",)
    if column.exact and is_whole:
        whole, scale = column.exact
        digits = f"decimal({min(whole + ROOM_BEFORE + scale, 38)},{scale})"
        yield "physicalType", digits, f"all of them have {_counted(scale, 'digit')} after the point"
    if column.records >= LEAST and not column.nulls and not is_key_of_map and (is_whole or is_primary):
        places = _counted(column.records, "place" if column.path else "record")
        yield "required", True, f"no null in {places}"
    if is_primary:
        yield "primaryKey", True, f"{_counted(column.filled, 'value')}, none of them twice"
    if whose := _personal(column):
        yield "classification", CLASSIFICATION, f"{whose}; receipts and results do not show them"
    if is_whole and (most := null_limit(column)):
        entry = {"metric": "nullValues", "mustBeLessOrEqualTo": most, "unit": "percent", "severity": "warning"}
        are = "is" if column.nulls == 1 else "are"
        yield "quality", [entry], f"{column.nulls:,} of {_counted(column.records, 'record')} {are} null"
    values = value_set(column) if is_whole else ()
    if values:
        basis = f"{_counted(len(values), 'value')} in {_counted(column.filled, 'record')}"
        yield "enum", [{"value": text} for text in values], basis
    is_ranged = column.type in ("integer", "number") or (column.type == "string" and not column.format)
    if not (is_ranged and (is_primary or values or not is_whole)):
        options, basis = _options(column, 1 if samples >= SEVERAL else 2)
        yield "logicalTypeOptions", options or None, basis


def null_limit(column: ColumnProfile) -> int | None:
    """Return the allowed percentage of nulls of a column that has some: at least twice the greatest share seen."""
    nulls, records = column.scarcest or (column.nulls, column.records)
    if not (column.nulls and column.filled) or column.path or records < LEAST:
        return None
    share = Decimal(nulls) / records
    most = max(share * 2, share + Decimal("0.05"), share + 3 * (share * (1 - share) / records).sqrt())
    return percent if (percent := int((100 * most).to_integral_value(ROUND_CEILING))) <= WIDEST else None


def value_set(column: ColumnProfile) -> tuple[str, ...]:
    """Return the values of a text column with few, frequent values, of which each sample has shown most; else none."""
    if column.type != "string" or column.format or not column.values or column.is_growing or column.filled < LEAST:
        return ()
    few = len(column.values) <= MOST_VALUES and all(count >= OFTEN for _, count in column.values)
    short = all(len(text) <= LONGEST_VALUE and text.isprintable() for text, _ in column.values)
    return tuple(text for text, _ in column.values) if few and short else ()


def bounds(column: ColumnProfile, room: int) -> tuple[Decimal, Decimal] | None:
    """Return bounds of numbers that measure or count; None if they carry none, as names, days and constants do."""
    if column.filled < LEAST or not column.least or _count_of(column) or NAMES & {*_words(column.name)}:
        return None
    ends = Decimal(column.least), Decimal(column.most)
    if column.values is not None and len(column.values) <= 2:
        return ends if ends == (Decimal(0), Decimal(1)) and all(count >= OFTEN for _, count in column.values) else None
    first, third = column.middle or (column.least, column.most)
    is_whole, scale = column.type == "integer", column.exact[1] if column.exact else None
    middle = Decimal(first), Decimal(third)
    return spread.bounds(ends, middle, room=Decimal(room), whole=is_whole, scale=scale)


def rows(profile: Profile) -> tuple[int, int]:
    """Return bounds for the records of a file: half of the fewest to twice the most; of several files, a third less."""
    counts = [sample.records + sample.broken for sample in profile.samples]
    if len(counts) >= SEVERAL:
        return min(counts) * 2 // 3 or 1, -(-max(counts) * 3 // 2)
    return min(counts) // 2 or 1, max(counts) * 2


def _personal(column: ColumnProfile) -> str | None:
    some = [text for text, _ in column.values or ()] or [column.first, column.last][: column.filled]
    return personal(_words(column.name), column.type, column.format, some)


def _count_of(column: ColumnProfile) -> str | None:
    """Return the seconds or days that whole numbers could count, in words."""
    whole = column.type == "integer" and column.least
    return count_in_words(int(column.least), int(column.most), _words(column.name)) if whole else None


def _options(column: ColumnProfile, room: int) -> tuple[dict[str, Any], str]:
    if column.type in ("integer", "number"):
        return _range(column, room)
    if column.type in CONTAINERS or (column.type == "string" and not column.filled):
        return {}, ""
    if column.type == "string" and column.format:
        return {"format": column.format}, f"{_all(column, 'are')} of this format"
    if column.type == "string":
        return _lengths(column)
    options: dict[str, Any] = {"format": column.format} if column.format else {}
    if column.offset is not None:
        options["timezone"] = column.offset
    if not column.filled:
        return options, ""
    seen = []
    ordered = column.type == "time" or (column.type != "boolean" and (column.format or "yyyy").startswith("yyyy"))
    if ordered and not column.dates:
        seen.append(f"seen from {visible(column.first)} to {visible(column.last)}")
    if column.others:
        seen.append(
            f"it could be {column.others[0]} as well" + (", in `formats` of the drop block" if column.dates else "")
        )
    return options, "; ".join(seen)


def _lengths(column: ColumnProfile) -> tuple[dict[str, Any], str]:
    """Return half of the shortest and twice the longest text, or the one length of many texts."""
    if column.filled < LEAST:
        return {}, ""
    longest, is_varied = _counted(column.longest, "character"), column.values is None or len(column.values) >= VARIED
    if column.shortest == column.longest and is_varied:
        return {"minLength": column.shortest, "maxLength": column.longest}, f"{_all(column, 'have')} {longest}"
    most, least = -(-column.longest * 2 // 5) * 5, -(-column.shortest // 2)
    lengths = ({"minLength": least} if least else {}) | {"maxLength": most}
    return lengths, f"{_all(column)} within, with {column.shortest:,} to {longest}"


def _range(column: ColumnProfile, room: int) -> tuple[dict[str, Any], str]:
    ends = bounds(column, room)
    if ends is None:
        return {}, ""
    low, high = (int(n) if column.type == "integer" else n for n in ends)
    if column.type == "integer" and not (low >= -(2**63) and high < 2**63):
        return {}, ""
    seen = f"{_all(column)} within, from {visible(column.least)} to {visible(column.most)}"
    return {"minimum": low, "maximum": high}, seen


def _on_type(column: ColumnProfile) -> str:
    if not column.filled:
        return "no value was seen; find out its type"
    if column.type == "string":
        return f"{_all(column, 'are')} text"
    return f"{_all(column, 'are')} {'an' if column.type[0] in 'aio' else 'a'} {column.type}"


def _all(column: ColumnProfile, verb: Literal["are", "have", ""] = "") -> str:
    """Return the begin of a sentence about all values of a column."""
    if column.filled == 1:
        return " ".join(filter(None, ("the only value", {"are": "is", "have": "has"}.get(verb))))
    return " ".join(filter(None, (f"{column.filled:,} of {column.filled:,} values", verb)))


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _words(name: str) -> list[str]:
    """Return the words of a column's name, in lower case."""
    spaced = "".join(f" {c}" if c.isupper() and n and name[n - 1].islower() else c for n, c in enumerate(name))
    return "".join(c if c.isalnum() else " " for c in spaced).lower().split()
