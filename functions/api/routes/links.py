"""Links that open one receipt without a token of an issuer: made and revoked for a drop, and opened by anybody."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from functools import partial

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from contracts.errors import ObjectGone
from functions import keys
from functions.api import audit
from functions.api.answers.html import page_response
from functions.api.asked import Asked, Here
from functions.api.idempotency import IdempotencyKey, once
from functions.api.models.base import Model
from functions.api.models.links import LinksRevoked, ReceiptLinkAnswer
from functions.api.problems import RequestRefused
from functions.api.routes.drops import drop_of
from functions.drop import Drop
from functions.receipt_link import MOST_DAYS, SECRET, LinkKey, ReceiptLink, keys_of, opened, token_of

REVOKED = "revoked"
"""The mark of a drop whose links are revoked, among the answered requests."""
PRIVATE = {"Cache-Control": "private, no-store", "X-Robots-Tag": "noindex, nofollow, noarchive"}


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application; the one that opens a link needs no token of an issuer."""
    app.post("/drops/<drop>/links", summary="Make a link that opens a receipt", operation_id="create_link")(create_link)
    app.delete("/drops/<drop>/links", summary="Revoke the links of a drop", operation_id="revoke_links")(revoke_links)
    app.get("/receipts/<token>", include_in_schema=False)(open_link)


def create_link(here: Here, drop: str, idempotency_key: IdempotencyKey = None) -> ReceiptLinkAnswer:
    """Return an address under which anybody reads the receipt of the drop's last attempt for some days."""
    named = drop_of(here, drop, "create_link")
    act = partial(_link, here, named)
    return once(here, "create_link", idempotency_key, (named.id, Model()), act, ReceiptLinkAnswer)


def _link(here: Asked, named: Drop) -> ReceiptLinkAnswer:
    if named.receipt is None:
        raise RequestRefused(404, f"The drop {named.id} has no receipt: it is {named.state}.")
    signing = _keys(here)
    token = token_of(here.ports.stack, signing, named.id, named.attempt, here.ports.clock.now())
    if token is None:
        raise RequestRefused(409, "This stack has no key for links: docs/how-to/api.md says how to make one.")
    audit.note(here.caller, "create_link", named)
    return ReceiptLinkAnswer(path=f"/receipts/{token}", days=signing[0].days)


def revoke_links(here: Here, drop: str) -> LinksRevoked:
    """Revoke all links of a drop that were made until now."""
    named = drop_of(here, drop, "revoke_links")
    at = here.ports.clock.now()
    here.requests.answer(_name(named.id), REVOKED, str(int(at.timestamp())), at + timedelta(days=MOST_DAYS + 1))
    audit.note(here.caller, "revoke_links", named)
    return LinksRevoked(drop=named.id, until=here.ports.at())


def open_link(here: Here, token: str) -> Response[str]:
    """Return the page of the receipt that a link opens; nothing changes, however often it is asked for."""
    link = opened(here.ports.stack, _keys(here), token, here.ports.clock.now())
    drop = here.ports.ledger.drop(link.drop) if link else None
    if link is None or drop is None or drop.producer is None or drop.forgotten:
        raise _ended()
    if _is_revoked(here, link):
        raise _ended()
    folder = keys.report_folder(here.ports.zones.of(trial=drop.trial), drop.producer, drop.id, link.attempt)
    try:
        page = here.ports.store.get(f"{folder}receipt.html").decode()
    except ObjectGone as error:
        raise _ended() from error
    audit.note_link(drop, link.attempt)
    return page_response(page, **PRIVATE)


def _is_revoked(here: Asked, link: ReceiptLink) -> bool:
    record = here.requests.find(_name(link.drop), here.ports.clock.now())
    return record is not None and record.mark == REVOKED and link.issued <= int(record.answer or 0)


def _ended() -> RequestRefused:
    return RequestRefused(404, "This link has ended, or is none of this stack. Ask its sender for a new one.")


def _keys(here: Asked) -> tuple[LinkKey, ...]:
    return keys_of(here.ports.link_keys.secret(SECRET))


def _name(drop: str) -> str:
    return hashlib.sha256(f"{REVOKED}\0{drop}".encode()).hexdigest()
