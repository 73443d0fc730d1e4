"""Command lines as help texts and pages show them: a line in, the command that it names out, or click's complaint."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click

from infra.cli.main import main

PROGRAM = Path(sys.executable).with_name("dropgate")


def parse(line: str) -> click.Command:
    """Parse a line as click would before it runs the command; files that it names need not exist."""
    program, name, *words = shlex.split(line)
    assert program == "dropgate"
    with click.Context(main, info_name="dropgate") as group:
        command = main.get_command(group, name)
    assert command is not None
    with click.Context(command, info_name=name) as context:
        values, rest, _ = command.make_parser(context).parse_args(words)
        assert not rest, f"{line}: {rest} belongs to nothing"
        for param in command.params:
            value = values.get(str(param.name))
            if isinstance(param.type, click.Path):
                assert not (param.required and param.value_is_missing(value)), f"{line}: {param.name} is missing"
            elif value is not None or param.required:
                param.process_value(context, value)
    return command


def run(*words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the real program in a folder, with no stack in its environment but what `variables` say."""
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("DROPGATE_", "AWS_"))}
    return subprocess.run(
        [PROGRAM, *words], cwd=folder, env={**bare, **variables}, capture_output=True, text=True, check=False
    )
