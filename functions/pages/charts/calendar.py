"""The calendar of a month: days in, its weeks from Monday to Sunday out, with None for days of other months. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from functions.operations.arrivals import ArrivalDay

Week = tuple[ArrivalDay | None, ...]
SIGNS = {
    "arrived": ("✓", "good"),
    "late": ("»", "warn"),
    "missing": ("✗", "bad"),
    "rejected": ("!", "bad"),
    "failed": ("?", "ours"),
    "partly rejected": ("±", "warn"),
    "under way": ("…", "busy"),
    "nothing expected": ("", "idle"),
    "to come": ("○", "idle"),
}
"""The sign and the tone of each state of a day: a sign says what a colour says."""


def weeks(days: Sequence[ArrivalDay]) -> list[Week]:
    """Return the weeks of a month's days."""
    if not days:
        return []
    before = (None,) * days[0].day.weekday()
    after = (None,) * (6 - days[-1].day.weekday())
    places: Week = (*before, *days, *after)
    return [places[at : at + 7] for at in range(0, len(places), 7)]
