r"""Equal and cheaper spellings of patterns whose repetitions may read past the sign after them: tokens in and out.

`.+@.+` reads `a@b@c` in two ways, and a backtracking engine walks both. Both ways end at the same place, as the second
`.+` reads the text between the first `@` and the intended one. So the first repetition may stop at the first `@` after
its first character: `.[^@]*@.+` matches the same texts, from the same places to the same places.

In general `X{n,}SY{m,}`, with S a class of one character, is `X{n}[X without S]*SY{m,}` if Y has all of X and of S.
The pieces before and after do not matter, and Y may be rewritten in the same way with the pieces after it. At the end
of a search, where any text may follow, `Y{m}` is `Y{m,}`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.authoring.patterns.automaton import SINGLE, Ranges, others, parsed, ranges_of

REPETITION = re.compile(r"[*+?]|\{\d+(?:,\d*)?\}")
ENDLESS = re.compile(r"\*|\+|\{(\d+),\}")
GROUPS, LOOKS = ("(", "(?:"), ("(?=", "(?!")
SIGNS = ("^", "\\z", "|", ")", *GROUPS, *LOOKS)
LARGEST_OF_BASE = 0xFFFF
"""The last character that `\\u` can write."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A token with its repetition; `ranges` are the characters of a class, None for a sign, a group or an anchor."""

    token: str
    repetition: tuple[str, ...] = ()
    ranges: Ranges | None = None

    @property
    def least(self) -> int | None:
        """Return the least rounds of an endless repetition; None if it ends."""
        match = ENDLESS.fullmatch(self.repetition[0]) if self.repetition else None
        return match and int(match[1] or match[0] == "+")

    def is_sign(self, *signs: str) -> bool:
        """Return True if the piece is one of some signs."""
        return self.token in signs

    @property
    def tokens(self) -> list[str]:
        """Return the piece as it is written."""
        return [self.token, *self.repetition]

    def stopped(self, sign: _Piece, rest: _Piece, *, last: bool) -> list[str] | None:
        """Return a repetition that stops at a sign; None if it would match other texts."""
        least, own, at, after = self.least, self.ranges, sign.ranges, rest.ranges
        if least is None or own is None or at is None or after is None or sign.repetition:
            return None
        is_exact_end = last and (not rest.repetition or re.fullmatch(r"\{\d+\}", rest.repetition[0]) is not None)
        if rest.least is None and not is_exact_end:
            return None
        if not _meet(own, at) or _meet(own + at, others(after)):
            return None
        first = [self.token, *([f"{{{least}}}"] if least > 1 else [])] if least else []
        left = others(others(own) + at)
        if not left:
            return first
        if self.token.startswith("[^") and not sign.token.startswith("["):  # the author's notation is kept
            inner = f"^{sign.token if len(sign.token) > 1 else _shown(ord(sign.token))}{self.token[2:-1]}"
        else:
            inner = "".join(_shown(low) if low == high else f"{_shown(low)}-{_shown(high)}" for low, high in left)
        return [*first, f"[{inner}]", "*"]


def without_groups(tokens: Sequence[str]) -> list[str]:
    """Return the tokens of a pattern without the brackets of groups that have one branch and are not repeated."""
    pieces = _pieces(tokens)
    opened: list[int] = []
    dropped: set[int] = set()
    branched: set[int] = set()
    for n, piece in enumerate(pieces):
        if piece.is_sign(*GROUPS, *LOOKS):
            opened.append(n)
        elif piece.is_sign("|"):
            branched.update(opened[-1:])
        elif piece.is_sign(")"):
            begun = opened.pop()
            if pieces[begun].is_sign(*GROUPS) and not piece.repetition and begun not in branched:
                dropped |= {begun, n}
    return [token for n, piece in enumerate(pieces) if n not in dropped for token in piece.tokens]


def rewritten(tokens: Sequence[str]) -> list[str]:
    """Return the tokens of an equal pattern whose repetitions stop at the sign after them if possible."""
    pieces = _pieces(tokens)
    searched = not any(piece.is_sign("|") for piece in pieces)
    out: list[str] = []
    for n, piece in enumerate(pieces):
        behind = pieces[n + 1 : n + 3]
        stopped = piece.stopped(*behind, last=searched and n + 3 == len(pieces)) if len(behind) == 2 else None
        out += piece.tokens if stopped is None else stopped
    return out


def _meet(left: Ranges, right: Ranges) -> bool:
    """Return True if a character is in both classes."""
    return any(low <= end and start <= high for low, high in left for start, end in right)


# ---- pieces


def _pieces(tokens: Sequence[str]) -> list[_Piece]:
    pieces: list[_Piece] = []
    at = 0
    while at < len(tokens):
        end = at + 1
        while end < len(tokens) and REPETITION.fullmatch(tokens[end]):
            end += 1
        token, ranges = tokens[at], None
        if token not in SIGNS:
            items = parsed(token)
            op, given = items[0] if len(items) == 1 else ("", None)
            ranges = ranges_of(str(op), given) if str(op) in SINGLE else None
        pieces.append(_Piece(token, tuple(tokens[at + 1 : end]), ranges))
        at = end
    return pieces


# ---- classes


def _shown(code: int) -> str:
    letter = chr(code)
    if letter.isascii() and letter.isalnum():
        return letter
    if letter.isascii() and letter.isprintable():
        return f"\\{letter}" if letter != " " else " "
    return f"\\u{code:04x}" if code <= LARGEST_OF_BASE else letter
