"""How a check's outcome is said to a producer: an outcome in, a problem with what, where and how to fix it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.problem import Problem

if TYPE_CHECKING:
    from contracts.verdict import Outcome

SETS = {"rowCount", "unique", "primaryKey"}

MESSAGES = {
    "fields": "{some} do not have as many cells as the header.",
    "quotes": "{some} open a quote that is never closed in the line.",
    "text": "{some} hold bytes that are not text in the agreed encoding, or NUL characters.",
    "logicalType": "{some} have a `{property}` that is not {expected}.",
    "required": "{some} have no `{property}`.",
    "nullValues": "{some} have no `{property}`.",
    "invalidValues": "{some} have a `{property}` that is not valid ({expected}).",
    "enum": "{some} have a `{property}` outside the agreed values ({expected}).",
    "minimum": "{some} have a `{property}` below the minimum ({expected}){worst}.",
    "maximum": "{some} have a `{property}` above the maximum ({expected}){worst}.",
    "minLength": "{some} have a `{property}` that is too short ({expected}).",
    "maxLength": "{some} have a `{property}` that is too long ({expected}).",
    "pattern": "{some} have a `{property}` that does not look as agreed ({expected}).",
    "unique": "{some} share their `{property}` with another record.",
    "primaryKey": "{some} have a `{property}` that is null or that another record has, too; it is the key.",
    "rowCount": "The file has {observed} records; agreed are {expected}.",
}

FIXES = {
    "fields": "Look for delimiters inside text that is not quoted, and for rows that were cut.",
    "quotes": "Close the quote; write a quote inside a quoted cell twice. Line breaks inside cells are not agreed here.",
    "text": "Write the file in the encoding of the contract, without NUL characters.",
    "logicalType": "Write {expected} without blanks or other text around it; leave the cell as the contract's null if it is unknown.",
    "required": "Fill in `{property}`, or leave the rows out.",
    "nullValues": "Fill in `{property}`.",
    "unique": "Send each `{property}` once.",
    "primaryKey": "Give every record a `{property}` of its own.",
    "rowCount": "Check that the file is whole, and neither sent twice nor cut.",
}


def explain(outcome: Outcome, read: int) -> Problem | None:
    """The problem that an outcome means for the producer; None where nothing is wrong."""
    if outcome.result not in ("failed", "warning", "not_evaluated"):
        return None
    if outcome.result == "not_evaluated":
        return _not_evaluated(outcome)
    words = {
        "some": _some(outcome.failed or 0, read),
        "property": outcome.property,
        "expected": outcome.expected,
        "observed": outcome.observed,
        "worst": f", worst {outcome.observed}" if outcome.observed else "",
    }
    message = MESSAGES.get(outcome.kind, "{some} fail `{property}` ({expected}).").format(**words)
    fix = FIXES.get(outcome.kind, "Correct `{property}` in these rows, or leave them out.").format(**words)
    level = "error" if outcome.result == "failed" else "warning"
    first = outcome.samples[0].record if outcome.samples else None
    return Problem(f"check-{outcome.kind}", message, fix, level, first, outcome.property)


def _not_evaluated(outcome: Outcome) -> Problem | None:
    if outcome.reason in ("allowed-missing", "no-rows") or outcome.severity != "error":
        return None
    message = f"The check `{outcome.id}` could not be made: {outcome.reason or 'no reason given'}."
    return Problem("not-evaluated", message, "See the other problems of the file; this check is made when they are gone.", property=outcome.property)


def _some(failed: int, read: int) -> str:
    share = f"{100 * failed / read:.1f} %" if read and failed * 1000 >= read else "under 0.1 %"
    return f"{failed:,} of {read:,} records ({share})"
