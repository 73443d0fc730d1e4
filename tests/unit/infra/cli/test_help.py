"""Help: every command says in a line what it does, names what it takes, and shows examples that work."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from infra.cli.main import COMMANDS, main
from infra.packaging.bundles import ROOT
from tests.unit.infra.cli.command_lines import parse


def help_of(*words: str) -> str:
    result = CliRunner().invoke(main, [*words, "--help"], terminal_width=80, prog_name="dropgate")
    assert result.exit_code == 0
    return result.output


def command_named(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command


def examples(name: str) -> list[str]:
    """Every line of a command's help that shows a call."""
    return [line.strip() for line in help_of(name).splitlines() if re.match(r" +dropgate ", line)]


EXAMPLES = list(dict.fromkeys(line for name in COMMANDS for line in examples(name)))


def test_help_lists_every_command_in_a_line() -> None:
    text = help_of()
    for name, summary in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", text, re.MULTILINE), name
    assert {p.stem.rstrip("_") for p in (ROOT / "infra" / "cli").glob("*.py")} > set(COMMANDS)


def test_help_says_the_exit_codes() -> None:
    assert "0 accepted or fine, 1 rejected or findings, 2 usage, 3 failed" in help_of()


@pytest.mark.parametrize("name", COMMANDS)
def test_command_says_in_a_sentence_what_it_does(name: str) -> None:
    first = (command_named(name).help or "").split("\n\n", maxsplit=1)[0]
    assert re.fullmatch(r"[A-Z][^.\n]*(\.[a-z][^.\n]*)*\.", first.replace("\n", " ")), first


@pytest.mark.parametrize("name", COMMANDS)
def test_help_speaks_of_every_argument_and_option(name: str) -> None:
    command = command_named(name)
    text = command.help or ""
    for param in command.params:
        if isinstance(param, click.Argument):
            assert re.search(rf"\b{str(param.name).upper()}\b", text), f"{name}: {param.name}"
        else:
            assert isinstance(param, click.Option)
            assert param.help or isinstance(param.type, click.Choice), f"{name}: {param.name}"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_examples_of_its_command(name: str) -> None:
    assert any(line.split()[1] == name for line in examples(name))


@pytest.mark.parametrize("line", EXAMPLES)
def test_examples_are_commands_as_they_are(line: str) -> None:
    parse(line)
    for word in line.split():
        if word.startswith("contracts"):
            assert (ROOT / word).exists(), word


@pytest.mark.parametrize("line", ["dropgate lint --fix", "dropgate test", "dropgate show a b", "dropgate drosp"])
def test_wrong_line_would_be_noticed(line: str) -> None:
    with pytest.raises((click.UsageError, AssertionError)):
        parse(line)


@pytest.mark.parametrize("line", [e for e in EXAMPLES if e.split()[1] in ("lint", "match")])
def test_examples_that_need_no_stack_run(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, line.split()[1:])
    assert result.exit_code == (1 if "2013.txt" in line else 0), result.output
