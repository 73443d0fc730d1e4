"""Promises over time as the API shows them."""

from __future__ import annotations

from functions.api.models.base import Model


class PromiseResult(Model):
    """The result of a promise in a period; None if there was nothing to judge by."""

    begin: str
    end: str
    state: str | None
    figure: str


class PromiseState(Model):
    """A promise, its state now, and its last periods, newest first."""

    name: str
    state: str
    changed_at: str
    since: str
    promised: str
    figure: str
    periods: list[PromiseResult]


class ContractPromises(Model):
    """The promises of a contract; `is_late` if nobody has judged them for an hour, so that they are unknown."""

    contract: str
    judged_at: str
    is_late: bool
    promises: list[PromiseState]


class PromiseList(Model):
    """The contracts with promises over time."""

    contracts: list[ContractPromises]
