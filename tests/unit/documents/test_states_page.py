"""docs/reference/states.md is written from the table of states, and from nothing else."""

from __future__ import annotations

import os

from functions.drop import BY_PERSON, OPEN, STATES, TRANSITIONS
from infra.packaging.bundles import ROOT

PAGE = ROOT / "docs" / "reference" / "states.md"
HEAD = """\
# States of a drop

Written from the table `TRANSITIONS` in [functions/drop.py](../../functions/drop.py); a test holds this page to it.
An event that the table does not list for a state changes nothing. So repeated, late or reordered events do no harm.
Only `dropgate replay`, `accept` and `reject` move a settled drop again; the picture leaves them out.
The [glossary](../glossary.md#states) explains each state.

"""


def page() -> str:
    """The picture and the table."""
    arrows = [(a, event, b) for a, moves in TRANSITIONS.items() for event, b in moves.items()]
    settled = [s for s in STATES if s not in OPEN]
    picture = [
        "```mermaid",
        "stateDiagram-v2",
        "  [*] --> received",
        *(f"  {a} --> {b}: {event}" for a, event, b in arrows if event not in BY_PERSON and "forg" not in event),
        *(f"  {s} --> [*]" for s in settled),
        "```",
    ]
    table = ["| from | event | to |", "|---|---|---|", *(f"| {a} | {event} | {b} |" for a, event, b in arrows)]
    return HEAD + "\n".join([*picture, "", *table]) + "\n"


def test_page_shows_the_table_of_states() -> None:
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
