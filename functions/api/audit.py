"""The audit: a caller, an operation and a drop in, one line of the log out. It has no value of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contracts.problem import visible
from functions.api.identity.access import Operation
from functions.api.identity.callers import Caller
from functions.api.runtime import logger
from functions.drop import Drop
from functions.ports.batches import Pause


def note_upload(caller: Caller, contract: str, key: str, size: int) -> None:
    """Log who got an address for an upload."""
    details: dict[str, Any] = {
        "audit": "create_upload",
        "issuer": caller.issuer,
        "subject": caller.subject,
        "contract": contract,
        "key": visible(key, most=1024),
        "size": size,
    }
    logger.info("audit", **details)


def note_publication(caller: Caller, contracts: Sequence[str], index: str) -> None:
    """Log who changed which contracts in force."""
    details: dict[str, Any] = {
        "audit": "publish_contract",
        "issuer": caller.issuer,
        "subject": caller.subject,
        "contracts": list(contracts),
        "index": index,
    }
    logger.info("audit", **details)


def note_pause(caller: Caller, operation: Operation, pause: Pause) -> None:
    """Log who paused or resumed a contract or a producer."""
    details: dict[str, Any] = {"audit": operation, "issuer": caller.issuer, "subject": caller.subject}
    details[pause.kind] = pause.name
    logger.info("audit", **details)


def note_link(drop: Drop, attempt: int) -> None:
    """Log that a link has opened a receipt; it says of nobody who."""
    details: dict[str, Any] = {"audit": "open_link", "drop": drop.id, "attempt": attempt, "contract": drop.contract}
    logger.info("audit", **details)


def note(caller: Caller, operation: Operation, drop: Drop) -> None:
    """Log who read what of which drop."""
    details: dict[str, Any] = {
        "audit": operation,
        "issuer": caller.issuer,
        "subject": caller.subject,
        "roles": sorted(caller.roles),
        "drop": drop.id,
        "attempt": drop.attempt,
        "contract": drop.contract,
    }
    logger.info("audit", **details)
