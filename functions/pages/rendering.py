"""Rendering: the name of a template and its values in, HTML out, in which every text is escaped."""

from __future__ import annotations

import hashlib
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.problem import visible
from functions.pages.words import lasting, promise_tone, size, tone, words
from functions.ports.clock import moment_if_any
from functions.records.receipt import sentence

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent
FILES = {
    "icon.svg": "image/svg+xml",
    "page.css": "text/css; charset=utf-8",
    "send.js": "text/javascript; charset=utf-8",
}
"""The files that pages load, with their media types."""


def page(template: str, **values: Any) -> str:
    """Return a page."""
    return _templates().get_template(f"{template}.html.jinja").render(values)


@cache
def file(name: str) -> str:
    """Return the text of a file that pages load."""
    return (FOLDER / "files" / name).read_text(encoding="utf-8")


def address(name: str) -> str:
    """Return the path of a file; it changes with the file, so that browsers may keep it."""
    return f"/app/files/{name}?v={hashlib.sha256(file(name).encode()).hexdigest()[:12]}"


def when(stamp: str | None) -> str:
    """Return a stamp for people, to the minute in UTC; a text that is no stamp as it is."""
    moment = moment_if_any(stamp) if stamp else None
    return f"{moment.astimezone(UTC):%d %b %Y, %H:%M}" if moment else visible(stamp or "")


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - as in the receipt

    world = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    world.filters |= {"visible": visible, "sentence": sentence, "when": when}
    world.filters |= {"words": words, "tone": tone, "promise_tone": promise_tone, "size": size, "lasting": lasting}
    world.globals |= {"file": address}
    return world
