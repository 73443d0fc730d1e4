"""Translated patterns in the engine that runs them: Java matches as ECMA-262 defines, text by text."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.patterns.regex import PatternRefused, to_java

FOUND = {
    "^a$": {"a": True, "a\n": False, "ba": False},
    "a.b": {"axb": True, "a\u0085b": True, "a\nb": False, "a\u2028b": False},
    r"^\s$": {" ": True, "\u00a0": True, "\ufeff": True, "\u3000": True, "\x0b": True, "\u0085": False, "a": False},
    r"^\S$": {" ": False, "\u00a0": False, "a": True, "\u0085": True},
    r"^[\s.]$": {"\u2003": True, ".": True, "s": False},
    r"^[\S]$": {"\u2003": False, "x": True, "\U0001f600": True},
    r"^[^\S]$": {"\u2003": True, "x": False},
    r"\bé": {"é": False, "aé": True},
    r"\Bb": {"ab": True, " b": False},
    r"^\d$": {"5": True, "\u0665": False},
    r"^\w$": {"a": True, "_": True, "é": False},
    r"[a&&b]": {"&": True, "b": True, "c": False},
    r"^[a[b]$": {"[": True, "a": True, "]": False},
    r"^[\w-.]$": {"-": True, ".": True, ",": False},
    r"^[^a-c]$": {"d": True, "b": False},
    "^(?<h>[01][0-9]|2[0-3]):[0-5][0-9]$": {"23:59": True, "24:00": False, "23:59\n": False},
    "^[a-z]+(-[a-z]+)*$": {"a-b": True, "a--b": False, "a" * 500: True, "a" * 501: False, "a-" * 50_000 + "a": False},
    "(?:a|b)+c": {"xxabc\n": True, "ab": False, "ab" * 100_000 + "c": False},
    r"^\S+@\S+[.]\S+$": {"a@b.c": True, "@@..@.": True, "a@b@c.d": True, "a" * 9_000 + "@b.c": True, "a @b.c": False},
    "^.+[,;].+[,;].+$": {"a,b;c": True, ",;,;,": True, ",,,": False, "a,b": False, "a,\nb,c": False},
    "^.{2,}é.*é.+-.+$": {"xxéyéz-a": True, "ééééx-a": True, "xéyéz-a": False, "xxéyé-a": False},
    "x{2,3}": {"xx": True, "x": False},
    r"^\$\.\/$": {"$./": True},
}
CASES = [(pattern, text, is_match) for pattern, texts in FOUND.items() for text, is_match in texts.items()]


@pytest.mark.parametrize(("pattern", "text", "is_match"), CASES)
def test_java_finds_what_ecma_says(spark: SparkSession, pattern: str, text: str, is_match: bool) -> None:
    java = to_java(pattern)
    assert not isinstance(java, PatternRefused)
    jvm: Any = spark.sparkContext._jvm
    assert jvm.java.util.regex.Pattern.compile(java).matcher(text).find() is is_match
