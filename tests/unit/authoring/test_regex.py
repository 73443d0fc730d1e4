"""Patterns of ECMA-262 for Java: what is translated, what is refused and why."""

from __future__ import annotations

import pytest

from contracts.authoring.regex import Refused, is_bounded, to_java

SAME = [
    "abc",
    "^a",
    "a|b",
    "a*b+c?",
    "a{2}",
    "a{2,}",
    "a{2,5}?",
    "(a)(?:b)",
    "(?=a)(?!b)",
    r"\d\D\w\W",
    r"\.\/\-\$",
    "[a-z0-9_]",
    "[^a]",
    r"[\d.]",
    r"\x41\u0041",
]


@pytest.mark.parametrize("pattern", SAME)
def test_what_both_read_alike_stays(pattern: str) -> None:
    assert to_java(pattern) == pattern


TRANSLATED = {
    "a$": r"a\z",
    r"[$]\$$": r"[$]\$\z",
    "a.b": r"a[^\n\r\u2028\u2029]b",
    "[.]": "[.]",
    "(?<year>a)": "(?:a)",
    r"\v": r"\x0B",
    r"\0": r"\x00",
    r"[\b]": r"[\x08]",
    "[a[b]": r"[a\[b]",
    "[a&&b]": r"[a\&\&b]",
    "[a^]": r"[a\^]",
    "[-a-]": r"[\-a\-]",
    r"[\w-.]": r"[\w\-.]",
    r"[a-\d]": r"[a\-\d]",
    "a]b}": r"a\]b\}",
    r"\é": "é",
}


@pytest.mark.parametrize(("pattern", "java"), TRANSLATED.items(), ids=TRANSLATED.keys())
def test_what_java_reads_otherwise_is_translated(pattern: str, java: str) -> None:
    assert to_java(pattern) == java


REPEATED = {"(a|b)+": True, "^(?:a-?)*$": True, "(a){2,}": True, "(a){100}": True, "(a){2,9}": False, "[ab]+": False}
REPEATED |= {"[0-9()+-]+": False, r"\)+": False, r"[\])*]": False, r"(a\\)+": True}


@pytest.mark.parametrize(("pattern", "bounded"), REPEATED.items(), ids=REPEATED.keys())
def test_repeated_groups_are_looked_for_in_short_texts(pattern: str, bounded: bool) -> None:
    java = to_java(pattern)
    assert isinstance(java, str)
    assert (is_bounded(pattern), java.startswith(r"^(?=[\s\S]{0,500}\z)")) == (bounded, bounded)


REFUSED = {
    "look-behind": ("(?<=a)b", "Look-behind"),
    "negative look-behind": ("(?<!a)b", "Look-behind"),
    "back reference": (r"(a)\1", "back reference"),
    "named back reference": (r"(?<x>a)\k<x>", "back reference"),
    "flag": ("(?i)a", "not ECMA-262"),
    "atomic group": ("(?>a)", "not ECMA-262"),
    "possessive repetition": ("a++", "repeats a repetition"),
    "repetition of a repetition": ("a{2}{3}", "repeats a repetition"),
    "property": (r"\p{Lu}", "not supported"),
    "beginning of another dialect": (r"\Aa", "means nothing"),
    "end of another dialect": (r"a\z", "means nothing"),
    "brace": ("a{b", "does not begin a count"),
    "class not closed": ("[a", "not closed"),
    "empty class": ("a[]", "empty class"),
    "single backslash": ("a\\", "ends in a single"),
    "backslash in a class": ("[a\\", "ends in a single"),
    "group not closed": ("(a", "cannot be read"),
    "nothing to repeat": ("*a", "cannot be read"),
    "range upside down": ("[z-a]", "cannot be read"),
    "boundary in a class": (r"[\B]", "means nothing"),
}


@pytest.mark.parametrize(("pattern", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_what_has_no_equal_is_refused_with_a_reason(pattern: str, why: str) -> None:
    refused = to_java(pattern)
    assert isinstance(refused, Refused)
    assert why in refused.message
    assert refused.fix


SLOW = ["^(a+)+$", "^(a|a)*$", r"(\w|\d)+x", "^(a|aa)*$", r"^(\w+\s?)*$", r"^(\d{1,3},?)*$", "(a*b*)*", "(x+x+)+y"]
SLOW += ["^((a+)+b?)+$", "^(a|a){2,99}$", "^(a+){20}$", "(?=(a+)+$)b", "^(foo|bar|foobar)*$", "^([ab]?[bc]?)*$"]


@pytest.mark.parametrize("pattern", SLOW)
def test_what_takes_exponential_time_is_refused(pattern: str) -> None:
    refused = to_java(pattern)
    assert isinstance(refused, Refused)
    assert "doubles the time" in refused.message


QUICK = [
    "a*a*b",
    "^(a|ab)*c$",
    r"^([0-9]{1,3}\.){3}[0-9]{1,3}$",
    "^[A-Z]{1,3}(-[0-9]+)*$",
    "(?:a|b)+c",
    "(ab?)*",
    "(a?b)*",
]
QUICK += ["^([^,]*,)*[^,]*$", r"^([a-z]{2,80}\.)+[a-z]{2,}$", "^(a+)?$", "^(?:[a-z]{0,90},)*$", "^(a+){1}$"]


@pytest.mark.parametrize("pattern", QUICK)
def test_what_reads_in_one_way_is_not(pattern: str) -> None:
    assert isinstance(to_java(pattern), str)
