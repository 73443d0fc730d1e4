"""Values in docs/reference/semantics.md: each line is a case, judged by oracle and job in every format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.decision import Decision
from contracts.job import DropResult
from contracts.plan import Plan, Property
from tests.oracle import files, records, running, tables
from tests.oracle.judging import Opinion, judge
from tests.oracle.meanings import CASES
from tests.oracle.meanings.case import Case, Cells, Refused
from tests.oracle.records import Content
from tests.oracle.values import value_of

FORMS = ("csv", "jsonl", "parquet", "xml")
JUDGED = {name: case for name, case in CASES.items() if isinstance(case, Case)}
NUMBERS = {name: n for n, name in enumerate(JUDGED)}
SAME: dict[str, int] = {}
OWNERS = {name: SAME.setdefault(repr((c.properties, c.quality)), NUMBERS[name]) for name, c in JUDGED.items()}
"""The numbers of the columns of cases: those with the same rules share them."""
BLOCK: Mapping[str, Any] = {"files": "maker/things/*", "producer": "maker", "empty": "accept"}
OF_FORM: Mapping[str, Mapping[str, Any]] = {
    "jsonl": {"checks": {"record.object": {"tolerance": "100%"}}},
    "xml": {"checks": {"record.object": {"tolerance": "100%"}}, "xml": {"record": "things/thing"}},
}
"""A first line that is no object is let in where it may be lost."""
IDS = ("id", "low", "high")
"""What cases call their entries."""
RETURN = {"\r": "&#13;"}
"""A carriage return, which XML would read as a line feed."""
BARE = ("integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class World:
    """The cases that one contract holds, each with a file of its own, in which only its columns have cells."""

    plan: Plan
    cases: Mapping[str, Case]

    def contents(self, made: Mapping[str, bytes]) -> dict[str, Content]:
        """The records of text files as the oracle reads them."""
        return {
            name: records.content(self.plan, running.look(self.plan, body).header, body) for name, body in made.items()
        }


def worlds(form: str) -> list[World]:
    """The cases of a format by what their files are written in."""
    return [_world(form, cases, json.loads(dialect)) for dialect, cases in dialects(form).items()]


def dialects(form: str) -> dict[str, dict[str, Case]]:
    """The cases of a format by the dialect, as JSON, that their files are written in; first those of none."""
    dialects: dict[str, dict[str, Case]] = {"{}": {}}
    for name, case in JUDGED.items():
        if case.rows(form) is not None:
            blocks = {"csv": _own(OWNERS[name], case.csv_block), "values": _own(OWNERS[name], case.values_block)}
            dialects.setdefault(json.dumps({key: own for key, own in blocks.items() if own}), {})[name] = case
    return dialects


def _world(form: str, cases: Mapping[str, Case], dialect: Mapping[str, Any]) -> World:
    parts = {OWNERS[name]: case for name, case in cases.items()}.items()
    properties = [_own(n, {"name": f"@{v}", **p}) for n, case in parts for v, p in case.properties.items()]
    quality = [_own(n, entry) for n, case in parts for entry in case.quality]
    block = {**BLOCK, "format": form, **OF_FORM.get(form, {}), **dialect}
    return World(_compiled([{"name": "line", "logicalType": "string"}, *properties], quality, block), cases)


def _own(number: int, part: Any) -> Any:
    """A part of a contract with the names of a case: `@v` is v and its number, for a filter in backquotes."""
    return json.loads(re.sub(rf"@({'|'.join(IDS)}|[vwx])\b", rf"\g<1>{number}", json.dumps(part)))


def _compiled(properties: Sequence[Any], quality: Sequence[Any], block: Mapping[str, Any]) -> Plan:
    document = _document(properties, quality, block)
    compiled = compile_text(document, "things.v1.yaml")
    assert compiled.plan, [f for f in compiled.findings if f.level == "error"]
    return compiled.plan


def _document(properties: Sequence[Any], quality: Sequence[Any], block: Mapping[str, Any]) -> bytes:
    return json.dumps(
        {
            "apiVersion": "v3.2.0",
            "kind": "DataContract",
            "id": "things",
            "version": "1.0.0",
            "status": "active",
            "schema": [{"name": "things", "properties": properties, "quality": quality}],
            "customProperties": [{"property": "drop", "vendor": "dropgate", "value": block}],
        },
        ensure_ascii=False,
    ).encode()


# ---- files


def text_files(form: str, world: World) -> dict[str, bytes]:
    """A file for each case."""
    write = {"csv": _csv, "jsonl": _jsonl, "xml": _xml}[form]
    return {_file(name, form): write(world.plan, OWNERS[name], case) for name, case in world.cases.items()}


def _file(name: str, form: str) -> str:
    return f"f{NUMBERS[name]}.{form}"


def _csv(plan: Plan, number: int, case: Case) -> bytes:
    """Its records with a first cell, `x`, so that no line is empty."""
    names = [p.name for p in plan.properties]
    at = {names.index(f"{v}{number}"): n for n, v in enumerate(case.properties)}

    def line(cells: Sequence[str]) -> str:
        return ",".join(["x", *(cells[at[n]] if n in at else "" for n in range(1, len(names)))])

    shared = [line([files._quoted(plan.csv, cell or "") for cell in cells]) for cells, _ in case.every or ()]
    own = [line([cell or "" for cell in cells]) for cells, _ in case.csv]
    header = ",".join(name for name in names if name not in plan.csv.lacking)
    return "\n".join([header, *shared, *own, ""]).encode()


def _jsonl(plan: Plan, number: int, case: Case) -> bytes:
    props = [plan.property_named(f"{v}{number}") for v in case.properties]
    shared = [[_token(cell, p) for cell, p in zip(cells, props, strict=True)] for cells, _ in case.every or ()]
    lines = [_object(props, tokens) for tokens in [*shared, *(cells for cells, _ in case.jsonl)]]
    return "".join(f"{line}\n" for line in lines or [""]).encode()


def _xml(_plan: Plan, number: int, case: Case) -> bytes:
    shared = [[None if cell is None else escape(cell, RETURN) for cell in cells] for cells, _ in case.every or ()]
    records = [_elements(number, case, cells) for cells in [*shared, *(cells for cells, _ in case.xml)]]
    return f"<things>{''.join(records)}</things>".encode()


def _elements(number: int, case: Case, cells: Sequence[str | None]) -> str:
    pairs = zip(case.properties, cells, strict=True)
    inner = "".join(
        f"<{v}{number}>{cell}</{v}{number}>".replace("{n}", f"{number}") for v, cell in pairs if cell is not None
    )
    return f"<thing>{inner}</thing>"


def _token(cell: str | None, prop: Property) -> str:
    if cell is None:
        return "null"
    return cell if prop.type in BARE else json.dumps(cell, ensure_ascii=False)


def _object(props: Sequence[Property], tokens: Sequence[str | None]) -> str:
    return "{" + ",".join(f'"{p.name}":{t}' for p, t in zip(props, tokens, strict=True) if t is not None) + "}"


def table_rows(world: World, name: str) -> list[list[Any]]:
    """The records of a case as values, in the order of the contract's properties."""
    number, case = OWNERS[name], world.cases[name]
    return [_values(world.plan, number, case, cells) for cells, _ in case.rows("parquet") or ()]


