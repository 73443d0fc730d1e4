"""Acts of operators: a form that shows what an act would do, and the act that the form asks for.

The dry run comes first: a form is shown only if the act is possible now. It is about one state of its subject, and is
refused once that has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from functions.api.asked import Asked
from functions.api.idempotency import once
from functions.api.identity.access import Operation
from functions.api.models.acts import DecisionRequest, DropAct, PauseAct, PauseRequest, ReplayRequest
from functions.api.models.base import Model
from functions.api.problems import RequestRefused
from functions.api.routes.acts import accept_drop, reject_drop, replay_drop
from functions.api.routes.drops import drop_of
from functions.api.routes.pauses import create_pause, delete_pause
from functions.drop import MOST_REASON, PROMOTED, Drop
from functions.pages import form_tokens
from functions.pages.answers import Answer, redirect
from functions.pages.site import Visit
from functions.pages.views.act_names import OF_DROPS, ActName
from functions.ports.batches import Pause

OPERATIONS: Mapping[str, Operation] = {
    "replay": "replay_drop",
    "accept": "accept_drop",
    "reject": "reject_drop",
    "pause": "create_pause",
    "resume": "delete_pause",
}
LONGEST_BODY = 10_000
A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an act: a drop, or a contract or a producer; `version` changes with each change of it."""

    name: str
    version: str
    fields: Mapping[str, str]
    drop: Drop | None = None
    pause: Pause | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """An act on a subject: `would` tries it and changes nothing, `does` does it; `back` is the page of the subject."""

    would: Callable[[], object]
    does: Callable[[], BaseModel]
    back: str


class SentForm(Model):
    """The part of a form that a person fills in."""

    reason: str


def form(visit: Visit) -> Answer:
    """Return the form of an act, with what it would do."""
    act, subject = _about(visit, visit.request.query)
    try:
        tried, why_not = _wish(visit, act, subject, "-").would(), None
    except RequestRefused as refused:
        if refused.status not in (404, 409):
            raise
        tried, why_not = None, str(refused)
    token = form_tokens.fresh(visit.session, _text(act, subject))
    note = tried.note if isinstance(tried, DropAct) else None
    shown = {"act": act, "subject": subject, "note": note, "why_not": why_not, "token": token}
    return visit.page("act", **shown, most=MOST_REASON, promoted=PROMOTED)


def act(visit: Visit) -> Answer:
    """Record an act once, and lead to its subject."""
    if len(visit.request.body) > LONGEST_BODY:
        raise RequestRefused(413, "The form is too large.")
    sent = visit.request.form()
    name, subject = _about(visit, sent)
    if sent.get("confirmed") != "yes":
        raise RequestRefused(422, "Confirm that you have read what the act changes: nothing was changed.")
    seen = Subject(subject.name, sent.get("version", ""), subject.fields)
    number = form_tokens.number_of(sent.get("token", ""), visit.session, _text(name, seen))
    if number is None:
        raise RequestRefused(403, "This form belongs to another session: open it again. Nothing was changed.")
    reason = sent.get("reason", "")
    wish = _wish(visit, name, subject, reason)

    def do() -> BaseModel:
        if subject.version != seen.version:
            text = f"{subject.name} has changed since you opened the form: look at it again. Nothing was changed."
            raise RequestRefused(409, text)
        return wish.does()

    answers: type[BaseModel] = DropAct if name in OF_DROPS else PauseAct
    asked = (_text(name, seen), SentForm(reason=reason))
    once(visit.here, OPERATIONS[name], f"page.{number}", asked, do, answers)
    return redirect(f"{wish.back}?done={name}")


def _about(visit: Visit, fields: Mapping[str, str]) -> tuple[ActName, Subject]:
    """Return an act and its subject as it is now; RequestRefused if the caller may not act, or there is none."""
    named = visit.request.parts["act"]
    act = next((each for each in get_args(ActName) if each == named), None)
    if act is None:
        raise RequestRefused(404, "Nothing is at this address.")
    if act in OF_DROPS:
        drop = drop_of(visit.here, fields.get("drop", ""), OPERATIONS[act])
        return act, Subject(drop.name, str(drop.version), {"drop": drop.id}, drop=drop)
    visit.here.reach(OPERATIONS[act])
    kind, _, name = fields.get("of", "").partition(":")
    if kind not in ("contract", "producer"):
        raise RequestRefused(422, "Name a contract or a producer, as contract:orders.v1.")
    held = visit.here.ports.ledger.pauses()
    pause = next((each for each in held if (each.kind, each.name) == (kind, name)), None)
    return act, Subject(name, pause.at if pause else "free", {"of": f"{kind}:{name}"}, pause=pause)


def _text(act: ActName, subject: Subject) -> str:
    return "\0".join((act, *subject.fields.values(), subject.version))


def _wish(visit: Visit, act: ActName, subject: Subject, reason: str) -> Wish:
    """Return an act with its dry run."""
    here, drop = visit.here, subject.drop
    if drop and act == "replay":
        retract = drop.state in PROMOTED
        return _wish_of(replay_drop, here, drop.id, ReplayRequest(retract=retract))
    if drop:
        decision = _read(DecisionRequest, reason=reason)
        return _wish_of(accept_drop if act == "accept" else reject_drop, here, drop.id, decision)
    kind, _, name = subject.fields["of"].partition(":")
    if act == "pause":
        pause = _read(PauseRequest, kind=kind, name=name, reason=reason)
        trial = pause.model_copy(update={"dry_run": True})
        return Wish(lambda: create_pause(here, trial), lambda: create_pause(here, pause), "/app/operations")

    def held() -> None:
        if subject.pause is None:
            raise RequestRefused(404, f"The {kind} {name} is not paused.")

    return Wish(held, lambda: delete_pause(here, kind, name), "/app/operations")  # type: ignore[arg-type]


def _wish_of(do: Callable[[Asked, str, Any], DropAct], here: Asked, drop: str, body: BaseModel) -> Wish:
    trial = body.model_copy(update={"dry_run": True})
    return Wish(lambda: do(here, drop, trial), lambda: do(here, drop, body), f"/app/drops/{drop}")


def _read(model: type[A], **fields: str) -> A:
    """Return the body of an act; RequestRefused if there is no reason, or too long a one."""
    try:
        return model(**fields)
    except ValidationError as error:
        raise RequestRefused(422, f"Write a reason of 1 to {MOST_REASON} characters: nothing was changed.") from error
