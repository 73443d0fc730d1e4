"""Keys of files: a path and an option in, the key out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

key_option: Callable[[Callable[..., None]], Callable[..., None]] = click.option(
    "--key", metavar="KEY", help="The key to send it under [default: FILE as it is written]."
)


def key_of(file: Path, key: str | None) -> str:
    """Return the key of a file; a usage error if its path is none."""
    if key:
        return key
    if file.is_absolute() or ".." in file.parts:
        raise click.UsageError(f"{file} is no key: name one with --key, such as inmet/SP/2026-01-31.csv.")
    return file.as_posix()
