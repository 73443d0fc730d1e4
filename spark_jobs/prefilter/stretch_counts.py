"""The prefilter's counts by stretches of lines in; counts of splits and records, and keys that do not repeat, out."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, pairwise
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
    checks of keys whose values are compared.
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

    def distinct(self) -> dict[str, set[int]]:
        """Return by file the checks of keys, by number, none of whose values repeats, as no two runs overlap."""
        by_file: dict[str, list[Mapping[str, Any]]] = {}
        for row in self.counts:
            if row["n"] or row["odd"] or row["failing"]:
                by_file.setdefault(row["file"], []).append(row)
        return {
            file: {
                number for k, (number, value) in enumerate(self.keys) if _are_apart([r["keys"][k] for r in rows], value)
            }
            for file, rows in by_file.items()
        }


def _are_apart(ends: Sequence[Sequence[str] | None], value: Callable[[str], Any]) -> bool:
    """Return True if runs of values, by their ends, do not overlap; None stands for too many runs."""
    if None in ends:
        return False
    values = [value(text) for own in ends for text in own or ()]
    in_order = sorted(zip(values[::2], values[1::2], strict=True))
    return all(before[1] < after[0] for before, after in pairwise(in_order))


def key_parsers(plan: Plan, condition: PassCondition | ColumnConditions) -> KeyParsers:
    """Return the checks of keys of a condition with their parsers."""
    return [(n, _key_parser(plan, n)) for n, _ in condition.keys]


def _key_parser(plan: Plan, number: int) -> Callable[[str], Any]:
    """Return a function that makes comparable values from the texts of a check's key."""
    prop = plan.property_named(plan.checks[number].properties()[0])
    return {"integer": int, "number": Decimal if prop.exact else float}.get(prop.type, str)
