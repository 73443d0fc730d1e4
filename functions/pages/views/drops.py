"""Drops: a page of a month's list, one drop with its history, and the files of its receipt."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from functions.api.answers.html import policy_of
from functions.api.identity.access import reach
from functions.api.models.drops import detail
from functions.api.problems import RequestRefused
from functions.api.routes.drops import drop_of, list_drops, read_rejected_rows, receipt_page
from functions.drop import STATES
from functions.pages.answers import Answer, redirect
from functions.pages.charts.timeline import timeline
from functions.pages.site import Visit
from functions.pages.views.act_names import possible
from functions.pages.words import done_words, meaning

MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")
PAGE = 50


def drop_list(visit: Visit) -> Answer:
    """Return a page of the drops of a month that the caller reaches."""
    query = {name: value for name, value in visit.request.query.items() if value}
    month = month_of(visit)
    asked = {name: query.get(name) for name in ("state", "contract", "producer")}
    listed = list_drops(
        visit.here,
        contract=asked["contract"],
        state=asked["state"],
        producer=asked["producer"],
        month=month,
        limit=PAGE,
        cursor=query.get("cursor"),
    )
    kept = {name: value for name, value in asked.items() if value} | {"month": month}
    following = f"/app/drops?{urlencode(kept | {'cursor': listed.next})}" if listed.next else None
    return visit.page("drops", drops=listed.drops, asked=asked, month=month, states=STATES, following=following)


def month_of(visit: Visit) -> str:
    """Return the month that a request asks for, this one if it names none."""
    month = visit.request.query.get("month", "") or visit.here.ports.clock.now().strftime("%Y-%m")
    if not MONTH.fullmatch(month):
        raise RequestRefused(422, "Write the month as 2026-01.")
    return month


def drop(visit: Visit) -> Answer:
    """Return the page of a drop: its verdict, its problems, its rows and its history."""
    here = visit.here
    named = drop_of(here, visit.request.parts["drop"], "read_drop")
    shown = detail(named, here.ports.ledger.history(named.id))
    may_read_receipt = bool(reach(here.caller, "read_receipt"))
    return visit.page(
        "drop",
        drop=shown,
        meaning=meaning(shown.state),
        may_read_receipt=may_read_receipt,
        timeline=timeline(shown.history),
        acts=possible(named.state) if reach(here.caller, "replay_drop") else [],
        done=done_words(visit.request.query.get("done", "")),
    )


def drop_file(visit: Visit) -> Answer:
    """Return the receipt of a drop, or lead to its rejected rows; the names are those of the links in a receipt."""
    here, name = visit.here, visit.request.parts["file"]
    if name.startswith("rejected"):
        return redirect(read_rejected_rows(here, visit.request.parts["drop"]).url)
    if name != "receipt.html":
        raise RequestRefused(404, "Nothing is at this address.")
    body = receipt_page(here, visit.request.parts["drop"], "read_receipt")
    return Answer(200, body, headers={"Content-Security-Policy": policy_of(body)})
