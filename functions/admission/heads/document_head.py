"""The first bytes of a JSON document: a plan and the bytes in, the keys and all that is wrong with them out. Pure.

Its first records are judged as the first lines of JSON Lines are.
"""

from __future__ import annotations

import io

from contracts.files import json_document
from contracts.files.json_document import Damaged, Records
from contracts.place import Place
from contracts.plan import Json, Plan
from contracts.problem import Problem, visible
from functions.admission.heads import json_head, text_forms
from functions.admission.heads.problems import Head, asked, may_be_lost, other_text, seeming, undecodable


def look(plan: Plan, size: int, sample: bytes) -> Head:
    """Return the contract's keys and the first record's, in the record's order unless that is the contract's."""
    whole, form = len(sample) == size, plan.json or Json()
    if not may_be_lost(plan, "text") and (problem := undecodable(plan, sample, whole=whole)):
        return Head((problem,))
    records, damage = _records(form, sample)
    text = sample.decode("utf-8-sig", "replace")
    if damage and (whole or damage.code != json_document.CUT):
        return Head((other_text(plan, text) or _wrapped(plan, text) or _seeming(plan, text, whole=whole) or damage,))
    if not records:
        none = Problem("no-records", "The document holds no records.", "Send it with its records.")
        wrapped = None if whole else _wrapped(plan, text)  # else the first record is not within the first bytes
        problems = [none] if whole and plan.empty == "reject" else [wrapped] if wrapped else []
        return Head(tuple(problems), *json_head.header(plan, ()))
    first = [json_head.keys_of(record) for record in records]
    keys = next((k for k in first if k is not None), None)
    if keys is None or (first[0] is None and not may_be_lost(plan, "object")):
        begins = records[0].startswith("{")
        why = f": {json_head.flaw_of(records[0])}" if begins else ""
        message = f"The first record is not a {'whole ' if begins else ''}JSON object{why}."
        fix, place = f"Send {json_document.wanted(form)}.", Place(1, element=plan.element(1))
        no_object = Problem("not-json-document", message, fix, place=place)
        return Head((other_text(plan, text) or _wrapped(plan, text) or no_object,))
    problems = json_head.unknown(plan, keys) if first[0] is not None and not may_be_lost(plan, "knownKeys") else []
    if problems and (problem := other_text(plan, text) or _wrapped(plan, text)):
        problems = [problem]
    return Head(tuple(problems), *json_head.header(plan, keys))


def _records(form: Json, sample: bytes) -> tuple[list[str], Problem | None]:
    """Return the records that are whole in the first bytes, and the problem that ends them."""
    records: list[str] = []
    try:
        for batch in Records(form, io.BytesIO(sample).read).batches():
            records += [record.decode("utf-8", "replace") for record in batch]
    except Damaged as damaged:
        return records, damaged.problem
    return records, None


def _wrapped(plan: Plan, text: str) -> Problem | None:
    """Return the problem of one object around all records, where the contract has no way to them."""
    if (plan.json and plan.json.property) or not (keys := json_head.wrapping(plan, text)):
        return None
    agreed, way = json_document.wanted(plan.json or Json()), visible(".".join(keys))
    message = f"The document is one JSON object around an array (`{way}`); the contract requires {agreed}."
    return Problem(
        "not-json-document", message, f"Send the array alone; or ask for `{text_forms.asked(keys)}` in the contract."
    )


def _seeming(plan: Plan, text: str, *, whole: bool) -> Problem | None:
    """Return the problem of a text that is no JSON, and seems to be in another form."""
    if text.lstrip()[:1] in ("{", "[") or (form := seeming(plan, text, whole=whole)) is None:
        return None
    agreed = json_document.wanted(plan.json or Json())
    message = f"The file seems to be {form.name}; the contract requires {agreed}."
    return Problem("not-json-document", message, f"Send {agreed}{asked(plan, form)}.")
