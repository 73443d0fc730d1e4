"""Checks against history: `relativeTo` of a quality entry in, the earlier files of its threshold out.

The operator of such an entry is for the difference of its figure from theirs, in percent or in standard deviations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.properties import timezones
from contracts.plan import Check, Property
from contracts.problem import nearest
from contracts.terms.history import MIDDLES, WAYS, Relative

KEY = "relativeTo"
KEYS = ("of", "last", "least", "period", "unit", "zone")
WEEKDAY = "weekday"
OF_CONTRACT = ""
"""The zone of an entry that names none, until the contract's is known."""
MOST_FILES = 60
"""Files that a figure is held against; the record of each file has their figures."""
FEWEST, OF_DEVIATIONS = 1, 3
"""The fewest files that a figure is held against; a deviation of two files says nothing."""
MOST_CHECKS = 12
"""Checks of a contract that are held against history: a record of the ledger has a size."""
EXAMPLE = "{of: median, last: 8}"


def placed(path: Path, entry: Mapping[str, Any]) -> tuple[Path, Any] | None:
    """Return the place and the value of the key, in an entry itself, its arguments or its custom properties."""
    if KEY in entry:
        return (*path, KEY), entry[KEY]
    arguments = entry.get("arguments")
    if isinstance(arguments, dict) and KEY in arguments:
        return (*path, "arguments", KEY), arguments[KEY]
    for n, each in enumerate(entry.get("customProperties") or () if entry.get("type") == "sql" else ()):
        if isinstance(each, dict) and each.get("property") == KEY:
            return (*path, "customProperties", n, "value"), each.get("value")
    return None


def read(document: Document, path: Path, value: Any) -> Relative | None:
    """Return the earlier files that a value names; None, and findings, if it does not name any."""
    before = document.errors()
    if not isinstance(value, dict):
        document.error(path, "wrong-type", f"`{KEY}` must be a mapping.", f"Write it as `{EXAMPLE}`.")
        return None
    for key in value:
        if key not in KEYS:
            close = nearest(str(key), KEYS)
            fix = f"Write `{close}`." if close else f"It takes {', '.join(f'`{k}`' for k in KEYS)}."
            document.error((*path, key), "unknown-key", f"`{KEY}` has no key `{key}`.", fix, on_key=True)
    for key in ("of", "last"):
        if key not in value:
            document.error(path, "missing-key", f"`{KEY}` does not say `{key}`.", f"Write it as `{EXAMPLE}`.")
    of, by = value.get("of", MIDDLES[0]), value.get("unit", WAYS[0])
    _is_word(document, (*path, "of"), of, MIDDLES)
    _is_word(document, (*path, "unit"), by, WAYS)
    _is_word(document, (*path, "period"), value.get("period", WEEKDAY), (WEEKDAY,))
    zone = value.get("zone", OF_CONTRACT)
    if "zone" in value and not isinstance(zone, str):
        document.wrong_type((*path, "zone"), "the name of a time zone", text=True)
    elif zone:
        timezones.is_known(document, (*path, "zone"), zone)
    last = _count(document, (*path, "last"), value.get("last", MOST_FILES), FEWEST, MOST_FILES)
    least = _count(document, (*path, "least"), value.get("least", last), FEWEST, last)
    if document.errors() > before:
        return None
    if by == "deviations" and least < OF_DEVIATIONS:
        at, message = (*path, "least" if "least" in value else "last"), f"Of {least} files there is no usual deviation."
        document.error(at, "cannot-hold", message, f"Write {OF_DEVIATIONS} or more, or `unit: percent`.")
        return None
    return Relative(of, last, least, by, weekday="period" in value, zone=zone)


def _is_word(document: Document, path: Path, value: Any, words: Sequence[str]) -> None:
    if value not in words:
        close = nearest(str(value), words)
        fix = f"Write `{close}`." if close else f"Write {' or '.join(f'`{word}`' for word in words)}."
        document.error(path, "unknown-value", f"`{value!s:.60}` is not a value of `{path[-1]}`.", fix)


def _count(document: Document, path: Path, value: Any, least: int, most: int) -> int:
    """Return a number of files; report a finding if it is none, or not within its bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        document.wrong_type(path, "a whole number of files")
    elif not least <= value <= most:
        fix = f"Write a number from {least} to {most}."
        document.error(path, "bad-value", f"`{path[-1]}` cannot be {value}.", fix)
    else:
        return value
    return most


def fits(document: Document, path: Path, check: Check, props: Sequence[Property]) -> bool:
    """Return True unless a check is held against figures that nobody may see; report a finding if so."""
    hidden = [p.name for p in props if p.masked and p.name in check.properties()]
    if check.threshold is None or check.threshold.relative is None or not hidden:
        return True
    if not isinstance(check.rule, rules.Limited):
        return True
    message = f"`{hidden[0]}` is classified, and its figures are kept where people look."
    fix = f"Leave `{KEY}` out, or say `classification: public`."
    document.error(path, "classified", message, fix)
    return False


def in_zone(document: Document, path: Path, checks: Sequence[Check], zone: str) -> list[Check]:
    """Return the checks with the contract's zone where they name none; report a finding if too many have a history."""
    relative = [check for check in checks if check.threshold and check.threshold.relative]
    if len(relative) > MOST_CHECKS:
        message = f"{len(relative)} checks are held against history; there may be {MOST_CHECKS}."
        document.error(path, "too-many", message, f"Leave `{KEY}` out of some of them.")
    zoned = []
    for check in checks:
        threshold = check.threshold
        if threshold and threshold.relative and threshold.relative.zone == OF_CONTRACT:
            own = replace(threshold, relative=replace(threshold.relative, zone=zone))
            zoned.append(replace(check, threshold=own))
        else:
            zoned.append(check)
    return zoned
