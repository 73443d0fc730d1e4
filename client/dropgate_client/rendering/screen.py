"""Text of others in, safe text for a terminal or a log of CI out; paint, lines and states.

Names of columns, keys and cells come from files. None may move a cursor, begin a line, or be a command for a reader of
the output: GitHub runs lines that begin with `::`, others run `##[`, `##vso[` and `##teamcity[` anywhere.
"""

from __future__ import annotations

import json
import re
import textwrap
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

MOST = 2_000
NO_BREAK = "\u00a0"
ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
COMMANDS = re.compile(r"^(\s*):(?=:)|#(?=#(?:\[|vso\[|teamcity\[))", re.MULTILINE)


@dataclass(frozen=True)
class Look:
    """The display of a state: a sign, a word and a colour, so that colour is never the only signal."""

    sign: str
    word: str
    colour: str


LOOKS = {
    "accepted": Look("✓", "accepted", "green"),
    "accepted_with_warnings": Look("!", "accepted with warnings", "yellow"),
    "observed": Look("✕", "rejected, promoted", "yellow"),
    "rejected": Look("✕", "rejected", "red"),
    "failed": Look("?", "failed", "magenta"),
    "unmatched": Look("∅", "unmatched", "cyan"),
    "superseded": Look("↷", "superseded", "bright_black"),
    "noted": Look("·", "noted", "bright_black"),
    "vanished": Look("↷", "vanished", "bright_black"),
    "tried": Look("·", "tried", "bright_black"),
}


def look_of(state: str) -> Look:
    """Return the display of a state; one in flight, or one that is not known, is blue."""
    return LOOKS.get(state, Look("…", visible(state, 40), "blue"))


def visible(text: object, most: int = 120) -> str:
    """Return text of others on one line: invisible characters are escaped, long text is cut."""
    whole = str(text)
    cut = whole if len(whole) <= most else whole[: most - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(
        c if c == " " or unicodedata.category(c)[0] not in "CZ" else ESCAPES.get(c, f"\\u{ord(c):04x}") for c in cut
    )


def inert(text: str) -> str:
    """Return lines without text that a CI would run."""
    return COMMANDS.sub(lambda m: f"{m[1]}\\u003a" if m[1] is not None else "\\u0023", text)


def as_json(value: Any) -> str:
    """Return a value as JSON that a terminal can show: unprintable characters become escapes that read back equal."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if not text.replace("\n", " ").isprintable():
        text = "".join(c if c in " \n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)
    return inert(text.replace("\x7f", "\\u007f"))


def paint(text: str, colour: str | None = None, *, bold: bool = False, on: bool) -> str:
    """Return a text in a colour if `on`."""
    return click.style(text, fg=colour, bold=bold or None) if on else text


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return lines of at most `width`; a no-break space joins its neighbours and becomes a space at the end."""
    kept = text.replace(" %", f"{NO_BREAK}%")
    lines = textwrap.wrap(kept, max(20, width), subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines] or [""]


def named(facts: Mapping[str, object], width: int) -> list[str]:
    """Return names and values in two columns, without the values that are None."""
    shown = {name: str(value) for name, value in facts.items() if value is not None}
    wide = max(map(len, shown), default=0)
    return [f"  {name:<{wide}}  {visible(text, max(width, 400))}" for name, text in shown.items()]


def moment(text: str) -> str:
    """Return a time for people."""
    return text[:19].replace("T", " ")
