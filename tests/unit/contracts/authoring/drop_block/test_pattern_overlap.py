"""Patterns that share a key: a shared key is returned whenever there is one, and both patterns match it."""

from __future__ import annotations

import itertools
from collections import Counter
from datetime import datetime, timedelta
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.authoring.drop_block.pattern_overlap import covers, shared_key
from contracts.terms.key_pattern import captures

DISJOINT = [
    ("a/*.csv", "b/*.csv"),
    ("a/*.csv", "a/*.txt"),
    ("a/*.csv", "a/*/*.csv"),
    ("a/?.csv", "a/??.csv"),
    ("a/{x}.csv", "a/.csv"),
    ("a/{d:%Y-%m-%d}.csv", "a/2023-02-29.csv"),
    ("a/{d:%Y-%m-%d}.csv", "a/1900-02-29.csv"),
    ("a/{d:%Y%j}.csv", "a/2023366.csv"),
    ("a/{d:%H%M}", "a/2400"),
    ("a/{d:%m%d}", "a/0229"),
    ("a/{d:%Y%m%d}.csv", "a/{d:%Y-%m-%d}.csv"),
]
SHARED = {
    ("*a", "{x}*"): "a",
    ("a/*.csv", "a/x*.csv"): "a/x.csv",
    ("a/**", "a/*/c"): "a//c",
    ("a/{d:%Y-%m-%d}*.csv", "a/2024-02-29.csv"): "a/2024-02-29.csv",
    ("a/{d:%Y%j}", "a/2024366"): "a/2024366",
    ("a/{d:%Y%m%d}", "a/{d:%d%m%Y}"): "a/10011001",
    ("a/{d:%y%m%d}", "a/{d:%H%M%S}"): "a/000101",
    ("a/**/x", "a/{b}/x"): "a/x/x",
}


@pytest.mark.parametrize("pair", DISJOINT, ids=str)
def test_patterns_without_a_common_key_have_no_witness(pair: tuple[str, str]) -> None:
    assert shared_key(*pair) is None
    assert shared_key(*reversed(pair)) is None


@pytest.mark.parametrize(("pair", "key"), SHARED.items(), ids=str)
def test_witness_is_a_shortest_common_key(pair: tuple[str, str], key: str) -> None:
    assert shared_key(*pair) == key


PIECES = ["a", "b", "/", "ab", "*", "**", "?", "{x}", "{y:%H}", "1", "2", "x"]
PATTERNS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
KEYS = ["".join(k) for n in range(1, 5) for k in itertools.product("abx/12", repeat=n)]


def _valid(pattern: str) -> bool:
    return pattern.count("{x}") <= 1 and pattern.count("{y:%H}") <= 1 and "***" not in pattern


@given(PATTERNS, PATTERNS)
@settings(max_examples=150, deadline=None)
def test_witness_agrees_with_trying_all_short_keys(first: str, second: str) -> None:
    assume(_valid(first) and _valid(second))
    tried = [k for k in KEYS if captures(first, k) is not None and captures(second, k) is not None]
    key = shared_key(first, second)
    if key is None:
        assert not tried
    else:
        assert captures(first, key) is not None
        assert captures(second, key) is not None
        assert not tried or len(key) <= len(tried[0])


FORMS = ["%Y%m%d", "%d%m%Y", "%y%m%d", "%Y%j", "%m%d", "%j%y", "%d%m%y", "%H%M%S", "%Y-%m-%d"]
DAYS = [datetime(1999, 1, 1) + timedelta(days=7 * n + 1, seconds=997 * n) for n in range(500)]  # noqa: DTZ001


@given(st.sampled_from(FORMS), st.sampled_from(FORMS), st.sampled_from(["", "*", "?"]))
@settings(max_examples=60, deadline=None)
def test_dates_shown_are_real_in_both_patterns(first: str, second: str, tail: str) -> None:
    a, b = f"k/{{d:{first}}}{tail}", f"k/{{e:{second}}}{tail}"
    key = shared_key(a, b)
    if key is None:
        assert not [d for d in DAYS if captures(b, "k/" + d.strftime(first)) is not None and not tail]
    else:
        assert captures(a, key) is not None
        assert captures(b, key) is not None


@pytest.mark.parametrize(
    ("several", "pattern", "is_covered"),
    [
        (["a/*.csv"], "a/x*.csv", True),
        (["a/x*.csv"], "a/*.csv", False),
        (["a/**"], "a/*/b.csv", True),
        (["a/*/b"], "a/**", False),
        (["a/{x}"], "a/*", False),
        (["a/x*", "a/{n}"], "a/?", True),
        (["a/*b", "a/*a"], "a/*", False),
        (["a/{day:%Y-%m-%d}.csv"], "a/2024-02-29.csv", True),
        (["a/{day:%Y-%m-%d}.csv"], "a/2023-02-29.csv", False),
        (["a/????-??-??"], "a/{day:%Y-%m-%d}", True),
        (["a/{day:%Y-%m-%d}"], "a/{date:%Y-%m-%d}", True),
    ],
)
def test_pattern_is_covered_if_others_match_all_its_keys(several: list[str], pattern: str, *, is_covered: bool) -> None:
    assert covers(several, pattern) == is_covered


DRAWN = ("a", "b", "*", "?", "{n}", "**", "/", "ab", "{m:%m}")


def test_covered_pattern_has_no_key_of_its_own() -> None:
    chance = Random(1)
    words = ["".join(chance.choice("ab/01") for _ in range(length)) for length in range(6) for _ in range(60)]
    counts: Counter[bool] = Counter()
    for _ in range(400):
        drawn = ["a/" + "".join(chance.sample(DRAWN, chance.randrange(1, 4))) for _ in range(3)]
        *several, pattern = (each.replace("***", "**") for each in drawn)
        own = [w for w in words if captures(pattern, f"a/{w}") is not None]
        alone = [w for w in own if all(captures(other, f"a/{w}") is None for other in several)]
        answer = covers(several, pattern)
        assert not (answer and alone), (several, pattern, alone)
        counts[answer] += 1
    assert min(counts[True], counts[False]) > 40, counts
