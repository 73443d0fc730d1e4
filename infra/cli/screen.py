"""Text and values in, what a terminal or a log may have of them out: strangers' text commands neither it nor a CI.

Names of columns, keys of files and cells come from outside. None of them begins a line, moves a cursor, or is a command
to what reads the output: GitHub takes lines from `::`, Azure DevOps, TeamCity and older runners `##[`, `##vso[` and
`##teamcity[` anywhere (their documentation, "workflow commands", "logging commands", "service messages").
"""

from __future__ import annotations

import json
import re
from typing import Any

import click

from contracts.problem import printable, visible

MOST = 2_000
"""Characters of a line: what strangers wrote is cut."""
COMMANDS = re.compile(r"^(\s*):(?=:)|#(?=#(?:\[|vso\[|teamcity\[))", re.MULTILINE)


def line(text: object, most: int = MOST) -> str:
    """A text of whomever on one line."""
    return visible(str(text), most)


def inert(text: str) -> str:
    """Lines of ours in which no text of others is a command to a CI; signs of commands are written as escapes."""
    return COMMANDS.sub(lambda m: f"{m[1]}\\u003a" if m[1] is not None else "\\u0023", text)


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print lines of ours, in which what strangers wrote is `visible` already."""
    click.echo(inert(text), err=err, nl=nl)


def as_json(value: Any, indent: int | None = 2) -> str:
    """A value as JSON that a terminal may show: what would not print is an escape, which reads back as it was."""
    return inert(printable(json.dumps(value, indent=indent, ensure_ascii=False)))
