"""A profile in; a property of the contract for each column, with the basis of each proposal, out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any, Literal

from contracts.authoring.draft.columns.dates import count_in_words
from contracts.authoring.draft.profile import ColumnProfile, Profile
from contracts.plan import CONTAINERS, REPEATING, Csv
from contracts.problem import visible
from contracts.values.calendar_names import ENGLISH

MOST_VALUES, LONGEST_VALUE = 50, 60
OFTEN = 5
"""The average count of each of few values from which they are proposed as an `enum`."""
LEAST_UNIQUE = 20
"""Records below which the uniqueness of values is not significant."""
LONGEST_KEY = 40
LIKE_KEY = ("id", "key", "uuid", "guid", "code", "number", "no", "nr", "index", "sku")
ROOM_BEFORE = 2
"""Extra digits before the point, beyond those of the samples."""
FURTHEST = 90
"""The power of ten beyond which a number is not written as a bound."""
MOST_DIGITS = 90
"""Digits beyond which a number is not written as a bound: a contract's numbers have at most 100."""

Notes = dict[str, str]


@dataclass(frozen=True, slots=True)
class Proposed:
    """A property in ODCS, and the basis of each proposal by key."""

    value: dict[str, Any]
    notes: Notes = field(default_factory=dict)


def key_of(profile: Profile) -> str | None:
    """Return the column that identifies a record: unique and never null, with a name like a key's, else the first."""
    unique = [c for c in profile.columns if is_key(c)]
    named = [c for c in unique if any(part in LIKE_KEY for part in _words(c.name))]
    return next((c.name for c in (*named, *unique)), None)


def is_key(column: ColumnProfile) -> bool:
    """Return True if every record has its own value, in enough records, with the type and length of a key."""
    like = column.type == "integer" or (column.type == "string" and column.longest <= LONGEST_KEY)
    return column.unique and like and not column.nulls and column.records >= LEAST_UNIQUE


def property_of(column: ColumnProfile, *, is_primary: bool, is_whole: bool = True) -> Proposed:
    """Return the proposal for a column; of one whose first values alone are known, without what others may break."""
    last = column.path[-1] if column.path else f".{column.name}"
    named = {} if last in REPEATING else {"name": last[1:]}
    value: dict[str, Any] = {**named, "logicalType": column.type}
    notes: Notes = {"logicalType": _on_type(column)}
    if column.exact and is_whole:
        whole, scale = column.exact
        value["physicalType"] = f"decimal({min(whole + ROOM_BEFORE + scale, 38)},{scale})"
        notes["physicalType"] = f"all of them have {_counted(scale, 'digit')} after the point"
    if column.records and not column.nulls and last != "~" and (is_whole or is_primary):
        value["required"] = True
        notes["required"] = f"no null in {_counted(column.records, 'place' if column.path else 'record')}"
    if is_key(column) and (is_whole or is_primary):
        value["primaryKey" if is_primary else "unique"] = True
        notes["primaryKey" if is_primary else "unique"] = f"{_counted(column.filled, 'value')}, none of them twice"
    if column.nulls and column.filled and not column.path and is_whole:
        most = null_limit(*(column.scarcest or (column.nulls, column.records)))
        value["quality"] = [{"metric": "nullValues", "mustBeLessOrEqualTo": most, "unit": "percent"}]
        are = "is" if column.nulls == 1 else "are"
        notes["quality"] = f"{column.nulls:,} of {_counted(column.records, 'record')} {are} null"
    if is_whole and (values := value_set(column)):
        value["enum"] = [{"value": text} for text in values]
        notes["enum"] = f"{_counted(len(values), 'value')} in {_counted(column.filled, 'record')}"
    is_ranged = column.type in ("integer", "number") or (column.type == "string" and not column.format)
    options, basis = ({}, "") if is_ranged and not is_whole else _options(column, is_set="enum" in value)
    if options:
        value["logicalTypeOptions"] = options
    if basis:
        notes["logicalTypeOptions"] = basis
    whole = column.type == "integer" and bool(column.least)
    if whole and (hint := count_in_words(int(column.least), int(column.most), _words(column.name))):
        notes["logicalType"] += f"; they could be {hint} in `values` of the drop block"
    if column.unsure:
        notes["logicalType"] += f"; {column.unsure}"
    return Proposed(value, notes)


