"""Texts: their length and characters, blanks at their ends, patterns, formats."""

from __future__ import annotations

from tests.integration.contracts.test_formats import BAD, GOOD
from tests.oracle.meanings.case import Case, Meaning, Refused, bad, figure, good, one, values

COMPOSED, APART = "\u00e9", "e\u0301"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def _pattern(pattern: str, matching: list[str], unfound: list[str]) -> Case:
    return Case(one("string", pattern=pattern), good(*matching) + bad("pattern", *unfound))


def _format(name: str) -> Case:
    """Return the case of a format; without line ends and NUL, which no cell of CSV has without `multiLine`."""
    valid, unfound = ([t for t in texts[name] if t and not {*t} & {*"\n\r\0"}] for texts in (GOOD, BAD))
    return Case(one("string", format=name), good(*valid) + bad("format", *unfound))


UNICODE: dict[str, Meaning] = {
    "length is in code points": Case(
        one("string", maxLength=1, minLength=1),
        good(COMPOSED, "€", "\U0001f600", "\u200b") + bad("maxLength", APART, FAMILY, "ab"),
    ),
    "nothing is normalised": Case(
        one("string", enum=values(COMPOSED), unique=True),
        good(COMPOSED) + bad("enum", APART),
        says={"unique": "0 of 2, 0 null: passed"},
    ),
    "upper and lower case differ": Case(
        one("string", unique=True, enum=values("a", "ß")),
        good("a", "ß") + bad("enum", "A", "ss", "\uff41"),
        says={"unique": "0 of 5, 0 null: passed"},
    ),
    "U+FFFD is a letter like any other": Case(one("string", maxLength=1), good("\ufffd")),
    "texts are ordered by code points": Case(
        one("string"),
        good("\uffee", "\U0001f600", "a"),
        quality=[{"id": "@id", **figure("expression", expression="@v < '\U0001f601'")}],
        says={"@id": "0 of 3, 0 null: passed"},
    ),
}
BLANKS: dict[str, Meaning] = {
    "blanks at the ends of text belong to it": Case(
        one("string", enum=values("a"), maxLength=1, unique=True),
        good("a") + bad("enum maxLength", "a ", " a", "a\t", "a\u00a0"),
        says={"unique": "0 of 5, 0 null: passed"},
    ),
    "numbers, booleans and dates have no blanks": Case(
        {"v": {"logicalType": "number"}, "w": {"logicalType": "boolean"}, "x": {"logicalType": "date"}},
        csv=bad(
            "logicalType w.logicalType x.logicalType", ("1 ", " true", "2024-01-01 "), ("\t1", "true ", " 2024-01-01")
        ),
        jsonl=bad("logicalType w.logicalType x.logicalType", ('"1 "', '" true"', '"2024-01-01 "')),
    ),
    "blanks around JSON's values do not count": Case(one("integer"), jsonl=good(" 1 ", "\t1")),
    "blanks behind a closing quote do not count": Case(
        one("integer"),
        csv=good('"12" ', '"12"\t') + bad("record.quotes", ' "12"') + bad("logicalType", '" 12"'),
    ),
}
PATTERNS: dict[str, Meaning] = {
    "a pattern is searched for": _pattern("b", ["b", "abc"], ["ac"]),
    "^ and $ are the ends of the text": Case(
        one("string", pattern="^a$"),
        good("a") + bad("pattern", "ab", "ba"),
        jsonl=bad("pattern", '"a\\n"', '"b\\na"'),
        parquet=bad("pattern", "a\n", "b\na"),
    ),
    "a point stops at four line ends": Case(
        one("string", pattern="^.$"),
        good("a", "\u0085", "\U0001f600") + bad("pattern", "\u2028", "\u2029"),
        jsonl=bad("pattern", '"\\n"', '"\\r"'),
        parquet=bad("pattern", "\n", "\r"),
    ),
    r"\s is all white space of Unicode": _pattern(
        r"^\s$", [" ", "\t", "\u00a0", "\u3000", "\ufeff", "\u2028"], ["\u0085", "\u200b", "a"]
    ),
    r"\d is a digit of ASCII": _pattern(r"^\d$", ["7"], ["\u0667", "\uff17", "a"]),
    r"\w is a letter of ASCII": _pattern(r"^\w$", ["a", "_", "7"], ["é", "ß", "-"]),
    r"\b is the border of an ASCII word": _pattern(r"\bé", ["aé"], ["é", " é"]),
    "case matters": _pattern("^A$", ["A"], ["a"]),
    "a class holds plain characters": _pattern("^[a[&-]$", ["a", "[", "&", "-"], ["b"]),
    "code points are counted": _pattern("^..$", ["\U0001f600\U0001f600", "ab"], ["\U0001f600", FAMILY]),
    "repeated groups are searched in short texts": _pattern("^(ab)+$", ["ab", "ab" * 250], ["ab" * 251, "aba"]),
    "slow patterns are searched in short texts": _pattern("^.*-.*$", ["-", "a" * 999 + "-"], ["a" * 1000 + "-", "a"]),
    "slow patterns with an equal one are searched in any text": _pattern(
        r"^\S+@\S+\.\S+$", ["a@b.c", "@@b.c.", "a" * 2_000 + "@b.c"], ["@a.b", "a@.b", "a@b.", "a @b.c"]
    ),
    "regex searches as pattern does": Case(
        one("string", quality=[figure("regex", pattern="b$", mustBe=0)]),
        good("b", "ab", None) + bad("regex", "ba", "c"),
    ),
    "prefixes are letters of the text": Case(
        one("string", quality=[figure("allowedPrefixes", prefixes=["A", "é", "x.", "\U0001f600a"], mustBe=0)]),
        good("A", "AB", "é", "x.y", "\U0001f600ab", None)
        + bad("allowedPrefixes", "a", " A", "e\u0301", "xy", "x", "\U0001f600", "\U0001f601a"),
    ),
    "look-behind is refused": Refused(one("string", pattern="(?<=a)b")["v"], "bad-pattern"),
    "back references are refused": Refused(one("string", pattern=r"(a)\1")["v"], "bad-pattern"),
    "flags are refused": Refused(one("string", pattern="(?i)a")["v"], "bad-pattern"),
    r"\p is refused": Refused(one("string", pattern=r"\p{Lu}")["v"], "bad-pattern"),
}
FORMATS: dict[str, Meaning] = {
    name: _format(name) for name in ("email", "uri", "uuid", "ipv4", "ipv6", "hostname", "byte")
}
HEADERS: dict[str, Meaning] = {
    "a header lacks the names of first and last cells": Case(
        {"v": {"logicalType": "integer"}, "w": {"logicalType": "integer"}},
        csv=good(("1", "2"), ("1", ""))
        + bad("logicalType", ("a", "2"))
        + bad("w.logicalType", ("1", "b"))
        + bad("record.fields", ("1", "2,3")),
        csv_block={"headerLacks": {"first": ["line"], "last": ["@w"]}},
        says={"w.logicalType": "1 of 4, 1 null: failed"},
    ),
}
