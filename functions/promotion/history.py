"""The history of a drop: the figures of drops that were accepted before it, for checks that are held against them.

They are read when the drop is judged, and kept in its record: a repeat and a replay see the same. As they are read from
the records of the other drops, one that was withdrawn or rejected since is not among them. Of uploads of one key on one
day, which replace each other, only the newest counts. A check whose unit has changed begins a new history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import islice

from contracts.plan import Plan
from contracts.terms.history import Past, Relative
from functions.admission.arrival_window import uploaded
from functions.drop import PROMOTED, Drop
from functions.ports import Ports
from functions.ports.clock import moment, stamp
from functions.records.receipts import ACCEPTED

LOOKS = (100, 400, 1600)
"""Uploads that are read, so many more each time, until all checks have their figures."""
REACH = timedelta(days=400)
"""The time back to which uploads are history: a year, and some weeks."""


def history_of(ports: Ports, plan: Plan, drop: Drop) -> Mapping[str, Past]:
    """Return the figures that a drop is held against, by check: those of its record, else those of the ledger."""
    wanted = plan.relative
    pinned = {
        name: past
        for name, past in drop.history.items()
        if past.of == wanted.get(name) and all(plan.measures(name, figure) for figure in past.figures)
    }
    missing = {name: relative for name, relative in wanted.items() if name not in pinned}
    return pinned | _read(ports, plan, drop, missing) if missing else pinned


def _read(ports: Ports, plan: Plan, drop: Drop, wanted: Mapping[str, Relative]) -> dict[str, Past]:
    came = moment(drop.received_at)
    since = stamp(came - REACH)
    pasts: dict[str, Past] = {}
    for most in LOOKS:
        received = ports.ledger.received(plan.contract, since, drop.received_at, most)
        drops = (each for each in received if isinstance(each, Drop) and each.figures)
        earlier = tuple(drop for drop in drops if drop.state in PROMOTED and drop.verdict in ACCEPTED)
        pasts = {name: past_of(name, relative, plan, drop, earlier) for name, relative in wanted.items()}
        if len(received) < most or all(len(past.figures) == past.of.last for past in pasts.values()):
            break
    return pasts


def past_of(name: str, relative: Relative, plan: Plan, drop: Drop, earlier: tuple[Drop, ...]) -> Past:
    """Return the figures of a check that a drop is held against, of accepted earlier drops, the newest first."""
    came = uploaded(drop)
    alike: Iterator[Drop] = (
        one
        for one in earlier
        if relative.day_of(uploaded(one)) == relative.day_of(came)
        and (figure := one.figures.get(name))
        and plan.measures(name, figure)
    )
    if plan.same_key != "version":
        alike = _newest(relative, drop, alike)
    figures = tuple(one.figures[name] for one in islice(alike, relative.last))
    return Past(relative, figures, relative.day_of(came))


def _newest(relative: Relative, drop: Drop, earlier: Iterator[Drop]) -> Iterator[Drop]:
    """Yield of each key and day the newest drop, and none where the drop itself is newer."""
    seen = {(drop.key, relative.day(uploaded(drop)))}
    for one in earlier:
        shelf = (one.key, relative.day(uploaded(one)))
        if shelf not in seen:
            seen.add(shelf)
            yield one
