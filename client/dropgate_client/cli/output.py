"""Output that the commands share: lines and JSON on the screen, progress on standard error."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from dropgate_client.files import Progress, no_progress
from dropgate_client.rendering.screen import as_json, inert

form_option: Callable[[Callable[..., None]], Callable[..., None]] = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
LABELS = {"read": "Reading", "send": "Sending"}


def width() -> int:
    """Return the columns of the terminal."""
    return shutil.get_terminal_size((100, 24)).columns


def colour() -> bool:
    """Return True if the output is a terminal."""
    return sys.stdout.isatty()


def say(text: str, *, err: bool = False) -> None:
    """Print lines that are made for a screen."""
    click.echo(inert(text.rstrip("\n")), err=err)


def say_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(as_json(value))


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Show how far a file was read and sent, on a terminal."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    bars: dict[str, Any] = {}

    def show(step: str, done: int, size: int) -> None:
        if step not in bars or done < bars[step].pos:  # a new step, or the file from its beginning once more
            bars[step] = click.progressbar(length=size, label=LABELS[step], file=sys.stderr)
        bars[step].update(done - bars[step].pos)
        if done >= size:
            bars[step].render_finish()

    yield show
