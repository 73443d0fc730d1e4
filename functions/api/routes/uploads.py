"""Uploads: a file that is about to come in, a presigned request for it or the reasons against it out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import partial

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contracts.catalog import Matched
from contracts.problem import Problem
from functions.api import audit
from functions.api.asked import Asked, Here
from functions.api.idempotency import IdempotencyKey, once
from functions.api.identity.access import Operation
from functions.api.models.drops import DropProblem
from functions.api.models.uploads import UploadAnswer, UploadRequest, UploadTarget
from functions.api.problems import RequestRefused

LINK_SECONDS = 540
"""The time for which a repeat gets the same address, a minute less than the address can be used."""
PLACES = (("name-", "body.key"), ("un", "body.key"), ("amb", "body.key"), ("file-too-large", "body.size"))
"""The parts of a request that problems are about, by the beginnings of their codes."""


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    app.post("/uploads", summary="Announce a file and get a way to upload it", operation_id="create_upload")(
        create_upload
    )


def create_upload(here: Here, upload: UploadRequest, idempotency_key: IdempotencyKey = None) -> UploadAnswer:
    """Return a presigned PUT for exactly this file, or the reasons for which it would be rejected."""
    here.reach("create_upload")
    sign = partial(signed, here, upload)
    return once(here, "create_upload", idempotency_key, ("", upload), sign, UploadAnswer, LINK_SECONDS)


def signed(here: Asked, upload: UploadRequest, operation: Operation = "create_upload") -> UploadAnswer:
    """Return a presigned PUT for exactly this file; RequestRefused with the reasons for which it would be rejected."""
    from functions.operations.upload import AnnouncedUpload, check_upload

    match = _claimed(here, upload.key, operation)
    announced = AnnouncedUpload(upload.key, upload.size, _head(upload))
    plan = here.ports.catalog.plan(match.entry.plan)
    zones = here.ports.zones.of(trial=upload.trial)
    verdict = check_upload(zones, plan, announced, here.ports.clock.now())
    if verdict.refused:
        raise _refused(verdict.problems)
    uri = f"{zones.landing}{upload.key}"
    link = here.ports.uploads.upload(uri, upload.size, upload.sha256, match.entry.producer)
    if link is None:
        text = "The key is too long for an upload by the API."
        raise _refused((Problem("name-too-long", text, "Shorten the file's name, or use letters of ASCII in it."),))
    audit.note_upload(here.caller, match.entry.contract, upload.key, upload.size)
    seconds = round((link.expires - here.ports.clock.now()).total_seconds())
    return UploadAnswer(
        upload=UploadTarget(
            method="PUT",
            url=link.url,
            headers=dict(link.headers),
            expires=f"{link.expires:%Y-%m-%dT%H:%M:%SZ}",
            seconds=seconds,
        ),
        key=upload.key,
        contract=match.entry.contract,
        version=plan.version,
        checked=verdict.checked,
        problems=[DropProblem.of(problem) for problem in verdict.problems],
        trial=upload.trial,
    )


def _claimed(here: Asked, key: str, operation: Operation) -> Matched:
    """Return the contract of a key in a folder that is the caller's; others are not there for it."""
    reach = here.reach(operation)
    match = here.ports.catalog.match(key) if here.entries() else None
    owner = match.entry if isinstance(match, Matched) else match
    if match is None or owner is None or not reach.covers(owner.producer):
        raise RequestRefused(404, "The key is in no folder of the caller's producers.")
    if not isinstance(match, Matched):
        from functions.admission.door import why_unclaimed

        raise _refused((why_unclaimed(match),))
    return match


def _head(upload: UploadRequest) -> bytes | None:
    """Return the first bytes of the file; RequestRefused if they are not those, or all bytes have another SHA-256."""
    from functions.operations.upload import head_length

    if upload.head is None:
        return None
    try:
        head = base64.b64decode(upload.head, validate=True)
    except ValueError as error:
        raise _unfit("body.head", "base64", "The head is no base64 (RFC 4648, section 4).") from error
    if len(head) != head_length(upload.size):
        text = f"The head has {len(head):,} bytes; send the first {head_length(upload.size):,} bytes of the file."
        raise _unfit("body.head", "length", text)
    if len(head) == upload.size and hashlib.sha256(head).hexdigest() != upload.sha256:
        raise _unfit("body.sha256", "differs", "The head is the whole file, and has another SHA-256.")
    return head


def _unfit(place: str, kind: str, text: str) -> RequestRefused:
    return RequestRefused(422, text, [{"place": place, "kind": kind}])


def _refused(problems: Iterable[Problem]) -> RequestRefused:
    errors = [
        {
            "place": next((place for begin, place in PLACES if problem.code.startswith(begin)), "body.head"),
            "kind": problem.code,
            "message": problem.message,
            "fix": problem.fix,
            "at": str(problem.place) if problem.place else None,
        }
        for problem in problems
        if problem.level == "error"
    ]
    return RequestRefused(422, str(errors[0]["message"]), errors, kind="file-refused")
