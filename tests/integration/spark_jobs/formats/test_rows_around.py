"""Rows around the records of CSV in the job: none is a record, however a file is written, and places are right."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest
from pyspark.sql import SparkSession

from contracts.job import SIFTED_FROM, JobResult
from contracts.plan import Archive, Csv, Limit, Plan, record_checks
from contracts.terms.leader import Leader
from contracts.terms.trailer import Footer, Trailer
from functions.admission.admit import admit
from spark_jobs.prefilter import plan_tests
from spark_jobs.validate import run
from tests.integration.spark_jobs.outputs.test_valid_rows import judged as promoted
from tests.integration.spark_jobs.outputs.test_valid_rows import left
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, a_request, judge
from tests.packing import zipped

PROPERTIES = (a_property("id"), a_property("n", "integer"))
CHECKS = (a_check("required", "id"), a_check("unique", "id", scope="set"))
BODY = ("a;1", "", "b;x", "c;3", "a;4")
"""Records and an empty line: the second is rejected, the first key is there twice."""
COMMENTED = ("# x", "a;1", '# "y', "b;x", "#;;;", '"c";3', "a;4")


class Form(NamedTuple):
    """The dialect, the lines above the records, and the header of a corrected file."""

    csv: Csv
    above: tuple[str, ...]
    title: tuple[str, ...]
    body: tuple[str, ...] = BODY
    below: tuple[str, ...] = ()

    @property
    def bad(self) -> str:
        """Return the line of the rejected record."""
        return next(line for line in self.body if line.endswith("b;x"))

    @property
    def first(self) -> str:
        """Return the line of the first record."""
        return next(line for line in self.body if line.endswith("a;1"))

    def empty(self) -> int:
        """Return how many lines are empty or comments."""
        sign = self.csv.comment_char
        return sum(
            not line or (sign != "" and line.startswith(sign)) for line in (*self.above, *self.body, *self.below)
        )


FORMS = {
    "title": Form(Csv(";", skip_rows=2), ("A title", "", "id;n"), ("A title", "", "id;n;_record;_reasons")),
    "until": Form(Csv(";", skip_until="^id;"), ("x", ";", "id;n"), ("x", ";", "id;n;_record;_reasons")),
    "until, at once": Form(Csv(";", skip_until="^id;"), ("id;n",), ("id;n;_record;_reasons",)),
    "names in two rows": Form(Csv(";", header_rows=(1, 2)), ("id;", ";n"), ("id;;_record;_reasons", ";n;;")),
    "units": Form(
        Csv(";", header_rows=(2,), comment_rows=(1, 3)),
        ("key;count", "id;n", ";pieces"),
        ("key;count", "id;n;_record;_reasons", ";pieces"),
    ),
    "separator": Form(Csv(";", separator_line=True), ("sep=;", "id;n"), ("sep=;", "id;n;_record;_reasons")),
    "no separator": Form(Csv(";", separator_line=True), ("id;n",), ("id;n;_record;_reasons",)),
    "like records": Form(Csv(";", skip_rows=2), ("a;4", "b;x", "id;n"), ("a;4", "b;x", "id;n;_record;_reasons")),
    "formula": Form(Csv(";", skip_rows=1), ("=1+1;x", "id;n"), ("'=1+1;x", "id;n;_record;_reasons")),
    "comments": Form(Csv(";", comment_char="#"), ("# a;1", "#", "id;n"), ("id;n;_record;_reasons",), COMMENTED),
    "comments over lines": Form(
        Csv(";", comment_char="#", multi_line=True, comment_rows=(2,)),
        ('# "open', "id;n", '#"', ";EUR"),
        ("id;n;_record;_reasons", ";EUR"),
        COMMENTED,
    ),
    "no header": Form(Csv(";", header=False, skip_until="^a;"), ("x", "", "y"), ("x", "", "y")),
    "footer": Form(
        Csv(";", footer=Footer("Total")), ("id;n",), ("id;n;_record;_reasons",), BODY, ("", "Total 2;x;y;z")
    ),
    "quoted footer": Form(
        Csv(";", footer=Footer("Total")), ("id;n",), ("id;n;_record;_reasons",), BODY, ('"Totals";4',)
    ),
    "footer of several lines": Form(
        Csv(";", footer=Footer("Total", 4), skip_rows=1),
        ("c;3", "id;n"),
        ("c;3", "id;n;_record;_reasons"),
        BODY,
        ("Total;4", "c;3", "", "Total again"),
    ),
    "footer over lines": Form(
        Csv(";", footer=Footer("Total", 2), multi_line=True),
        ("id;n",),
        ("id;n;_record;_reasons",),
        BODY,
        ('"Total\n";4', '"Printed\n";'),
    ),
    "leader, types and a trailer": Form(
        Csv(";", header=False, skip_columns=1, record="D", leader=Leader("H"), trailer=Trailer("T", 2)),
        ("H;20240703",),
        ("H;20240703",),
        ("D;a;1", "D;b;x", "D;c;3", '"D";a;4'),
        ("T;4",),
    ),
    "leader above a header": Form(
        Csv(";", skip_columns=1, leader=Leader("H"), skip_rows=1),
        ("x", "H", "type;id;n"),
        ("x", "H", "type;id;n;_record;_reasons"),
        ("1;a;1", "2;b;x", "3;c;3", "4;a;4"),
    ),
    "with a trailer": Form(
        Csv(";", skip_rows=1, trailer=Trailer("T", 2)),
        ("T;0", "id;n"),
        ("T;0", "id;n;_record;_reasons"),
        BODY,
        ("T;4",),
    ),
}
ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


def plan_of(csv: Csv, **more: object) -> Plan:
    return a_plan(PROPERTIES, CHECKS, csv=csv, promote="rows", **more)  # type: ignore[arg-type]


def written(form: Form, end: str = "\n") -> bytes:
    return end.join([*form.above, *form.body, *form.below, ""]).encode(form.csv.encoding)


def hold(spark: SparkSession, run: Judged, form: Form, names: Sequence[str]) -> None:
    """Hold the job's facts about files of one form to what was written."""
    first = len(form.above) + 1
    for name in names:
        facts, file = run.drop(name), name
        assert (file, facts.failure, facts.read, facts.valid, facts.rejected, facts.blank) == (
            file,
            None,
            4,
            3,
            1,
            form.empty(),
        )
        assert [(r.record, r.line, r.raw) for r in run.evidence(spark, name)] == [
            (2, first + form.body.index(form.bad), form.bad)
        ]
        assert run.count("id.unique", name).failed == 2
        assert [s.place.line for s in run.count("id.unique", name).samples] == [first + form.body.index(form.first)]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_rows_above_are_no_records(spark: SparkSession, tmp_path: Path, form: Form) -> None:
    files = {name: written(form, end) for name, end in ENDS.items()}
    files |= {"mark": b"\xef\xbb\xbf" + written(form), "open": written(form)[:-1]}
    run = promoted(spark, tmp_path, plan_of(form.csv), SIFTED_FROM, **files)

    hold(spark, run, form, [f"{name}.csv" for name in files])
    sign = form.csv.comment_char or "\0"
    rows = [row for row in form.body if row and row != form.bad and not row.startswith(sign)]
    for name in files:
        assert (left(run, name) or b"").decode().split("\n") == [*form.above, *rows, ""]
    corrected = run.folder / "rejected" / "lf.csv" / "rejected.csv"
    lines = corrected.read_text().split("\n")
    assert lines[: len(form.title)] == list(form.title)
    assert lines[len(form.title)].startswith(f"{form.bad};2;")
    again = corrected.read_bytes().replace(b"b;x;", b"b;2;")
    if form.csv.footer:
        assert lines[-2:] == [form.csv.footer.begins, ""]
    if form.csv.trailer:
        again += b"T;1\n"
    if form.csv.header:
        admission = admit(run.plan, "things/a", len(again), lambda start, length: again[start : start + length])
        assert (admission.problems, {"id", "n"} <= {*admission.header}) == ((), True)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_file_may_be_alone_in_an_archive(spark: SparkSession, tmp_path: Path, form: Form) -> None:
    files = {name: zipped({"part.csv": written(form, end)}) for name, end in ENDS.items()}
    run = promoted(spark, tmp_path, plan_of(form.csv, archive=Archive("zip", "*.csv")), SIFTED_FROM, **files)

    hold(spark, run, form, [f"{name}.csv.zip" for name in files])
    kept = left(run, "crlf")
    sign = form.csv.comment_char or "\0"
    rows = [row for row in form.body if row and row != form.bad and not row.startswith(sign)]
    with zipfile.ZipFile(io.BytesIO(kept or b"")) as archive:
        assert archive.read("part.csv").decode().split("\n") == [*form.above, *rows, ""]


