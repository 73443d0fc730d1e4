"""Headers as they are sent and as they are meant: the names of a file's columns and texts of its first line."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from random import Random

from contracts.plan import Plan, Property

OTHERS = {"more 2": "more", "nameless": "", "nameless 2": " "}
"""Names of columns that the contract has not, and the texts that stand for them."""
BLANKS = ("", "", " ", "\t", "\u00a0")


def sent(chance: Random, plan: Plan, names: Sequence[str]) -> list[str]:
    """Return the texts of a header, each written in one of the ways that the contract allows, behind skipped ones."""
    props = {p.name: p for p in plan.properties}
    lacking = {*plan.csv.lacks_first, *plan.csv.lacks_last}
    own = [n for n in names if n not in lacking]
    skipped = [chance.choice(("type", own[0]))] * plan.csv.skip_columns  # few others: the job reads each header apart
    return [*skipped, *(_sent(chance, plan, props[n]) if n in props else OTHERS.get(n, n) for n in own)]


def in_place(plan: Plan, columns: Sequence[str]) -> list[str]:
    """Return columns in an order in which those without a name in the header are the first and the last."""
    first, last = plan.csv.lacks_first, plan.csv.lacks_last
    return [*first, *(c for c in columns if c not in first and c not in last), *last]


def _sent(chance: Random, plan: Plan, prop: Property) -> str:
    way, own = plan.columns.match, [*prop.header_names] or [prop.name]
    if way == "byPosition" and not prop.header_names:
        return chance.choice((prop.name, "same", "", "Spalte"))
    text = chance.choice(own).replace("\n", chance.choice(("\n", "\r\n")))
    if way == "anyCase":
        text = chance.choice((text, text.upper(), text.title(), unicodedata.normalize("NFD", text)))
    if way in ("anyCase", "trimmed"):
        text = chance.choice(BLANKS) + text + chance.choice(BLANKS)
    return text


def names(plan: Plan, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are meant by the texts of a header: the property's name, or one that no property has."""
    meant, own = [], [n for n, text in enumerate(texts) if text not in ("_record", "_reasons")]
    for n, text in enumerate(texts):
        if n not in own:
            meant.append(text)
        elif plan.columns.match == "byPosition":
            at = own.index(n)
            meant.append(plan.properties[at].name if at < len(plan.properties) else f"?{n}")
        else:
            meant.append(next((p.name for p in plan.properties if _is_meant(plan, p, text)), f"?{n}"))
    return tuple(meant)


def _is_meant(plan: Plan, prop: Property, text: str) -> bool:
    return any(_plain(plan, own) == _plain(plan, text) for own in prop.header_names or (prop.name,))


def _plain(plan: Plan, text: str) -> str:
    text = text.replace("\r\n", "\n")
    if plan.columns.match == "exact":
        return text
    bare = unicodedata.normalize("NFC", text).strip()
    return bare if plan.columns.match == "trimmed" else unicodedata.normalize("NFC", bare.casefold())
