"""Publishing: the text of a contract in, what is in force because of it out; every other contract stays as it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contracts.errors import StaleWrite
from functions.api import audit
from functions.api.asked import Asked, Here
from functions.api.idempotency import IdempotencyKey, once
from functions.api.models.lint import LintFinding
from functions.api.models.publishing import PublishAnswer, PublishRequest
from functions.api.problems import RequestRefused

if TYPE_CHECKING:
    from contracts.authoring.document.finding import Finding


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    app.post("/contracts", summary="Publish a contract", operation_id="publish_contract")(publish_contract)


def publish_contract(here: Here, contract: PublishRequest, idempotency_key: IdempotencyKey = None) -> PublishAnswer:
    """Put the contracts of a text in force, as `dropgate publish` does, or withdraw those that it retires."""
    here.reach("publish_contract")

    def act() -> PublishAnswer:
        return published(here, contract)

    return once(here, "publish_contract", idempotency_key, ("", contract), act, PublishAnswer)


def published(here: Asked, contract: PublishRequest) -> PublishAnswer:
    """Put the contracts of a text in force; RequestRefused with its findings if it cannot be."""
    from contracts.authoring.text_publication import publish_text

    publisher = here.publisher()
    if publisher.authority != "api":
        text = "Contracts of this stack come from a repository, by `dropgate publish`: ContractsFrom is not `api`."
        raise RequestRefused(409, text)
    try:
        done = publish_text(
            contract.text.encode("utf-8", "replace"),
            contract.name,
            publisher.store,
            here.ports.clock.now(),
            has_expectations=publisher.has_expectations,
            dry_run=contract.dry_run,
        )
    except StaleWrite as error:
        raise RequestRefused(409, "Somebody else published at the same moment: send the request again.") from error
    if done.publication is None:
        raise refused(done.findings)
    changes = done.publication
    if not contract.dry_run:
        audit.note_publication(here.caller, (*changes.new, *changes.changed, *changes.withdrawn), changes.index)
    return PublishAnswer(
        dry_run=contract.dry_run,
        index=changes.index,
        new=list(changes.new),
        changed=list(changes.changed),
        withdrawn=list(changes.withdrawn),
        findings=[LintFinding(**asdict(finding)) for finding in done.findings],
    )


def refused(findings: Iterable[Finding]) -> RequestRefused:
    """Return the refusal of a text, with the places of its errors."""
    errors = [
        {
            "place": "body.text",
            "kind": finding.code,
            "message": finding.message,
            "fix": finding.fix,
            "at": f"line {finding.line}, column {finding.column}",
        }
        for finding in findings
        if finding.level == "error"
    ]
    return RequestRefused(422, str(errors[0]["message"]), errors[:50], kind="contract-refused")
