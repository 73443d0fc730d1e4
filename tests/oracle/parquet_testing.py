"""The files of apache/parquet-testing beside their manifest: a checkout in, what became of each of its files out.

    python -m tests.oracle.parquet_testing CHECKOUT           say where the files and the manifest disagree
    python -m tests.oracle.parquet_testing CHECKOUT --write   write the manifest anew

Each file is judged under two contracts. One has all of its columns: what it is refused for is `left`. The other has
the columns that are read: all records and cells must be those that Arrow reads, or the file is refused. The files are
not among ours; `test_parquet_testing.py` holds a file of our own against each kind of outcome.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from contracts.plan import LogicalType, Plan, Property
from contracts.problem import Problem
from contracts.values.nested import name_of
from functions.admission.admit import admit
from functions.admission.heads.parquet import parquet_footer
from functions.admission.heads.parquet.parquet_fit import FITTING
from functions.admission.heads.parquet.parquet_nested import KEYS, SHAPES, steps
from tests.integration.spark_jobs.formats.test_parquet_forms import ALL, as_cell
from tests.integration.spark_jobs.world import Judged, a_plan, judge

MANIFEST = Path(__file__).parents[1] / "data" / "parquet_testing.json"
FOLDERS = ("data", "bad_data", "shredded_variant")
ENDINGS = (".parquet", ".encrypted")
ORDER: tuple[LogicalType, ...] = ("string", "integer", "number", "boolean", "date", "timestamp", "time")
NONE = Property("none", "string")
"""What a contract has for a file without a column that is read."""
OF_SHAPES: Mapping[str, LogicalType] = {"struct": "object", "array": "array", "map": "map"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file: its bytes, what becomes of it (records, or why it is refused), what Arrow makes of it, and what is left.

    `arrow` is the number of records that Arrow reads of the same columns, or its error's name; Arrow is not asked about
    files that the door refuses.
    """

    size: int
    sha256: str
    outcome: int | str
    arrow: int | str
    left: tuple[str, ...] = ()


# ---- contracts


def properties(column: parquet_footer.Column, route: tuple[str, ...]) -> Iterator[Property]:
    """Yield a column as a property, and what is in it; nothing of one that no property takes."""
    kind = OF_SHAPES.get(column.shape) or next((k for k in ORDER if column.type in FITTING[k]), None)
    if column.type.startswith("decimal"):
        kind = "number"
    if column.shape == "map" and not column.inner[0].type.startswith(KEYS):
        return
    within = [list(properties(inner, (*route, step))) for step, inner in zip(steps(column), column.inner, strict=True)]
    is_whole = any if kind == "object" else all
    if kind is None or (column.shape in SHAPES.values() and not is_whole(map(bool, within))):
        return
    yield Property(name_of(route), kind, path=route if len(route) > 1 else ())
    for some in within:
        yield from some


def readable(columns: Sequence[parquet_footer.Column]) -> Plan:
    """Return a contract for the columns that are read; of none of these for a column that no file has."""
    props = [prop for column in columns for prop in properties(column, (column.name,))]
    inner = [p for p in props if not p.path or all(step != "~" for step in p.path)]
    return a_plan(inner or [NONE], [ALL], columns_extra="ignore", file_format="parquet", empty="accept")


def whole(columns: Sequence[parquet_footer.Column], plan: Plan) -> Plan:
    """Return a contract for all columns: of those that are not read, what they would be."""
    own = {p.name for p in plan.properties}
    rest = [Property(column.name, _like(column)) for column in columns if column.name not in own]
    kept = [p for p in plan.properties if p != NONE]
    return a_plan([*kept, *rest], file_format="parquet", columns_extra="ignore")


def _like(column: parquet_footer.Column) -> LogicalType:
    """Return the type that a column would have if it was read."""
    return "number" if column.annotation == "FLOAT16" else OF_SHAPES.get(column.shape, "string")


def columns_of(body: bytes) -> tuple[parquet_footer.Column, ...]:
    """Return the columns of a file; none of one whose footer is not read."""
    long = parquet_footer.length(body[-parquet_footer.TAIL :])
    try:
        return parquet_footer.columns(body[-parquet_footer.TAIL - long : -parquet_footer.TAIL])
    except parquet_footer.FooterInvalid:
        return ()


# ---- outcomes


def entries(spark: SparkSession, folder: Path, bodies: Mapping[str, bytes]) -> dict[str, Entry]:
    """Return what becomes of files; those of one contract are judged together."""
    plans = {name: readable(columns_of(body)) for name, body in bodies.items()}
    outcomes: dict[str, int | str] = {}
    for n, (plan, names) in enumerate(_by_plan(plans)):
        refused = {name: problems[0] for name in names if (problems := _at_door(plan, bodies[name]))}
        outcomes |= {name: as_text(problem) for name, problem in refused.items()}
        own = {_flat(name): bodies[name] for name in names if name not in refused}
        if own:
            (folder / str(n)).mkdir()
            judged = judge(spark, folder / str(n), plan, own)
            outcomes |= {
                name: _outcome(spark, judged, _flat(name), bodies[name]) for name in names if _flat(name) in own
            }
    return {name: _entry(body, plans[name], outcomes[name]) for name, body in sorted(bodies.items())}


def _by_plan(plans: Mapping[str, Plan]) -> list[tuple[Plan, list[str]]]:
    same: dict[str, list[str]] = {}
    for name, plan in plans.items():
        same.setdefault(repr(plan), []).append(name)
    return [(plans[names[0]], names) for names in same.values()]


def _flat(name: str) -> str:
    return name.replace("/", "-")


