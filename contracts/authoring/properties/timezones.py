"""Time zones of timestamps: the options of a property in, the zone of texts without offset, and the need of one, out.

ODCS: `timezone` states whether an offset is part of the text, `defaultTimezone` the zone of a text without one (UTC).
"""

from __future__ import annotations

import zoneinfo
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import LogicalType
from contracts.problem import nearest
from contracts.values.date_pattern import PIECE

UTC = {"UTC", "Etc/UTC"}


def read(
    document: Document, path: Path, options: dict[str, Any], kind: LogicalType, pattern: str | None
) -> tuple[str | None, bool | None]:
    """Return the zone (None: UTC) and whether texts have an offset (None: either); for other types both are None."""
    if kind != "timestamp":
        return None, None
    wanted = options.get("timezone")
    written = None if pattern is None else any(piece[2] == "X" for piece in PIECE.finditer(pattern))
    if wanted is not None and written is not None and wanted != written:
        message = f"`timezone: {str(wanted).lower()}` and `format: {pattern}` disagree."
        fix = "Add `XXX` to the format, or write `timezone: false`." if wanted else "Take `X` out of the format."
        document.error((*path, "timezone"), "bad-format", message, fix)
    offset = wanted if pattern is None else None
    name, at = options.get("defaultTimezone"), (*path, "defaultTimezone")
    if name is None or name in UTC or not is_known(document, at, name):
        return None, offset
    if written or offset is True:
        message = f"Every text has an offset, so `defaultTimezone: {name}` says nothing."
        document.note(at, "not-used", message, "It may stay, for people and tools.")
        return None, offset
    return str(name), offset


def is_known(document: Document, at: Path, name: str) -> bool:
    """Return True if a name is a time zone; report a finding if not."""
    zones = {z for z in zoneinfo.available_timezones() if "/" in z}
    if name not in zones | UTC:
        close = nearest(name, sorted(zones))
        fix = f"Write `{close}`." if close else "Write a name of the IANA database, as `Europe/Berlin` or `Etc/UTC`."
        document.error(at, "unknown-timezone", f"`{name:.60}` is not a time zone.", fix)
        return False
    return True
