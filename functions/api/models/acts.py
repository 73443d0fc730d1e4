"""Acts of operators as the API has them: what to do and why in, the drop or the pause out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from functions.api.models.base import Model
from functions.api.models.drops import DropSummary
from functions.api.models.pauses import PauseItem
from functions.drop import MOST_REASON

Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_REASON)]


class ReplayRequest(Model):
    """A wish to judge a drop again; `retract` also for a promoted one, whose file is withdrawn unless it is found good.

    `dry_run` changes nothing and answers whether it would be done.
    """

    retract: bool = False
    dry_run: bool = False


class DecisionRequest(Model):
    """A person's decision over a drop, with the reason for record, history and receipt (300 bytes)."""

    reason: Reason
    dry_run: bool = False


class DropAct(Model):
    """The drop after an act, or before it if it was a dry run; the schedule carries it out within minutes."""

    drop: DropSummary
    dry_run: bool
    note: str | None = None


class PauseRequest(Model):
    """A wish to pause a contract, or all contracts of a producer, and the reason for it."""

    kind: Literal["contract", "producer"]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    reason: Reason
    dry_run: bool = False


class PauseAct(Model):
    """A pause after an act; `paused` is False once it is lifted."""

    pause: PauseItem
    paused: bool
    dry_run: bool
