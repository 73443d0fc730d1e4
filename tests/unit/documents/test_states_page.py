"""docs/reference/states.md is written from the table of states, and from nothing else."""

from __future__ import annotations

import os

from functions.drop import BY_PERSON, OPEN, STATES, TRANSITIONS, TRIAL_TRANSITIONS, Table
from infra.packaging.bundles import ROOT

PAGE = ROOT / "docs" / "reference" / "states.md"
HEAD = """\
# States of a drop

Written from the two tables of states in [functions/drop.py](../../functions/drop.py); a test holds this page to them.
An event that the table does not list for a state changes nothing. So repeated, late or reordered events do no harm.
Only `dropgate replay`, `accept` and `reject` move a settled drop again; the picture leaves them out.
The [glossary](../glossary.md#states) explains each state.

"""


TRIALS = """
## Trials

A trial is a file that is judged and then thrown away. No event leads it to consumers, and nobody replays or decides it.

"""


def page() -> str:
    """The pictures and the tables."""
    return HEAD + table(TRANSITIONS) + TRIALS + table(TRIAL_TRANSITIONS)


def table(moves_of: Table) -> str:
    """A picture and its table."""
    arrows = [(a, event, b) for a, moves in moves_of.items() for event, b in moves.items()]
    settled = [s for s in STATES if s not in OPEN and any(s in (a, b) for a, _, b in arrows)]
    picture = [
        "```mermaid",
        "stateDiagram-v2",
        "  [*] --> received",
        *(f"  {a} --> {b}: {event}" for a, event, b in arrows if event not in BY_PERSON and "forg" not in event),
        *(f"  {s} --> [*]" for s in settled),
        "```",
    ]
    rows = ["| from | event | to |", "|---|---|---|", *(f"| {a} | {event} | {b} |" for a, event, b in arrows)]
    return "\n".join([*picture, "", *rows]) + "\n"


def test_page_shows_the_table_of_states() -> None:
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
