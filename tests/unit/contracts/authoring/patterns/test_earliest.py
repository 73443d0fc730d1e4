"""Equal and cheaper spellings: each matches the texts that the pattern matches, and e-mail addresses of any length."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts.authoring.patterns import earliest, regex
from contracts.authoring.patterns.regex import Java, PatternRefused, read
from tests.oracle import patterns

ADDRESS = 254
"""The most characters of an e-mail address (RFC 5321, section 4.5.3.1.3)."""
TEXTS = ["".join(signs) for length in range(7) for signs in product("a@. ", repeat=length)]


def _python(tokens: list[str]) -> re.Pattern[str]:
    return re.compile(regex._python(tokens), re.ASCII)


@pytest.mark.parametrize("pattern", [r"^\S+@\S+\.\S+$", "^.+@.+\\..+$", "^.*@.*\\..*$", r"^(\S+)@(\S+)\.(\S+)$"])
def test_common_patterns_of_addresses_have_no_bound(pattern: str) -> None:
    assert read(pattern) == Java(str(regex.to_java(pattern)))


def test_patterns_of_addresses_take_every_address() -> None:
    _take_addresses(patterns.ADDRESSES[::17])


@pytest.mark.torture
def test_all_patterns_of_addresses_take_every_address() -> None:
    _take_addresses(patterns.ADDRESSES)


def _take_addresses(some: list[str]) -> None:
    refused = [p for p in some if isinstance(read(p), PatternRefused)]
    short = [p for p in some if isinstance(java := read(p), Java) and (java.longest or ADDRESS) < ADDRESS]
    assert (refused, short) == ([], [])


def test_patterns_of_addresses_take_the_texts_that_they_took() -> None:
    for pattern in patterns.ADDRESSES[::17]:
        java = read(pattern)
        assert isinstance(java, Java)
        tokens = regex._translate(pattern)
        before, after = _python(tokens), re.compile(java.text.replace(r"\z", r"\Z"), re.ASCII)
        wrong = [text for text in TEXTS[::3] if bool(before.search(text)) != bool(after.search(text))]
        assert not wrong, (pattern, java.text, wrong[:5])


FAMILY = st.lists(
    st.tuples(
        st.sampled_from((".", "[ab]", "[^a]", "a", r"\S", "[^ab]", "[ab.]")),
        st.sampled_from(("*", "+", "{2,}", "*?", "+?", "", "{2}", "?")),
        st.sampled_from(("a", "b", "[ab]", r"\.", "", "[^a]", " ", ".")),
    ).map("".join),
    min_size=2,
    max_size=4,
).flatmap(
    lambda parts: st.sampled_from(("{}", "^{}$", "^{}", "{}$", "(?:{})+", "a|{}", "(?={})b", "(?!{})a")).map(
        lambda form: form.format("".join(parts))
    )
)
ANY = ["".join(signs) for length in range(6) for signs in product("ab. ", repeat=length)]


@settings(max_examples=150, database=None, deadline=None)
@given(FAMILY)
@example(".+a.+")
@example(".+a.")
@example(".+a.|b")
@example("(?:.+a.)b")
@example("(?=.+a.)b")
@example("[ab]*[ab][ab]{2,}")
def test_rewritten_pattern_takes_the_same_texts(pattern: str) -> None:
    tokens = regex._translate(pattern)
    _hold(pattern, tokens, earliest.rewritten(tokens))
    plain = earliest.without_groups(tokens)
    _hold(pattern, tokens, plain)
    _hold(pattern, tokens, earliest.rewritten(plain))


@settings(max_examples=100, database=None, deadline=None)
@given(patterns.DRAWN)
def test_any_pattern_is_rewritten_to_an_equal_one(pattern: str) -> None:
    tokens = regex._translate(pattern)
    try:
        _python(tokens)
    except re.error:
        return
    if isinstance(read(pattern), Java):  # what is refused may take Python too long
        _hold(pattern, tokens, earliest.rewritten(earliest.without_groups(tokens)))


def _hold(pattern: str, tokens: list[str], after: list[str]) -> None:
    if tokens == after:
        return
    one, other = _python(tokens), _python(after)
    wrong = [text for text in ANY if bool(one.search(text)) != bool(other.search(text))]
    assert not wrong, (pattern, "".join(after), wrong[:5])


EQUAL = {
    r"^\w+([.-]?\w+)*@\w+([.-]?\w+)*(\.\w{2,3})+$": r"^\w+([.-]\w+)*@\w+([.-]\w+)*(\.\w{2,3})+$",
    r"^([\/\w \.-]*)*\/?$": r"^[\/\w \.-]*\/?$",
    "^(a+)+$": "^a+$",
    "^(?:(a+)*)+$": "^a*$",
    r"^(\w+)*@(?:.*)+$": r"^\w*@.*$",
    r"^\w+(?:-?\w+)*$": r"^\w+(?:-\w+)*$",
}


@pytest.mark.parametrize(("pattern", "equal"), EQUAL.items(), ids=EQUAL.keys())
def test_doubling_pattern_is_refused_with_an_equal_one(pattern: str, equal: str) -> None:
    refused = read(pattern)
    assert isinstance(refused, PatternRefused)
    assert refused.fix == f"Write `{equal}`, which matches the same texts in fewer ways."
    one, other = _python(regex._translate(pattern)), _python(regex._translate(equal))
    texts = ["".join(signs) for length in range(7) for signs in product("a-@.", repeat=length)]
    assert [text for text in texts if bool(one.search(text)) != bool(other.search(text))] == []


@pytest.mark.parametrize("pattern", ["^(a|a)*$", "^(ab?a?)*$", "(x+x+)+y", "^(-?a+)*$", "(?:a+-?)*b" * 3])
def test_others_are_refused_with_advice_alone(pattern: str) -> None:
    refused = read(pattern)
    assert not isinstance(refused, PatternRefused) or "the same texts" not in refused.fix


@settings(max_examples=150, database=None, deadline=None)
@example("(?![ab]+?b[^a]+b[^a]*?[ab])a")  # fewer texts within a negation are more texts as a whole
@example(r"(?=.*ab.*ab)\w+c")
@given(FAMILY.filter(lambda pattern: isinstance(read(pattern), PatternRefused)))
def test_cheaper_spelling_of_a_refused_pattern_takes_no_other_text(pattern: str) -> None:
    refused = read(pattern)
    assert isinstance(refused, PatternRefused)
    if (match := re.match("Write `(.*)`, which matches (fewer|the same) texts", refused.fix)) is None:
        return
    assert isinstance(read(match[1]), Java)
    one, other = _python(regex._translate(pattern)), _python(regex._translate(match[1]))
    taken = {text for text in ANY if other.search(text)}
    before = {text for text in ANY if one.search(text)}
    assert taken <= before
    assert match[2] == "fewer" or taken == before
