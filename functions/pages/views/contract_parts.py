"""Parts of a contract's page: its history in pictures, its versions, a sample of its files, its data."""

from __future__ import annotations

from collections.abc import Mapping

from functions.api.problems import RequestRefused
from functions.pages.answers import Answer
from functions.pages.site import View, Visit
from functions.pages.views.history import history
from functions.pages.views.sample import sample
from functions.pages.views.usage import usage
from functions.pages.views.versions import versions

PARTS: Mapping[str, View] = {"data": usage, "history": history, "sample": sample, "versions": versions}


def part(visit: Visit) -> Answer:
    """Return a part of a contract's page."""
    view = PARTS.get(visit.request.parts["part"])
    if view is None:
        raise RequestRefused(404, "Nothing is at this address.")
    return view(visit)
