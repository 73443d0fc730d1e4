"""Lines of fixed width: the text of a file and a plan in, its records by slices in plain Python out.

Written from docs/reference/drop-block.md, "Fixed width". And such lines by chance, for the files of a contract.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from contracts.plan import Csv, Plan, Property
from contracts.terms.fixed_width import Field, Fixed, Slice
from contracts.terms.trailer import LONGEST, LONGEST_LINE, TrailerReading
from tests.oracle import leaders

CellOf = Callable[[str, Property, Csv], Any]


def layout(plan: Plan) -> Fixed:
    """Return the layout of a plan of fixed width."""
    assert plan.fixed
    return plan.fixed


def in_units(plan: Plan, text: str) -> Any:
    """Return a text as the bytes or the characters that positions count."""
    return text.encode(plan.csv.encoding, "surrogateescape") if layout(plan).unit == "bytes" else text


def faults(plan: Plan, line: str, *, is_text: bool) -> set[str]:
    """Return the kinds of record checks that a line fails."""
    fixed, units = layout(plan), in_units(plan, line)
    broken = set() if is_text else {"text"}
    if plan.csv.record and line[: len(plan.csv.record)] != plan.csv.record:
        broken.add("recordType")
    if not is_text:
        return broken
    cut = [f for f in fixed.fields if f.start <= len(units) < f.start + f.length - 1]
    is_stripped = fixed.short and len(units) < fixed.length
    if len(units) != fixed.length and not (is_stripped and all(f.align == "left" and f.padding == " " for f in cut)):
        broken.add("lineLength")
    if isinstance(units, bytes):
        places = {place for f in fixed.fields for place in (f.start - 1, f.start - 1 + f.length)}
        if any(not _is_whole(units[:place], plan.csv.encoding) for place in places):
            broken.add("wholeCharacters")
    return broken


def _is_whole(part: bytes, encoding: str) -> bool:
    try:
        part.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def cells(plan: Plan, line: str) -> dict[str, str]:
    """Return the cells of a line by property: without what fills their fields up."""
    units = in_units(plan, line)
    by_name = {}
    for field in layout(plan).fields:
        part = units[field.start - 1 :][: field.length]
        by_name[field.name] = _bare(part.decode(plan.csv.encoding) if isinstance(part, bytes) else str(part), field)
    return by_name


def _bare(text: str, field: Field) -> str:
    if set(text) <= {" "}:
        return ""
    at, end = 0, len(text)
    while field.align != "left" and at < end and text[at] == field.padding:
        at += 1
    while field.align != "right" and end > at and text[end - 1] == field.padding:
        end -= 1
    return text[at:end] or ("0" if field.padding == "0" else "")


def ending(plan: Plan, full: Sequence[str], is_text: Callable[[str], bool]) -> TrailerReading | None:
    """Return what the last line says, if it begins like the trailer, and the first other line like it."""
    if not plan.csv.trailer:
        return None
    like = [n for n, line in enumerate(full, 1) if line[: len(plan.csv.trailer.begins)] == plan.csv.trailer.begins]
    is_last = bool(like) and like[-1] == len(full)
    early = next((n for n in like if n < len(full) or not is_last), None)
    if not is_last:
        return TrailerReading(None, early)
    line = full[-1]
    if len(line) > LONGEST_LINE:
        return TrailerReading((), early, "long")
    if not is_text(line):
        return TrailerReading((), early, "bytes")
    texts = _stretches(plan, line, layout(plan).trailer)
    return TrailerReading((plan.csv.trailer.begins, *(text[: LONGEST + 1] for text in texts)), early)


def leader(plan: Plan, line: str) -> list[str]:
    """Return the cells of a first line: as much as the leader begins with, and its stretches."""
    assert plan.csv.leader
    return [line[: len(plan.csv.leader.begins)], *_stretches(plan, line, layout(plan).leader)]


def _stretches(plan: Plan, line: str, places: Sequence[Slice]) -> list[str]:
    """Return stretches of a line without the blanks around them."""
    units = in_units(plan, line)
    parts = [units[at.start - 1 :][: at.length] for at in places]
    texts = [part.decode(plan.csv.encoding, "replace") if isinstance(part, bytes) else str(part) for part in parts]
    return [text.strip(" ") for text in texts]


# ---- by chance


def fields(chance: Random, likely: Mapping[str, Sequence[str]], kinds: Mapping[str, str], begin: int) -> list[Any]:
    """Return fields for properties, some with a stretch before them that is not read; `likely` are their cells."""
    drawn, at = [], begin
    for name in chance.sample(list(likely), len(likely)):
        at += chance.choice((0, 0, 0, 2))
        most = max(len(text) for text in likely[name])
        length = min(30, chance.choice((most, most, most + 2, 1 + most // 2)))
        kind = [{}, {}, {"align": "left"}, {"align": "left"}, {"align": "right"}]
        if kinds[name] in ("string", "integer", "number"):
            kind += [{"padding": "0", "align": "right"}, {"padding": "*", "align": "right"}]
        drawn.append({"property": name, "start": at, "length": max(1, length)} | chance.choice(kind))
        at += max(1, length)
    drawn[-1] |= {"padding": " ", "align": "left"}  # so that a line may be short
    return drawn


def trailer(begins: str, names: Sequence[str]) -> dict[str, Any]:
    """Return a trailer with the sums of some properties."""
    stretches = {name: {"start": 20 + 40 * n, "length": 40} for n, name in enumerate(names)}
    return {"begins": begins, "rows": {"start": 5, "length": 10}, "sums": stretches}


def line(plan: Plan, row: Mapping[str, str]) -> str:
    """Return a record as a line; what a field has no room for is cut."""
    fixed = layout(plan)
    units = [in_units(plan, " ")] * fixed.length
    if begins := in_units(plan, plan.csv.record):
        units[: len(begins)] = [begins[n : n + 1] for n in range(len(begins))]
    for field in fixed.fields:
        text = in_units(plan, _safe(plan, row[field.name]))[: field.length]
        fill = in_units(plan, field.padding if text else " ") * field.length
        whole = (fill + text)[-field.length :] if field.align == "right" else (text + fill)[: field.length]
        units[field.start - 1 : field.start - 1 + field.length] = [whole[n : n + 1] for n in range(field.length)]
    joined = units[0][:0].join(units)
    return joined.decode(plan.csv.encoding, "surrogateescape") if isinstance(joined, bytes) else str(joined)


def _safe(plan: Plan, text: str) -> str:
    """Return a text with what its encoding lacks replaced."""
    encoding = plan.csv.encoding
    if encoding.startswith("utf-"):
        return text
    return "".join(c if "\udc80" <= c <= "\udcff" else c.encode(encoding, "replace").decode(encoding) for c in text)


def first_line(chance: Random, plan: Plan, *, odd: bool) -> str:
    """Return a leader; an odd one is not always the agreed one."""
    cells = leaders.drawn(chance, plan.csv, odd=odd)
    text = cells[0]
    for at, cell in zip(layout(plan).leader, cells[1:], strict=False):
        text = text.ljust(at.start - 1) + cell.ljust(at.length)
    return text


def last_line(plan: Plan, figures: Sequence[str]) -> str:
    """Return a trailer with these figures."""
    assert plan.csv.trailer
    text = plan.csv.trailer.begins
    for at, figure in zip(layout(plan).trailer, figures, strict=True):
        text = text.ljust(at.start - 1) + figure.rjust(at.length)
    return text


def _straddling(plan: Plan, good: str) -> list[str]:
    """Return lines in which a character of two bytes stands half in one field and half in the next."""
    if layout(plan).unit != "bytes":
        return []
    encoding = plan.csv.encoding
    line = good.encode(encoding, "surrogateescape")
    signs = [made for sign in "é表" if len(made := sign.encode(encoding, "ignore")) == 2]
    ends = [end for field in layout(plan).fields if 0 < (end := field.start - 1 + field.length) < len(line)]
    lines = [line[: end - 1] + sign + line[end + 1 :] for end in ends for sign in signs]
    return [each.decode(encoding, "surrogateescape") for each in lines]


def odd_lines(chance: Random, plan: Plan, good: str) -> list[str]:
    """Return lines that are no record, or only just one."""
    at = chance.randrange(len(good)) if good else 0
    begins = plan.csv.trailer.begins if plan.csv.trailer else "T"
    own = [
        good[:at],
        good.rstrip(" "),
        f"{good} ",
        f"{good}\x1a",
        good[1:],
        f"{good[:at]}\t{good[at + 1 :]}",
        good.lower(),
    ]
    own += [f"{good[:at]}{sign}{good[at + 1 :]}" for sign in ("\0", "\udcff", "\udce4", "é", "漢", "😀", "\ufeff")]
    own += _straddling(plan, good)
    own += ["", " ", "\t", "\x1a", good * 2, f"X{good[1:]}", f"{begins}{good[len(begins) :]}", " " * len(good)]
    return [_safe(plan, line) for line in own]
