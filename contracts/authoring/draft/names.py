"""Names of files in, a key pattern and an id for such files out; dates become parts of the pattern."""

from __future__ import annotations

import re
from collections.abc import Sequence

from contracts.authoring.imports.imported import slug
from contracts.terms.key_pattern import is_date, width_of

DATES = (
    "%Y-%m-%dT%H-%M-%S", "%Y-%m-%d_%H-%M-%S", "%Y%m%dT%H%M%S", "%Y%m%d_%H%M%S", "%Y%m%d%H%M%S", "%Y-%m-%d", "%Y_%m_%d",
    "%Y.%m.%d", "%d-%m-%Y", "%d.%m.%Y", "%Y%m%d", "%Y-%m", "%Y_%m", "%Y",
)  # fmt: skip
"""Formats of dates in names, the longer first."""
TOKEN = re.compile(r"\{[^}]*\}|[0-9]+|[A-Za-z]+|.", re.DOTALL)
ENDINGS = re.compile(r"(\.[A-Za-z]{1,8}){1,2}$")


def pattern(names: Sequence[str], producer: str) -> str:
    """Return the key pattern under a producer's folder that matches all the names."""
    shared, *rest = (TOKEN.findall(_dated(name)) for name in names)
    for other in rest:
        if len(shared) == len(other):
            merged = [a if a == b else "*" for a, b in zip(shared, other, strict=True)]
        else:
            least = min(len(shared), len(other))
            head = next((n for n in range(least) if shared[n] != other[n]), least)
            most = least - head
            tail = next((n for n in range(most) if shared[-1 - n] != other[-1 - n]), most)
            merged = [*shared[:head], "*", *shared[len(shared) - tail :]]
        shared = [token for n, token in enumerate(merged) if token != "*" or n == 0 or merged[n - 1] != "*"]  # noqa: S105
    return f"{producer}/{''.join(shared)}"


def id_of(name: str) -> str:
    """Return an id from the fixed words of a name's pattern."""
    bare = re.sub(r"\{[^}]*\}|[*?]+", "-", ENDINGS.sub("", _dated(name.rpartition("/")[2])))
    return slug(re.sub(r"[-_. ]*-[-_. ]*", "-", bare).strip("-_. ").lower())


def _dated(name: str) -> str:
    """Return a name with its dates as pattern parts, and `?` for characters that a pattern or key cannot contain."""
    plain = "".join("?" if c in "*?{}" or not c.isprintable() else c for c in name)
    parts, at, count = [], 0, 0
    while at < len(plain):
        form = next((f for f in DATES if _has_date(plain, at, f)), None)
        if form is None:
            parts.append(plain[at])
            at += 1
            continue
        count += 1
        parts.append(f"{{date{count if count > 1 else ''}:{form}}}")
        at += width_of(form)
    return "".join(parts)


def _has_date(name: str, at: int, form: str) -> bool:
    """Return True if `name` has a date of the years 1900 to 2099 at a position, with no digit next to it."""
    end = at + width_of(form)
    text = name[at:end]
    year = text if form.startswith("%Y") else text[-4:]
    beside = name[max(at - 1, 0) : at] + name[end : end + 1]
    return (
        len(text) == width_of(form)
        and year[:2] in ("19", "20")
        and not re.search("[0-9]", beside)
        and is_date(text, form)
    )
