"""`dropgate accept` and `reject`: what is done is told, and what consumers get of it."""

from __future__ import annotations

import json

import pytest

from infra.cli.override import Words, _say
from tests.builders import a_drop

NOTE = "Consumers get the whole file."


@pytest.mark.parametrize("dry_run", [True, False])
def test_what_consumers_get_is_told_after_the_decision(capsys: pytest.CaptureFixture[str], dry_run: bool) -> None:
    drop = a_drop(state="rejected")
    for form in ("text", "json"):
        _say(Words(drop.id, "ticket 512", None, dry_run, 0, form), drop, "accepted", NOTE)
    _, note, machines = capsys.readouterr().out.splitlines()

    assert (note, json.loads(machines)["note"]) == (NOTE, NOTE)
