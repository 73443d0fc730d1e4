"""Drops by contract, state and month: options in, drops out, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from contracts.problem import nearest

if TYPE_CHECKING:
    from functions.drop import Drop
    from functions.ports.expected_files import Absence
    from infra.cli.options.target import Target

Decorator = Callable[[Callable[..., None]], Callable[..., None]]
contract_option: Decorator = click.option(
    "--contract", metavar="C", help="Only drops of this contract, such as `inmet-weather.v1`."
)
state_option: Decorator = click.option("--state", metavar="S", help="Only drops in this state, such as `rejected`.")
month_option: Decorator = click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="The month of arrival (default: this month, UTC).",
)
most_option: Decorator = click.option(
    "--most", type=click.IntRange(min=1), default=100, show_default=True, help="Maximum number of drops."
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Some drops of a month; `more` is True if there are more of them."""

    drops: tuple[Drop, ...]
    more: bool
    month: str
    decided: tuple[Drop, ...] = ()
    """Those that were left out, as a person has decided them."""


def chosen(
    target: Target, contract: str | None, state: str | None, month: datetime | None, most: int, *, trial: bool = False
) -> Chosen:
    """Return the selected drops, or trials; raise a usage error if there is no such contract."""
    of = (contract,) if contract else (*target.contracts(), None)
    when, only = f"{month or datetime.now(UTC):%Y-%m}", {"state": state} if state else None
    drops = [d for c in of for d in target.ledger.of_month(c, when, most + 1, only, trial=trial)]
    if contract and not drops and not target.ledger.of_month(contract, when, 1):
        contracts = target.contracts()  # a withdrawn one may have drops
        if contract not in contracts:
            raise click.UsageError(f"There is no contract {contract}. {instead(contract, contracts)}")
    return Chosen(_newest(drops, most), len(drops) > most, when)


def undecided(target: Target, contract: str | None, state: str | None, month: datetime | None, most: int) -> Chosen:
    """Return the selected drops without those that a person has decided or erased."""
    asked = most
    while True:
        selected = chosen(target, contract, state, month, asked)
        kept = [d for d in selected.drops if not d.forgotten]
        decided = tuple(d for d in kept if d.override)
        left = [d for d in kept if not d.override]
        if not selected.more or len(left) > most:
            return Chosen(_newest(left, most), len(left) > most, selected.month, decided)
        asked = 2 * asked


def _newest(drops: Sequence[Drop], most: int) -> tuple[Drop, ...]:
    return tuple(sorted(drops, key=lambda d: d.received_at, reverse=True)[:most])


def absent(target: Target, contract: str | None, month: datetime | None, most: int) -> tuple[Absence, ...]:
    """Return the absences of a month, newest day first; raise a usage error if there is no such contract."""
    contracts, when = target.contracts(), f"{month or datetime.now(UTC):%Y-%m}"
    if contract and contract not in contracts:
        raise click.UsageError(f"There is no contract {contract}. {instead(contract, contracts)}")
    absences = [a for c in ((contract,) if contract else contracts) for a in target.ledger.absences(c, when)]
    return tuple(sorted(absences, key=lambda a: a.due_at, reverse=True)[:most])


def need_state(state: str | None) -> None:
    """Raise a usage error if there is no such state."""
    from functions.drop import STATES

    if state and state not in STATES:
        raise click.UsageError(f"There is no state {state}. {instead(state, STATES)}")


def instead(name: str, names: Sequence[str]) -> str:
    """Return a suggestion for a misspelt name."""
    close = nearest(name, names)
    return f"Did you mean {close}?" if close else f"Known: {', '.join(names) or 'none'}."