def test_files_have_different_titles_in_one_run(spark: SparkSession, tmp_path: Path) -> None:
    csv = Csv(";", skip_until="^id;")
    forms = {f"f{n}": Form(csv, (*(f"title {k}" for k in range(n)), "id;n"), ()) for n in range(5)}
    run = promoted(spark, tmp_path, plan_of(csv), SIFTED_FROM, **{name: written(form) for name, form in forms.items()})

    for name, form in forms.items():
        hold(spark, run, form, [f"{name}.csv"])


@pytest.mark.parametrize("packed", [False, True])
def test_rows_may_have_line_breaks_within_quotes(spark: SparkSession, tmp_path: Path, packed: bool) -> None:
    csv = Csv(";", multi_line=True, skip_rows=2, encoding="windows-1252")
    text = '"A\ntitle";\n\nid;n\na;1\n"b\nb";x\nc;3\nc;4\n'.encode("windows-1252")
    other = '"A\ntitle\n";\nx\nid;n\na;1\n"b\nb";x\nc;3\nc;4\n'.encode("windows-1252")
    plan = plan_of(csv, compression="gzip") if packed else plan_of(csv)
    files = {"a": gzip.compress(text), "b": gzip.compress(other)} if packed else {"a": text, "b": other}
    run = promoted(spark, tmp_path, plan, SIFTED_FROM, **files)

    for name, line in (("a", 6), ("b", 7)):
        file = f"{name}{plan.suffix}"
        assert (run.drop(file).failure, run.drop(file).read, run.drop(file).rejected) == (None, 4, 1)
        assert [(r.record, r.line, r.raw) for r in run.evidence(spark, file)] == [(2, line, '"b\nb";x')]
        assert run.count("id.unique", file).failed == 2


