"""docs/reference/command-line.md is written from the commands' own help, and from nothing else."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from pathlib import Path

import click

from infra.cli.main import COMMANDS, main
from infra.packaging.bundles import ROOT

PAGE = ROOT / "docs" / "reference" / "command-line.md"
HEAD = """\
# Command line

Written from the help of the commands by `tests/unit/documents/test_command_line_page.py`, which holds the page to it.
`dropgate COMMAND --help` prints the same on a terminal. After `make setup` the program is `.venv/bin/dropgate`.

| exit code | means |
|---|---|
| 0 | accepted, or fine |
| 1 | rejected, or findings |
| 2 | wrong usage |
| 3 | failed: dropgate or its surroundings are at fault |

Options `--stack`, `--profile` and `--region` choose a deployed stack. Without a stack named, here or in DROPGATE_STACK,
a command works on the stack of `dropgate up` on this machine.

"""


def page() -> str:
    """Return the page: a list of all commands, then a section for each."""
    index = ["| command | does |", "|---|---|"]
    index += [f"| [`{name}`](#dropgate-{name}) | {summary} |" for name, summary in COMMANDS.items()]
    return HEAD + "\n".join([*index, "", *(line for name in COMMANDS for line in section(name))])


def section(name: str, program: click.Group = main, called: str = "dropgate") -> Iterator[str]:
    """Yield the lines of one command: usage, help, options and examples."""
    command = program.get_command(click.Context(program), name)
    assert command is not None
    context = click.Context(command, info_name=f"{called} {name}")
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from (f"## {called} {name}", "", "```text", usage, "```", "")
    yield from prose(command.help or "")
    options = [param for param in command.params if isinstance(param, click.Option)]
    if options:
        yield from ("| option | means | default |", "|---|---|---|", *map(row, options), "")
    yield from prose(command.epilog or "")


def prose(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; one that click must not wrap is a block of code."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        lines = paragraph.strip("\n").splitlines()
        if lines[:1] == ["\b"] and lines[1:2] == ["Examples:"]:
            yield from ("Examples:", "", "```sh", *(line.strip() for line in lines[2:]), "```", "")
        elif lines[:1] == ["\b"]:
            yield from ("```text", *lines[1:], "```", "")
        elif lines:
            yield from (" ".join(line.strip() for line in lines), "")


def row(option: click.Option) -> str:
    """Return the row of an option; its default is where the help shows one."""
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    takes = "" if option.is_flag or choices else f" {option.make_metavar().strip('[]')}"
    means = option.help or "The format of the output."
    if choices:
        means += f" One of {', '.join(f'`{choice}`' for choice in choices)}."
    default = "required" if option.required else f"`{option.default}`" if option.show_default is True else ""
    return f"| `{', '.join(option.opts)}{takes}` | {means.replace('|', ' or ')} | {default} |"


def test_page_is_the_help_of_the_commands() -> None:
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        Path(PAGE).write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), f"run this test with DROPGATE_WRITE_DOCS=1 to write {PAGE.name}"


def test_page_names_every_option() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        assert all(opt in text for param in command.params for opt in param.opts if isinstance(param, click.Option))
