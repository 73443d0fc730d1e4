"""Contracts: those in force, one of them with its text."""

from __future__ import annotations

from typing import Annotated, Literal

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contracts.catalog import Entry
from functions.api.answers.responses import tagged
from functions.api.asked import Asked, Here
from functions.api.contract_texts import document_of, entry_of
from functions.api.facets import Facets
from functions.api.models.contracts import ContractDetail, ContractList, detail, summary

MOST = 200


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    app.get("/contracts", summary="List the contracts in force", operation_id="list_contracts")(list_contracts)
    app.get("/contracts/<contract>", summary="Read a contract in force", operation_id="read_contract")(read_contract)


def list_contracts(
    here: Here,
    search: Annotated[str | None, Query(description="A part of the contract's name", max_length=100)] = None,
    producer: Annotated[str | None, Query(description="The producer", max_length=100)] = None,
    id: Annotated[str | None, Query(description="The contract's id, of every major version", max_length=100)] = None,  # noqa: A002
    status: Annotated[Literal["active", "deprecated"] | None, Query(description="The status")] = None,
    tag: Annotated[str | None, Query(description="A tag of the contract or its table", max_length=200)] = None,
    domain: Annotated[str | None, Query(description="The domain", max_length=200)] = None,
    team: Annotated[str | None, Query(description="The team, or a member of it", max_length=200)] = None,
    consumer: Annotated[str | None, Query(description="A consumer of the `drop` block", max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
    cursor: Annotated[str | None, Query(description="`next` of the page before", max_length=100)] = None,
) -> ContractList:
    """Return a page of the contracts that the caller reaches, by name."""
    reach = here.reach("list_contracts")
    entries = [
        entry
        for entry in here.entries()
        if reach.covers(entry.producer)
        and (search or "").casefold() in entry.contract.casefold()
        and producer in (None, entry.producer)
        and id in (None, entry.contract.rpartition(".v")[0])
        and status in (None, "deprecated" if entry.deprecated else "active")
    ]
    entries = [
        each for each in Facets(tag, domain, team, consumer).among(here, entries) if each.contract > (cursor or "")
    ]
    page = entries[:limit]
    more = page[-1].contract if len(entries) > limit else None
    return ContractList(contracts=[summary(entry) for entry in page], next=more)


def read_contract(here: Here, contract: str) -> Response[ContractDetail]:
    """Return a contract in force; one beyond the caller's reach is not there."""
    entry, catalog = entry_of(here, contract, "read_contract"), here.ports.catalog
    routes = catalog.routes()
    own = routes.of_contract(contract)
    contact = own.contact.name if own and own.contact else None
    mark = f"{entry.plan[:32]}.{((catalog.pointer and catalog.pointer.routes) or '')[:16]}"
    return tagged(here, mark, lambda: _detail(here, entry, contact))


def _detail(here: Asked, entry: Entry, contact: str | None) -> ContractDetail:
    plan = here.ports.catalog.plan(entry.plan)
    text = document_of(here, plan)
    return detail(entry, plan, contact, None if text is None else text.decode("utf-8-sig", "replace"))
