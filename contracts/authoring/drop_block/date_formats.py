"""Notations of dates in a `drop` block: the settings of columns in, findings of each notation and of several out."""

from __future__ import annotations

from collections.abc import Mapping

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.properties import file_formats, timezones
from contracts.plan import Property
from contracts.terms.value_form import ValueForm
from contracts.values.date_formats import COUNTS, DateFormats, iso, kinds, needs, of_kind
from contracts.values.date_overlap import read_differently

KINDS = ("date", "timestamp", "time")
SAME = "`yyyy-MM-dd 00:00:00`"


def read(document: Document, at: Path, every: ValueForm, columns: Mapping[str, ValueForm]) -> None:
    """Report notations, at `at`, that cannot be read, that read a text differently, and settings that none needs."""
    places = {at: every} | {(*at, "columns", name): form for name, form in columns.items()}
    for place, form in places.items():
        written = document.value((*place, "formats")) is not None  # or they are those of all columns
        if written and form.dates and _are_readable(document, place, form):
            _overlap(document, place, form.dates)
    used = {key for form in places.values() for pattern in form.formats for key in needs(pattern)}
    for place, form in places.items():
        own = used if place == at else {key for pattern in form.formats for key in needs(pattern)}
        for key, letters in (("century", "`yy`"), ("language", "names of months or days")):
            if document.value((*place, key)) is not None and key not in own:
                message = f"`{key}` says nothing, as no format has {letters}."
                document.error((*place, key), "bad-value", message, "Leave it out.", on_key=True)


def _are_readable(document: Document, at: Path, form: ValueForm) -> bool:
    """Return True if all notations can be read; report a finding for each other one."""
    before = document.errors()
    for n, pattern in enumerate(form.formats):
        place: Path = (*at, "formats", n)
        if wrong := file_formats.fault(pattern):
            document.error(place, "bad-format", wrong.message, _fitting(document, at, wrong.fix))
        elif "century" in needs(pattern) and form.century is None:
            message = f"`{pattern}` has years of two digits, and no `century`."
            fix = "Write `century: 1950` beside it if 50 to 99 are 1950 to 1999, and 00 to 49 are 2000 to 2049."
            document.error(place, "bad-format", message, fix)
    return document.errors() == before


def _fitting(document: Document, at: Path, fix: str) -> str:
    """Return a fix that names another notation, with what that needs: a `century`, or another type of its column."""
    meant = fix.removeprefix("Write `").removesuffix("`.")
    if fix != f"Write `{meant}`." or file_formats.fault(meant):
        return fix
    if "century" in needs(meant):
        return f"{fix[:-1]}, and `century: 1950` beside it if 50 to 99 are 1950 to 1999."
    sources = [source for source in document.data["schema"][0].get("properties") or () if isinstance(source, dict)]
    wanted = next((source.get("logicalType") for source in sources if source.get("name") == at[-1]), None)
    if wanted in KINDS and wanted not in kinds(meant):
        return f"{fix[:-1]} and `logicalType: {kinds(meant)[0]}`."
    return fix


def _overlap(document: Document, at: Path, dates: DateFormats) -> None:
    for kind in KINDS:
        own = of_kind(dates, kind)
        both = read_differently(own, kind) if own else None
        if both is None:
            continue
        first, second, text = both
        readings = [
            iso(text, DateFormats((pattern,), dates.century, dates.language), kind) for pattern in (first, second)
        ]
        days = "" if None in readings else f", as {readings[0]} and as {readings[1]}"
        message = f"`{first}` and `{second}` read `{text}` differently{days}."
        fix = "Keep the one that the files have; if they have both, ask for one."
        document.error((*at, "formats"), "two-readings", message, fix, on_key=True)
        return


def typed(document: Document, at: Path, prop: Property, form: ValueForm) -> None:
    """Report notations, those of a property at `at`, that cannot hold values of its type or contradict its zones."""
    for n, pattern in enumerate(document.value((*at, "formats")) or ()):
        if prop.type in KINDS and prop.type not in kinds(pattern):
            message = f"`{pattern}` writes a {' or '.join(kinds(pattern))}; `{prop.name}` is a {prop.type}."
            fix = f"Write a format of a {prop.type}, or another `logicalType`."
            if prop.type == "date" and pattern not in COUNTS:
                fix = (
                    f"Write `logicalType: timestamp`; a time that is always the same may stand as it is, as in {SAME}."
                )
            document.error((*at, "formats", n), "bad-format", message, fix)
    if prop.type == "timestamp" and form.formats:
        place = (*at, "formats") if document.value((*at, "formats")) is not None else (*at[:-2], "formats")
        _zones(document, place, prop, form)


def _zones(document: Document, at: Path, prop: Property, form: ValueForm) -> None:
    """Report notations of timestamps that contradict the property's options about offsets and zones."""
    sources = [source for source in document.data["schema"][0]["properties"] if isinstance(source, dict)]
    source = next((source for source in sources if source.get("name") == prop.name and not prop.path), {})
    options = source.get("logicalTypeOptions") or {}
    wanted, zone = options.get("timezone"), options.get("defaultTimezone")
    offsets = {pattern: "offset" in needs(pattern) for pattern in form.formats}
    other = next((pattern for pattern, has in offsets.items() if wanted not in (None, has)), None)
    if other is not None:
        message = f"`timezone: {str(wanted).lower()}` and `{other}` disagree about offsets."
        fix = "Add `XXX` to the format, or write `timezone: false`." if wanted else "Leave `timezone` out."
        document.error(at, "bad-format", message, fix, on_key=True)
    elif prop.format and "offset" in needs(prop.format) and zone not in {None, *timezones.UTC}:
        bare = next((pattern for pattern, has in offsets.items() if not has), None)
        if bare is not None:
            message = f"`{bare}` has no offset; `defaultTimezone` says nothing beside `format: {prop.format}`."
            document.error(at, "bad-format", message, "Leave the `X` out of `format`.", on_key=True)
