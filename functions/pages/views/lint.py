"""Lint: a form for the text of a contract, and its findings with their places."""

from __future__ import annotations

from pydantic import ValidationError

from functions.api.models.lint import LARGEST_TEXT, LintAnswer, LintRequest
from functions.api.problems import RequestRefused
from functions.api.routes.lint import lint
from functions.pages.answers import Answer
from functions.pages.site import Visit


def form(visit: Visit) -> Answer:
    """Return the form for a text."""
    visit.here.reach("lint")
    return _page(visit, "", None)


def findings(visit: Visit) -> Answer:
    """Return the findings of a text, with the text for the next try."""
    text = visit.request.form().get("text", "").replace("\r\n", "\n")
    try:
        return _page(visit, text, lint(visit.here, LintRequest(text=text)))
    except ValidationError as error:
        text = f"A contract has at most {LARGEST_TEXT:,} characters."
        raise RequestRefused(413, text) from error


def _page(visit: Visit, text: str, answer: LintAnswer | None) -> Answer:
    return visit.page("lint", text=text, answer=answer, most=LARGEST_TEXT)
