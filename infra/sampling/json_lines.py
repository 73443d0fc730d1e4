"""Samples of JSON Lines in, the profile of all their records out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import IO, Any

from contracts.authoring.drafting.column import Column
from contracts.authoring.drafting.profile import Found, Profile, Sample, SampleRefused, settle
from contracts.plan import LogicalType
from infra.sampling.looking import MOST_BROKEN, Looked, opened, pieces

FORMS = {str: "text", int: "number", float: "number", bool: "boolean", dict: "objects", list: "lists"}


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _constant(text: str) -> Any:
    raise ValueError(text)


DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_Number, parse_float=_Number, parse_constant=_constant)


def profile_of(looked: Sequence[Looked]) -> Profile:
    """The profile of files of JSON Lines. SampleRefused."""
    for one in looked:
        if one.encoding != "utf-8":
            raise SampleRefused(f"{one.path.name} is not UTF-8, as JSON Lines are; write it in UTF-8")
    seen: dict[str, Column] = {}
    samples = []
    for one in looked:
        with opened(one) as file:
            samples.append(read(one.path.name, file, seen))
    records, broken = (sum(counts) for counts in zip(*((s.records, s.broken) for s in samples), strict=True))
    if 100 * broken > MOST_BROKEN * (records + broken):
        raise SampleRefused(
            f"{broken:,} of {records + broken:,} lines of the samples are no JSON objects; write one in each line"
        )
    found, left = settled(seen, records)
    return Profile(tuple(samples), "jsonl", found, compression=looked[0].compression, left=left)


def read(name: str, file: IO[str], seen: dict[str, Column]) -> Sample:
    """Count what stands under each key, into `seen`. SampleRefused."""
    records = broken = 0
    for piece in pieces(file):
        values: dict[str, list[Any]] = {}
        for line in piece.split("\n"):
            if not line:
                continue
            try:
                found = DECODER.decode(line.strip(" \t"))
            except (ValueError, RecursionError):
                found = None
            if not isinstance(found, dict):
                broken += 1
                continue
            records += 1
            for key, value in found.items():
                values.setdefault(key, []).append(value)
        for key, some in values.items():
            _add(seen.setdefault(key, Column(frozenset())), some)
    if not records and not broken:
        raise SampleRefused(f"{name} holds no records; give a file with records")
    return Sample(name, records, broken)


def _add(column: Column, values: list[Any]) -> None:
    column.forms |= {"number" if kind is _Number else FORMS[kind] for kind in set(map(type, values)) - {type(None)}}
    column.add([str(v).lower() if isinstance(v, bool) else v for v in values if isinstance(v, (str, bool))])


def settled(
    seen: dict[str, Column], records: int, given: dict[str, LogicalType] | None = None
) -> tuple[tuple[Found, ...], tuple[tuple[str, str], ...]]:
    """The columns that have a type, and those that have none with the reason."""
    found: list[Found] = []
    left: list[tuple[str, str]] = []
    for name, column in seen.items():
        column.done()
        if not name.strip():
            left.append((name, "it has no name"))
        elif column.forms & {"objects", "lists"}:
            left.append((name, f"it holds {' and '.join(sorted(column.forms & {'objects', 'lists'}))}"))
        elif len(column.forms) > 1:
            left.append((name, f"its values are of several types ({', '.join(sorted(column.forms))})"))
        else:
            found.append(settle(name, column, records, frozenset(), (given or {}).get(name)))
    if not found:
        why = "; ".join(f"`{name}`: {said}" for name, said in left[:3]) or "no record has a key"
        raise SampleRefused(f"No column of the samples has a type that a contract can have ({why})")
    return tuple(found), tuple(left)
