"""Changes of the metadata and the `drop` block between two versions: two versions in, the changes out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from contracts.authoring.diff import directions
from contracts.authoring.diff.change import Change, Direction
from contracts.authoring.diff.contract_version import OBJECT, ContractVersion, was
from contracts.plan import Archive, Limit, Plan, Sheet
from contracts.problem import visible
from contracts.terms.arrival import WEEKDAYS, Arrival
from contracts.terms.file_sets import SetRule
from contracts.terms.leader import Leader
from contracts.terms.notices import OCCASIONS
from contracts.terms.trailer import Ending, Footer, Trailer


def changes(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    """All of them."""
    if old.plan.id != new.plan.id:
        yield new.change("id", "id", was("id", old.plan.id, new.plan.id), ("id",))
    if old.plan.object != new.plan.object:
        message = was("schema.name", old.plan.object, new.plan.object)
        yield new.change("object", "schema.name", message, (*OBJECT, "name"))
    if old.status != new.status:
        kind = "status" if old.in_force == new.in_force else "activated" if new.in_force else "retired"
        yield new.change(kind, "status", was("status", old.status, new.status), ("status",), "none")
    yield from _block(old, new)
    yield from _notify(old, new)
    before, after = set(old.plan.files), set(new.plan.files)
    if before == after:
        return
    message = was("files", old.plan.files, new.plan.files)
    nameless = [{re.sub(r"\{[^{}:]*", "{", p) for p in several} for several in (before, after)]
    if nameless[0] == nameless[1]:
        yield new.change("files-names", "files", message, new.block("files"))
    else:
        yield new.change("files", "files", message, new.block("files"), directions.of_patterns(before, after))


BLOCK: dict[str, tuple[str, str, Callable[[Any, Any], Direction] | None]] = {
    "producer": ("producer", "producer", None),
    "consumers": ("consumers", "consumers", None),
    "file_format": ("format", "format", None),
    "compression": ("compression", "format", None),
    "empty": ("empty", "empty", directions.of_policies),
    "promote": ("promote", "promote", None),
    "mode": ("mode", "mode", directions.of_policies),
    "same_key": ("sameKey", "same-key", directions.of_policies),
    "same_content": ("sameContent", "same-content", directions.of_policies),
}
"""Fields of a plan with one value: the key of the `drop` block, the kind of change, the comparison of the values."""
DIALECT = {
    "null_values": "nullValues",
    "multi_line": "multiLine",
    "trailing_delimiter": "trailingDelimiter",
    "skip_rows": "skipRows",
    "skip_until": "skipRows",
    "header_rows": "headerRows",
    "comment_rows": "commentRows",
    "separator_line": "separatorLine",
    "comment_char": "commentChar",
    "skip_columns": "skipColumns",
    "lacks_first": "headerLacks",
    "lacks_last": "headerLacks",
    "record_delimiter": "recordDelimiter",
    "unquoted_escape": "unquotedEscape",
}
OF_SHEET = {
    ("name",): "sheetName",
    ("first_column", "last_column", "first_row", "last_row"): "range",
    ("skip_rows", "skip_until"): "skipRows",
    ("header_rows",): "headerRows",
    ("comment_rows",): "commentRows",
    ("footer",): "footer",
}
"""Keys of a sheet in the `drop` block, by the fields of a plan that have their values."""

OF_XML = {
    "record": ("xml", "record"),
    "namespaces": ("xml", "namespaces"),
    "null_values": ("values", "nullValues"),
    "trim": ("values", "trim"),
}
"""The keys of the block by fields of the dialect of XML."""

BY_VALUES: dict[str, Callable[[Any, Any], Direction]] = {
    "trailer": directions.of_trailers,
    "footer": directions.of_footers,
    "mojibake": directions.of_policies,
    "separator_line": directions.of_permissions,
}
"""Keys of the dialect whose values say in which direction it changed."""
BY_PLANS: dict[str, Callable[[Plan, Plan], Direction]] = {
    "record": directions.of_record_types,
    "trailing_delimiter": directions.of_ends,
}
"""Keys of the dialect with which lines are malformed or not: the direction depends on what is tolerated."""


def _block(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    for name, (key, kind, way) in BLOCK.items():
        before, after = getattr(old.plan, name), getattr(new.plan, name)
        if before != after:
            turn = way(before, after) if way else None
            yield new.change(kind, key, was(key, before, after), new.block(key), turn)
    if old.plan.tolerance != new.plan.tolerance:
        turn = directions.of_file_tolerance(old.plan, new.plan)
        message = f"Of a file may be rejected {_limit(new.plan.tolerance)}, and might be {_limit(old.plan.tolerance)}."
        kind = "rewritten" if turn == "none" else "file-tolerance"
        yield new.change(kind, "tolerance.rows", message, new.block("tolerance"), turn)
    yield from _archive(old, new)
    yield from _dialect(old, new)
    yield from _documents(old, new)
    yield from _sheet(old, new)
    yield from _columns(old, new)
    # Reference files that both versions have; of the others the rule speaks that names them.
    older, newer = ({r.name: replace(r, sha256=None) for r in e.plan.references if r.path} for e in (old, new))
    for name in older.keys() & newer.keys():
        if older[name] != newer[name]:
            message = f"The reference `{name}` is another file, or is written in another way."
            yield new.change("reference", f"references.{name}", message, new.block("references", name))
    if old.plan.arrival != new.plan.arrival:
        message = was("arrival", _window(old.plan.arrival), _window(new.plan.arrival))
        turn = directions.of_arrivals(old.plan.arrival, new.plan.arrival)
        yield new.change("arrival", "arrival", message, new.block("arrival"), turn)
    yield from _promises(old, new)
    if old.plan.set != new.plan.set:
        yield new.change("set", "set", was("set", _ended(old.plan.set), _ended(new.plan.set)), new.block("set"))


def _promises(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    """The promises over time that are held: no file is refused by them, but consumers may rely on them."""
    before, after = ({p.name: p for p in each.plan.promises} for each in (old, new))
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        if one == other:
            continue
        kind = "held" if other and (one is None or one.is_kept_by(other)) else "held-less"
        words = [promise.words if promise else "not held" for promise in (one, other)]
        yield new.change(kind, f"slo[{name}]", was(f"slo[{name}]", *words), new.block("slo"))


def _notify(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    """Yield a change for each channel of an audience that hears of other occasions."""
    before, after = ({(r.audience, r.channel): set(r.on) for r in each.routes} for each in (old, new))
    for audience, channel in dict.fromkeys((*before, *after)):
        was_on, on = before.get((audience, channel), set()), after.get((audience, channel), set())
        if was_on != on:
            heard, hears = (", ".join(one for one in OCCASIONS if one in several) for several in (was_on, on))
            now = f"hear of {hears} at {channel.words}" if hears else f"no longer hear anything at {channel.words}"
            then = f", and heard of {heard}" if heard else ", and did not"
            key = f"notify.{audience}"
            message = f"{audience.capitalize()}s {now}{then}."
            yield new.change("notify", key, message, new.block("notify", audience))


def _columns(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    for one in fields(new.plan.columns):
        before, after = getattr(old.plan.columns, one.name), getattr(new.plan.columns, one.name)
        if before != after:
            turn = (
                directions.of_extra(old.plan, new.plan)
                if one.name == "extra"
                else directions.of_policies(before, after)
            )
            if one.name == "match":
                turn = directions.of_matches(old.plan.columns, new.plan.columns)
            key = f"columns.{one.name}"
            yield new.change("columns", key, was(key, before, after), new.block("columns", one.name), turn)


def _ended(rule: SetRule | None) -> str:
    if rule is None:
        return "each file alone"
    end = rule.signal or f"{rule.parts} files"
    return f"of {', '.join(rule.of)}, until {end}, within {rule.within // 60} minutes" + (
        f", with sums of {', '.join(rule.sums)}" if rule.sums else ""
    )


def _archive(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    before, after = old.plan.archive, new.plan.archive
    if _packed(before) != _packed(after):
        yield new.change("format", "archive", was("archive", _packed(before), _packed(after)), new.block("archive"))
    if before and after and before.others != after.others:
        key, message = "archive.others", was("archive.others", before.others, after.others)
        turn = directions.of_policies(before.others, after.others)
        yield new.change("archive-others", key, message, new.block("archive", "others"), turn)


def _packed(archive: Archive | None) -> str:
    return f"{archive.format} of members like {archive.members}" if archive else "none"


def _window(arrival: Arrival | None) -> str:
    if arrival is None:
        return "at any time"
    days = "every day" if arrival.days == WEEKDAYS else ", ".join(arrival.days)
    files = "1 file" if arrival.files == 1 else f"{arrival.files:,} files"
    return f"{files}, {days} from {arrival.since} by {arrival.by} {arrival.zone}, outside: {arrival.outside}"


def _limit(limit: Limit | None) -> str:
    return f"at most {limit}" if limit else "no record that a check without a tolerance of its own fails"


def _dialect(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    if old.plan.file_format != "csv" or new.plan.file_format != "csv":
        return
    for one in fields(new.plan.csv):
        before, after = getattr(old.plan.csv, one.name), getattr(new.plan.csv, one.name)
        same = set(before) == set(after) if one.name == "null_values" else before == after
        if not same:
            key = DIALECT.get(one.name, one.name)
            shown_values = [_shown(one.name, value) for value in (before, after)]
            way = BY_VALUES.get(one.name)
            turn: Direction = way(before, after) if way else "both"
            turn = BY_PLANS[one.name](old.plan, new.plan) if one.name in BY_PLANS else turn
            # an archive may hold one file only of some dialects
            turn = "both" if new.plan.archive and old.plan.csv.is_alone != new.plan.csv.is_alone else turn
            yield new.change("dialect", f"csv.{key}", was(f"csv.{key}", *shown_values), new.block("csv", key), turn)


def _documents(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    """Yield the differences of where the records of JSON and XML are, and of how XML is read."""
    here, there = old.plan.json, new.plan.json
    if here and there and here != there:
        message = was("json.property", here.property or "none", there.property or "none")
        yield new.change("format", "json.property", message, new.block("json", "property"))
    if old.plan.xml is None or new.plan.xml is None:
        return
    for name, path in OF_XML.items():
        before, after = getattr(old.plan.xml, name), getattr(new.plan.xml, name)
        if before != after:
            key = ".".join(path)
            shown = [_shown(name, value) for value in (before, after)]
            yield new.change("format", key, was(key, *shown), new.block(*path))


def _sheet(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    """Yield the differences between two sheets of a workbook, in the format of either."""
    before, after = old.plan.sheet, new.plan.sheet
    if before is None or after is None:
        return
    for names, key in OF_SHEET.items():
        was_there, is_there = ([getattr(sheet, name) for name in names] for sheet in (before, after))
        if was_there != is_there:
            footer = names == ("footer",)
            turn = directions.of_footers(before.footer, after.footer) if footer else "both"
            message = was(f"sheet.{key}", *(_of_sheet(sheet, key) for sheet in (before, after)))
            yield new.change("dialect", f"sheet.{key}", message, new.block("sheet", key), turn)
    if old.plan.csv.null_values != new.plan.csv.null_values:
        key = "values.nullValues"
        message = was(key, old.plan.csv.null_values, new.plan.csv.null_values)
        if set(old.plan.csv.null_values) != set(new.plan.csv.null_values):
            yield new.change("dialect", key, message, new.block("values", "nullValues"), "both")
    if old.plan.csv.header != new.plan.csv.header:
        message = was("sheet.header", old.plan.csv.header, new.plan.csv.header)
        yield new.change("dialect", "sheet.header", message, new.block("sheet", "header"), "both")


def _of_sheet(sheet: Sheet, key: str) -> Any:
    """Return the value of a key of a sheet as contracts write it."""
    match key:
        case "sheetName":
            return sheet.name or "the only one"
        case "range":
            return sheet.range
        case "skipRows":
            return sheet.skip_rows if sheet.skip_until is None else sheet.skip_until
        case "headerRows":
            return sheet.header_rows
        case "commentRows":
            return sheet.comment_rows
    return "none" if sheet.footer is None else _last(sheet.footer)


def _shown(name: str, value: Any) -> Any:
    """Return a value of the dialect in words, if it has parts."""
    if name == "namespaces":
        return ", ".join(f"{prefix or 'no prefix'}: {visible(uri)}" for prefix, uri in value.items()) or "none"
    if value is None and name in ("trailer", "footer", "leader"):
        return "none"
    if isinstance(value, Leader):
        cells = (f"{visible(text, 40)} in cell {place}" for place, text in value.cells.items())
        return ", ".join([visible(value.begins, 10), *cells])
    return _last(value) if isinstance(value, Trailer | Footer) else value


def _last(rule: Ending) -> str:
    if isinstance(rule, Footer):
        return f"{visible(rule.begins, 10)}, at most {rule.lines} lines"
    rows = [f"rows in cell {rule.rows}"] if rule.rows else []
    sums = (f"sum of {name} in cell {place}" for name, place in rule.sums.items())
    return ", ".join([visible(rule.begins, 10), *rows, *sums])
