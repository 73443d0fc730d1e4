"""Lines that surely fail: what the driver makes of them is what queries make of them, byte by byte and row by row."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from contracts.job import JobDrop, JobRequest
from contracts.plan import Check, Csv, Plan, Promoted
from contracts.terms.value_form import ValueForm
from spark_jobs.outputs import sure_evidence, sure_outputs, sure_rejected
from spark_jobs.prefilter import prefilter, sure_lines
from tests.integration.spark_jobs.prefilter.test_prefilter import NEVER, Files
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, a_request, run_both_ways
from tests.unit.spark_jobs.outputs.test_formulas import DIALECTS, NUMBERS, PAYLOADS

SURE = "sure"
UNSURE = {*"\0\n\r\ufeff\ufffd\uffff"}
"""Characters of lines that no vector decides."""
ODD = (
    *(
        "=1",
        "@a",
        "-",
        "-1",
        "-1.",
        "-.5",
        "-1e5",
        "- 1",
        "+1",
        "+",
        "a=1",
        "1=1",
        "\xe4=1",
        "x@y",
        "'",
        "'=1",
        " -1",
        "%",
    ),
    *(
        "-1\u2028",
        "-1\x85",
        "=1\u2029",
        "a;=1",
        "a,=1",
        "a\t=1",
        "a;-1",
        "a,-1\u2028",
        "\u2028=1",
        "\xa0=1",
        "a|=1",
        "\u0100=1",
    ),
    *("\u2212" + "1", "\uff1d1", "\\", "\\=1", "#a", "", " ", "0", "a b", "\U0001f600=1", "\U0001f600", "-1 \u20ac"),
)
PIECES = "=@+-1a.,;\t \u2028\x85\u200b\u20ac'\"\\|e"


@pytest.fixture(autouse=True)
def _as_in_the_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the driver lack parts of Arrow that its archive for EMR lacks."""
    for name in ("acero", "dataset"):
        monkeypatch.setitem(sys.modules, f"pyarrow.{name}", None)


def cells() -> list[str]:
    """Cells that a spreadsheet may run, and others; many of them drawn."""
    draw = Random(40)
    drawn = ("".join(draw.choices(PIECES, k=draw.randint(1, 6))) for _ in range(1500))
    return [cell for cell in (*PAYLOADS, *NUMBERS, *ODD, *drawn) if not UNSURE & {*cell}]


def written(cell: str, csv: Csv) -> Iterator[str]:
    """Yield a cell as it may stand in a line that a vector decides: bare, and within quotes."""
    if not {csv.delimiter, csv.quote} & {*cell}:
        yield cell
    if csv.quote and not {csv.quote, csv.escape} & {*cell}:
        yield f"{csv.quote}{cell}{csv.quote}"


def of_things(csv: Csv, *more: Check) -> Plan:
    """A plan of which every line with an id below zero fails."""
    below = [a_check("minimum", "id", value="0"), *more]
    return a_plan([a_property("id", "integer"), a_property("a"), a_property("b")], below, csv, columns_extra="ignore")


def files(lines: Sequence[str], csv: Csv, *more: str) -> str:
    """A file of such lines behind a header, which may have more columns."""
    return "\n".join([csv.delimiter.join(["id", "a", "b", *more]), *lines, ""])


def hold(spark: SparkSession, folder: Path, plan: Plan, bodies: Files, *, mask: bool = False) -> Judged:
    """Judge files by the driver and by queries, and compare all that they leave."""
    runs = []
    for name, least in (("driver", 0), ("queries", NEVER)):
        (place := folder / name).mkdir(parents=True)
        request = replace(a_request(place, plan, bodies), mask=mask)
        runs.append(Judged(plan, run_both_ways(spark, place, _leaving_valid(request, place), least), place))
    assert runs[0].outputs(spark) == runs[1].outputs(spark)
    valid = [{p.name: p.read_bytes() for p in sorted(run.folder.glob("valid/*/*"))} for run in runs]
    assert valid[0] == valid[1]
    return runs[0]


