"""Nested values: the arrays, maps and objects of a record in, columns for each nested property out.

A property with one value in a record has its cell in `c<n>` and its value in `v<n>`, like any column. A property within
an array or a map has all of them in `e<n>`: an array of structs with `c` and `v`, and on request `at`, the place of
each, and `x`, the raw value. It is null or empty if there is no object, array or map to contain it. The cell of a
container is the number of keys of an object, 0 for others, and -1 if the value is not of its type; its value is that of
its format.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import reduce
from typing import Protocol

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts import rules
from contracts.plan import CONTAINERS, Plan, Property
from contracts.values.nested import suffix

MOST_TESTS = 60
"""Tests whose bits fit into a long with the two bits of cells and values."""
SIZES = rules.MinProperties | rules.MaxProperties
"""The rules that read the cell of an object; without them its keys need not be counted."""


Take = Callable[[Column], Column]
"""The part of an element that is wanted."""


class Parts(Protocol):
    """The operations by which a format parses values; `raw` is a value in its own form.

    `costly`: cells and containers cost so much that each is made once and kept, before its value.
    """

    costly: bool

    def is_null(self, raw: Column) -> Column:
        """Return a column that is true if a raw value is null."""

    def container(self, raw: Column, prop: Property) -> Column:
        """Return a raw value as an object, array or map; null if it is none."""

    def count(self, value: Column, prop: Property) -> Column:
        """Return the number of non-null keys of an object whose properties the contract does not name."""

    def child(self, value: Column, key: str) -> Column:
        """Return the value under a key of an object."""

    def key(self, key: Column) -> Column:
        """Return the key of a map."""

    def cell(self, raw: Column, prop: Property) -> Column:
        """Return its text, if one is needed."""

    def value(self, raw: Column, cell: Column, prop: Property) -> Column:
        """Return it as a value of a property's type; null if it is none."""


def opened(
    rows: DataFrame, plan: Plan, present: Container[str], roots: Mapping[str, Column], parts: Parts, *, at: bool = False
) -> DataFrame:
    """Add c<n> and v<n>, or e<n>, of the containers among the columns and of all properties within them.

    `roots` are these containers by name, as raw values of the record. `at` asks for the places of elements. Each level
    of nesting is a select of its own, so that nothing is parsed twice.
    """
    walk = _Walk(plan, parts, present, at=at)
    level = [p for p in plan.roots if p.name in roots]
    rows = rows.select("*", *(roots[p.name].alias(walk.named("raw", p)) for p in level))
    while level:
        rows = rows.select("*", *(walk.first(p) for p in level if not p.repeats or parts.costly))
        rows = rows.select("*", *(column for p in level for column in walk.columns(p)))
        above = {p.route for p in level}
        level = [p for p in plan.properties if p.path and p.route[:-1] in above and p.name in present]
        owners = list(dict.fromkeys(plan.parent(p) for p in level if plan.parent(p).repeats))
        rows = rows.select("*", *(walk.whole(p) for p in owners)) if owners else rows
        raws = [walk.raw(p) for p in level if not walk.in_objects(p)]
        rows = rows.select("*", *raws) if raws else rows
    return rows