def _values(plan: Plan, number: int, case: Case, cells: Cells) -> list[Any]:
    own = {f"{v}{number}": cell for v, cell in zip(case.properties, cells, strict=True)}
    return [None if (cell := own.get(p.name)) is None else _value(cell, p) for p in plan.properties]


def _value(cell: str, prop: Property) -> Any:
    if prop.type in ("string", "time"):
        return cell
    if prop.type == "number" and prop.exact is None:
        return float(cell)
    value = value_of(cell, prop if prop.exact is None else Property(prop.name, prop.type, exact=(38, 25)))
    assert value is not None, (cell, prop)
    return tables.decimal(value)


# ---- what is said of them


def failing(world: World, name: str, rows: running.Rows) -> dict[int, set[str]]:
    """The row checks of a case that its records fail, by record."""
    own = {check.id for check in world.plan.checks if check.scope == "record"} | _own_checks(world, name)
    return {n: {*ids} & own for n, (_, ids) in rows.items() if ids & own}


def _own_checks(world: World, name: str) -> set[str]:
    number = OWNERS[name]
    properties, ids = {f"{v}{number}" for v in world.cases[name].properties}, {f"{i}{number}" for i in IDS}
    return {c.id for c in world.plan.checks if c.property in properties or c.id in ids}


def wanted(name: str, form: str) -> dict[int, set[str]]:
    """The same as it is written."""
    rows = JUDGED[name].rows(form) or ()
    return {n: {_id(OWNERS[name], i) for i in fails.split()} for n, (_, fails) in enumerate(rows, 1) if fails}


def _id(number: int, local: str) -> str:
    if local.startswith("record."):
        return local
    if local.startswith("@"):
        return f"{local[1:]}{number}"
    owner, _, kind = local.rpartition(".")
    return f"{owner or 'v'}{number}.{kind}"