def null_limit(nulls: int, records: int) -> int:
    """Return the allowed percentage of nulls: the observed share plus a quarter, at least plus one percent."""
    seen = Decimal(100 * nulls) / records
    return int(min(max(seen * Decimal("1.25"), seen + 1).to_integral_value(ROUND_CEILING), Decimal(100)))


def value_set(column: ColumnProfile) -> tuple[str, ...]:
    """Return the values of a text column with few, frequent values; else none."""
    if column.type != "string" or column.format or column.values is None or not column.values:
        return ()
    few = len(column.values) <= MOST_VALUES and len(column.values) * OFTEN <= column.filled
    short = all(len(text) <= LONGEST_VALUE and text.isprintable() for text, _ in column.values)
    return tuple(text for text, _ in column.values) if few and short else ()


def bounds(column: ColumnProfile) -> tuple[Decimal, Decimal] | None:
    """Return the extreme numbers, rounded outwards to the second digit of their difference."""
    if not column.least:
        return None
    with localcontext(prec=100):
        least, most = Decimal(column.least), Decimal(column.most)
        if max(abs(least.adjusted()), abs(most.adjusted())) > FURTHEST:
            return None
        if max(len(least.as_tuple().digits), len(most.as_tuple().digits)) > MOST_DIGITS:
            return None
        step = Decimal(1).scaleb((most - least).adjusted() - 1) if most > least else None
        if column.type == "integer":
            step = max(step or Decimal(1), Decimal(1))
        elif column.exact:
            step = max(step or Decimal(0), Decimal(1).scaleb(-column.exact[1]))
        if step is None:
            return least, most
        low, high = ((least / step).to_integral_value(ROUND_FLOOR), (most / step).to_integral_value(ROUND_CEILING))
        return _plain(low * step), _plain(high * step)


def rows(profile: Profile) -> tuple[int, int]:
    """Return bounds for the records of a file: the fewest seen less a tenth, and the most seen plus a half."""
    counts = [sample.records + sample.broken for sample in profile.samples]
    return min(counts) * 9 // 10 or 1, max(counts) * 3 // 2 + 1


def _plain(number: Decimal) -> Decimal:
    """Return a number without exponent and trailing zeros."""
    return Decimal(f"{number.normalize():f}") if number else Decimal(0)


