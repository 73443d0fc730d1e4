"""Samples of Parquet in, the profile of all their records out: Spark writes them as JSON Lines, which are read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.authoring.draft.columns.column import ColumnCounts
from contracts.authoring.draft.columns.forms import NO_FORMS
from contracts.authoring.draft.profile import Profile, Sample, SampleRefused
from contracts.plan import LogicalType, Property
from contracts.problem import quoted
from contracts.values.nested import name_of
from contracts.values.parquet_types import STORED
from functions.admission.heads.parquet import parquet_footer, parquet_head
from functions.admission.heads.parquet.parquet_fit import FITTING
from functions.admission.heads.parquet.parquet_footer import Column as Stored
from functions.admission.heads.parquet.parquet_head import LARGEST_FOOTER
from functions.admission.heads.parquet.parquet_nested import read_as, steps
from functions.admission.heads.parquet.parquet_types import TOO_LONG
from infra.files import read_at
from infra.sampling.json_lines import Route, SampleContents, read, settled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHAPED: dict[str, LogicalType] = {"struct": "object", "array": "array", "map": "map"}

AGAIN = "Write it again, and give it whole."


def profile_of(paths: Sequence[Path], session: Callable[[], SparkSession]) -> Profile:
    """Return the profile of Parquet files of one schema; raise SampleRefused."""
    schemas = [_footer(path).columns for path in paths]
    columns = schemas[0]
    for path, theirs in zip(paths, schemas, strict=True):
        if theirs != columns:
            raise SampleRefused(
                f"{path.name} has other columns or types than {paths[0].name}; "
                "a contract is for files with the same columns, so give only those"
            )
    properties: dict[Route, Property] = {}
    left = [lack for column in columns for lack in _add_property(column, (column.name,), properties)]
    if not properties:
        raise SampleRefused(f"{paths[0].name}: no column has a type that a contract can have")
    types = {c.name: read_as(c, (c.name,), properties) for c in columns if (c.name,) in properties}
    maps = frozenset(route for route, prop in properties.items() if prop.type == "map")
    seen = SampleContents({route: ColumnCounts(frozenset()) for route in properties}, maps=maps)
    samples = [_read_parquet(path, session(), seen, types) for path in paths]
    numbers = [route for route, prop in properties.items() if prop.type in ("number", "integer")]
    if unfit := [name_of(route) for route in numbers if seen.columns[route].forms - {"number"}]:
        raise SampleRefused(f"{quoted(unfit)} of the samples holds NaN or infinity, which are not numbers; write null")
    for column in seen.columns.values():
        column.forms.clear()
    given = {route: prop.type for route, prop in properties.items()}
    seen.done()
    profiles, more = settled(seen, sum(sample.records for sample in samples), NO_FORMS, given)
    exact = {route: prop.exact and (prop.exact[0] - prop.exact[1], prop.exact[1]) for route, prop in properties.items()}
    with_digits = tuple(replace(one, exact=exact[one.path or (one.name,)]) for one in profiles)
    return Profile(tuple(samples), "parquet", with_digits, order="exact", left=(*left, *more))


def _add_property(column: Stored, route: Route, properties: dict[Route, Property]) -> Iterator[tuple[str, str]]:
    """Add a column and its nested ones to `properties`; yield those that are left out, with the reason."""
    kind = SHAPED.get(column.shape) or _logical(column.declared)
    if column.annotation.endswith(TOO_LONG):
        raise SampleRefused(f"`{name_of(route)}` is {column.annotation}, which Spark does not read; give fewer digits")
    if column.is_empty:
        yield name_of(route), "it holds no value, and is of no type"
        return
    if kind is None or (len(route) > 1 and column.type in STORED):
        yield name_of(route), f"it is {column.annotation or column.type}"
        return
    if kind == "map" and column.inner[0].type != "string":
        yield name_of(route), f"its keys are {column.inner[0].type}"
        return
    exact = None
    if column.declared.startswith("decimal") and _logical(column.declared) != "integer":
        precision, scale = (int(n) for n in column.declared[8:-1].split(","))
        exact = precision, scale
    prop = Property(name_of(route), kind, exact=exact, path=route if len(route) > 1 else ())
    within: dict[Route, Property] = {}
    for step, inner in zip(steps(column), column.inner, strict=True):
        yield from _add_property(inner, (*route, step), within)
    there = [(*route, step) in within for step in steps(column)]
    if not there or (any(there) if kind == "object" else all(there)):
        properties |= {route: prop, **within}


def _footer(path: Path) -> parquet_footer.Footer:
    """Return the footer of a file; raise SampleRefused, also for what admission would report under any contract."""
    size = path.stat().st_size
    with path.open("rb") as file:
        tail = read_at(file, max(size - parquet_footer.TAIL, 0), parquet_footer.TAIL)
        long = parquet_footer.length(tail)
        if not tail.endswith(parquet_footer.MAGIC) or not 0 < long <= min(size - parquet_footer.TAIL, LARGEST_FOOTER):
            raise SampleRefused(f"{path.name} does not end as a Parquet file does; it was cut short, write it again")
        pages = size - parquet_footer.TAIL - long
        try:
            footer = parquet_footer.parse(read_at(file, pages, long))
        except parquet_footer.FooterInvalid as error:
            raise SampleRefused(f"{path.name}: its footer cannot be read ({error}); write it again") from None
        if footer.encrypted:
            problems = [parquet_head.encrypted()]
        else:
            problems = parquet_head.unreadable(footer, pages, partial(read_at, file))
    for problem in problems:
        raise SampleRefused(f"{path.name}: {problem.message} {problem.fix}")
    if not footer.rows:
        raise SampleRefused(f"{path.name} holds no records; give a file with records")
    return footer


def _logical(kind: str) -> LogicalType | None:
    if kind.startswith("decimal"):
        return "integer" if kind.endswith(",0)") and int(kind[8:-3]) <= 18 else "number"
    order: tuple[LogicalType, ...] = ("string", "integer", "number", "boolean", "date", "timestamp", "time")
    return next((one for one in order if kind in FITTING[one]), None)


def _read_parquet(path: Path, session: SparkSession, seen: SampleContents, types: Mapping[str, str]) -> Sample:
    """Let Spark write the columns of these types as JSON Lines, and read these."""
    from spark_jobs.formats import parquet, parquet_pages
    from spark_jobs.validate import configured

    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        link, spark = Path(folder, "1.parquet"), configured(session)
        link.symlink_to(path.resolve())
        if problem := parquet.flaw(spark, link.as_uri(), types):
            raise SampleRefused(f"{path.name}: {problem.message} {problem.fix}")
        try:
            parquet.shown(spark, link.as_uri(), types).write.json(Path(folder, "out").as_uri())
        except parquet_pages.UNREADABLE as error:
            raise SampleRefused(f"{path.name}: {parquet.undecoded(error).message} {AGAIN}") from None
        total = 0
        for part in sorted(Path(folder, "out").glob("part-*")):
            if part.stat().st_size:
                with part.open(encoding="utf-8") as file:
                    total += read(path.name, file, seen).records
    return Sample(path.name, total)
