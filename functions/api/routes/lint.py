"""Lint: the text of a contract in, its findings out; nothing that the text names is read."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from functions.api.asked import Here
from functions.api.models.lint import LintAnswer, LintedContract, LintFinding, LintRequest

if TYPE_CHECKING:
    from contracts.authoring.compiler.compile import Compiled


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    app.post("/lint", summary="Check the text of a contract", operation_id="lint")(lint)


def lint(here: Here, contract: LintRequest) -> LintAnswer:
    """Return the findings of a contract, as `dropgate lint` prints them; other contracts are not compared."""
    here.reach("lint")
    from contracts.authoring.compiler.compile import compile_each

    compiled = compile_each(contract.text.encode("utf-8", "replace"), contract.name, alone=True)
    findings = sorted({finding for each in compiled for finding in each.findings})
    return LintAnswer(
        failed=any(each.failed for each in compiled),
        findings=[LintFinding(**asdict(finding)) for finding in findings],
        contracts=[_contract(each) for each in compiled],
    )


def _contract(compiled: Compiled) -> LintedContract:
    plan = compiled.draft
    return LintedContract(
        contract=plan.contract if plan else None,
        version=plan.version if plan else None,
        plan=plan.sha if plan else None,
        checks=[check.id for check in plan.checks] if plan else [],
    )
