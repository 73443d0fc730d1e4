"""Samples of XML in, the profile of all their records out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from contracts.authoring.draft.columns.column import WORDS
from contracts.authoring.draft.columns.forms import Forms
from contracts.authoring.draft.profile import ColumnProfile, Profile, Sample, SampleRefused, is_typed, null_words
from contracts.files.xml_documents import xml_records
from contracts.files.xml_documents.xml_cells import BOOLEANS
from contracts.files.xml_documents.xml_names import Names
from contracts.files.xml_documents.xml_shape import TEXT
from contracts.plan import Columns, Plan, Property, Xml
from contracts.problem import Problem, quoted
from contracts.terms.value_form import ValueForm
from contracts.values.nested import name_of
from infra.sampling.flat_lines import FlatLines
from infra.sampling.json_lines import SampleContents, settled
from infra.sampling.sample_heads import MOST_BROKEN, OPEN, SampleHead
from infra.sampling.xml_survey import Path, Survey

MIXED = "it has text beside other elements, which no record may have"


def profile_of(heads: Sequence[SampleHead], most: int | None) -> Profile:
    """Return the profile of XML documents with the same root, of the first bytes of each; raise SampleRefused."""
    begins = [_Begin(head, most if most is not None and _has_more(head, most) else None) for head in heads]
    survey = Survey()
    for begin in begins:
        survey.add(begin.head.path.name, begin.pieces(), whole=begin.most is None)
    record = survey.record()
    roots = {path for path in survey.counts if len(path) == 1}
    if len(roots) > 1:
        raise SampleRefused("The samples have different root elements; give those of one kind")
    xml = survey.xml(record)
    seen = SampleContents(words=frozenset(("", *WORDS)), typed=False)
    values = _Values(survey, record, Names(xml))
    samples = [_read(begin, xml, values, seen) for begin in begins]
    records, broken = (sum(counts) for counts in zip(*((s.records, s.broken) for s in samples), strict=True))
    if 100 * broken > MOST_BROKEN * records:
        raise SampleRefused(f"{broken:,} of {records:,} records of the samples have text beside elements")
    formed = _worded(seen, seen.done())
    nulls = _nulls(seen)
    columns, left = settled(seen, records, formed, nulls=frozenset(nulls))
    left += tuple((f"{xml.record}/{name}", MIXED) for name in sorted(values.mixed))
    return Profile(
        *(tuple(samples), "xml", tuple(_as_xml(column, formed) for column in columns)),
        compression=heads[0].compression,
        left=left,
        forms=formed,
        xml=replace(xml, null_values=nulls),
        remarks=_remarks(survey, record),
    )


def _remarks(survey: Survey, record: Path) -> tuple[str, ...]:
    """Name the other elements that could be records."""
    paths = ["/".join(map(survey.written, path)) for path in survey.others(record)[:3]]
    return (f"`xml.record`: whether records are not {quoted(paths)}.",) if paths else ()


@dataclass(frozen=True, slots=True)
class _Begin:
    """The begin of a document: `most` bytes, or all if that is None."""

    head: SampleHead
    most: int | None

    def pieces(self) -> Iterator[bytes]:
        """Yield it in pieces."""
        left = self.most
        with closing(OPEN[self.head.compression](self.head.path, "rb")) as file:
            while piece := file.read(xml_records.PIECE if left is None else min(left, xml_records.PIECE)):
                left = None if left is None else left - len(piece)
                yield piece


def _has_more(head: SampleHead, most: int) -> bool:
    """Return True if a document has more bytes."""
    with closing(OPEN[head.compression](head.path, "rb")) as file:
        file.seek(most)
        return bool(file.read(1))


def _nulls(seen: SampleContents) -> tuple[str, ...]:
    """Return the texts for null; empty ones only if they stand beside values of other types than text."""
    columns = {"/".join(route): column for route, column in seen.columns.items()}
    nulls = null_words(columns)
    is_blank = any(column.counts.get("") and is_typed(column) for column in columns.values())
    return nulls if is_blank else nulls[1:]


def _worded(seen: SampleContents, formed: Forms) -> Forms:
    """Return forms with those of booleans whose words XML does not have, as `TRUE` and `FALSE`."""
    words = dict(formed.columns)
    for route, column in seen.columns.items():
        pair = sorted(column.texts, key=str.lower, reverse=True)
        if [text.lower() for text in pair] == ["true", "false"] and not {*pair} <= BOOLEANS.keys():
            column.form = words[name_of(route)] = ValueForm(true=(pair[0],), false=(pair[1],))
    return replace(formed, columns=words)


def _as_xml(column: ColumnProfile, formed: Forms) -> ColumnProfile:
    """Return a column with a type that texts of XML have: words of booleans that no form names are texts."""
    words = {text for text, _ in column.values or ()}
    is_odd = column.type == "boolean" and column.name not in formed.columns and not words <= BOOLEANS.keys()
    return replace(column, type="string") if is_odd else column


def _read(begin: _Begin, xml: Xml, values: _Values, seen: SampleContents) -> Sample:
    """Add the values of a document to `seen`; raise SampleRefused."""
    name, is_whole = begin.head.path.name, begin.most is None
    plan = Plan(
        *(name, name, "1.0.0", name, name, (), values.plain, ()), columns=Columns("warn"), file_format="xml", xml=xml
    )
    filled, records, broken, flat = Counter[str](), 0, 0, FlatLines()
    for part in xml_records.lines(plan, begin.pieces(), whole=is_whole):
        if isinstance(part, Problem):
            raise SampleRefused(f"{name}: {part.message.rstrip('.')}")
        objects = [values.parsed(line, flat) for line in part.decode().split("\n") if line and not flat.take(line)]
        records += len(objects) + flat.count
        broken += sum(isinstance(one, list) for one in objects)
        for key, tokens in flat.drain():
            filled[key] += seen.add_written((key,), tokens)
        by_key: dict[str, list[Any]] = {}
        for one in objects:
            for key, value in values.shaped(one[1] if isinstance(one, list) else one, ()).items():
                by_key.setdefault(key, []).append(value)
        for key, some in by_key.items():
            seen.add((key,), some)
            filled[key] += sum(value is not None for value in some)
    if not records:
        raise SampleRefused(f"{name} holds no records; give a file with records")
    seen.filled.append((records, filled))
    return Sample(name, records, broken, is_whole)


class _Values:
    """Records as they are written, in the one form that all of them have: what repeats anywhere is an array."""

    def __init__(self, survey: Survey, record: Path, names: Names) -> None:
        def inner(paths: Iterable[Path]) -> dict[Path, None]:
            within = (
                path[len(record) :] for path in paths if len(path) > len(record) and path[: len(record)] == record
            )
            return dict.fromkeys(tuple(map(names.key, path)) for path in within)

        self._arrays, self._parents = set(inner(survey.repeated)), set(inner(survey.parents))
        self._objects = self._parents | set(inner(survey.attributed))
        self.mixed: set[str] = set()
        single = (path for path in inner(survey.counts) if path not in self._arrays | self._objects)
        self.plain = tuple(Property(path[0], "string") for path in single if len(path) == 1)
        """The elements that are single texts in all records, which are read faster if they are known."""

    def parsed(self, line: str, flat: FlatLines) -> Any:
        """Return the value of a line; let others like it be taken at once if all elements are single texts."""
        value = json.loads(line)
        if isinstance(value, dict) and not any((key,) in self._arrays or (key,) in self._objects for key in value):
            flat.learn(line, value)
        return value

    def shaped(self, value: Any, route: Path) -> Any:
        """Return a value in the form of its place."""
        if route in self._arrays:
            return [self._single(one, route) for one in (value if isinstance(value, list) else [value])]
        return self._single(value, route)

    def _single(self, value: Any, route: Path) -> Any:
        if route in self._objects and isinstance(value, str):
            value = {TEXT: value} if value or route not in self._parents else {}
        if not isinstance(value, dict):
            return value
        if TEXT in value and route in self._parents:
            self.mixed.add("/".join(route))
        is_kept = route not in self._parents
        return {key: self.shaped(one, (*route, key)) for key, one in value.items() if is_kept or key != TEXT}
