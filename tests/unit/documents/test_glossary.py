"""docs/glossary.md: the words of state, verdict, check result, zone and severity are those of the code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from typing import get_args

import pytest

from contracts.decision import Result, VerdictName
from contracts.plan import Severity
from functions.drop import OPEN, STATES
from functions.keys import Zones
from infra.packaging.bundles import ROOT

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
OF_CODE: dict[str, Iterable[str]] = {
    "States": STATES,
    "Verdicts": get_args(VerdictName),
    "Check results": get_args(Result),
    "Zones": [zone.name for zone in fields(Zones)],
    "Severities": get_args(Severity),
}
"""By its heading on the page: the words that the code has."""


def words(heading: str) -> list[str]:
    """Return the first cells of the table below a heading."""
    section = re.split(r"^## ", PAGE.partition(f"## {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return [cell.strip("` ") for cell in re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)][1:]


@pytest.mark.parametrize("heading", OF_CODE)
def test_words_are_those_of_the_code(heading: str) -> None:
    assert words(heading) == list(OF_CODE[heading])


def test_each_word_has_one_line() -> None:
    every = [word for heading in ("Files and contracts", "Flow") for word in words(heading)]

    assert len(every) == len(set(every)) > 40
    assert all(len(line.split("|")) == 4 for line in PAGE.splitlines() if line.startswith("| "))


def test_what_producers_meet_is_explained_to_them() -> None:
    page = (ROOT / "docs" / "how-to" / "producers.md").read_text(encoding="utf-8")
    settled = [state for state in STATES if state not in OPEN and state not in {"vanished", "noted"}]

    shown = re.findall(r"^\| ([a-z ]+) \|", page.partition("## The answer")[2].partition("## Find")[0], re.MULTILINE)[
        1:
    ]

    assert {word.replace(" ", "_") for word in shown} == set(settled)
