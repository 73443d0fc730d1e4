"""Drops: a page of them, one with its history, and its receipt."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types
from aws_lambda_powertools.event_handler.openapi.params import Query

from contracts.errors import ObjectGone
from functions.api import audit
from functions.api.answers.html import DESCRIBED, page_response
from functions.api.answers.responses import tagged
from functions.api.asked import Asked, Here
from functions.api.identity.access import Operation, Reach
from functions.api.models.drops import DownloadLink, DropDetail, DropList, detail, summary
from functions.api.parameters import MONTH
from functions.api.problems import RequestRefused
from functions.drop import PROMOTED, STATES, Drop, Location
from functions.keys import ID_LENGTH, drop_id, split
from functions.operations.listing import page, position_of

MOST = 200
LINK_SECONDS = 300
"""The time for which a link to rejected rows can be used."""
VERSION_ID = "With `key`: only the upload of this version, as S3 answered the PUT in `x-amz-version-id`"
TRIALS = "Only trials, which are in no other list"
NAME = re.compile(r"rejected\.[a-z.]{2,16}")
"""The names of files of rejected rows, which the job writes."""


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    app.get("/drops", summary="List drops, newest first", operation_id="list_drops")(list_drops)
    app.get("/drops/<drop>", summary="Read a drop with its history", operation_id="read_drop")(read_drop)
    rows = "Get a link to the rejected rows of a drop"
    app.get("/drops/<drop>/rejected-rows", summary=rows, operation_id="read_rejected_rows")(read_rejected_rows)
    app.get("/drops/<drop>/receipt", summary="Read the receipt of a drop", operation_id="read_receipt")(read_receipt)
    page = "Read the receipt of a drop as a page"
    app.get("/drops/<drop>/receipt.html", summary=page, operation_id="read_receipt_page", responses=dict(DESCRIBED))(
        read_receipt_page
    )


def list_drops(
    here: Here,
    contract: Annotated[str | None, Query(description="Only drops of this contract", max_length=100)] = None,
    state: Annotated[str | None, Query(description="Only drops in this state")] = None,
    producer: Annotated[str | None, Query(description="Only drops of this producer", max_length=100)] = None,
    month: Annotated[str | None, Query(description="Month of arrival (default: this one)", pattern=MONTH)] = None,
    key: Annotated[str | None, Query(description="Only uploads of this key", max_length=1024)] = None,
    version_id: Annotated[str | None, Query(description=VERSION_ID, max_length=1024)] = None,
    trial: Annotated[bool, Query(description=TRIALS)] = False,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before", max_length=200)] = None,
) -> DropList:
    """Return a page of a month's drops that the caller reaches, those that no contract claims among them."""
    reach = here.reach("list_drops")
    if state not in (None, *STATES):
        raise RequestRefused(422, f"There is no state {state}.", [{"place": "query.state", "kind": "unknown"}])
    if version_id is not None:
        return _uploaded(here, reach, key, version_id, trial=trial)
    after = position_of(cursor) if cursor else None
    if cursor and after is None:
        raise RequestRefused(400, "The cursor is none that this API has given.")

    def within(drop: Drop) -> bool:
        reached = reach.covers(drop.producer, promoted=drop.state in PROMOTED)
        return reached and producer in (None, drop.producer) and key in (None, drop.name)

    only = {name: value for name, value in (("state", state), ("producer", producer)) if value}
    when = month or here.ports.clock.now().strftime("%Y-%m")
    listed = page(
        here.ports.ledger,
        _shelves(here, reach, contract, producer),
        when,
        limit,
        after=after,
        only=only,
        keep=within,
        trial=trial,
    )
    return DropList(
        drops=[summary(drop) for drop in listed.drops], next=listed.after.encode() if listed.after else None
    )


def _uploaded(here: Asked, reach: Reach, key: str | None, version_id: str, *, trial: bool) -> DropList:
    """Return the drop of one upload, by the version id that S3 answered; none before it is taken in."""
    if key is None:
        raise RequestRefused(422, "Send `key` with `version_id`.", [{"place": "query.key", "kind": "missing"}])
    bucket, folder = split(here.ports.zones.of(trial=trial).landing)
    drop = here.ports.ledger.drop(drop_id(bucket, f"{folder}{key}", version_id))
    if drop is None or not reach.covers(drop.producer, promoted=drop.state in PROMOTED):
        return DropList(drops=[], next=None)
    return DropList(drops=[summary(drop)], next=None)