def outcomes_of(world: World, name: str, facts: DropResult, decision: Decision) -> dict[str, str]:
    """Return the outcomes of the checks that a case names, for its file."""
    outcomes = {o.id: o for o in decision.checks}
    counts = dict(zip((c.id for c in world.plan.checks), facts.counts, strict=True))
    texts = {}
    for local in world.cases[name].says:
        identity = local if local == "primaryKey" else _id(OWNERS[name], local)
        one, figure = outcomes[identity], counts[identity].figure
        counted = f"{one.failed} of {one.evaluated}, {one.null} null" if figure is None else _figure(figure)
        texts[local] = f"{one.reason or counted}: {one.result}"
    return texts


def _figure(figure: Decimal) -> str:
    return str(int(figure)) if figure == int(figure) else f"{float(figure):.14g}"


# ---- tests


@pytest.mark.parametrize("form", ["csv", "jsonl", "xml"])
def test_oracle_says_what_is_written(form: str) -> None:
    for world in worlds(form):
        made = text_files(form, world)
        _hold(world, form, {n: judge(world.plan, content) for n, content in world.contents(made).items()})


def test_oracle_says_the_same_of_values() -> None:
    (world,) = worlds("parquet")
    names = [p.name for p in world.plan.properties]
    rows: dict[str, list[Mapping[str, Any]]] = {
        n: [dict(zip(names, row, strict=True)) for row in table_rows(world, n)] for n in world.cases
    }
    opinions = {_file(n, "parquet"): judge(world.plan, records.typed(world.plan, r)) for n, r in rows.items()}
    _hold(world, "parquet", opinions)


def _hold(world: World, form: str, opinions: Mapping[str, Opinion]) -> None:
    for name, case in world.cases.items():
        opinion = opinions[_file(name, form)]
        assert (name, failing(world, name, opinion.rows)) == (name, wanted(name, form))
        assert (name, outcomes_of(world, name, opinion.facts, opinion.decision)) == (name, case.says)


@pytest.mark.parametrize(
    ("form", "dialect"),
    [
        pytest.param(form, dialect, id=f"{form}, dialect {n}" if n else form)
        for form in FORMS
        for n, dialect in enumerate(dialects(form))
    ],
)
def test_job_says_what_the_oracle_says(spark: SparkSession, tmp_path: Path, form: str, dialect: str) -> None:
    _compare(spark, tmp_path, form, _world(form, dialects(form)[dialect], json.loads(dialect)))


def test_job_says_what_the_oracle_says_of_each_kind(spark: SparkSession, tmp_path: Path) -> None:
    """One case of each kind of rule and of each type: `make test` has a fifth of the lines for CSV."""
    cases = dialects("csv")["{}"]
    whole = _world("csv", cases, {})
    first: dict[tuple[str, str], str] = {}
    for name in cases:
        for kind in _kinds(whole, name):
            first.setdefault(kind, name)
    _compare(spark, tmp_path, "csv", _world("csv", {name: cases[name] for name in dict.fromkeys(first.values())}, {}))


def _kinds(world: World, name: str) -> Iterator[tuple[str, str]]:
    """Yield the kinds of a case's rules, by scope, and the types of its properties."""
    number, own = OWNERS[name], _own_checks(world, name)
    yield from ((check.scope, check.kind) for check in world.plan.checks if check.id in own)
    yield from (("type", world.plan.property_named(f"{v}{number}").type) for v in world.cases[name].properties)


def _compare(spark: SparkSession, folder: Path, form: str, world: World) -> None:
    made, contents = _files(spark, folder, form, world)
    compared = running.compare(spark, folder, world.plan, made, contents)
    assert compared.differences == ()
    assert [name for name, admission in compared.admitted.items() if admission.problems] == []


def _files(
    spark: SparkSession, folder: Path, form: str, world: World
) -> tuple[dict[str, bytes], dict[str, Content] | None]:
    if form != "parquet":
        return text_files(form, world), None
    rows = {_file(name, form): table_rows(world, name) for name in world.cases}
    return tables.stored(spark, folder, world.plan, rows)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if isinstance(case, Refused)])
def test_what_no_file_shows_is_refused(name: str) -> None:
    case = CASES[name]
    assert isinstance(case, Refused)
    document = _document([{"name": "v", **case.property}], [], {**BLOCK, "format": "csv"})
    assert [f.code for f in compile_text(document, "things.v1.yaml").findings if f.level == "error"] == [case.code]
