"""Pauses: a contract or a producer and a person in, its jobs stopped or continued out, or why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from contracts.problem import nearest
from functions.ports import Ports
from functions.ports.batches import Pause

Kind = Literal["contract", "producer"]


@dataclass(frozen=True, slots=True)
class NotPaused:
    """The reason why nothing is paused or resumed; `unknown`: there is no such contract, producer or pause."""

    reason: str
    unknown: bool = False


def pause(
    ports: Ports, kind: Kind, name: str, by: str, reason: str = "", *, dry_run: bool = False
) -> Pause | NotPaused:
    """Let no new batch be made of a contract in force, or of all contracts of a producer."""
    names = {entry.producer if kind == "producer" else entry.contract for entry in ports.catalog.index().entries}
    if name not in names:
        return NotPaused(f"There is no {kind} {name}. {_suggestion(names, name)}", unknown=True)
    wanted = Pause(kind, name, ports.at(), reason, by=by)
    if dry_run:
        is_free = not any((each.kind, each.name) == (kind, name) for each in ports.ledger.pauses())
    else:
        is_free = ports.ledger.pause(wanted)
    return wanted if is_free else NotPaused(f"The {kind} {name} is paused already.")


def resume(ports: Ports, kind: Kind, name: str) -> Pause | NotPaused:
    """Let batches be made again."""
    held = ports.ledger.pauses()
    pause = next((each for each in held if (each.kind, each.name) == (kind, name)), None)
    if pause is None or not ports.ledger.resume(pause):
        names = {each.name for each in held}
        return NotPaused(f"The {kind} {name} is not paused. {_suggestion(names, name)}", unknown=True)
    return pause


def _suggestion(names: set[str], name: str) -> str:
    close = nearest(name, names)
    return f"Did you mean {close}?" if close else f"Known: {', '.join(sorted(names)) or 'none'}."