def _leaving_valid(request: JobRequest, folder: Path) -> JobRequest:
    if request.plan.promote != "rows":
        return request

    def own(drop: JobDrop) -> JobDrop:
        return replace(drop, valid=f"{folder.as_uri()}/valid/{drop.id}/")

    return replace(request, drops=tuple(map(own, request.drops)))


def evidence_files(judged: Judged) -> set[str]:
    """Return the kinds of files of evidence: that of the driver, and those of queries."""
    names = {path.name for path in (judged.folder / "rows").glob("[!._]*")}
    return {SURE if name.startswith(f"{SURE}-") else "others" for name in names}


@pytest.mark.parametrize("name", DIALECTS)
def test_lines_with_any_cell_are_written_as_queries_write_them(spark: SparkSession, tmp_path: Path, name: str) -> None:
    csv, texts = DIALECTS[name], cells()
    if csv.encoding != "utf-8":
        texts = [cell for cell in texts if cell == cell.encode(csv.encoding, "ignore").decode(csv.encoding)]
    each = [text for cell in texts for text in written(cell, csv)]
    pairs = [*((text, "x") for text in each), *(("", text) for text in each), *zip(each, reversed(each), strict=True)]
    lines = [csv.delimiter.join((f"-{n}", a, b)) for n, (a, b) in enumerate(pairs, 1)]
    resent = [csv.delimiter.join((line, "7", "id.minimum")) for line in lines[::5]]
    bodies = {"a.csv": files(lines, csv), "again.csv": files(resent, csv, "_record", "_reasons")}
    judged = hold(spark, tmp_path, of_things(csv), {name: body.encode(csv.encoding) for name, body in bodies.items()})
    assert [drop.rejected for drop in judged.result.drops] == [len(lines), len(resent)]
    assert len(lines) > 4_500
    assert evidence_files(judged) == {SURE}


WARNS = replace(a_check("maxLength", "a", value=1), severity="warning")
BATCHES: dict[str, tuple[set[str], list[list[str]]]] = {
    "all sure": ({SURE}, [["-1,a,b", "1,a,b", "-2,aa,", "3,aa,b"], ["1,a,b"], ["-5,,"]]),
    "only warnings": ({SURE}, [["1,aa,b"], ["2,a,b"]]),
    "none": (set(), [["1,a,b"], ["2,a,b"]]),
    "with lines that queries judge": ({SURE, "others"}, [["-1,a,b", "x,a,b", "2,aa,b", "-3,a"], ["-1,a,b"]]),
    "with lines that queries let pass": ({SURE}, [["-1,a,b", "+2,a,b", "-3,a,b"]]),
    "with empty lines": ({"others"}, [["-1,a,b", "", "-3,a,b"]]),
    "of nulls that may be": (set(), [["1,,", "2,,"]]),
}


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("promote", ["object", "rows"])
def test_batches_of_files_are_measured_the_same(
    spark: SparkSession, tmp_path: Path, name: str, promote: Promoted
) -> None:
    kinds, each = BATCHES[name]
    plan = replace(of_things(Csv(), WARNS), promote=promote)
    judged = hold(spark, tmp_path, plan, {f"{n}.csv": files(lines, plan.csv) for n, lines in enumerate(each)})
    assert evidence_files(judged) == kinds


def test_headers_apart_are_measured_the_same(spark: SparkSession, tmp_path: Path) -> None:
    bodies = {
        "a.csv": "id,a,b\n-1,a,b\n-2,aa,b\n",
        "b.csv": "b,id,a\nb,-1,a\nb,-2,aa\n",
        "c.csv": "a,more,id,b\naa,=1,-1,b\na,,2,b\n",
        "d.csv": '"id","a","b"\n"-1","a","b"\n-2,"a,a",b\n',
    }
    judged = hold(spark, tmp_path, of_things(Csv(), WARNS), bodies)
    assert [drop.rejected for drop in judged.result.drops] == [2, 2, 1, 2]
    assert evidence_files(judged) == {SURE}


