"""The argument for a local file that a command reads more than once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click


class SampleFile(click.Path):
    """A readable regular file; a pipe or a device could be read only once, or would never end."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path as it was written."""
        path = super().convert(value, param, ctx)
        if not Path(os.fsdecode(path)).is_file():
            self.fail(f"{click.format_filename(value)!r} is a pipe or a device; save it to a file first.", param, ctx)
        return path