def refusals(plan: Plan, body: bytes) -> list[Problem]:
    """Return what the door says of a file."""
    return list(admit(plan, "things/a", len(body), lambda at, n: body[at : at + n]).problems)


def _at_door(plan: Plan, body: bytes) -> list[Problem]:
    """Return why a file goes no further; of one without a column that is read, what is wrong with those it has."""
    without = NONE in plan.properties
    problems = refusals(whole(columns_of(body), plan) if without else plan, body)
    return problems or (refusals(plan, body) if without else [])


def as_text(problem: Problem) -> str:
    """Return a refusal as the manifest has it."""
    return f"{problem.code}: {problem.message} {problem.fix}"


def _outcome(spark: SparkSession, judged: Judged, name: str, body: bytes) -> int | str:
    """Return the records of a file that the door let in, which are those of Arrow; or why it is refused."""
    drop = judged.drop(name)
    if drop.failure or drop.refusal:
        return as_text(drop.refusal) if drop.refusal else f"FAILED: {drop.failure}"
    flat = [p.name for p in judged.plan.properties if not p.path]
    rows = [row for row in judged.evidence(spark) if row.drop == name]
    cells = [{column: _plain_cell(row.cells.get(column)) for column in flat} for row in rows]
    wanted = _read(body, flat)
    if isinstance(wanted, list) and cells != wanted:
        return f"DIFFERS: {next((pair for pair in zip(cells, wanted, strict=False) if pair[0] != pair[1]), 'rows')}"
    return drop.read


def _entry(body: bytes, plan: Plan, outcome: int | str) -> Entry:
    columns = columns_of(body)
    left = [p for p in refusals(whole(columns, plan), body) if p.code == "wrong-type"]
    read = "not asked" if _at_door(plan, body) else _read(body, [p.name for p in plan.properties if not p.path])
    arrow = read if isinstance(read, str) else len(read)
    return Entry(len(body), hashlib.sha256(body).hexdigest()[:16], outcome, arrow, tuple(map(as_text, left)))


def _read(body: bytes, names: Sequence[str]) -> list[dict[str, Any]] | str:
    """Return what Arrow reads of some columns; the name of the error where it reads nothing, or Python has no year."""
    how = {"coerce_int96_timestamp_unit": "us", "page_checksum_verification": True, "use_threads": False}
    try:
        table = pq.read_table(io.BytesIO(body), columns=list(names), **how)
        columns = {name: _cells(table.column(name)) for name in names}
    except (OSError, OverflowError, pa.ArrowInvalid) as error:
        return type(error).__name__
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _cells(column: Any) -> list[Any]:
    kind = str(column.type)
    if kind.startswith(("timestamp", "time")):
        values = column.cast("int32" if column.type.bit_width == 32 else "int64").to_pylist()
        return [_plain_cell(as_cell(v, column.type)) for v in values]
    if kind.startswith(("list", "struct", "map")):
        return [_plain_value(v) for v in column.to_pylist(maps_as_pydicts="strict")]
    return [_plain_cell(as_cell(v, column.type)) for v in column.to_pylist()]


def _plain_cell(cell: Any) -> Any:
    """Return a cell as a number or a value of JSON, where it is one: Spark and Python write them in their own ways."""
    if cell is None or not isinstance(cell, str | float):
        return cell
    try:
        return _plain_value(json.loads(str(cell).replace("nan", "NaN")))
    except ValueError:
        return cell


def _plain_value(value: Any) -> Any:
    """Return a value with numbers as texts, so that NaN is itself."""
    if isinstance(value, dict):
        return {str(key): _plain_value(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_plain_value(v) for v in value]
    return repr(float(value)) if isinstance(value, float | int) and not isinstance(value, bool) else value


# ---- the manifest


def manifest() -> dict[str, Entry]:
    """Return the manifest."""
    made = json.loads(MANIFEST.read_text())
    return {name: Entry(**(entry | {"left": tuple(entry.get("left", ()))})) for name, entry in made.items()}


def written(entries: Mapping[str, Entry]) -> str:
    """Return a manifest as text, a line for each file."""
    lines = (f"  {json.dumps(name)}: {json.dumps(_sparse(entry))}" for name, entry in entries.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _sparse(entry: Entry) -> dict[str, Any]:
    return {name: value for name, value in asdict(entry).items() if name != "left" or value}


def bodies_in(checkout: Path) -> dict[str, bytes]:
    """Return the files of a checkout, by their names in it."""
    paths = (path for folder in FOLDERS for path in (checkout / folder).rglob("*") if path.name.endswith(ENDINGS))
    return {str(path.relative_to(checkout)): path.read_bytes() for path in sorted(paths)}


def differences(now: Mapping[str, Entry], agreed: Mapping[str, Entry]) -> Iterable[str]:
    """Yield where files and the manifest disagree, a line for each."""
    for name in sorted({*now, *agreed}):
        if now.get(name) != agreed.get(name):
            yield f"{name}\n  manifest: {agreed.get(name)}\n  now:      {now.get(name)}"


def main(arguments: Sequence[str]) -> int:
    """Hold a checkout against the manifest, or write that anew."""
    from infra.setup.spark.session import local_session  # noqa: PLC0415 (Spark starts for the command alone)

    with tempfile.TemporaryDirectory() as folder:
        spark = local_session("parquet-testing", memory="1500m", brief=True)
        now = entries(spark, Path(folder), bodies_in(Path(arguments[0])))
    if "--write" in arguments:
        MANIFEST.write_text(written(now))
        return 0
    lines = list(differences(now, manifest()))
    sys.stdout.write("\n".join([*lines, f"{len(now)} files, {len(lines)} of them not as the manifest says\n"]))
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
