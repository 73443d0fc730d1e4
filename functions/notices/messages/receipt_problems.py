"""The problems of a receipt, which is masked: its JSON in, problems out. Pure."""

from __future__ import annotations

import json
from typing import Any

from contracts.errors import DocumentInvalid
from contracts.place import Place
from contracts.problem import Problem

MOST = 200
"""Problems that are read of a receipt; a message shows fewer."""


def problems_in(receipt: bytes) -> tuple[Problem, ...]:
    """Return the first problems of a receipt; DocumentInvalid if it cannot be read."""
    try:
        problems = json.loads(receipt)["problems"][:MOST]
        return tuple(map(_problem, problems))
    except (ValueError, KeyError, TypeError) as error:
        raise DocumentInvalid("the receipt cannot be read") from error


def _problem(document: dict[str, Any]) -> Problem:
    return Problem(
        code=str(document["code"]),
        message=str(document["message"]),
        fix=str(document["fix"]),
        level="warning" if document["level"] == "warning" else "error",
        place=Place.of(document),
        property=document.get("property"),
        check=document.get("check"),
    )