def of_values(name: str, form: ValueForm, csv: Csv) -> Plan:
    """A plan of values in a form; all its checks are about one column."""
    exact, text = a_property("exact", "number", exact=(20, 2)), a_property("a", classification="restricted")
    props = (a_property("id", "integer"), a_property("n", "number"), exact, a_property("day", "date"), text)
    checks = [a_check(kind, name, value=BOUNDS[name]) for kind in LEAST_AND_GREATEST] if name != "a" else []
    if name == "a":
        checks = [a_check(kind, "a", value=n) for kind, n in (("minLength", 3), ("maxLength", 2))]
        checks.append(replace(a_check("enum", "a", values=["zz"]), reference=("n", "day")))
    checks.append(replace(a_check("required", name), reference=("a", "day", "id")))
    in_form = tuple(replace(p, form=form.of_type(p.type)) for p in props)
    return a_plan(in_form, checks, csv, columns_extra="ignore")


BOUNDS = {"id": "3", "n": "0.5", "exact": "0.05", "day": "2024-05-05"}
LEAST_AND_GREATEST = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
FORMS = {
    "plain": (ValueForm(), Csv()),
    "blanks": (ValueForm(trim=True), Csv(null_values=("", "NA"))),
    "commas": (ValueForm(decimal=",", group="."), Csv(delimiter=";")),
    "days": (ValueForm(trim=True, formats=("d.M.yyyy",)), Csv(delimiter="|", quote="'", escape="'")),
}


def value_texts(kind: str, form: ValueForm, draw: Random) -> str:
    """Draw the text of a value in a form, or a null."""
    blank = draw.choice(("", "", " ", "\u00a0")) if form.trim else ""
    if draw.random() < 0.1:
        return ""
    match kind:
        case "day":
            year, month, day = draw.randint(1900, 2100), draw.randint(1, 12), draw.randint(1, 28)
            text = f"{day}.{month}.{year}" if form.formats else f"{year}-{month:02}-{day:02}"
        case "a":
            text = draw.choice(
                ("\u00e9\u00e9\u00e9", "zz", "a", "\U0001f600\U0001f600\U0001f600", "x" * 250, " z", "zzzz")
            )
        case "id":
            text = str(draw.choice((draw.randint(-9, 9), draw.randint(-(10**17), 10**17), 3, 2**53, 2**53 + 1)))
        case _:
            whole = draw.choice((draw.randint(-3, 3), draw.randint(-(10**13), 10**13), 9007199254740993))
            text = f"{whole}{draw.choice(('', '.0', '.05', '.5', '.49'))}".replace(".", form.decimal)
    return f"{blank}{text}{blank}"


@pytest.mark.parametrize("of", FORMS)
@pytest.mark.parametrize("name", [*BOUNDS, "a"])
def test_worst_values_and_first_records_are_the_same(spark: SparkSession, tmp_path: Path, of: str, name: str) -> None:
    form, csv = FORMS[of]
    plan, draw = of_values(name, form, csv), Random(7)
    names = [p.name for p in plan.properties]

    def line(columns: Sequence[str]) -> str:
        texts = (value_texts(column, form, draw) for column in columns)
        return csv.delimiter.join(f"{csv.quote}{t}{csv.quote}" if draw.random() < 0.2 else t for t in texts)

    bodies = {}
    for n, count in enumerate((1, 3, 300, 300)):
        columns = names if n % 2 else [*reversed(names), "more"]
        bodies[f"{n}.csv"] = "\n".join([csv.delimiter.join(columns), *(line(columns) for _ in range(count)), ""])
    judged = hold(spark, tmp_path, plan, bodies)
    assert evidence_files(judged) == {SURE}
    failing = {check for check in judged.result.header.checks for d in bodies if judged.count(check, d).failed}
    assert failing >= {check.id for check in plan.checks if check.property == name and "Type" not in check.id}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16le", "windows-1252", "iso-8859-15"])
