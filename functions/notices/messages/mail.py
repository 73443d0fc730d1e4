"""A letter as mail: a subject, a text, and one HTML page that loads nothing and has no script. Pure."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.problem import visible
from functions.notices.messages import wording
from functions.ports.notices import Mail

if TYPE_CHECKING:
    from jinja2 import Environment

    from functions.notices.messages.wording import Letter

FOLDER = Path(__file__).parent
COLOURS = {"accepted": "#1a7f37", "recovered": "#1a7f37", "warning": "#9a6700", "late": "#9a6700", "stale": "#9a6700"}
BAD = "#b42318"
"""The colour of what is none of these."""


def mail(letter: Letter, to: str) -> Mail:
    """Return the mail of a letter to one address."""
    rows, more = wording.listed(letter) if letter.only is None else ([], 0)
    values = {
        "subject": wording.subject(letter),
        "occasion": letter.occasion,
        "colour": COLOURS.get(letter.occasion, BAD),
        "lead": wording.lead(letter),
        "repeat": wording.REPEAT if letter.may_repeat else None,
        "facts": wording.facts(letter),
        "problems": letter.problems[: wording.MOST_PROBLEMS],
        "more_problems": max(0, len(letter.problems) - wording.MOST_PROBLEMS),
        "rows": rows,
        "more": more,
        "rest": wording.rest(letter),
        "link": letter.link,
        "contact": wording.contact_line(letter),
        "why": wording.why(letter),
    }
    world = _templates()
    text, html = (world.get_template(f"mail.{kind}.jinja").render(values) for kind in ("txt", "html"))
    return Mail(to, wording.subject(letter), text, html, letter.id)


@cache
def _templates() -> Environment:
    """Return the templates; the library is loaded with the first mail, not at a cold start."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape  # noqa: PLC0415

    world = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=select_autoescape(("html.jinja",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    world.filters["visible"] = lambda text: visible(text.replace("`", ""), wording.MOST_TEXT)
    return world
