"""A header line that the ledger has kept: the header of its drop out again, and the warnings about it. Pure.

Functions that only go on with an admitted drop need nothing of the formats that admission reads.
"""

from __future__ import annotations

import json

from contracts.files import columns
from contracts.files import header as files_header
from contracts.plan import Plan
from contracts.problem import Problem


def header(plan: Plan, header_line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the header of an admitted drop again: names (the contract's), and types if the format has any."""
    if plan.has_cells:
        return columns.of_file(plan.transcribed, header_line), ()
    listed = json.loads(header_line)
    if plan.file_format == "parquet":
        return tuple(name for name, _ in listed), tuple(kind for _, kind in listed)
    return tuple(listed), ()


def notes(plan: Plan, header_line: str) -> tuple[Problem, ...]:
    """The warnings of an admitted drop again, which travel with it to the verdict."""
    headed = plan.read_as == "csv" and plan.csv.header
    sent = columns.sent(plan, header_line) if headed else header(plan, header_line)[0]
    return (*deprecated(plan), *(p for p in files_header.problems(plan, sent) if p.level == "warning"))


def deprecated(plan: Plan) -> list[Problem]:
    """The warning of a contract that its owner has given up."""
    if not plan.deprecated:
        return []
    text = f"The contract {plan.contract} is deprecated."
    return [Problem("deprecated-contract", text, "Ask its owner which version to move to, and until when.", "warning")]