def _shelves(here: Asked, reach: Reach, contract: str | None, producer: str | None) -> tuple[str | None, ...]:
    """Return the contracts whose drops are to be listed, None for those of no contract."""
    if contract:
        return (contract,)
    entries = [entry for entry in here.entries() if producer in (None, entry.producer)]
    mine = (entry.contract for entry in entries if reach.covers(entry.producer, promoted=True))
    return (*dict.fromkeys(mine), None)


def read_drop(here: Here, drop: str) -> Response[DropDetail]:
    """Return a drop; one beyond the caller's reach is not there."""
    named = drop_of(here, drop, "read_drop")
    return tagged(here, f"{named.id}.{named.version}", lambda: detail(named, here.ports.ledger.history(named.id)))


def read_receipt(here: Here, drop: str) -> Response[dict[str, Any]]:
    """Return the receipt of the last attempt that was decided, as its producer has it."""
    named = drop_of(here, drop, "read_receipt")
    body = receipt_of(here, named)
    audit.note(here.caller, "read_receipt", named)
    headers: dict[str, str | list[str]] = {"Cache-Control": "private, no-store"}
    return Response(200, content_types.APPLICATION_JSON, body, headers=headers)


def read_receipt_page(here: Here, drop: str) -> Response[str]:
    """Return the receipt of the last attempt that was decided as its page, whose links need a session of the page."""
    return page_response(receipt_page(here, drop, "read_receipt_page"), **{"Cache-Control": "private, no-store"})


def receipt_page(here: Asked, drop: str, operation: Operation) -> str:
    """Return the HTML of a drop's receipt; RequestRefused if it has none, or no longer."""
    named = drop_of(here, drop, operation)
    if named.receipt is None:
        raise RequestRefused(404, f"The drop {named.id} has no receipt: it is {named.state}.")
    try:
        page = here.ports.store.get(named.receipt.replace("receipt.json", "receipt.html")).decode()
    except ObjectGone as error:
        raise RequestRefused(404, f"The receipt of the drop {named.id} has expired.") from error
    audit.note(here.caller, operation, named)
    return page


def read_rejected_rows(here: Here, drop: str) -> DownloadLink:
    """Return an address of some minutes under which the rejected rows are downloaded; whoever has it may use it."""
    named = drop_of(here, drop, "read_rejected_rows")
    name = receipt_of(here, named).get("rejected_rows")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise RequestRefused(404, f"The drop {drop} has no file of rejected rows.")
    folder = str(named.receipt).removesuffix("receipt.json")
    if here.ports.store.head(Location(f"{folder}{name}")) is None:
        raise RequestRefused(404, f"The rejected rows of the drop {drop} have expired.")
    audit.note(here.caller, "read_rejected_rows", named)
    url = here.ports.links.download(f"{folder}{name}", name, LINK_SECONDS)
    return DownloadLink(url=url, name=name, seconds=LINK_SECONDS)


def receipt_of(here: Asked, drop: Drop) -> dict[str, Any]:
    """Return the receipt of a drop; RequestRefused if it has none, or no longer."""
    if drop.receipt is None:
        raise RequestRefused(404, f"The drop {drop.id} has no receipt: it is {drop.state}.")
    try:
        body: dict[str, Any] = json.loads(here.ports.store.get(drop.receipt))
    except ObjectGone as error:
        raise RequestRefused(404, f"The receipt of the drop {drop.id} has expired.") from error
    return body


def drop_of(here: Asked, drop_id: str, operation: Operation) -> Drop:
    """Return a drop within reach; RequestRefused with 404 if there is none."""
    reach = here.reach(operation)
    drop = here.ports.ledger.drop(drop_id) if len(drop_id) == ID_LENGTH and drop_id.isalnum() else None
    if drop is None or not reach.covers(drop.producer, promoted=drop.state in PROMOTED):
        raise RequestRefused(404, f"There is no drop {drop_id}.")
    return drop
