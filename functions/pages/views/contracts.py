"""Contracts: those in force with their promises, one of them with its columns and last files, and the data of each."""

from __future__ import annotations

from functions.api.identity.access import reach
from functions.api.models.contracts import ContractDetail
from functions.api.models.drops import DropSummary
from functions.api.models.promises import ContractPromises
from functions.api.problems import RequestRefused
from functions.api.routes.contracts import list_contracts, read_contract
from functions.api.routes.drops import list_drops
from functions.api.routes.promises import list_slos
from functions.operations.sample_file import sample_file
from functions.pages.answers import Answer
from functions.pages.site import Visit
from functions.pages.words import has_consumers, since

LAST, MOST = 20, 200


def contract_list(visit: Visit) -> Answer:
    """Return the contracts in force that the caller reaches, with how their promises stand."""
    search = visit.request.query.get("search", "")[:100]
    cursor = visit.request.query.get("cursor") or None
    listed = list_contracts(visit.here, search=search, cursor=cursor, limit=MOST)
    promises = {each.contract: each for each in _promises(visit)}
    return visit.page("contracts", contracts=listed.contracts, promises=promises, search=search, following=listed.next)


def contract(visit: Visit) -> Answer:
    """Return the page of a contract in force."""
    here, name = visit.here, visit.request.parts["contract"]
    shown = read_contract(here, name).body
    if not isinstance(shown, ContractDetail):
        raise RequestRefused(404, f"No contract {name} is in force.")
    drops = list_drops(here, contract=name, limit=LAST).drops if reach(here.caller, "list_drops") else []
    sample = sample_file(here.ports.catalog.plan(shown.plan))
    return visit.page("contract", contract=shown, drops=drops, promises=_promises(visit, name), sample=sample)


def data(visit: Visit) -> Answer:
    """Return what consumers have of each contract, how fresh it is, and how its promises stand."""
    here = visit.here
    newest: dict[str, DropSummary] = {}
    for drop in list_drops(here, limit=MOST).drops:
        if drop.contract and has_consumers(drop.state):
            newest.setdefault(drop.contract, drop)
    now = here.ports.clock.now()
    ages = {name: since(drop.decided_at or drop.changed_at, now) for name, drop in newest.items()}
    contracts = list_contracts(here, limit=MOST).contracts
    promises = {each.contract: each for each in _promises(visit)}
    return visit.page("data", contracts=contracts, newest=newest, ages=ages, promises=promises)


def _promises(visit: Visit, contract: str | None = None) -> list[ContractPromises]:
    return list_slos(visit.here, contract=contract).contracts if reach(visit.here.caller, "list_slos") else []
