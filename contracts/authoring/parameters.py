"""Names in SQL texts, as `${object}`: a text and what the names stand for in, the text without them out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from contracts.authoring.expressions import Refused
from contracts.problem import nearest, quoted

PIECE = re.compile(
    r"""(?P<quoted>[rR]?'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|`[^`]*`)|\$\{(?P<name>[^{}]*)\}""", re.DOTALL
)
"""A text in quotes, a name in backquotes, or a name to be filled in."""


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with SQL in place of names; raises Refused for names that are not known, or stand within quotes."""

    def one(piece: re.Match[str]) -> str:
        if piece["quoted"] is not None:
            if found := re.search(r"\$\{[^{}]*\}", piece["quoted"]):
                raise Refused(f"`{found[0]}` stands within quotes.", "Leave the quotes out: a text brings its own.")
            return piece[0]
        name = piece["name"].strip()
        if name not in values:
            close = nearest(name, values)
            fix = f"Write `${{{close}}}`." if close else f"There are {quoted(f'${{{n}}}' for n in values)}."
            raise Refused(f"`${{{name:.40}}}` stands for nothing here.", fix if values else "Write the value itself.")
        return values[name]

    return PIECE.sub(one, text)
