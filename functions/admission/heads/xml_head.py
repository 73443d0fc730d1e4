"""The first bytes of an XML document: a plan and the bytes in, the contract's keys and all that is wrong with them out.

Pure. The records that are whole within these bytes are transcribed as in the job.
"""

from __future__ import annotations

import json
from typing import Any

from contracts.files.columns import OURS
from contracts.files.xml_documents import xml_records
from contracts.place import Place
from contracts.plan import Plan
from contracts.problem import Problem, nearest, quoted, visible
from functions.admission.heads import foreign_forms
from functions.admission.heads.problems import Head, empty, form_of, may_be_lost, readable, seeming, wrong_format


def look(plan: Plan, size: int, sample: bytes) -> Head:
    """Return the contract's keys, and the problems of a document whose first bytes are not as agreed."""
    whole = len(sample) == size
    parts = list(xml_records.lines(plan, [sample], whole=whole))
    header = tuple(p.name for p in plan.properties)
    if parts and isinstance(problem := parts[-1], Problem):
        return Head((_other(plan, sample, whole=whole) or problem,))
    line = next((part for part in parts if isinstance(part, bytes)), b"").partition(b"\n")[0]
    problems = _first(plan, json.loads(line)) if line else _none(plan, sample) if whole else []
    return Head(tuple(problems), header, json.dumps(header, ensure_ascii=False))


def _other(plan: Plan, sample: bytes, *, whole: bool) -> Problem | None:
    """Return the problem of a file in another form, as a web page; None if it is XML, or text of no known form."""
    if whole and not sample.decode("utf-8", "replace").strip("\ufeff \t\r\n\0"):
        return empty("The file holds only blanks.")
    form = form_of(sample) or seeming(plan, readable(sample) or "", whole=whole)
    return None if form is None or form is foreign_forms.XML else wrong_format(plan, form)


def _none(plan: Plan, document: bytes) -> list[Problem]:
    """Return the problem of a document without records, if it must have some."""
    if plan.empty != "reject":
        return []
    assert plan.xml is not None
    above, _, record = plan.xml.record.rpartition("/")
    text, fix = "The file holds no records", "Send the file with its records."
    if others := xml_records.beside(plan, document):
        text += f": `{above}` has no `{record}`, but {quoted([visible(name, 60) for name in others], most=5)}"
        fix = f"Send the file with its records, each an element `{record}`."
    return [Problem("no-records", f"{text}.", fix)]


def _first(plan: Plan, record: Any) -> list[Problem]:
    """Return the problems of the first record without whose repair it would surely be rejected."""
    place = Place(1, element=plan.element(1))
    if isinstance(record, list):
        if may_be_lost(plan, "object"):
            return []
        text = f"In the first record {record[0]}."
        return [Problem("mixed-content", text, "Write text and elements apart, each in an element.", place=place)]
    agreed = [p.name for p in plan.roots]
    unknown = [key for key in record if key not in agreed and key not in OURS]
    if plan.columns.extra != "reject" or not unknown or may_be_lost(plan, "knownKeys"):
        return []
    missing = [p.key for p in plan.roots if record.get(p.name) is None]
    close = {key: name for key in unknown[:20] if (name := nearest(key, missing))}
    renamed = ", ".join(f"`{visible(key, 60)}` to `{name}`" for key, name in close.items())
    fix = f"Rename {renamed}." if renamed else f"Leave them out, or ask for them to be added to {plan.contract}."
    listed = quoted([visible(key, 80) for key in unknown])
    text = f"The first record has elements or attributes that the contract does not know: {listed}."
    return [Problem("unknown-key", text, fix, place=place)]