def _options(column: ColumnProfile, *, is_set: bool) -> tuple[dict[str, Any], str]:
    if column.type in ("integer", "number"):
        return _range(column)
    if column.type in CONTAINERS or (column.type == "string" and (is_set or not column.filled)):
        return {}, ""
    if column.type == "string" and column.format:
        return {"format": column.format}, f"{_all(column, 'are')} of this format"
    if column.type == "string":
        longest = _counted(column.longest, "character")
        if column.shortest == column.longest:
            return {"minLength": column.shortest, "maxLength": column.longest}, f"{_all(column, 'have')} {longest}"
        most, least = -(-column.longest * 3 // 2 // 5) * 5, -(-column.shortest // 2)
        lengths = ({"minLength": least} if least else {}) | {"maxLength": most}
        return lengths, f"{_all(column)} within, with {column.shortest:,} to {longest}"
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


def _range(column: ColumnProfile) -> tuple[dict[str, Any], str]:
    ends = bounds(column)
    if ends is None:
        return {}, ""
    low, high = (int(n) if column.type == "integer" else n for n in ends)
    seen = f"{_all(column)} within, from {visible(column.least)} to {visible(column.most)}"
    if is_key(column):
        return ({"minimum": low}, f"{seen}; no maximum, as keys grow") if low >= 0 else ({}, "")
    if column.type == "integer" and not (low >= -(2**63) and high < 2**63):
        return {}, ""
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


def broken_limit(profile: Profile) -> str | None:
    """Return the tolerance for the broken lines of the samples; None if there are none."""
    shares = [Decimal(100 * s.broken) / (s.records + s.broken) for s in profile.samples if s.broken]
    return f"{max(shares).quantize(Decimal('0.01'), ROUND_CEILING)}%" if shares else None


def dialect(profile: Profile) -> Mapping[str, Any]:
    """Return the keys of the `csv` block for the samples."""
    csv = profile.csv
    if csv is None:
        return {}
    block: dict[str, Any] = {"delimiter": csv.delimiter, "header": csv.header, "encoding": csv.encoding}
    if csv.quote != '"' or csv.escape != '"':
        block |= {"quote": csv.quote, "escape": csv.escape}
    if csv.unquoted_escape:
        block |= {"quote": csv.quote or "none", "unquotedEscape": csv.unquoted_escape}
    if len(csv.null_values) > 1:
        block["nullValues"] = list(csv.null_values)
    if csv.mojibake != "reject":
        block["mojibake"] = csv.mojibake
    if csv.trailing_delimiter:
        block["trailingDelimiter"] = True
    if csv.lacking:
        sides = {"first": csv.lacks_first, "last": csv.lacks_last}
        block["headerLacks"] = {side: list(texts) for side, texts in sides.items() if texts}
    return block | ({"multiLine": True} if csv.multi_line else {}) | _around(csv)


def layout(profile: Profile) -> dict[str, Any]:
    """Return the keys of the `fixed` block for the samples."""
    if profile.csv is None or profile.fixed is None:
        return {}
    csv, fixed = profile.csv, profile.fixed
    block: dict[str, Any] = {"encoding": csv.encoding}
    block |= {"unit": fixed.unit} if fixed.unit != "characters" else {}
    block |= {"length": fixed.length} | ({"mojibake": csv.mojibake} if csv.mojibake != "reject" else {})
    block |= {"leader": {"begins": csv.leader.begins}} if csv.leader else {}
    block |= {"record": {"begins": csv.record}} if csv.record else {}
    if csv.trailer:
        rows = [{"rows": {"start": place.start, "length": place.length}} for place in fixed.trailer]
        block["trailer"] = {"begins": csv.trailer.begins} | (rows[0] if rows else {})
    return block | {"fields": [{"property": f.name, "start": f.start, "length": f.length} for f in fixed.fields]}


def _around(csv: Csv) -> dict[str, Any]:
    """Return the keys for rows around the records."""
    block: dict[str, Any] = {"separatorLine": True} if csv.separator_line else {}
    if csv.comment_char:
        block["commentChar"] = csv.comment_char
    if csv.skip_until is not None:
        block["skipRows"] = {"until": csv.skip_until}
    if csv.header_rows != (1,):
        block["headerRows"] = list(csv.header_rows)
    if csv.comment_rows:
        block["commentRows"] = list(csv.comment_rows)
    if csv.leader:
        block |= {"skipColumns": csv.skip_columns, "leader": {"begins": csv.leader.begins}}
        block["record"] = {"begins": csv.record}
    if csv.trailer:
        rows = {"rows": csv.trailer.rows} if csv.trailer.rows else {}
        block["trailer"] = {"begins": csv.trailer.begins, **rows}
    if csv.footer:
        lines = {"lines": csv.footer.lines} if csv.footer.lines > 1 else {}
        block["footer"] = {"begins": csv.footer.begins, **lines}
    return block


def sheet(profile: Profile) -> dict[str, Any]:
    """Return the keys of the `sheet` block for the samples."""
    own = profile.sheet
    if own is None or profile.csv is None:
        return {}
    block: dict[str, Any] = {"sheetName": own.name} if own.name else {}
    block |= {"range": own.range} if own.range != "A1" else {}
    block |= {} if profile.csv.header else {"header": False}
    return block | _around(
        replace(profile.csv, skip_until=own.skip_until, comment_rows=own.comment_rows, footer=own.footer)
    )


def values(profile: Profile) -> dict[str, Any]:
    """Return the `values` block for the samples; empty if they write values as contracts do."""
    forms = profile.forms
    padded = {c.name: {"trim": True} for c in profile.columns if c.name in profile.padded}
    own = {
        c.name: keys
        for c in profile.columns
        if (keys := padded.get(c.name, {}) | forms.own_keys(c.name, c.type) | _dates(c))
    }
    nulls = profile.csv.null_values if (profile.sheet or profile.fixed) and profile.csv else ("",)
    stated = {"nullValues": list(nulls)} if len(nulls) > 1 else {}
    if profile.xml and profile.xml.null_values:
        stated = {"nullValues": list(profile.xml.null_values)}
    return stated | forms.keys() | ({"columns": own} if own else {})


def _dates(column: ColumnProfile) -> dict[str, Any]:
    """Return the keys about the notation of a column's dates."""
    if column.dates is None:
        return {}
    keys: dict[str, Any] = {"formats": list(column.dates.formats)}
    keys |= {"century": column.dates.century} if column.dates.century else {}
    return keys | ({"language": column.dates.language} if column.dates.language != ENGLISH else {})
