"""Leaders by hand: the cells of a first row in, what is wrong with it out.

Written from docs/reference/drop-block.md, "Leaders and types of records". And such rows by chance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from contracts.plan import Csv

KEY = "maker/things/a"
"""The key of drawn files."""
PARTS = {"n": "a"}
"""What the parts of a key stand for in this one, where a contract names them."""


def fault(csv: Csv, cells: Sequence[str]) -> str | None:
    """Return the code of the problem with a leader of these cells, of which there are none if quotes are broken."""
    rule = csv.leader
    assert rule
    if not cells or cells[0] != rule.begins:
        return "leader-missing"
    wanted = {int(place): meant(text) for place, text in rule.cells.items()}
    is_right = all(place <= len(cells) and cells[place - 1] == text for place, text in wanted.items())
    return None if is_right else "leader-differs"


def meant(text: str) -> str:
    """Return the text of a cell that a contract states, for the key of drawn files."""
    return re.sub(r"\{(\w+)\}", lambda match: PARTS[match[1]], text)


def drawn(chance: Random, csv: Csv, *, odd: bool) -> list[str]:
    """Return the cells of a leader; of an odd one not always those that are agreed."""
    assert csv.leader
    own = {int(place): meant(text) for place, text in csv.leader.cells.items()} | {1: csv.leader.begins}
    cells = [own.get(n, chance.choice(("", "x", "2026"))) for n in range(1, max(own) + chance.choice((1, 1, 2)))]
    if odd and chance.random() < 0.15:
        return chance.choice((cells[1:], cells[:-1], [cells[0].lower(), *cells[1:]], [*cells[:-1], f"{cells[-1]} "]))
    return cells
