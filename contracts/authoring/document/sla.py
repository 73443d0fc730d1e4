"""Service levels of a contract that holds none (ODCS `slaProperties`): a document in, a note on each of them out.

Those of a contract with `slo: enforce` are read by `drop_block.promises`.
"""

from __future__ import annotations

from decimal import Decimal

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.problem import nearest
from contracts.terms.promises import KINDS

TIMES = ("latency", "frequency", "retention")
OTHERS = (
    *("generalAvailability", "endOfSupport", "endOfLife", "timeOfAvailability", "errorRate", "availability"),
    *("throughput", "timeToDetect", "timeToNotify", "timeToRepair"),
)
"""Other service levels that ODCS names (service-level-agreement.md); authors may write words of their own."""
ARRIVAL = ("frequency", "timeOfAvailability")
"""Service levels that `arrival` in the drop block states in more detail: days, a window and a time zone."""
UNITS = (
    *("s", "sec", "second", "seconds", "min", "minute", "minutes", "h", "hr", "hour", "hours", "d", "day", "days"),
    *("w", "week", "weeks", "mo", "month", "months", "y", "yr", "year", "years"),
)
HELD = "; `slo: enforce` in the drop block holds it"
INSTEAD = f"It may stay{HELD}. What files are held against is `arrival` in the drop block."


def read(document: Document) -> None:
    """Add a note for each service level, and a warning for each that cannot be meant."""
    entries = document.data.get("slaProperties")
    for n, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict) or not isinstance(entry.get("property"), str):
            continue
        name, value, unit = entry["property"], entry.get("value"), entry.get("unit")
        path: Path = ("slaProperties", n)
        at: Path = (*path, "property")
        if name not in (*TIMES, *OTHERS, *KINDS) and (close := nearest(name, (*TIMES, *OTHERS, *KINDS))):
            message = f"`{name}` is not a service level."
            document.warning(at, "unknown-value", message, f"Write `{close}`, if that is meant.")
        if name not in TIMES:
            fix = INSTEAD if name in ARRIVAL else f"It may stay, for people and tools{HELD if name in KINDS else ''}."
            document.note(at, "not-used", f"`{name}` is not used.", fix)
        elif isinstance(value, bool) or not isinstance(value, int | Decimal) or value < 0:
            message = f"`{name}` promises `{document.text((*path, 'value')) or ''}`, which is not a length of time."
            document.warning((*path, "value"), "wrong-type", message, "Write a number, and its `unit`.")
        elif unit is not None and unit not in UNITS:
            close = nearest(str(unit), UNITS) or "h"
            document.warning((*path, "unit"), "unknown-value", f"`{unit}` is not a unit of time.", f"Write `{close}`.")
        else:
            message = f"`{name}` of {value} {unit or 'd'} is a promise that no file is held against yet."
            fix = INSTEAD if name in ARRIVAL else f"It may stay, for people and tools{HELD if name in KINDS else ''}."
            document.note(at, "not-checked", message, fix)
