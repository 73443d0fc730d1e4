"""A profile in; the parts of the drop block that say how its files are written, out. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from typing import Any

from contracts.authoring.draft.profile import ColumnProfile, Profile
from contracts.plan import Csv
from contracts.values.calendar_names import ENGLISH


def broken_limit(profile: Profile) -> str | None:
    """Return the tolerance for lines that are not records: twice the greatest share; None if all are records."""
    shares = [Decimal(200 * s.broken) / (s.records + s.broken) for s in profile.samples if s.broken]
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
