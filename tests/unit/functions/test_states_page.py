"""docs/states.md is drawn from the table of states and events, and from nothing else."""

from __future__ import annotations

import os
from pathlib import Path

from functions.submission import OPEN, STATES, TRANSITIONS

PAGE = Path(__file__).parents[3] / "docs" / "states.md"

HEAD = """# States of a drop

Drawn from the table in `functions/submission.py`; a test fails where this page and the table disagree. An event that is
not listed for a state changes nothing there: so repeated, late and reordered events are harmless.

"""


def drawn() -> str:
    arrows = [
        f"    {state} --> {to}: {event}" for state, events in TRANSITIONS.items() for event, to in events.items()
    ]
    picture = "\n".join(["```mermaid", "stateDiagram-v2", "    [*] --> received", *arrows, "```"])
    rows = [
        f"| {state} | {'yes' if state in OPEN else ''} | "
        + ", ".join(f"{event} → {to}" for event, to in TRANSITIONS[state].items())
        + " |"
        for state in STATES
    ]
    table = "\n".join(["| state | must go on | events |", "|---|---|---|", *rows])
    return f"{HEAD}{picture}\n\n{table}\n"


def test_page_shows_the_table_of_states() -> None:
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        PAGE.write_text(drawn(), encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == drawn(), "run the test with DROPGATE_WRITE_DOCS=1"
