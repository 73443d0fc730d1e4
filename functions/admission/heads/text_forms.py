"""Texts in the forms of contracts: the first characters of a file in; the form that they seem to have out. Pure.

A form has the key with which a contract takes it. It is asked for only if a file is not what its own contract requires.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence

from contracts.plan import Json, Plan
from contracts.problem import visible
from functions.admission.heads.foreign_forms import Form

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
WRITE = "Write the records as"
LINES = Form("JSON Lines", WRITE, key="format: jsonl")
FIXED = Form("text of fixed width", WRITE, key="format: fixed")
OTHER_JSON = Form("JSON", WRITE)
"""JSON that is no records."""
DOCUMENT = "format: json"
BEGIN = re.compile(r"\{\s*(?:$|\"|\})|\[\s*(?:$|[\[{]|[-\d\"tfn\]][^\r\n]*\]\s*$)")
"""The first line of a JSON document."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.|\\\Z)*+(?:"|\Z)|[{}\[\]]', re.DOTALL)
"""Texts and brackets of JSON; what is between them says nothing of its shape."""
DEEPEST = 5
"""Keys that may lead to the records of a document."""
KEY_END, OBJECT = re.compile(r"\s*:"), re.compile(r"\s*\{")
LOOKED_AT = 20
"""Lines that show the form of a text."""
FEWEST, SHORTEST = 3, 10
"""Lines, and characters of each, by which fixed width is recognised."""
PADDING = re.compile(r" {2}|00|^ | $")


def of(plan: Plan, text: str, *, whole: bool) -> Form | None:
    """Return the form that a text seems to have; None if it is like none. Its last line may be cut unless `whole`."""
    lines = text.removeprefix("\ufeff").splitlines()
    whole = whole or text.endswith(("\n", "\r"))
    filled = [line for line in (lines if whole else lines[:-1] or lines) if line][:LOOKED_AT]
    if not filled:
        return None
    return of_json(plan, text) or _of_csv(plan, filled) or (FIXED if _is_fixed(plan, filled) else None)


def of_json(plan: Plan, text: str) -> Form | None:
    """Return the form of a text that begins like JSON: lines, an array, or an object around one."""
    begin = text.removeprefix("\ufeff").lstrip()
    first, *more = [line for line in begin.splitlines() if line][:2] or [""]
    if not BEGIN.match(first.strip()):
        return None
    if begin.startswith("["):
        return Form("JSON", WRITE, key=DOCUMENT) if re.match(r"\[\s*[{\]]", begin) else OTHER_JSON
    if more and all(_is_object(line) for line in (first, *more)):
        return LINES
    if keys := around(plan, begin):
        return Form("JSON", WRITE, key=f"{DOCUMENT}` and `{asked(keys)}")
    return LINES if _is_object(first) else Form("JSON", WRITE, key=DOCUMENT)


def asked(keys: Sequence[str]) -> str:
    """Return what a contract says of an object around records: the keys that lead to them."""
    return f"json: {{property: {visible(Json.under(keys).property)}}}"


def around(plan: Plan, text: str) -> tuple[str, ...]:
    """Return the keys that lead from an object around all records to them; none if they are the contract's."""
    stack, best, key = list[str](), tuple[str, ...](), ""
    for token in TOKEN.finditer(text):
        sign = token[0]
        if sign in "{[":
            if sign == "[" and key and 0 < len(stack) <= DEEPEST and all(stack[1:]) and OBJECT.match(text, token.end()):
                best = best if best and len(best) <= len(stack) else (*stack[1:], key)
            stack.append("" if sign == "[" else key)
            key = ""
        elif sign in "}]":
            if len(stack) < 2:
                break
            stack.pop()
        elif KEY_END.match(text, token.end()):
            key = _plain(sign)
    return () if best and best[-1] in {p.key for p in plan.roots} else best


def _plain(key: str) -> str:
    try:
        return str(json.loads(key, strict=False))
    except ValueError:
        return ""


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line, parse_int=str), dict)
    except (ValueError, RecursionError):
        return False


def _of_csv(plan: Plan, lines: Sequence[str]) -> Form | None:
    """Return CSV if lines have as many cells each; a single one as many as the contract has columns."""
    for delimiter, name in DELIMITERS.items():
        rows = list(csv.reader(lines, delimiter=delimiter))
        width = len(rows[0]) if rows else 0
        if width > 1 and {len(row) for row in rows} == {width} and (len(rows) > 1 or width == len(plan.roots)):
            return Form(f"CSV, its cells separated by {name}", WRITE, key="format: csv")
    return None


def _is_fixed(plan: Plan, lines: Sequence[str]) -> bool:
    """Return True if lines of several values have one length, and are filled up to it."""
    return (
        len(plan.roots) > 1
        and len(lines) >= FEWEST
        and len(lines[0]) >= SHORTEST
        and len({*map(len, lines)}) == 1
        and all(map(PADDING.search, lines))
    )
