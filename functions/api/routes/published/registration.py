"""Registering a data contract, as the thesis' Data Contract Manager takes it: a text in, the id of the contract out."""

from __future__ import annotations

import json
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types

from functions.api.asked import Here
from functions.api.idempotency import IdempotencyKey, once
from functions.api.models.published.data_contracts import DataContractId, DataContractText
from functions.api.models.publishing import PublishRequest
from functions.api.problems import RequestRefused
from functions.api.routes.published.data_contracts import id_of
from functions.api.routes.publishing import published


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    summary = "Register a data contract"
    app.post("/api/v1/data-contract", summary=summary, operation_id="register_data_contract")(register_data_contract)


def register_data_contract(
    here: Here, contract: DataContractText, idempotency_key: IdempotencyKey = None
) -> Response[DataContractId]:
    """Put a contract in force, as `POST /contracts` does, and return its id with its version."""
    here.reach("register_data_contract")

    def act() -> DataContractId:
        published(here, PublishRequest(text=contract.root))
        return DataContractId(_id_of(contract.root))

    answer = once(here, "register_data_contract", idempotency_key, ("", contract), act, DataContractId)
    body: Any = json.dumps(answer.root)  # a text alone is sent as it is
    return Response(200, content_types.APPLICATION_JSON, body)


def _id_of(text: str) -> str:
    from contracts.authoring.compiler.compile import compile_each

    compiled = compile_each(text.encode("utf-8", "replace"), "contract.yaml", alone=True)
    plan = next((each.draft for each in compiled if each.draft), None)
    if plan is None:
        raise RequestRefused(422, "The text names no contract to put in force.")
    return id_of(plan)
