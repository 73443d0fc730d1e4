"""Samples of Parquet in, the profile of all their records out: Spark writes them as JSON Lines, which are read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.authoring.drafting.column import Column
from contracts.authoring.drafting.profile import Profile, Sample, SampleRefused
from contracts.plan import LogicalType
from contracts.problem import quoted
from functions import parquet_footer
from functions.parquet_head import FITTING, LARGEST_FOOTER
from infra.sampling.json_lines import Seen, read, settled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def profile_of(paths: Sequence[Path], session: Callable[[], SparkSession]) -> Profile:
    """The profile of Parquet files of one schema. SampleRefused."""
    types = _types(paths)
    left = tuple((name, f"it is {kind}") for name, kind in types.items() if _logical(kind) is None)
    given = {name: kind for name, found in types.items() if (kind := _logical(found))}
    if not given:
        raise SampleRefused(f"{paths[0].name}: no column has a type that a contract can have")
    seen = Seen({(name,): Column(frozenset()) for name in given})
    samples = [_read_parquet(path, session(), seen) for path in paths]
    if unfit := [
        name for (name,), c in seen.columns.items() if given[name] in ("number", "integer") and len(c.forms) > 1
    ]:
        raise SampleRefused(f"{quoted(unfit)} of the samples holds NaN or infinity, which is no number; write null")
    for column in seen.columns.values():
        column.forms.clear()
    found, more = settled(seen, sum(sample.records for sample in samples), given)
    exact = {name: _scale(types[name]) for name in given}
    columns_found = tuple(replace(one, exact=exact[one.name]) for one in found)
    return Profile(tuple(samples), "parquet", columns_found, order="exact", left=(*left, *more))


def _types(paths: Sequence[Path]) -> dict[str, str]:
    found = [[(c.name, c.type) for c in _footer(path).columns] for path in paths]
    for path, theirs in zip(paths, found, strict=True):
        if theirs != found[0]:
            raise SampleRefused(
                f"{path.name} has other columns or types than {paths[0].name}; "
                "a contract is for files with the same columns, so give those alone"
            )
    return dict(found[0])


def _footer(path: Path) -> parquet_footer.Footer:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(size - parquet_footer.TAIL, 0))
        tail = file.read()
        long = parquet_footer.length(tail)
        if not tail.endswith(parquet_footer.MAGIC) or not 0 < long <= min(size - parquet_footer.TAIL, LARGEST_FOOTER):
            raise SampleRefused(f"{path.name} does not end as a Parquet file does; it was cut short, write it again")
        file.seek(size - parquet_footer.TAIL - long)
        try:
            found = parquet_footer.parse(file.read(long))
        except parquet_footer.FooterInvalid as error:
            raise SampleRefused(f"{path.name}: its footer cannot be read ({error}); write it again") from None
    if not found.rows:
        raise SampleRefused(f"{path.name} holds no records; give a file with records")
    return found


def _logical(kind: str) -> LogicalType | None:
    if kind.startswith("decimal"):
        return "integer" if kind.endswith(",0)") and int(kind[8:-3]) <= 18 else "number"
    order: tuple[LogicalType, ...] = ("string", "integer", "number", "boolean", "date", "timestamp")
    return next((one for one in order if kind in FITTING[one]), None)


def _scale(kind: str) -> tuple[int, int] | None:
    if not kind.startswith("decimal") or _logical(kind) == "integer":
        return None
    precision, scale = (int(n) for n in kind[8:-1].split(","))
    return precision - scale, scale


def _read_parquet(path: Path, spark: SparkSession, seen: Seen) -> Sample:
    """Let Spark write the columns as JSON Lines, and read these."""
    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        link = Path(folder, "1.parquet")
        link.symlink_to(path.resolve())
        frame = spark.read.parquet(link.as_uri())
        frame.select([frame[f"`{name}`"] for (name,) in seen.columns]).write.json(Path(folder, "out").as_uri())
        total = 0
        for part in sorted(Path(folder, "out").glob("part-*")):
            if part.stat().st_size:
                with part.open(encoding="utf-8") as file:
                    total += read(path.name, file, seen).records
    return Sample(path.name, total)
