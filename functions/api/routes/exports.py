"""Exports of contracts: a contract and a format in, its text with what the format cannot express out; and its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api.answers.html import DESCRIBED, page_response
from functions.api.answers.responses import PRIVATE, etag_of, mark_of, tagged_by_content
from functions.api.asked import Asked, Here
from functions.api.contract_texts import entry_of, version_of
from functions.api.identity.access import Operation
from functions.api.models.versions import ContractExport, ExportName
from functions.api.problems import RequestRefused

if TYPE_CHECKING:
    from contracts.authoring.exports.exported import Contract

Version = Annotated[str | None, Query(description="A published version (default: the one in force)", max_length=120)]


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    base = "/contracts/<contract>"
    export = "Read a contract in another format"
    app.get(f"{base}/exports/<format>", summary=export, operation_id="export_contract")(export_contract)
    page = "Read the page of a contract"
    app.get(f"{base}/page", summary=page, operation_id="read_contract_page", responses=dict(DESCRIBED))(
        read_contract_page
    )


def export_contract(
    here: Here,
    contract: str,
    format: ExportName,  # noqa: A002
    version: Version = None,
) -> Response[ContractExport]:
    """Return a contract in another format, as `dropgate export` writes it, with the losses."""
    from contracts.authoring.exports.formats import FORMATS

    number, exported = _read(here, contract, version, "export_contract")
    form = FORMATS[format]
    written = form.write(exported)
    answer = ContractExport(
        contract=exported.name,
        version=number,
        format=format,
        title=form.what,
        name=f"{exported.name}{form.suffix}",
        text=written.text,
        checks=sorted(written.carried),
        losses=list(written.losses),
    )
    return tagged_by_content(here, answer)


def read_contract_page(here: Here, contract: str, version: Version = None) -> Response[str]:
    """Return the page of a contract for people, as `dropgate export --to html` writes it."""
    from contracts.authoring.exports import page

    text = page.write(_read(here, contract, version, "read_contract_page")[1]).text
    return page_response(text, ETag=etag_of(here, mark_of(text)), **{"Cache-Control": PRIVATE})


def _read(here: Asked, contract: str, version: str | None, operation: Operation) -> tuple[str, Contract]:
    """Return a version of a contract, read for export."""
    from contracts.authoring.exports.reading import read_each

    plan = here.ports.catalog.plan(entry_of(here, contract, operation).plan)
    number, text = version_of(here, plan, version)
    parts = [each.contract for each in read_each(text, f"{contract}.yaml", alone=True) if each.contract]
    part = next((each for each in parts if each.plan.id == plan.id), parts[0] if parts else None)
    if part is None:
        raise RequestRefused(409, f"The text of {contract} {number} has errors for this version of dropgate.")
    if not here.reach(operation).covers(part.plan.producer):
        raise RequestRefused(404, f"No text of {contract} {number} was published.")
    return number, part
