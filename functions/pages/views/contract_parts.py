"""Parts of a contract's page: its rules in words, its history in pictures, its versions, a sample, its data."""

from __future__ import annotations

from collections.abc import Mapping

from functions.api.answers.html import policy_of
from functions.api.problems import RequestRefused
from functions.api.routes.exports import read_contract_page
from functions.pages.answers import Answer
from functions.pages.site import View, Visit
from functions.pages.views.history import history
from functions.pages.views.sample import sample
from functions.pages.views.usage import usage
from functions.pages.views.versions import versions


def rules(visit: Visit) -> Answer:
    """Return the page of the contract's text, which has every rule in words."""
    body = str(read_contract_page(visit.here, visit.request.parts["contract"]).body)
    return Answer(200, body, headers={"Content-Security-Policy": policy_of(body)})


PARTS: Mapping[str, View] = {
    "data": usage,
    "history": history,
    "rules": rules,
    "sample": sample,
    "versions": versions,
}


def part(visit: Visit) -> Answer:
    """Return a part of a contract's page."""
    view = PARTS.get(visit.request.parts["part"])
    if view is None:
        raise RequestRefused(404, "Nothing is at this address.")
    return view(visit)
