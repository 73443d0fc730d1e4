"""The first bytes of a JSON Lines file: a plan and the bytes in, the keys and all that is wrong with them out. Pure."""

from __future__ import annotations

import json
from typing import Any

from contracts.files.columns import OURS
from contracts.place import FIRST, Place
from contracts.plan import Plan
from contracts.problem import Problem, nearest, quoted, visible
from contracts.values import json_flaws
from functions.admission.heads import text_forms
from functions.admission.heads.problems import NO_RECORDS, Head, asked, may_be_lost, other_text, seeming, undecodable

FIX = 'Write one whole JSON object on each line, as `{"a": 1}`, and nothing around or between them.'

ASK = "Or ask for `format: json` in the contract."

HALF = "a key in it has half of a character"
DEEP = "it is nested too deeply"
UNBALANCED = "a bracket is not closed, or closed too often"
BEHIND = "something follows its closing bracket"
ODD = "a sign is missing, or is in a wrong place"


def look(plan: Plan, size: int, sample: bytes) -> Head:
    """Return the contract's keys and the first object's, in the object's order unless that is the contract's."""
    whole = len(sample) == size
    if not may_be_lost(plan, "text") and (problem := undecodable(plan, sample, whole=whole)):
        return Head((problem,))
    text = sample.decode("utf-8-sig", "replace")
    lines = [line for line in text.replace("\r", "\n").split("\n") if line]
    cut = "" if whole or not lines else lines.pop()
    if not lines:
        return Head(tuple(_without_line(plan, cut)), *header(plan, ()))
    first = [keys_of(line) for line in lines]
    keys = next((k for k in first if k is not None), None)
    if keys is None or (first[0] is None and not may_be_lost(plan, "object")):
        return Head((_no_object(plan, text, lines[0]),))
    problems = unknown(plan, keys) if first[0] is not None and not may_be_lost(plan, "knownKeys") else []
    if problems and (problem := other_text(plan, text) or _wrapped(plan, text)):
        problems = [problem]
    return Head(tuple(problems), *header(plan, keys))


def header(plan: Plan, keys: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Files with the same names are one read: what nests is found by name, and of plain lines any may lack a key."""
    agreed, named = [p.name for p in plan.properties], {p.key: p.name for p in plan.roots}
    there = tuple(named.get(key, key) for key in keys if key in named or key not in agreed)
    same = plan.nested or there == tuple(name for name in agreed if name in there)
    names = tuple(dict.fromkeys(agreed if same else (*there, *agreed)))
    return names, json.dumps(names, ensure_ascii=False)


def keys_of(line: str) -> tuple[str, ...] | None:
    """Return the keys of the object in a line; None if it has none."""
    try:
        record: Any = json.loads(line, parse_int=str)  # Python's integers end at 4,300 digits
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or any("\ud800" <= c <= "\udfff" for key in record for c in key):
        return None  # half a character is none, and no text that could be handed on
    return tuple(record)


def _without_line(plan: Plan, begin: str) -> list[Problem]:
    """Return the problems of a file without records, or of the beginning of its first line.

    The job reads that line whole if it begins like an object.
    """
    if not begin:
        return [NO_RECORDS] if plan.empty == "reject" else []
    if begin.lstrip()[:1] == "{" or may_be_lost(plan, "object"):
        wrapped = _wrapped(plan, begin)
        return [wrapped] if wrapped else []
    return [_no_object(plan, begin, begin)]


def _no_object(plan: Plan, text: str, line: str) -> Problem:
    """Return the problem of a first line that is not an object: another kind of file, or a flaw in the line."""
    if problem := other_text(plan, text) or _wrapped(plan, text):
        return problem
    start = line.lstrip()[:1]
    if start == "[":
        return Problem(
            "not-json-lines", "The file is a JSON array; the contract requires JSON Lines.", f"{FIX} {ASK}", place=FIRST
        )
    if start != "{":
        form = seeming(plan, text, whole=False)
        seems = f"; the file seems to be {form.name}" if form else ""
        message = f"The first line is not a JSON object{seems}; the contract requires JSON Lines."
        return Problem("not-json-lines", message, f"{FIX[:-1]}{asked(plan, form) if form else ''}.", place=FIRST)
    message = f"The first line is not a whole JSON object: {flaw_of(line)}; the contract requires JSON Lines."
    return Problem("not-json-lines", message, f"{FIX} {ASK}" if _is_over_lines(text) else FIX, place=FIRST)


def _is_over_lines(text: str) -> bool:
    """Return True if a text begins with a whole object that has line breaks."""
    try:
        _, end = json.JSONDecoder(parse_int=str).raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    return "\n" in text.lstrip()[:end]


def flaw_of(line: str) -> str:
    """Return the flaw of a line that begins like an object but cannot be read as one."""
    if flaw := json_flaws.flaw(line):
        return flaw
    try:
        _, end = json.JSONDecoder(parse_int=str).raw_decode(line.lstrip())
    except RecursionError:
        return DEEP
    except ValueError:
        return UNBALANCED if json_flaws.unbalanced(line) else ODD
    return BEHIND if line.lstrip()[end:].strip() else HALF


def _wrapped(plan: Plan, text: str) -> Problem | None:
    """Return the problem of one object around all records, in an array under keys that are not the contract's."""
    if not (keys := wrapping(plan, text)):
        return None
    way = visible(".".join(keys))
    message = f"The file is one JSON object around an array (`{way}`); the contract requires JSON Lines."
    ask = f"Or ask for `format: json` and `{text_forms.asked(keys)}` in the contract."
    return Problem("not-json-lines", message, f"Take the records out of `{way}`. {FIX} {ask}", place=FIRST)


def wrapping(plan: Plan, text: str) -> tuple[str, ...]:
    """Return the keys under which one object around all records has them; none if there is no such object."""
    return () if text_forms.of_json(plan, text) is text_forms.LINES else text_forms.around(plan, text)


def unknown(plan: Plan, keys: tuple[str, ...]) -> list[Problem]:
    """Return the problem of keys that are not the contract's, if records may not have them."""
    agreed = [p.key for p in plan.roots]
    unknown = [key for key in keys if key not in agreed and key not in OURS]
    if plan.columns.extra != "reject" or not unknown:
        return []
    close = {key: name for key in unknown[:20] if (name := nearest(key, [n for n in agreed if n not in keys]))}
    renamed = ", ".join(f"`{key}` to `{name}`" for key, name in close.items())
    fix = f"Rename {renamed}." if renamed else f"Leave them out, or ask for them to be added to {plan.contract}."
    text = f"The first object has keys that the contract does not know: {quoted(unknown)}."
    return [Problem("unknown-key", text, fix, place=Place(1, element=plan.element(1)))]
