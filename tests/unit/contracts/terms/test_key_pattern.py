"""Key patterns: the matches of each sign, the values of named parts, and the time that hostile keys take."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.errors import PatternInvalid
from contracts.terms.key_pattern import captures, literal_folder, tokens

MATCHES = {
    ("a/b.csv", "a/b.csv"): {},
    ("a/*.csv", "a/b.csv"): {},
    ("a/*.csv", "a/.csv"): {},
    ("a/**", "a/"): {},
    ("a/**", "a/b/c.csv"): {},
    ("a/**/x.csv", "a/b/c/x.csv"): {},
    ("a/?.csv", "a/b.csv"): {},
    ("a/{name}.csv", "a/b.csv"): {"name": "b"},
    ("a/{x}_{y}.csv", "a/1_2_3.csv"): {"x": "1", "y": "2_3"},
    ("a/**/{name}", "a/b/c/d.csv"): {"name": "d.csv"},
    ("{state}/{date:%Y-%m-%d}*.csv", "SP/2026-01-31_x.csv"): {"state": "SP", "date": "2026-01-31"},
    ("a/{t:%Y%m%dT%H%M%S}", "a/20260131T134507"): {"t": "20260131T134507"},
    ("a/{day:%y%j}", "a/26031"): {"day": "26031"},
    ("a/*{d:%Y%m%d}*", "a/20202020260131x"): {"d": "20260131"},
    ("a/{x}.csv", "a/ü b+%.csv"): {"x": "ü b+%"},
    ("a/[x]+(y).csv", "a/[x]+(y).csv"): {},
}
MISSES = [
    ("a/*.csv", "a/b/c.csv"),
    ("a/*.csv", "a/b.csv.gz"),
    ("a/*.csv", "b/a/b.csv"),
    ("a/*.csv", "A/b.csv"),
    ("a/?.csv", "a//.csv"),
    ("a/?.csv", "a/.csv"),
    ("a/{x}.csv", "a/.csv"),
    ("a/{x}.csv", "a/b/c.csv"),
    ("a/**/x", "a/x"),
    ("a/{d:%Y-%m-%d}", "a/2026-02-30"),
    ("a/{d:%Y-%m-%d}", "a/2026-1-31"),
    ("a/{d:%Y-%m-%d}", "a/0999-01-31"),
    ("a/{d:%Y}", "a/\uff12026"),
    ("a/{d:%H}", "a/24"),
    ("a/b", ""),
]


@pytest.mark.parametrize(("case", "parts"), MATCHES.items(), ids=str)
def test_key_that_fits_gives_its_named_parts(case: tuple[str, str], parts: dict[str, str]) -> None:
    assert captures(*case) == parts


@pytest.mark.parametrize(("pattern", "key"), MISSES)
def test_key_that_does_not_fit_gives_none(pattern: str, key: str) -> None:
    assert captures(pattern, key) is None


WRONG = {
    "": "empty",
    "a/{b": "without its other half",
    "a/b}": "without its other half",
    "a/{}": "a name is letters",
    "a/{1x}": "a name is letters",
    "a/{x}/{x}": "names {x} twice",
    "a/{d:}": "a date is written with",
    "a/{d:%q}": "a date is written with",
    "a/{d:day}": "a date is written with",
    "a/{d:%Y/%m}": "within one part",
    "a/{d:%Y%Y}": "twice",
    "a/{d:%Y%y}": "twice",
    "a/{d:%j%m}": "twice",
}


@pytest.mark.parametrize(("pattern", "why"), WRONG.items())
def test_wrong_pattern_says_what_is_wrong(pattern: str, why: str) -> None:
    with pytest.raises(PatternInvalid, match=re.escape(why)):
        tokens(pattern)


@pytest.mark.parametrize(
    ("pattern", "folder"),
    [("a/b/*.csv", "a/b/"), ("a/b", "a/"), ("*/a", ""), ("{x}/a", ""), ("a*", ""), ("a/b{x}", "a/")],
)
def test_literal_folder_ends_before_the_first_sign(pattern: str, folder: str) -> None:
    assert literal_folder(pattern) == folder


HOSTILE = {
    "many wildcards": ("*a" * 20 + "b", "a" * 1024),
    "many names": ("".join(f"{{n{n}}}" for n in range(40)) + "/", "a" * 1024),
    "many folders": ("**" + "/**" * 20 + "z", "/" * 1024),
    "many dates": ("*{d:%Y%m%d}*z", "20260131" * 128),
    "long literal": ("*" + "a" * 500 + "b", "a" * 1024),
    "single characters": ("?" * 500, "a" * 1024),
}


@pytest.mark.parametrize(("pattern", "key"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_key_takes_milliseconds(pattern: str, key: str) -> None:
    captures(pattern, "")
    begin = time.process_time()
    assert captures(pattern, key) is None
    assert time.process_time() - begin < 0.25


PIECES = st.lists(st.sampled_from(["a", "b", "/", "*", "**", "?", "{x}"]), min_size=1, max_size=7).map("".join)


@given(PIECES, st.text("ab/", max_size=9))
@settings(max_examples=400, deadline=None)
def test_matching_agrees_with_a_regular_expression(pattern: str, key: str) -> None:
    assume(pattern.count("{x}") <= 1 and "***" not in pattern)
    signs = {"**": ".*", "*": "[^/]*", "?": "[^/]", "{x}": "([^/]+?)"}
    regex = "".join(signs.get(p, p) for p in re.findall(r"\*\*|\{x\}|.", pattern))
    parts = captures(pattern, key)
    assert (parts is not None) == (re.fullmatch(regex, key) is not None)


@given(PIECES, PIECES, st.text("ab/", max_size=9))
def test_named_part_stands_where_it_is_said_to(before: str, after: str, key: str) -> None:
    pattern = f"{before}{{name}}{after}"
    assume("***" not in pattern and pattern.count("{x}") <= 1)
    if parts := captures(pattern, key):
        assert captures(pattern.replace("{name}", parts["name"]), key) is not None
