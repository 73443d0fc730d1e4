"""The first page: what is missing, the last files, and the contracts, each as far as the caller's roles reach."""

from __future__ import annotations

from functions.api.identity.access import reach
from functions.api.routes.contracts import list_contracts
from functions.api.routes.drops import list_drops
from functions.api.routes.missing import list_missing
from functions.pages.answers import Answer
from functions.pages.site import Visit

LAST = 20


def home(visit: Visit) -> Answer:
    """Return the first page of the caller."""
    here = visit.here
    caller = here.caller
    drops = list_drops(here, limit=LAST).drops if reach(caller, "list_drops") else []
    missing = list_missing(here).missing if reach(caller, "list_missing") else []
    contracts = list_contracts(here).contracts if reach(caller, "list_contracts") else []
    open_now = [absence for absence in missing if absence.state == "missing"]
    routes = here.ports.catalog.routes()
    of_missing = {name: routes.of_contract(name) for name in {absence.contract for absence in open_now}}
    contacts = {name: own.contact.name for name, own in of_missing.items() if own and own.contact}
    return visit.page("home", drops=drops, missing=open_now, contacts=contacts, contracts=contracts)
