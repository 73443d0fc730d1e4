"""Patterns of ECMA-262 for Java: translations and refusals."""

from __future__ import annotations

import re
import time
import tracemalloc

import pytest
from hypothesis import given, settings

from contracts.authoring.patterns.regex import Java, PatternRefused, read, to_java
from tests.oracle import patterns
from tests.unit.contracts.authoring.patterns.public_patterns import PUBLIC

SAME = [
    "abc",
    "^a",
    "a|b",
    "^a*b+c?",
    "a{2}",
    "^a{2,}",
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
    java = read(pattern)
    assert isinstance(java, Java)
    assert (java.longest == 500, java.text.startswith(r"^(?=[\s\S]{0,500}\z)")) == (bounded, bounded)


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
    assert isinstance(refused, PatternRefused)
    assert why in refused.message
    assert refused.fix


SLOW = ["^(a+)+$", "^(a|a)*$", r"(\w|\d)+x", "^(a|aa)*$", r"^(\w+\s?)*$", r"^(\d{1,3},?)*$", "(a*b*)*", "(x+x+)+y"]
SLOW += ["^((a+)+b?)+$", "^(a|a){2,99}$", "^(a+){20}$", "(?=(a+)+$)b", "^(foo|bar|foobar)*$", "^([ab]?[bc]?)*$"]


@pytest.mark.parametrize("pattern", SLOW)
def test_what_takes_exponential_time_is_refused(pattern: str) -> None:
    refused = to_java(pattern)
    assert isinstance(refused, PatternRefused)
    assert "doubles the time" in refused.message


QUICK = [
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


POLYNOMIAL = {
    "^.* - .* - .*!$": "`^[^ ]* - [^ ]* - .*!$`",
    r"^.+@\S+\.\S+$": r"`^[^@]+@[^.\s]+\.\S+$`",
    "^.*-[^x]*-.*!$": "`^[^-]*-[^-x]*-.*!$`",
    "^(.*), (.*), (.*)$": "`^([^,]*), ([^,]*), (.*)$`",
    "^a*a*a*a*b$": "repetition end where",
    r"(?=.*ab.*ab)\w+c": r"`(?=[^a]*ab[^a]*ab)\w+c`",
    "^[a-m]*m,?[a-m]*m,?[a-m]*m,?!$": "repetition end where",
    r"^\d{0,400}\d{0,400}\d{0,400}x$": "repetition end where",
}


@pytest.mark.parametrize(("pattern", "instead"), POLYNOMIAL.items(), ids=POLYNOMIAL.keys())
def test_slow_pattern_is_refused_with_a_cheaper_one(pattern: str, instead: str) -> None:
    refused = to_java(pattern)
    assert isinstance(refused, PatternRefused)
    assert "too slow" in refused.message
    assert instead in refused.fix
    spelling = re.match("Write `(.*)`, which matches fewer texts: ", refused.fix)
    assert (spelling is None) == ("repetition end where" in instead)
    assert spelling is None or isinstance(to_java(spelling[1]), str)


def test_slow_pattern_stays_where_texts_are_short() -> None:
    java = read("^.* - .* - .*!$", 100)
    assert isinstance(java, Java)
    assert (java.longest, java.open) == (100, True)


BOUNDED = {
    "^.*-.*$": 1_000,
    r"^[^@\s]+@[^@\s]+\.[^@\s]+$": 500,
    "<[^>]+>": 1_000,
    "^[a-z]+(-[a-z]+)*$": 500,
    "^((((((a|b))))))+$": 333,
    "^([A-Z]{2} ?){1,9}$": None,
    r"^\d{0,50}\d{0,50}\d{0,50}x$": None,
    r"\d+-\d+": None,
    r"(^|,)\d+(,|$)": None,
    r"^(?=.*\d)(?=.*[a-z]).{8,}$": None,
    r"\s+$": None,
    "^[^,]*,[^,]*,[^,]*$": None,
}


@pytest.mark.parametrize(("pattern", "longest"), BOUNDED.items(), ids=BOUNDED.keys())
def test_pattern_is_looked_for_in_as_long_texts_as_its_time_allows(pattern: str, longest: int | None) -> None:
    java = read(pattern)
    assert isinstance(java, Java)
    assert java.longest == longest


TRIMMED = {"a*b+c?": "b", "a{2,}?b{3,}": "a{2}b{3}", ".*": "", "[a-z]+@[a-z]+?": "[a-z]@[a-z]"}
TRIMMED |= {"a+|b": "a+|b", "^a+": "^a+", r"\ba+": r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))a"}


@pytest.mark.parametrize(("pattern", "java"), TRIMMED.items(), ids=TRIMMED.keys())
def test_search_leaves_out_what_its_ends_repeat(pattern: str, java: str) -> None:
    assert str(to_java(pattern)).removesuffix(")").endswith(java.removesuffix(")"))


def test_public_patterns_are_accepted_but_for_those_that_are_slow() -> None:
    slow = {r"^\w+([.-]?\w+)*@\w+([.-]?\w+)*(\.\w{2,3})+$"}
    slow |= {r"^(https?:\/\/)?([\da-z\.-]+)\.([a-z\.]{2,6})([\/\w \.-]*)*\/?$"}
    assert {pattern for pattern in PUBLIC if isinstance(read(pattern), PatternRefused)} == slow


HUGE = [
    "(?:[ab]{1,40}[bc]{1,40}){1,40}d",
    "(a?){40}" * 10,
    "[a-z]{0,1000}" * 20,
    "(" * 200 + "a" + ")*" * 200,
    "(?:" * 30 + "a" + "){40}" * 30,
    "(a|b|c|d|e|f|g|h){40}" * 30,
    "(?:.*a.{14}|.*b.{13})x",
    "(?=.*a.{9})(?=.*b.{9})(?=.*c.{9}).*d.{9}",
    "[ab]" * 2_000,
    "a{1000000}",
    "|".join(f"^{chr(97 + n % 26)}.*{n}" for n in range(300)),
    "(?:[a-m]+|[f-z]+|[0-9]+)?" * 60,
    "(?=(?=(?=(?=.*a.{8}).*b.{8}).*c.{8}).*d.{8})" * 5,
    "(?:|){30}x",
    "x" * 100_000,
]


@pytest.mark.parametrize("pattern", HUGE, ids=range(len(HUGE)))
def test_large_patterns_are_judged_in_little_time_and_memory(pattern: str) -> None:
    begun = time.process_time()
    read.__wrapped__(pattern, None)
    assert time.process_time() - begun < 10, "half a second where nothing else runs, 3 s on a busy machine"


def test_largest_analysis_takes_little_memory() -> None:
    tracemalloc.start()
    read.__wrapped__("(?:[ab]{1,40}[bc]{1,40}){1,40}d", None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000_000


@settings(max_examples=60, database=None)
@given(patterns.DRAWN)
def test_any_pattern_is_judged_in_little_time(pattern: str) -> None:
    begun = time.process_time()
    read.__wrapped__(pattern, None)
    assert time.process_time() - begun < 2
