"""JSON documents of drawn records, and their records again, by single characters.

Written from docs/reference/drop-block.md, "JSON documents".
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random

BLANKS = " \t\r\n"
TOKEN = re.compile(r'"(?:[^"\\]|\\[\s\S])*"|[\s\S]')


def drawn(chance: Random, keys: Sequence[str], records: Sequence[str]) -> str:
    """A document of those records that stay apart in it: an array, one within objects, or records in turn."""
    whole = [_over_lines(chance, record) for record in records if is_whole(record)]
    if not keys and whole and whole[0].startswith("{") and chance.random() < 0.3:
        return "".join(record + chance.choice(("\n", " ", "\r\n\n")) for record in whole)
    between = chance.choice((",", ", ", ",\n", " ,\r\n  "))
    text = chance.choice(("[", "[\n ")) + between.join(whole) + chance.choice(("]", "\n]\n", " ] "))
    for key in reversed(keys):
        before = chance.choice(("", f'"list": [{{"{key}": [1]}}, "]"], ', '"n": 1,\n', f'"{key} ": {{}}, '))
        behind = chance.choice(("", ', "more": [[1, 2], "}"]'))
        text = f"{{{before}{json.dumps(key)}: {text}{behind}}}"
    return text


def is_whole(record: str) -> bool:
    """Return whether a text is one value by its brackets and quotes, and no comma parts it."""
    try:
        return bool(record.strip(BLANKS)) and _end(f"{record}]", 0) == len(record)
    except IndexError:
        return False


def _over_lines(chance: Random, record: str) -> str:
    if chance.random() < 0.7:
        return record
    signs = (token + chance.choice(("\n  ", "\r", "")) if token in "{,:" else token for token in TOKEN.findall(record))
    return "".join(signs)


def elements(text: str, keys: Sequence[str]) -> list[str]:
    """The records of a document; IndexError or ValueError if they cannot be told apart."""
    at = _skip(text, 0)
    for key in keys:
        at = _skip(text, at + 1)
        while True:
            name, at = json.JSONDecoder().raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
            if name == key:
                break
            at = _skip(text, _end(text, at) + 1)
    return _in_array(text, at + 1) if text[at : at + 1] == "[" else _in_turn(text, at)


def _in_array(text: str, at: int) -> list[str]:
    records = []
    while text[at] != "]":
        end = _end(text, at)
        records.append(text[at:end].strip(BLANKS))
        at = end + 1 if text[end] == "," else end
    return [record for record in records if record]


def _in_turn(text: str, at: int) -> list[str]:
    records = []
    while at < len(text):
        end = _closed(text, at) if text[at] in "[{" else _alone(text, at)
        records.append(text[at:end])
        at = _skip(text, end)
    return records


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in BLANKS:
        at += 1
    return at


def _end(text: str, at: int) -> int:
    """The place of the comma or bracket that ends a value."""
    depth = 0
    while depth or text[at] not in ",]}":
        depth += (text[at] in "[{") - (text[at] in "]}")
        at = _string(text, at) if text[at] == '"' else at + 1
    return at


def _closed(text: str, at: int) -> int:
    """The end of the bracket that opens at a place."""
    depth = 0
    while True:
        depth += (text[at] in "[{") - (text[at] in "]}")
        at = _string(text, at) if text[at] == '"' else at + 1
        if not depth:
            return at


def _alone(text: str, at: int) -> int:
    if text[at] == '"':
        return _string(text, at)
    while text[at : at + 1] and text[at] not in f'{BLANKS}"[]{{}},':
        at += 1
    return at


def _string(text: str, at: int) -> int:
    """The end of the string that opens at a place."""
    at += 1
    while text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1
