"""Samples of JSON Lines in, the profile of all their records out."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any

from contracts.authoring.draft.columns.column import WORDS, ColumnCounts
from contracts.authoring.draft.columns.forms import Forms, forms_of
from contracts.authoring.draft.profile import ColumnProfile, Profile, Sample, SampleRefused, is_typed, scarcest, settle
from contracts.files.columns import OURS
from contracts.files.header import MOST_COLUMNS
from contracts.plan import CONTAINERS, REPEATING, LogicalType
from contracts.problem import quoted
from contracts.terms.value_form import PLAIN, ValueForm
from contracts.values.nested import name_of
from infra.sampling.flat_lines import FlatLines
from infra.sampling.sample_heads import ADDED, MOST_BROKEN, SampleHead, opened, pieces

MOST_DEPTH, MOST_KEYS = 10, 100
"""Levels of nested values that are read, and the number of keys from which an object is taken for a map."""
FORMS = {str: "text", int: "number", float: "number", bool: "boolean", dict: "objects", list: "lists"}


WORDS_OF_JSON = {"true": True, "false": False, "null": None}
SURROGATES = re.compile("[\ud800-\udfff]")

Route = tuple[str, ...]


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("a key occurs twice")
    return unique


def _constant(text: str) -> Any:
    raise ValueError(text)


DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_Number, parse_float=_Number, parse_constant=_constant)


@dataclass(slots=True)
class SampleContents:
    """The contents of samples, by the steps from a record (see `contracts.values.nested`).

    `objects` counts the objects of a place, `arrays` its arrays, `elements` the elements of these or of maps. `maps`
    are the places whose objects are maps. `filled` has for each sample its number of records, and of values by key.
    `words` are texts that may stand for null; texts that are not `typed` may be of any type, as in XML.
    """

    columns: dict[Route, ColumnCounts] = field(default_factory=dict)
    objects: Counter[Route] = field(default_factory=Counter)
    arrays: Counter[Route] = field(default_factory=Counter)
    elements: Counter[Route] = field(default_factory=Counter)
    keys: Counter[Route] = field(default_factory=Counter)
    maps: frozenset[Route] = frozenset()
    filled: list[tuple[int, Counter[str]]] = field(default_factory=list)
    words: frozenset[str] = frozenset()
    typed: bool = True

    def done(self) -> Forms:
        """Finish counting; return the forms of texts that are values of other types, which their columns have then.

        In JSON, which has a null of its own, words for it are those of single columns.
        """
        for column in self.columns.values():
            column.done()
        texts = {name_of(route): column for route, column in self.columns.items() if column.forms <= {"text"}}
        formed = forms_of(texts, ",")
        for name, form in formed.columns.items():
            texts[name].form = form
        if not self.typed:
            return formed
        own = dict(formed.columns)
        for name, column in ((name_of(route), column) for route, column in self.columns.items()):
            words = tuple(sorted(column.words & column.counts.keys())) or None
            is_both = column.forms in ({"number", "text"}, {"boolean", "text"})
            if is_both and (column.is_number or column.kinds.booleans):
                column.forms.remove("text")  # the texts are words for null, or what the others are as well
                own[name] = ValueForm(nulls=words)
            elif words and column.forms <= {"text"} and is_typed(column):
                own[name] = replace(column.form, nulls=words)
        return replace(formed, columns=own)

    def _column(self, route: Route) -> ColumnCounts:
        if route not in self.columns:
            self.keys[route[:-1]] += 1
        return self.columns.setdefault(route, ColumnCounts(self.words))

    def add_written(self, route: Route, tokens: Sequence[str]) -> int:
        """Add values of one place as JSON writes them, texts without escapes; return how many are not null."""
        signs = {token[0] for token in set(tokens)}
        if signs <= {*"-0123456789"} or signs == {'"'}:
            column, is_text = self._column(route), signs == {'"'}
            column.forms |= {"number"} if not is_text else {"text"} if self.typed else set()
            column.add([token[1:-1] for token in tokens] if is_text else tokens)
            return len(tokens)
        values = {
            token: token[1:-1] if token[0] == '"' else WORDS_OF_JSON.get(token, _Number(token)) for token in set(tokens)
        }
        self.add(route, [values[token] for token in tokens])
        return len(tokens) - tokens.count("null")

    def add(self, route: Route, values: list[Any]) -> None:
        """Add the values of one place, and all nested values."""
        column = self._column(route)
        kinds = set(map(type, values)) - ({type(None)} if self.typed else {type(None), str})
        column.forms |= {"number" if kind is _Number else FORMS[kind] for kind in kinds}
        column.add([str(v).lower() if isinstance(v, bool) else v for v in values if isinstance(v, (str, bool))])
        if not column.forms & {"objects", "lists"}:
            return
        objects = [v for v in values if isinstance(v, dict)]
        arrays = [v for v in values if isinstance(v, list)]
        self.objects[route] += len(objects)
        self.arrays[route] += len(arrays)
        if len(route) > MOST_DEPTH:
            return
        if route in self.maps:
            entries = [entry for one in objects for entry in one.items()]
            self.elements[route] += len(entries)
            for step, side in zip(("~", "*"), zip(*entries, strict=True), strict=False):
                self.add((*route, step), list(side))
            return
        if elements := [one for array in arrays for one in array]:
            self.elements[route] += len(elements)
            self.add((*route, "[]"), elements)
        for key, some in _by_key(objects).items():
            if self.keys[route] <= MOST_KEYS:
                self.add((*route, f".{key}"), some)


def _by_key(objects: list[dict[str, Any]]) -> dict[str, list[Any]]:
    values: dict[str, list[Any]] = {}
    for one in objects:
        for key, value in one.items():
            values.setdefault(key, []).append(value)
    return values


def profile_of(heads: Sequence[SampleHead]) -> Profile:
    """Return the profile of files of JSON Lines; raise SampleRefused."""
    for one in heads:
        if one.encoding != "utf-8":
            raise SampleRefused(f"{one.path.name} is not UTF-8, as JSON Lines are; write it in UTF-8")
    seen = SampleContents(words=frozenset(("", *WORDS)))
    samples = []
    for one in heads:
        with opened(one) as file:
            samples.append(read(one.path.name, file, seen))
    keys = sum(len(route) == 1 for route in seen.columns)
    if keys > MOST_COLUMNS:
        raise SampleRefused(f"the samples have {keys:,} keys; {MOST_COLUMNS:,} are the maximum")
    records, broken = (sum(counts) for counts in zip(*((s.records, s.broken) for s in samples), strict=True))
    if 100 * broken > MOST_BROKEN * (records + broken):
        raise SampleRefused(
            f"{broken:,} of {records + broken:,} lines of the samples are not JSON objects; write one on each line"
        )
    formed = seen.done()
    columns, left = settled(seen, records, formed)
    made = Profile(tuple(samples), "jsonl", columns, compression=heads[0].compression, left=left, forms=formed)
    return replace(made, remarks=tuple(_remarks(seen, formed)))


def _remarks(seen: SampleContents, formed: Forms) -> Iterator[str]:
    """Name the texts that could be read as numbers, which JSON has as well."""
    plain = [
        name
        for route, column in seen.columns.items()
        if column.forms == {"text"} and column.is_number and (name := name_of(route)) not in formed.columns
    ]
    if plain:
        yield f"{quoted(plain, most=12)}: whether their texts are numbers, as `values: {{decimalChar: '.'}}` has it."


def read(name: str, file: IO[str], seen: SampleContents) -> Sample:
    """Add the values under each key to `seen`; raise SampleRefused."""
    records = broken = 0
    filled, flat = Counter[str](), FlatLines()
    for piece in pieces(file):
        objects: list[dict[str, Any]] = []
        for line in piece.split("\n"):
            if not line or flat.take(line):
                continue
            try:
                record = DECODER.decode(line.strip(" \t"))
            except (ValueError, RecursionError):
                record = None
            text = json.dumps(record, ensure_ascii=False) if "\\u" in line and isinstance(record, dict) else ""
            if SURROGATES.search(text):  # half of a surrogate pair, from an escape, is no character
                record = None
            if isinstance(record, dict):
                objects.append(record)
                flat.learn(line, record)
            else:
                broken += 1
        records += len(objects) + flat.count
        for key, some in _by_key(objects).items():
            seen.add((key,), some)
            filled[key] += sum(value is not None for value in some)
        for key, tokens in flat.drain():
            filled[key] += seen.add_written((key,), tokens)
    if not records and not broken:
        raise SampleRefused(f"{name} holds no records; give a file with records")
    seen.filled.append((records, filled))
    return Sample(name, records, broken)


def settled(
    seen: SampleContents,
    records: int,
    formed: Forms,
    given: Mapping[Route, LogicalType] | None = None,
    nulls: frozenset[str] = frozenset(),
) -> tuple[tuple[ColumnProfile, ...], tuple[tuple[str, str], ...]]:
    """Return the columns that have a type, each before its nested ones, and the others with the reason."""
    columns: list[ColumnProfile] = []
    left: list[tuple[str, str]] = []
    out: set[Route] = set()
    for route, column in sorted(seen.columns.items(), key=lambda one: len(one[0])):
        if route[:-1] in out:
            out.add(route)
        elif why := _why_left(seen, route, column):
            out.add(route)
            left.append((name_of(route), why))
        else:
            form = formed.columns.get(name_of(route), PLAIN)
            one = _column(seen, route, records, (given or {}).get(route), nulls.union(form.nulls or ()))
            columns.append(replace(one, unsure=formed.unsure.get(one.name, "")))
    if not columns:
        why = "; ".join(f"`{name}`: {reason}" for name, reason in left[:3]) or "no record has a key"
        raise SampleRefused(f"No column of the samples has a type that a contract can have ({why})")
    return tuple(columns), tuple(left)


def _why_left(seen: SampleContents, route: Route, column: ColumnCounts) -> str | None:
    """Return why nothing is proposed for a place."""
    name = route[-1].removeprefix(".")
    if not name.strip():
        return "it has no name"
    if not name.isprintable():
        return "its name has characters that cannot be printed"
    if len(route) == 1 and name in OURS:
        return ADDED
    if column.forms == {"number"} and not (column.kinds.is_integer or column.kinds.is_double):
        return "its numbers are larger than a double, or not written as JSON writes them"
    if len(column.forms) > 1:
        return f"its values are of several types ({', '.join(sorted(column.forms))})"
    if len(route) > 1 and seen.keys[route[:-1]] > MOST_KEYS:
        return f"it is one of more than {MOST_KEYS} keys; state if they are those of a map"
    return None


def _column(
    seen: SampleContents, route: Route, records: int, given: LogicalType | None, nulls: frozenset[str]
) -> ColumnProfile:
    column, path = seen.columns[route], route if len(route) > 1 else ()
    above = route[:-1]
    places = records if not above else seen.elements[above] if route[-1] in REPEATING else seen.objects[above]
    kind = given or ("object" if column.forms == {"objects"} else "array" if column.forms == {"lists"} else None)
    if kind in CONTAINERS:
        held = (seen.arrays if kind == "array" else seen.objects)[route]
        return ColumnProfile(name_of(route), kind, None, places, places - held, unique=False, path=path)
    one = settle(name_of(route), column, places, nulls, given)
    if path:
        return replace(one, path=path, unique=False)
    words = one.nulls - sum(count - filled[one.name] for count, filled in seen.filled)  # which any sample may have
    nulls_of = ((min(count, count - filled[one.name] + words), count) for count, filled in seen.filled)
    return replace(one, scarcest=scarcest(nulls_of))
