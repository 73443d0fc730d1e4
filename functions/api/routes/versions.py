"""Versions of contracts: those that were published, the text of one, and the changes between two."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contracts.errors import ContractInvalid
from contracts.plan import Plan
from functions.api.answers.responses import tagged_by_content
from functions.api.asked import Here
from functions.api.contract_texts import entry_of, titles_of, version_of
from functions.api.identity.access import Reach
from functions.api.models.lint import LintFinding
from functions.api.models.versions import (
    ContractChange,
    ContractComparison,
    ContractText,
    ContractVersionItem,
    ContractVersions,
)
from functions.api.problems import RequestRefused

if TYPE_CHECKING:
    from contracts.authoring.compiler.compile import Compiled
    from contracts.authoring.diff.compare import Comparison

SIDES: tuple[Literal["producer", "consumer"], ...] = ("producer", "consumer")
OLD = "The older version (default: the one before the newer)"
NEW = "The newer version (default: the one in force)"


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    base = "/contracts/<contract>"
    app.get(f"{base}/versions", summary="List the published versions of a contract", operation_id="list_versions")(
        list_versions
    )
    app.get(f"{base}/versions/<version>", summary="Read a published version", operation_id="read_version")(read_version)
    app.get(f"{base}/changes", summary="Compare two versions of a contract", operation_id="compare_versions")(
        compare_versions
    )


def list_versions(here: Here, contract: str) -> Response[ContractVersions]:
    """Return the published versions of a contract in force, newest first."""
    from contracts.authoring.document.versions import numbers, plain

    plan = here.ports.catalog.plan(entry_of(here, contract, "list_versions").plan)
    current = plain(plan.version)
    own = [t.version for t in titles_of(here, plan) if numbers(t.version)[0] == numbers(current)[0]]
    items = [ContractVersionItem(version=each, in_force=each == current) for each in reversed(own)]
    return tagged_by_content(here, ContractVersions(contract=contract, versions=items))


def read_version(here: Here, contract: str, version: str) -> Response[ContractText]:
    """Return the text of a published version, as `dropgate contract` prints it."""
    from contracts.authoring.document.versions import plain

    plan = here.ports.catalog.plan(entry_of(here, contract, "read_version").plan)
    number, text = version_of(here, plan, version)
    is_current, reach = number == plain(plan.version), here.reach("read_version")
    if not (is_current or reach.everything):
        _compiled(text, plan, number, reach)
    document = text.decode("utf-8-sig", "replace")
    return tagged_by_content(
        here, ContractText(contract=contract, version=number, in_force=is_current, document=document)
    )


def compare_versions(
    here: Here,
    contract: str,
    old: Annotated[str | None, Query(description=OLD, max_length=120)] = None,
    new: Annotated[str | None, Query(description=NEW, max_length=120)] = None,
) -> Response[ContractComparison]:
    """Return the changes between two versions, with the sides that they break, as `dropgate breaking` finds them."""
    from contracts.authoring.diff.compare import compare
    from contracts.authoring.document.versions import order

    plan = here.ports.catalog.plan(entry_of(here, contract, "compare_versions").plan)
    reach = here.reach("compare_versions")
    newer, newer_text = version_of(here, plan, new)
    if old is None:
        before = [t.version for t in titles_of(here, plan) if order(t.version) < order(newer)]
        if not before:
            raise RequestRefused(404, f"No version of {contract} was published before {newer}.")
        old = before[-1]
    older, older_text = version_of(here, plan, old)
    sides = (_compiled(text, plan, n, reach) for n, text in ((older, older_text), (newer, newer_text)))
    try:
        comparison = compare(*sides)
    except ContractInvalid as error:
        raise RequestRefused(409, f"These versions cannot be compared: {error}") from error
    return tagged_by_content(here, _answer(comparison, older, newer))


def _compiled(text: bytes, plan: Plan, version: str, reach: Reach) -> Compiled:
    """Return the contract of a text; RequestRefused with 404 if it was another producer's, who is beyond reach."""
    from contracts.authoring.compiler.compile import compile_each

    parts = compile_each(text, f"{plan.contract}.yaml", alone=True)
    part = next((each for each in parts if each.draft and each.draft.id == plan.id), parts[0])
    if part.draft and not reach.covers(part.draft.producer):
        raise RequestRefused(404, f"No text of {plan.contract} {version} was published.")
    return part


def _answer(comparison: Comparison, older: str, newer: str) -> ContractComparison:
    from contracts.authoring.document.versions import after

    changes = comparison.changes
    return ContractComparison(
        contract=comparison.contract,
        old=older,
        new=newer,
        breaks=[
            side for side in ("producer", "consumer") if any(getattr(c, side) == "breaking" for c in comparison.changes)
        ],
        producer=comparison.producer,
        consumers=list(comparison.consumers),
        direction=comparison.direction,
        raises=comparison.step,
        needed_version=after(older, comparison.step) if comparison.step else None,
        announced=comparison.announced,
        failed=comparison.failed,
        changes=[
            ContractChange(**{name: getattr(change, name) for name in ContractChange.model_fields})
            for change in changes
        ],
        findings=[LintFinding(**asdict(finding)) for finding in comparison.findings],
    )