def test_rejected_rows_have_the_encoding_of_the_file(spark: SparkSession, tmp_path: Path, encoding: str) -> None:
    plan = of_things(Csv(encoding=encoding))
    body = "id,a,b\n-1,\u00e9,b\n2,\u20ac,\n-3,=\u00e9,\n".encode(encoding, "replace")
    judged = hold(spark, tmp_path, plan, {"a.csv": body})
    assert [row[1] for row in judged.rejected(encoding=encoding)] == ["a", "\u00e9", "'=\u00e9"]
    assert evidence_files(judged) == {SURE}


def test_more_than_the_driver_has_time_or_memory_for_is_left_to_queries(spark: SparkSession, tmp_path: Path) -> None:
    plan, count = of_things(Csv()), sure_rejected.MOST_CELLS // 3 + 1
    (tmp_path / "cells").mkdir()
    lines = [f"-{n},=a,b" for n in range(1, count + 1)]
    judged = hold(spark, tmp_path / "cells", plan, {"a.csv": files(lines, plan.csv)})
    assert (judged.drop().rejected, evidence_files(judged)) == (count, {SURE})

    names = [f"c{n}" for n in range(120)]
    checks = [a_check("required", name) for name in names]
    plan, count = a_plan([a_property(name) for name in names], checks), sure_evidence.MOST_FAILURES // len(names) + 1
    (tmp_path / "failures").mkdir()
    body = "\n".join([",".join(names), *["," * (len(names) - 1)] * count, ""])
    judged = hold(spark, tmp_path / "failures", plan, {"a.csv": body})
    assert (judged.drop().rejected, evidence_files(judged)) == (count, {"others"})


def test_fault_of_arrow_leaves_all_to_queries_with_one_warning(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise pa.ArrowMemoryError("no memory")

    monkeypatch.setattr(pa, "BufferOutputStream", full)
    judged = hold(spark, tmp_path, of_things(Csv()), {"a.csv": "id,a,b\n-1,a,b\n2,a,b\n"})
    assert (judged.drop().rejected, evidence_files(judged)) == (1, {"others"})
    assert [record.getMessage() for record in caplog.records] == [sure_outputs.BY_QUERIES % "no memory"]


@pytest.mark.parametrize("mask", [False, True])
def test_classified_values_are_masked_the_same(spark: SparkSession, tmp_path: Path, *, mask: bool) -> None:
    plan = of_things(Csv(), WARNS)
    hidden = replace(plan.property_named("a"), classification="restricted")
    plan = replace(plan, properties=tuple(hidden if p.name == "a" else p for p in plan.properties))
    judged = hold(spark, tmp_path, plan, {"a.csv": "id,a,b\n-1,secret,b\n2,secret,b\n3,s,b\n"}, mask=mask)
    texts = [row.cells["a"] for row in judged.evidence(spark)]
    assert ("secret" in texts) is not mask


@pytest.mark.parametrize("room", [0, 1, 1 << 20, 1 << 26])
def test_lines_beyond_the_room_of_the_driver_are_left_to_queries(
    spark: SparkSession, tmp_path: Path, room: int
) -> None:
    plan = of_things(Csv())
    path = tmp_path / "a.csv"
    path.write_text(files([f"{'-' if n % 3 else ''}{n},a,{n}" for n in range(1, 90_000)], plan.csv), encoding="utf-8")
    source = spark.read.text(path.as_uri())
    condition = prefilter.pass_condition(plan, ("id", "a", "b"), ["id,a,b"])
    assert condition
    result = prefilter.counted(prefilter.prefiltered_lines(source, condition, room), plan, condition, room)
    lines = result.failing({"m0": 0}).orderBy("at").collect()
    assert [row["raw"] for row in lines] == [f"-{n},a,{n}" for n in range(1, 90_000) if n % 3]
    assert (result.sure is not None) is (room == 1 << 26)
    assert result.sure is None or sum(map(len, result.sure.batches)) == len(lines)


def test_formats_that_have_other_evidence_send_no_lines() -> None:
    csv = of_things(Csv())
    assert sure_lines.is_for(csv)
    others = [replace(csv, file_format=name) for name in ("jsonl", "fixed", "parquet", "json", "xml")]
    assert not any(map(sure_lines.is_for, others))
