"""Validations as the thesis' Data Contract Validator has them: a workload in, metrics and outcomes of its rules out.

The rules are those that both sides agreed on: a validation asks for some of the contract's rules, and brings none.
"""

from __future__ import annotations

from dataclasses import replace

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contracts.plan import Plan
from functions.api import audit
from functions.api.asked import Here
from functions.api.models.published.validations import (
    Execution,
    ValidationAnswer,
    ValidationRequest,
    ValidationRule,
    result,
)
from functions.api.problems import RequestRefused
from functions.api.routes.drops import receipt_of
from functions.api.routes.published.data_contracts import contract_of
from functions.api.routes.published.workloads import keep, workload_of
from functions.drop import OPEN
from functions.operations.workload import rule_name, rule_outcomes


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    app.post("/v1/validation/start", summary="Start the validation of a workload", operation_id="start_validation")(
        start_validation
    )
    app.get("/v1/validation/<workload>", summary="Poll the validation of a workload", operation_id="read_validation")(
        read_validation
    )


def start_validation(here: Here, wish: ValidationRequest) -> ValidationAnswer:
    """Return that the validation of a workload goes on by itself; a rule that its contract lacks is refused."""
    workload, _ = workload_of(here, wish.workload_id, "start_validation")
    _, plan = contract_of(here, workload.data_contract, "start_validation")
    unknown = [n for n, rule in enumerate(wish.validations) if not _is_agreed(rule, plan)]
    if unknown:
        names = ", ".join(f"`{wish.validations[n].id[:100]}`" for n in unknown[:5])
        places = [{"place": f"body.validations.{n}.id", "kind": "unknown-rule"} for n in unknown[:50]]
        raise RequestRefused(422, f"The contract {plan.contract} has no rule {names} for these columns.", places)
    if not any(pattern.startswith(wish.access.path.rpartition("/")[0]) for pattern in plan.files):
        place = [{"place": "body.access.path", "kind": "other-folder"}]
        raise RequestRefused(422, f"No file of {plan.contract} is in this folder: {', '.join(plan.files)}.", place)
    keep(here, replace(workload, rules=tuple(dict.fromkeys(rule.id for rule in wish.validations))))
    return ValidationAnswer(workload_id=workload.id, status="OK", result=[])


def _is_agreed(rule: ValidationRule, plan: Plan) -> bool:
    """Return True if the contract has a rule of this id for each of these columns."""
    of = {check.property for check in plan.checks if rule.id in (check.id, rule_name(check.id, check.property))}
    return bool(of) and of >= set(rule.columns)


def read_validation(here: Here, workload: str) -> ValidationAnswer:
    """Return the results of the rules of a workload once its file is judged."""
    named, drop = workload_of(here, workload, "read_validation")
    if drop is None or drop.state in OPEN:
        return ValidationAnswer(workload_id=named.id, status="Running", result=[])
    executed: Execution = "NOK" if drop.state == "failed" else "OK"
    if drop.receipt is None:
        return ValidationAnswer(workload_id=named.id, status=executed, result=[])
    outcomes = rule_outcomes(receipt_of(here, drop)["checks"])
    audit.note(here.caller, "read_validation", drop)
    asked = [outcome for outcome in outcomes if not named.rules or outcome.id in named.rules]
    return ValidationAnswer(workload_id=named.id, status=executed, result=[result(outcome) for outcome in asked])
