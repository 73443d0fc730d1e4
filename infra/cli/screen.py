"""Text and values in, safe text for a terminal or a log out: text of others commands neither the terminal nor a CI.

Names of columns, keys of files and cells come from outside. None of them may begin a line, move a cursor, or be a
command for a reader of the output: GitHub runs lines that begin with `::`, Azure DevOps, TeamCity and older runners run
`##[`, `##vso[` and `##teamcity[` anywhere (their documentation, "workflow commands", "logging commands", "service
messages").
"""

from __future__ import annotations

import json
import re
from typing import Any

import click

from contracts.problem import printable, visible

MOST = 2_000
"""The maximum length of a line with text of others; the rest is cut."""
COMMANDS = re.compile(r"^(\s*):(?=:)|#(?=#(?:\[|vso\[|teamcity\[))", re.MULTILINE)


def line(text: object, most: int = MOST) -> str:
    """Return a text of any origin on one line."""
    return visible(str(text), most)


def inert(text: str) -> str:
    """Return our lines without text of others that a CI would run; the characters of such commands become escapes."""
    return COMMANDS.sub(lambda m: f"{m[1]}\\u003a" if m[1] is not None else "\\u0023", text)


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print our lines; text of others in them is `visible` already."""
    click.echo(inert(text), err=err, nl=nl)


def as_json(value: Any, indent: int | None = 2) -> str:
    """Return a value as JSON that a terminal can show: unprintable characters become escapes that read back equal."""
    return inert(printable(json.dumps(value, indent=indent, ensure_ascii=False)))
