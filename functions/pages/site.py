"""The site: a request of a browser in, the door or the view of its path out; every fault is a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from contracts.errors import ServiceUnavailable
from functions.api.asked import NO_REQUESTS, Asked, no_acts
from functions.api.problems import MEDIA_TYPE, TITLES, RequestRefused, document
from functions.api.runtime import logger
from functions.pages import rendering
from functions.pages.answers import SESSION, Answer, redirect
from functions.pages.doors import Doors
from functions.pages.rendering import page
from functions.pages.requests import Request
from functions.ports import Ports, ReadPorts
from functions.ports.web.requests import AnsweredRequests

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of somebody who has signed in; `landing` is the origin to which browsers upload."""

    here: Asked
    request: Request
    landing: str

    @property
    def session(self) -> str:
        """Return the cookie of the session, which only this browser has."""
        return self.request.cookies[SESSION]

    def page(self, template: str, **values: Any) -> Answer:
        """Return a page with the navigation that fits the caller's roles."""
        return Answer(200, page(template, caller=self.here.caller, path=self.request.path, **values))


View = Callable[[Visit], Answer]


@dataclass(frozen=True, slots=True)
class Site:
    """Answers requests; `views` are by the keys of their routes, as `GET /app/drops/{drop}`.

    `requests` and `acts` are for views that record acts, as in `Asked`.
    """

    ports: ReadPorts
    doors: Doors
    views: Mapping[str, View]
    landing: str
    requests: AnsweredRequests = NO_REQUESTS
    acts: Callable[[], Ports] = no_acts

    def answer(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to an event of payload format 2.0."""
        try:
            return self._answer(event["routeKey"], Request.of(event)).event()
        except RequestRefused as refused:
            return fault(refused).event()
        except ServiceUnavailable as error:
            logger.warning("service unavailable", exc_info=error)
            return fault(RequestRefused(503, "Try again in a moment.", headers={"Retry-After": "5"})).event()
        except Exception as error:  # noqa: BLE001 - whatever fails, a person gets a page
            logger.error("request failed", exc_info=error)
        return fault(RequestRefused(500, "The operators of this stack find the reason in its log.")).event()

    def _answer(self, route: str, request: Request) -> Answer:
        if request.method == "POST" and not request.is_from_page():
            raise RequestRefused(403, "Only a page of this site may ask for this.")
        if answer := self._without_session().get(route):
            return answer(request)
        caller = self.doors.caller(request)
        if caller is None and request.method == "GET":
            return redirect(f"/login?{urlencode({'to': request.path})}")
        if caller is None:
            raise RequestRefused(401, "Your session has ended: sign in again.")
        if route not in self.views:
            raise RequestRefused(404, "Nothing is at this address.")
        here = Asked(self.ports, caller, requests=self.requests, acts=self.acts)
        return self.views[route](Visit(here, request, self.landing))

    def _without_session(self) -> Mapping[str, Callable[[Request], Answer]]:
        """Return the routes that need no session."""
        return {
            "GET /": lambda _: redirect("/app"),
            "GET /login": self.doors.sign_in,
            "GET /callback": self.doors.come_back,
            "GET /goodbye": lambda _: Answer(200, page("goodbye")),
            "POST /logout": self.doors.sign_out,
            "GET /app/files/{file}": lambda request: served(request.parts["file"]),
        }


def served(name: str) -> Answer:
    """Return a file that pages load."""
    if name not in rendering.FILES:
        raise RequestRefused(404, "There is no such file.")
    return Answer(200, rendering.file(name), rendering.FILES[name], FOREVER)


def reason(refused: RequestRefused) -> Answer:
    """Return a fault for a script, as the API has it."""
    return Answer(refused.status, json.dumps(document(refused)), MEDIA_TYPE)


def fault(refused: RequestRefused) -> Answer:
    """Return the page of a fault."""
    body = page("fault", status=refused.status, title=TITLES[refused.status], detail=str(refused))
    return replace(Answer(refused.status, body), headers=refused.headers)
