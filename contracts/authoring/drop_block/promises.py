"""Promises over time that are held (`slo: enforce`): a document and its block in, promises, or findings, out.

Service levels are written as ODCS has them (`slaProperties`); what one of them means is in docs/how-to/promises.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, get_args

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.document.sla import OTHERS, TIMES, UNITS
from contracts.authoring.drop_block.block import DropBlock
from contracts.authoring.properties import timezones
from contracts.plan import Property
from contracts.problem import nearest, quoted
from contracts.terms.promises import DAY, KINDS, OF_SHARES, Kind, Promise
from contracts.terms.spans import Span, Unit

MOST = 12
"""Promises of a contract: the schedule writes all that changes of them in one transaction."""
SHORTEST = Span(Decimal(5), "min")
"""The shortest period, as the schedule looks once a minute."""
LONGEST = Span(Decimal(100), "y")
"""The longest time."""
STAYS = "It may stay, for people and tools."
UNSEEN = "dropgate sees nothing that it could be judged by"
NOT_HELD = {
    "availability": (
        "`availability` is not held: it is for how much of the time a source answers, which no file shows.",
        f"{STAYS} `timeOfAvailability` and `latency` are held: they are about data that can be read.",
    )
}
"""Why a service level of ODCS is not held, and the fix, if there is more to say than of the others."""
LAST = "last "
"""The beginning of a window of days, which ends with each day."""
DAYS: dict[Unit, int] = {"d": 1, "w": 7}
MOST_DAYS = 366
"""The most days of a window."""
PERCENT = ("percent", "%")
OF_UNIT: dict[Unit, tuple[str, ...]] = {
    "s": ("s", "sec", "second", "seconds"),
    "min": ("min", "minute", "minutes"),
    "h": ("h", "hr", "hour", "hours"),
    "d": ("d", "day", "days"),
    "w": ("w", "week", "weeks"),
    "mo": ("mo", "month", "months"),
    "y": ("y", "yr", "year", "years"),
}
"""The words of each unit of time."""


def read(document: Document, path: Path, block: DropBlock, props: Sequence[Property]) -> tuple[Promise, ...]:
    """Return the promises of a contract, and report each service level that cannot be held."""
    at: Path = (*path, "sloZone")
    zone = block.slo_zone or (block.arrival.zone if block.arrival else "UTC")
    if block.slo_zone and not timezones.is_known(document, at, block.slo_zone):
        return ()
    entries, before = document.data.get("slaProperties"), document.errors()
    promises: list[Promise] = []
    for n, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict) or not isinstance(entry.get("property"), str) or _of_sibling(document, entry):
            continue
        if promise := _promise(document, ("slaProperties", n), entry, block, props, zone):
            same = sum(promise.kind == other.kind for other in promises)
            promises.append(replace(promise, name=f"{promise.name}-{same + 1}") if same else promise)
    if not promises and document.errors() == before:
        message = "`slo: enforce` holds no service level: `slaProperties` has none that can be held."
        fix = f"Write one of {quoted(KINDS, most=12)} there, or leave `slo` out."
        document.warning((*path, "slo"), "nothing-held", message, fix, on_key=True)
    if len(promises) > MOST:
        message = f"The contract has {len(promises)} promises to hold; there may be {MOST}."
        document.error(("slaProperties",), "too-many", message, "Leave some of them out.", on_key=True)
    return tuple(promises)


def _of_sibling(document: Document, entry: dict[str, Any]) -> bool:
    """Return True if a service level is that of another schema object."""
    table = str(entry.get("element", "")).partition(".")[0]
    return any(table == sibling.get("name") for sibling in document.siblings)


def _promise(
    document: Document, path: Path, entry: dict[str, Any], block: DropBlock, props: Sequence[Property], zone: str
) -> Promise | None:
    """Return the promise of a service level; None, and a finding, if it cannot be held."""
    name, at = entry["property"], (*path, "property")
    if name in (*TIMES, *OTHERS) and name not in KINDS:
        document.note(at, "not-held", *NOT_HELD.get(name, (f"`{name}` is not held: {UNSEEN}.", STAYS)))
        return None
    if name not in KINDS:
        close = nearest(name, (*KINDS, *TIMES, *OTHERS))
        if close:
            document.error(at, "unknown-value", f"`{name}` is not a service level.", f"Write `{close}`.")
        else:
            fix = f"It may stay, for people and tools; held are {quoted(KINDS, most=12)}."
            document.warning(at, "not-held", f"`{name}` is not a service level that is held.", fix)
        return None
    kind: Kind = next(kind for kind in get_args(Kind) if kind == name)
    base = Promise(kind, kind, zone=zone)
    if kind == "factDate":
        return _fact_date(document, path, entry, base, props)
    if kind == "retention" and block.promote == "table":
        message = "`retention` is not held for a table: its rows stay until somebody takes them out."
        document.warning(at, "not-held", message, STAYS)
        return None
    if not _fits_element(document, path, entry):
        return None
    if kind in OF_SHARES:
        return _share(document, path, entry, base, block)
    if kind == "timeOfAvailability":
        return _time_of_day(document, path, base, block)
    span = _span(document, path, entry, is_period=kind == "frequency")
    if span is None:
        return None
    return replace(base, span=span, period=span if kind == "frequency" else base.period)


def _fact_date(
    document: Document, path: Path, entry: dict[str, Any], base: Promise, props: Sequence[Property]
) -> Promise | None:
    """Return the promise of the age of the greatest value of a property; None, and a finding, if it has no times."""
    own = document.value(("schema", 0, "name"))
    written = entry.get("element") or document.data.get("slaDefaultElement") or ""
    name = str(written).removeprefix(f"{own}.")
    moments = {prop.name: prop for prop in props if prop.type in ("date", "timestamp") and not prop.path}
    span = _span(document, path, entry, is_period=False)
    close = nearest(name, moments) or next(iter(moments), None)
    fix = f"Write `element: {close}`." if close else "Leave it out, or write `loadDate`: the age of the upload."
    if not written:
        message = "`factDate` is not held: it does not say which property has the dates."
        document.warning((*path, "property"), "not-held", message, fix)
        return None
    if name not in moments:
        at: Path = (*path, "element") if entry.get("element") else path
        message = f"`{written!s:.80}` is no property of the record with dates or timestamps."
        document.error(at, "unknown-property", message, fix)
        return None
    return replace(base, span=span, element=name, hides=moments[name].masked) if span else None


def _share(document: Document, path: Path, entry: dict[str, Any], base: Promise, block: DropBlock) -> Promise | None:
    """Return the promise of a share, in each period of the length that `valueExt` says; None, and findings, if none."""
    value, unit, before = entry.get("value"), entry.get("unit"), document.errors()
    at: Path = (*path, "value")
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not 0 <= value <= 100:
        message = f"`{base.name}` promises `{document.text(at) or ''}`, which is not a percentage."
        document.error(at, "wrong-type", message, "Write a number from 0 to 100, and `unit: percent`.")
    if unit not in PERCENT:
        message = f"`{base.name}` is a share, and `unit` is {f'`{unit}`' if unit else 'missing'}."
        document.error((*path, "unit") if unit else path, "unknown-value", message, "Write `unit: percent`.")
    length = document.text((*path, "valueExt"))
    is_window = (length or "").startswith(LAST)
    period = _period(document, (*path, "valueExt"), base.name, None if length is None else length.removeprefix(LAST))
    if period and is_window and (period.unit not in DAYS or period.count * DAYS[period.unit] > MOST_DAYS):
        message = f"`{base.name}` is promised for the `{length}`, and a window is of 1 to {MOST_DAYS} whole days."
        document.error((*path, "valueExt"), "bad-value", message, "Write it as `last 7 d`.")
    arrival = block.arrival
    if base.kind == "fileCompleteness" and arrival is None:
        message = "`fileCompleteness` is a share of expected files, and the drop block expects none."
        document.error(path, "missing-key", message, "Write `arrival` there, with `by` and `files`.")
    if base.kind == "fileCompleteness" and period and not is_window and period.unit in ("s", "min", "h"):
        message = f"`fileCompleteness` is promised for each `{period}`, and files are expected by the day."
        document.error((*path, "valueExt"), "bad-value", message, "Write days or more, as `1 d`, or leave it out.")
    if document.errors() > before or period is None:
        return None
    percent = Decimal(f"{Decimal(value or 0).normalize():f}")
    days = DAYS[period.unit] * period.count if is_window else Decimal(1)
    window = Span(days, "d") if days > 1 else None
    promise = replace(base, percent=percent, period=DAY if is_window else period, window=window)
    if base.kind == "fileCompleteness" and arrival:
        return replace(promise, by=arrival.by, days=arrival.days, files=arrival.files)
    return promise


def _period(document: Document, at: Path, name: str, text: str | None) -> Span | None:
    """Return the length of periods, a day if none is written; None, and a finding, if what is written is none."""
    if text is None:
        return DAY
    match = re.fullmatch(r"([1-9][0-9]{0,4}) *([a-z]+)", text)
    unit = match and next((unit for unit, words in OF_UNIT.items() if match[2] in words), None)
    span = Span(Decimal(match[1]), unit) if match and unit else None
    if span is None or not SHORTEST.about <= span.about <= LONGEST.about:
        message = f"`{name}` is promised for each `{text:.40}`, which is not a length of time."
        document.error(at, "bad-value", message, "Write a whole number and a unit, as `7 d`, or leave it out.")
        return None
    return span


TIME_OF_DAY = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?")
"""A time of day, and how far its clock is from UTC."""


def _time_of_day(document: Document, path: Path, base: Promise, block: DropBlock) -> Promise | None:
    """Return the promise of data by a time of day; None, and a finding, if the value is none."""
    at: Path = (*path, "value")
    text = document.text(at) or ""
    match = TIME_OF_DAY.fullmatch(text)
    if match is None:
        message = f"`{base.name}` promises `{text:.40}`, which is not a time of day."
        document.error(at, "bad-value", message, 'Write it as "09:00", or with an offset, "09:00-08:00".')
        return None
    zone = {None: base.zone, "Z": "UTC"}.get(match[3], match[3])
    days = block.arrival.days if block.arrival else base.days
    return replace(base, by=f"{match[1]}:{match[2]}", zone=zone, days=days)


def _span(document: Document, path: Path, entry: dict[str, Any], *, is_period: bool) -> Span | None:
    """Return the time that a service level promises; None, and a finding, if it is none."""
    name, value = entry["property"], entry.get("value")
    unit = _unit(document, path, entry.get("unit"))
    if unit is None:
        return None
    at: Path = (*path, "value")
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or value <= 0:
        message = f"`{name}` promises `{document.text(at) or ''}`, which is not a length of time."
        document.error(at, "wrong-type", message, "Write a number above 0, and its `unit`: `value: 24`, `unit: h`.")
        return None
    span = Span(Decimal(f"{Decimal(value).normalize():f}"), unit)  # one text for equal numbers
    if span.about > LONGEST.about:
        document.error(at, "bad-value", f"`{name}` of {span} is longer than {LONGEST}.", "Write less.")
        return None
    if span.count % 1 and (is_period or unit in ("mo", "y")):
        message = f"`{name}` of {span} is not a whole number of its unit."
        document.error(at, "bad-value", message, "Write a whole number; a smaller unit may help, as `min`.")
        return None
    if is_period and span.about < SHORTEST.about:
        message = f"`{name}` of {span} is shorter than the {SHORTEST} that can be held."
        document.error(at, "bad-value", message, "Write a longer time.")
        return None
    return span


def _unit(document: Document, path: Path, written: Any) -> Unit | None:
    if written is None:
        return "d"  # as ODCS has it in its examples, and this product since it reads service levels
    unit = next((unit for unit, words in OF_UNIT.items() if written in words), None)
    if unit is None:
        close = nearest(str(written), UNITS) or "h"
        document.error((*path, "unit"), "unknown-value", f"`{written}` is not a unit of time.", f"Write `{close}`.")
    return unit


def _fits_element(document: Document, path: Path, entry: dict[str, Any]) -> bool:
    """Return True if a service level of whole files names no element, or the schema object."""
    element = entry.get("element")
    own = document.value(("schema", 0, "name"))
    if element in (None, own):
        return True
    message = f"`{entry['property']}` is held for whole files, and not for `{element!s:.80}`."
    document.error((*path, "element"), "bad-value", message, f"Leave it out, or write `{own}`.")
    return False
