"""A drop by its usual names: an id, the start of one, a key or its URI in; the drop or a usage error out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from contracts.problem import nearest, visible

if TYPE_CHECKING:
    from functions.drop import Drop
    from infra.cli.options.target import Target

ID = re.compile(r"[A-Za-z0-9]+")
"""The form of the start of an id. A key usually has a point or a slash, and can be written as a URI."""
MONTHS = 3
"""The number of months that are searched for a key, newest first, up to the first that has it."""
NEAREST = 200
"""The number of newest drops of each contract that are searched for a similar key."""

month_option = click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="Search for a key in this month of arrival (default: the newest of the last three that has it).",
)


@dataclass(frozen=True, slots=True)
class Named:
    """The named drop; if a key named it, all drops of that key in that month, newest first."""

    drop: Drop
    uploads: tuple[Drop, ...] = ()

    def uploads_note(self) -> str | None:
        """Return the number of drops of the key, and their ids."""
        if not self.uploads:
            return None
        ids = ", ".join(d.id[:10] for d in self.uploads[:20])
        more = f" and {len(self.uploads) - 20:,} more" if len(self.uploads) > 20 else ""
        return f"{len(self.uploads):,} of this key in {self.drop.received_at[:7]}, newest first: {ids}{more}"


def the_drop(target: Target, word: str, month: datetime | None = None) -> Named:
    """Return the one drop whose id starts with a word, or the newest drop of a key."""
    landing = target.landing
    if word.startswith("s3://"):
        if not landing or not word.startswith(landing) or word == landing:
            raise click.UsageError(f"{visible(word)} is not an object of landing; write {landing or 's3://...'}KEY.")
        return _of_key(target, word.removeprefix(landing), month)
    if not ID.fullmatch(word):
        return _of_key(target, word, month)
    as_key = f"For a key, write {landing or 's3://.../'}{word}."
    if len(word) < 4:
        raise click.UsageError(f"Give at least 4 characters of the drop's id. {as_key}")
    ids = target.ledger.starting_with(word.lower())
    if len(ids) > 1:
        raise click.UsageError(f"{len(ids)} drops begin with {word}: {', '.join(ids[:5])}. Give more characters.")
    drop = target.ledger.drop(ids[0]) if ids else None
    if drop is None:
        raise click.UsageError(f"No drop begins with {word}; `dropgate drops` lists all drops. {as_key}")
    return Named(drop)


def _of_key(target: Target, key: str, month: datetime | None) -> Named:
    """Return the newest drop of a key: under the contracts that claim it now or none; else under any other.

    A search reads a contract's whole month if the key is not in it; so other contracts are searched in the newest month
    only.
    """
    months = [f"{month:%Y-%m}"] if month else last_months(MONTHS)
    claiming: tuple[str | None, ...] = (*target.claiming(key), None)
    others = tuple(c for c in target.contracts() if c not in claiming)
    for contracts, when in ((claiming, months), (others, months[:1])):
        for each in when:
            uploads = [drop for c in contracts for drop in target.ledger.of_month(c, each, only={"name": key})]
            if uploads:
                uploads.sort(key=lambda d: d.received_at, reverse=True)
                return Named(uploads[0], tuple(uploads))
    names = {d.name for c in (*claiming, *others) for d in target.ledger.of_month(c, months[0], NEAREST)}
    close = nearest(key, names)
    instead = f"Did you mean {visible(close)}?" if close else "`dropgate drops` lists all drops."
    own = " and ".join([*(c for c in claiming if c), "no contract"])
    rest = f", {len(others)} other contract{'s' if len(others) > 1 else ''} in {months[0]}" if others else ""
    searched = f"Searched: {own} in {', '.join(months)}{rest} (see --month)."
    raise click.UsageError(f"No drop has the key {visible(key)}. {searched} {instead}")


def last_months(count: int) -> list[str]:
    """Return some months of arrival, the current one first."""
    months, day = list[str](), datetime.now(UTC)
    for _ in range(count):
        months.append(f"{day:%Y-%m}")
        day = day.replace(day=1) - timedelta(days=1)
    return months
