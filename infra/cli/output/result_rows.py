"""Results of checks as rows of a table: a drop and the receipts of its attempts in, a row for each result out.

A refusal at the door has no checks: each of its problems is a row, and so is a drop of which there is no receipt.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functions.drop import Drop

OF_CHECK = (
    "kind",
    "property",
    "dimension",
    "severity",
    "expected",
    "result",
    "reason",
    "evaluated",
    "success",
    "failed",
    "null",
    "observed",
    "lacks",
    "history",
    "against",
)
"""The keys of a receipt's check that a row has, too."""
RESULTS = {"error": "failed", "warning": "warning"}
"""The result of a problem without a check, by its level."""


def rows(drop: Drop, receipts: Mapping[int, bytes | None]) -> Iterator[dict[str, Any]]:
    """Yield a row for each result of a drop's attempts, oldest attempt first."""
    for attempt in range(1, drop.attempt + 1):
        receipt = _read(receipts.get(attempt))
        if receipt is not None:
            yield from _of_receipt(drop, receipt)
        elif attempt == drop.attempt:
            yield _row(drop, drop.attempt, drop.state, drop.verdict, None)


def _read(text: bytes | None) -> dict[str, Any] | None:
    """Return a receipt; None if there is none, or it is cut short."""
    try:
        receipt = json.loads(text) if text else None
    except ValueError:
        return None
    return receipt if isinstance(receipt, dict) and "checks" in receipt else None


def _of_receipt(drop: Drop, receipt: dict[str, Any]) -> Iterator[dict[str, Any]]:
    now = receipt["attempt"] == drop.attempt
    state = drop.state if now else receipt["verdict"] or "failed"
    head = _row(drop, receipt["attempt"], state, receipt["verdict"], receipt)
    problems = {problem["check"]: problem for problem in receipt["problems"] if problem.get("check")}
    for check in receipt["checks"]:
        own = {key: check.get(key) for key in OF_CHECK}
        samples = check.get("samples") or [None]
        yield head | own | {"check": check["id"]} | _of_problem(problems.get(check["id"])) | _place(samples[0])
    others = [problem for problem in receipt["problems"] if not problem.get("check")]
    others += [receipt["failure"] | {"level": "failure"}] if receipt["failure"] else []
    for problem in others:
        result = RESULTS.get(problem["level"], "error")
        yield head | {"result": result, "property": problem.get("property")} | _of_problem(problem) | _place(problem)
    if not receipt["checks"] and not others:
        yield head


def _row(
    drop: Drop, attempt: int, state: str, verdict: str | None, receipt: Mapping[str, Any] | None
) -> dict[str, Any]:
    contract = (receipt or {}).get("contract") or {}
    return {
        "drop": drop.id,
        "attempt": attempt,
        "key": drop.name,
        "contract": drop.contract,
        "version": contract.get("version"),
        "plan": contract.get("plan"),
        "producer": drop.producer,
        "received_at": drop.received_at,
        "decided_at": (receipt or {}).get("decided_at"),
        "state": state,
        "verdict": verdict,
        "check": None,
        **dict.fromkeys(OF_CHECK),
        "problem": None,
        "message": None,
        "place": None,
    }


def _of_problem(problem: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"problem": problem["code"], "message": problem["message"]} if problem else {}


def _place(value: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the first place of a sample or a problem, in the words of its format."""
    from contracts.place import Place

    place = Place.of(value) if value and "record" in value else None
    return {"place": str(place)} if place else {}