WRONG_ENDS: dict[str, tuple[tuple[str, ...], tuple[object, ...], list[str]]] = {
    "missing": (("a;1", "b;2"), (2, 2, None), ["footer-missing"]),
    "early": (("Total;2", "a;1", "b;2"), (3, 3, 1), ["footer-early"]),
    "longer": (("a;1", "Total;3", "b;2", "c;3"), (4, 4, 2), ["footer-early"]),
    "twice": (("a;1", "Total;1", "b;2", "Total;3"), (4, 4, 2), ["check-unique", "footer-early"]),
    "alone": (("Total;0",), (0, 0, None), ["no-records"]),
    "just as long": (("a;1", "Total;1", "b;2"), (1, 1, None), []),
    "nothing": ((), (0, 0, None), ["footer-missing", "no-records"]),
}


def test_no_tolerance_covers_a_footer_that_is_not_as_agreed(spark: SparkSession, tmp_path: Path) -> None:
    csv = Csv(";", footer=Footer("Total", 2))
    plan = plan_of(csv, tolerance=Limit(Decimal(100), "percent"))
    files = {name.replace(" ", "-"): "\n".join(["id;n", *lines, ""]) for name, (lines, _, _) in WRONG_ENDS.items()}
    judged = judge(spark, tmp_path, plan, {f"{name}.csv": text for name, text in files.items()})

    for name, (_, facts, codes) in WRONG_ENDS.items():
        file = f"{name.replace(' ', '-')}.csv"
        drop = judged.drop(file)
        early = drop.ending.early if drop.ending else None
        assert (name, (drop.read, drop.valid, early)) == (name, facts)
        assert (name, sorted(p.code for p in judged.decision(file).problems)) == (name, codes)


def test_records_of_other_types_are_malformed(spark: SparkSession, tmp_path: Path) -> None:
    csv = Csv(";", header=False, skip_columns=1, record="D", trailer=Trailer("T", 2))
    plan = replace(plan_of(csv), checks=(*record_checks("csv", "reject", "D"), *plan_of(csv).checks[3:]))
    lines = ("D;a;1", "X;b;2", "d;c;3", '"D" ;d;4', "DD;e;5", "D", "T;6")
    judged = judge(spark, tmp_path, plan, {"a.csv": "\n".join([*lines, ""])})

    rows = {row.record: row.checks for row in judged.evidence(spark)}
    assert rows == {2: ["record.type"], 3: ["record.type"], 5: ["record.type"], 6: ["record.fields"]}
    assert judged.count("record.type").failed == 3
    assert [p.code for p in judged.decision().problems if p.code == "check-recordType"] == ["check-recordType"]


def test_prefilter_leaves_comments_out(spark: SparkSession, tmp_path: Path) -> None:
    form = FORMS["comments"]
    files = {f"{name}.csv": written(form, end) for name, end in ENDS.items()}
    plan = plan_of(form.csv)
    judged = judge(spark, tmp_path, plan, files, sift_from=0)

    assert plan_tests.pass_condition(plan, ("id", "n"), ("id;n",)) is not None
    hold(spark, judged, form, list(files))


def test_other_rows_than_admitted_fail(spark: SparkSession, tmp_path: Path) -> None:
    plan = plan_of(FORMS["title"].csv)
    request = a_request(tmp_path, plan, {"a.csv": written(FORMS["title"]), "b.csv": written(FORMS["title"])})
    path = tmp_path / "stage" / "b.csv"
    path.write_bytes(path.read_bytes().replace(b"A title", b"B title"))
    (tmp_path / "request.json").write_text(request.dumps())
    run(spark, (tmp_path / "request.json").as_uri())
    result = JobResult.loads((tmp_path / "result.jsonl").read_bytes())

    assert [drop.failure and drop.failure.code for drop in result.drops] == [None, "header-changed"]
