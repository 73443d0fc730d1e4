"""The prefilter's counts by stretches of lines in; counts of splits and of records, and keys that ascend, out."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from contracts.plan import Plan
from spark_jobs.counting.lines import NO_ID, Line, MaskCount, SplitCounts

if TYPE_CHECKING:
    from spark_jobs.prefilter.arrow_tests import PassCondition
    from spark_jobs.prefilter.parquet_columns import ColumnConditions

KeyParsers = Sequence[tuple[int, Callable[[str], Any]]]
"""Checks of keys, by number, each with a function that makes comparable values from the texts of its key."""


@dataclass(frozen=True, slots=True)
class StretchCounts:
    """The counts of files with one header.

    `counts` are those of stretches of lines, as `arrow_tests.SCHEMA`; `fails` those of lines that fail. `keys` are the
    checks of keys whose values are compared from line to line.
    """

    counts: Sequence[Mapping[str, Any]]
    fails: Sequence[MaskCount]
    keys: KeyParsers

    def splits(self) -> dict[tuple[str, int], SplitCounts]:
        """Return the counts of each split, by file and block."""
        splits: dict[tuple[str, int], SplitCounts] = {}
        for row in self.counts:
            head = None if row["head"] is None else Line(row["head"], row["line"])
            n = row["n"] + row["blank"] + row["odd"] + row["failing"] + (head is not None)
            first = NO_ID if row["first"] is None else row["first"]
            split = SplitCounts(row["file"], row["block"], n, row["blank"], first, head)
            at = row["file"], row["block"]
            splits[at] = splits[at] + split if at in splits else split
        return splits

    def mask_counts(self, others: Container[int] | None = None) -> Iterator[MaskCount]:
        """Yield the lines that pass and those that fail the same checks, with the nulls in them.

        Of odd lines come the nulls without the lines, but for the sums at some places, None for all: Spark adds these.
        """
        for row in self.counts:
            if row["n"]:
                yield MaskCount(row["file"], 0, row["n"], row["sums"])
            if others is not None and row["odd"]:
                nulls = (0 if place in others else n for place, n in enumerate(row["nulls"]))
                yield MaskCount(row["file"], 0, 0, [*nulls, *[0] * (len(row["sums"]) - len(row["nulls"]))])
        yield from self.fails

    def open_columns(self) -> set[int] | None:
        """Return the places of the columns in which not all cells of odd lines are sure; None if any column may be."""
        places = [row["open"] for row in self.counts if row["odd"]]
        return None if None in places else set(chain.from_iterable(places))

    def ascending(self) -> dict[str, set[int]]:
        """Return by file the checks of keys, by number, whose values ascend from line to line, so that none repeats."""
        by_file: dict[str, list[Mapping[str, Any]]] = {}
        for row in sorted(
            (row for row in self.counts if row["n"] or row["odd"] or row["failing"]), key=itemgetter("block", "first")
        ):
            by_file.setdefault(row["file"], []).append(row)
        ascending: dict[str, set[int]] = {file: set() for file in by_file}
        for file, rows in by_file.items():
            for k, (number, value) in enumerate(self.keys):
                spans = [row["keys"][k] for row in rows]
                if None not in spans and all(value(before[1]) < value(after[0]) for before, after in pairwise(spans)):
                    ascending[file].add(number)
        return ascending


def key_parsers(plan: Plan, condition: PassCondition | ColumnConditions) -> KeyParsers:
    """Return the checks of keys of a condition with their parsers."""
    return [(n, _key_parser(plan, n)) for n, _ in condition.keys]


def _key_parser(plan: Plan, number: int) -> Callable[[str], Any]:
    """Return a function that makes comparable values from the texts of a check's key."""
    prop = plan.property_named(plan.checks[number].properties()[0])
    return {"integer": int, "number": Decimal if prop.exact else float}.get(prop.type, str)
