"""Patterns that hypothesis draws, cheap and dear, and the texts that make such a pattern take its time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import strategies as st

ATOMS = ("a", "b", "-", "@", r"\.", "[ab]", "[a-c]", "[^a]", "[^@ ]", r"\w", r"\d", r"\s", r"\S", ".", "[0-9A-F]", "é")
COUNTS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,9}", "{0,50}", "{3,}", "{2,120}", "{1000}", "{0,3000}")
SIGNS = ("a", "b", "-", "@", ".", "c", "1", "F", " ", "é", "<", "\u2003")
LENGTHS = (16, 24, 32, 48, 100, 300)
"""Those of the texts before the longest: a time that doubles shows early."""


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    grouped = st.sampled_from(("({})", "(?:{})")).flatmap(lambda form: inner.map(form.format))
    return st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: "(?:" + "|".join(parts) + ")"),
        st.tuples(grouped, st.sampled_from(COUNTS)).map("".join),
        st.tuples(st.sampled_from(("(?={})", "(?!{})")), inner).map(lambda pair: pair[0].format(pair[1])),
    )


ATOM = st.sampled_from(ATOMS)
PIECE = st.one_of(ATOM, st.tuples(ATOM, st.sampled_from(COUNTS)).map("".join), st.sampled_from((r"\b", "", "^", "$")))
WHOLE = st.recursive(PIECE, _wider, max_leaves=10)
DRAWN = st.tuples(st.sampled_from(("", "^")), WHOLE, st.sampled_from(("", "$"))).map("".join)
"""Any pattern, most of them with several repetitions."""
PUMPS = st.lists(st.text(st.sampled_from(SIGNS), min_size=1, max_size=4), min_size=3, max_size=3)


def attacks(pumps: list[str], longest: int) -> Iterator[str]:
    """Texts of ascending length that repeat a few signs, and end in none that fits."""
    one, two, three = pumps
    for length in (*(n for n in LENGTHS if n < longest), longest):
        room = length - 1
        yield (one * room)[:room] + "\x01"
        yield (one * room)[: room // 2] + (two * room)[: room - room // 2] + "\n"
        third = room // 3
        yield (one * room)[:third] + (two * room)[:third] + (three * room)[: room - 2 * third] + "!"


LOCAL = (
    r"\S+",
    ".+",
    ".*",
    r"[^\s]+",
    r"(\S+)",
    "(.+)",
    r"[\S]+",
    "(?:.+)",
    r"[^@]+",
    r"[^@\s]+",
    "[^ ]+",
    r"\S*",
    ".+?",
)
REST = (".{2,}", r"\w+", "[a-z]{2,}", r"(com|org)", r"\S+\.\S+")
AT, DOT = ("@", r"\@", "[@]"), (r"\.", "[.]")
ADDRESSES = [f"^{a}{at}{a}{dot}{b}$" for a, at, dot, b in product(LOCAL, AT, DOT, (*LOCAL, *REST))]
ADDRESSES += [f"{a}{at}{a}{dot}{b}" for a, at, dot, b in product(LOCAL, AT, DOT, LOCAL)]
"""What people write for an address: two or three parts of any signs, with `@` and a point between."""