class _Walk:
    """The columns of single properties, from those of the properties that contain them."""

    def __init__(self, plan: Plan, parts: Parts, present: Container[str], *, at: bool) -> None:
        self._plan, self._parts, self._present, self._at = plan, parts, present, at
        self._numbers = {p.name: n for n, p in enumerate(plan.properties)}
        self._sized = {c.property for c in plan.checks if isinstance(c.rule, SIZES)}

    def named(self, what: str, prop: Property) -> str:
        """Return the name of a property's column."""
        return f"{what}{self._numbers[prop.name]}"

    def first(self, prop: Property) -> Column:
        """Return the first form of a raw value: its container, or its cell."""
        if prop.repeats:
            every, x, at = self._every(prop)
            made = sf.transform(
                every, lambda s: sf.struct(x(s).alias("x"), self._first(x(s), prop).alias("f"), *self._place(at, s))
            )
        else:
            made = self._first(sf.col(self.named("raw", prop)), prop)
        return made.alias(self.named("got", prop))

    def columns(self, prop: Property) -> list[Column]:
        """Return the cell and the value, or all of them."""
        if not prop.repeats:
            raw, first = (sf.col(self.named(what, prop)) for what in ("raw", "got"))
            pair = zip("cv", self._pair(raw, first, prop), strict=True)
            return [column.alias(self.named(what, prop)) for what, column in pair]
        every, x, at = self._every(prop)
        if self._parts.costly:
            every, x, at = sf.col(self.named("got", prop)), _x_of, _at_of

        def made(s: Column) -> Column:
            first = s["f"] if self._parts.costly else self._first(x(s), prop)
            cell, value = self._pair(x(s), first, prop)
            raw = [x(s).alias("x")] if self._at else []
            return sf.struct(*raw, cell.alias("c"), value.alias("v"), *self._place(at, s))

        return [sf.transform(every, made).alias(self.named("e", prop))]

    def whole(self, prop: Property) -> Column:
        """Return those of several values that contain others."""
        return sf.filter(self.named("e", prop), lambda s: s["v"].isNotNull()).alias(self.named("whole", prop))

    def raw(self, prop: Property) -> Column:
        """Return the raw values of a property: in structs with `x`, and `at`, if there may be several."""
        step, parent = prop.path[-1], self._plan.parent(prop)
        if not prop.repeats:
            return self._parts.child(sf.col(self.named("v", parent)), prop.key).alias(self.named("raw", prop))
        if not parent.repeats:
            elements = self._inside(sf.col(self.named("v", parent)), sf.lit(parent.name), step)
        else:
            place = _at_of if self._at else (lambda _: sf.lit(""))
            whole = sf.col(self.named("whole", parent))
            elements = sf.flatten(sf.transform(whole, lambda s: self._inside(s["v"], place(s), step)))
        return elements.alias(self.named("raw", prop))

    def in_objects(self, prop: Property) -> bool:
        """Return True if a property is a key of each of several objects: it is read there and not split off."""
        return bool(prop.path) and prop.path[-1].startswith(".") and self._plan.parent(prop).repeats

    def _every(self, prop: Property) -> tuple[Column, Take, Take]:
        """Return an array of raw values, and functions from its elements to the value and to its place."""
        if not self.in_objects(prop):
            return sf.col(self.named("raw", prop)), _x_of, _at_of
        step = prop.path[-1]
        whole = sf.col(self.named("whole", self._plan.parent(prop)))
        return whole, lambda s: self._parts.child(s["v"], prop.key), lambda s: sf.concat(s["at"], _lit(step))

    def _first(self, raw: Column, prop: Property) -> Column:
        return self._parts.container(raw, prop) if prop.type in CONTAINERS else self._parts.cell(raw, prop)

    def _pair(self, raw: Column, first: Column, prop: Property) -> tuple[Column, Column]:
        if prop.type not in CONTAINERS:
            return first, self._parts.value(raw, first, prop)
        size = sf.lit(0)
        if prop.name in self._sized:
            inner = [p for p in self._plan.properties if p.path and p.route[:-1] == prop.route]
            keys = [p.key for p in inner if p.name in self._present]
            each = (~self._parts.is_null(self._parts.child(first, key)) for key in keys)
            size = given(each) if inner else self._parts.count(first, prop)
        return sf.when(first.isNotNull(), size).when(~self._parts.is_null(raw), sf.lit(-1)), first

    def _inside(self, container: Column, at: Column, step: str) -> Column:
        """Return the elements of an array, or the values or the keys of a map, in the form of `raw`."""
        if step == "[]":
            if not self._at:
                return sf.transform(container, lambda x: sf.struct(x.alias("x")))
            return sf.transform(container, lambda x, i: self._raw(x, lambda: sf.concat(at, _lit("["), i, _lit("]"))))
        part = (lambda e: e["value"]) if step == "*" else (lambda e: self._parts.key(e["key"]))

        def place(entry: Column) -> Column:
            return sf.concat(at, _lit("['"), entry["key"], _lit("']"))

        return sf.transform(sf.map_entries(container), lambda e: self._raw(part(e), lambda: place(e)))

    def _raw(self, x: Column, at: Callable[[], Column]) -> Column:
        return sf.struct(x.alias("x"), at().alias("at")) if self._at else sf.struct(x.alias("x"))

    def _place(self, at: Take, s: Column) -> list[Column]:
        return [at(s).alias("at")] if self._at else []


def given(tests: Iterable[Column]) -> Column:
    """Return how many of some tests are true."""
    return reduce(Column.__add__, (test.cast("int") for test in tests), sf.lit(0))


def _x_of(s: Column) -> Column:
    return s["x"]


def _at_of(s: Column) -> Column:
    return s["at"]


def _lit(step: str) -> Column:
    """Return a step as a place shows it."""
    return sf.lit(suffix(step))


# ---- tests on these columns; `n` is the number of a property


def some(n: int, fails: Callable[[Column, Column], Column]) -> Column:
    """Return a column that is true if any cell and value of a record's property fail a test."""
    return sf.exists(f"e{n}", lambda s: sf.coalesce(fails(s["c"], s["v"]), sf.lit(False)))


def has_repeats(array: Column) -> Column:
    """Return a column that is true if an array has an element twice, compared as JSON."""
    texts = sf.transform(array, lambda x: sf.to_json(sf.array(x)))
    return sf.size(sf.array_distinct(texts)) < sf.size(array)


def _none() -> Column:
    return sf.lit(0).cast("long")


def tested(n: int, fails: Sequence[Callable[[Column, Column], Column]]) -> Column:
    """Return bits for a record's property, in one pass: any cell, any value, any value that meets each test."""

    def bits(s: Column) -> Column:
        tests = [s["c"].isNotNull(), s["v"].isNotNull(), *(test(s["c"], s["v"]) for test in fails)]
        each = [sf.when(test, sf.lit(1 << k).cast("long")).otherwise(_none()) for k, test in enumerate(tests)]
        return reduce(Column.bitwiseOR, each)

    every = sf.aggregate(f"e{n}", _none(), lambda so_far, s: so_far.bitwiseOR(bits(s)))
    return sf.coalesce(every, _none()).alias(f"b{n}")


def any_failing(n: int, k: int) -> str:
    """Return the SQL for: the k-th test of `tested` holds."""
    return f"(b{n} & {4 << k}L) != 0"


def without(plan: Plan, n: int, what: str) -> str:
    """Return the SQL for: a record has no cell (`c`), or no value (`v`), of a property."""
    if not plan.properties[n].repeats:
        return f"{what}{n} is null"
    return f"(b{n} & {1 if what == 'c' else 2}L) = 0"


def nowhere(plan: Plan, n: int) -> str:
    """Return the SQL for: a record lacks the object, array or map that contains a nested property."""
    prop = plan.properties[n]
    if prop.repeats:
        return f"coalesce(size(e{n}), 0) <= 0"
    return f"v{plan.properties.index(plan.parent(prop))} is null"


def within(plan: Plan, prop: Property) -> Column | None:
    """Return a column that is true if the container of a nested property exists; None for a column of the record."""
    if not prop.path:
        return None
    return sf.col(f"v{plan.properties.index(plan.parent(prop))}").isNotNull()
