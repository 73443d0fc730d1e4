"""Registering a data contract, as the thesis' Data Contract Manager takes it: a text in, the id of the contract out.

Texts of other formats are imported as `dropgate import` does; their files, which most formats do not name, come with
the request.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api.asked import Here
from functions.api.idempotency import IdempotencyKey, once
from functions.api.models.published.data_contracts import DataContractId, DataContractText
from functions.api.models.publishing import PublishRequest
from functions.api.problems import RequestRefused
from functions.api.routes.published.data_contracts import id_of
from functions.api.routes.publishing import published, refused

if TYPE_CHECKING:
    from contracts.authoring.imports.importing import Files

NAME = "contract.yaml"
HOW = "give the parameters files, producer and format, or write it as ODCS with a drop block"
OF_IMPORTS = "for a text of another format, with the other two"
Pattern = Annotated[str | None, Query(description=f"The pattern of the contract's keys, {OF_IMPORTS}", max_length=1024)]
Producer = Annotated[str | None, Query(description=f"The producer of its files, {OF_IMPORTS}", max_length=255)]
FileKind = Literal["csv", "json", "jsonl", "parquet", "xlsx", "xls", "ods"]
"""The formats that `dropgate import` takes (contracts.authoring.imports.importing, loaded when asked for)."""
Kind = Annotated[FileKind | None, Query(description=f"Their format, {OF_IMPORTS}")]


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    summary = "Register a data contract"
    app.post("/api/v1/data-contract", summary=summary, operation_id="register_data_contract")(register_data_contract)


def register_data_contract(
    here: Here,
    contract: DataContractText,
    files: Pattern = None,
    producer: Producer = None,
    format: Kind = None,  # noqa: A002 (as `dropgate import` names it)
    idempotency_key: IdempotencyKey = None,
) -> Response[DataContractId]:
    """Put a contract in force, as `POST /contracts` does, and return its id with its version.

    A text of another format that `dropgate import` reads is imported first.
    """
    here.reach("register_data_contract")
    asked = files, producer, format

    def act() -> DataContractId:
        text = _as_odcs(contract.root, _files(*asked))
        identity = DataContractId(_id_of(text))
        published(here, PublishRequest(text=text))
        return identity

    answer = once(here, "register_data_contract", idempotency_key, (json.dumps(asked), contract), act, DataContractId)
    body: Any = json.dumps(answer.root)  # a text alone is sent as it is
    return Response(200, content_types.APPLICATION_JSON, body)


def _files(pattern: str | None, producer: str | None, kind: str | None) -> Files | None:
    from contracts.authoring.imports.importing import Files

    if pattern is producer is kind is None:
        return None
    if not (pattern and producer and kind):
        raise RequestRefused(
            422, "The parameters files, producer and format go together: they say which files it is for."
        )
    return Files((pattern,), producer, kind)


def _as_odcs(text: str, files: Files | None) -> str:
    """Return a text of ODCS as it is, and another one imported; RequestRefused if it cannot be."""
    from contracts.authoring.imports.formats import FORMATS
    from contracts.authoring.imports.importing import format_of, import_source

    raw = text.encode("utf-8", "replace")
    form = format_of(raw, NAME)
    if form not in FORMATS or not isinstance(form, str):
        if files:
            raise RequestRefused(422, "An ODCS text names its files itself: leave out files, producer and format.")
        return text
    made = import_source(form, raw, NAME, files, "active")
    if made.failed:
        raise refused(made.findings)
    if len(made.contracts) != 1:
        names = ", ".join(each.name for each in made.contracts)
        raise RequestRefused(422, f"The text holds {len(made.contracts)} contracts ({names}): register each by itself.")
    return made.contracts[0].text


def _id_of(text: str) -> str:
    from contracts.authoring.compiler.compile import compile_each

    compiled = compile_each(text.encode("utf-8", "replace"), NAME, alone=True)
    findings = [finding for each in compiled for finding in each.findings]
    if any(finding.level == "error" for finding in findings):
        raise refused(findings)
    plan = next((each.draft for each in compiled if each.draft), None)
    if plan is None:
        raise RequestRefused(422, f"The text does not say which files it is for: {HOW}.")
    return id_of(plan)
