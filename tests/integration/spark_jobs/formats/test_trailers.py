"""Trailers of files in the job: none is a record, whichever way the file is written or split; what they say is kept."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.job import DataFiles, DropResult
from contracts.plan import Csv, Plan
from contracts.terms.trailer import Trailer, TrailerReading
from spark_jobs.counting.top_lines import cells_of
from tests.integration.spark_jobs.outputs.test_valid_rows import judged as promoted
from tests.integration.spark_jobs.outputs.test_valid_rows import left
from tests.integration.spark_jobs.world import a_check, a_plan, a_property, judge

RULE = Trailer("T", 2, {"n": 3})
PROPERTIES = [a_property("id"), a_property("n", "integer"), a_property("note")]
CHECKS = [a_check("required", "id"), a_check("unique", "id", scope="set")]


def plan_of(csv: Csv | None = None, **more: object) -> Plan:
    return a_plan(PROPERTIES, CHECKS, csv=csv or Csv(trailer=RULE), **more)  # type: ignore[arg-type]


def kept(facts: DropResult) -> tuple[object, ...]:
    """Return the job's facts of a file: records, ending, sum."""
    return facts.read, facts.valid, facts.blank, facts.ending, (facts.sums or {})["n"]


HEAD = "id,n,note\n"
END = TrailerReading(("T", "2", "5"))
LINES: dict[str, tuple[str | bytes, tuple[object, ...]]] = {
    "plain.csv": ("a,2,x\nb,3,y\nT,2,5\n", (2, 2, 0, END, 5)),
    "no-end.csv": ("a,2,x\nb,3,y\nT,2,5", (2, 2, 0, END, 5)),
    "crlf.csv": ("a,2,x\r\nb,3,y\r\nT,2,5\r\n", (2, 2, 0, END, 5)),
    "blank.csv": ("a,2,x\n\nb,3,y\nT,2,5\n\n\r\n\n", (2, 2, 4, END, 5)),
    "quoted.csv": ('a,2,"x, y"\nb,3,y\n"T","2","5"\n', (2, 2, 0, END, 5)),
    "narrow.csv": ("a,2,x\nb,3,y\nT,2\n", (2, 2, 0, TrailerReading(("T", "2")), 5)),
    "alone.csv": ("a,2,x\nT\n", (1, 1, 0, TrailerReading(("T",)), 2)),
    "wide.csv": ('a,2,x\nb,3,y\nT,2,5,"more, of it",x,y,z\n', (2, 2, 0, END, 5)),
    "rejected.csv": (",2,x\nb,x,y\nonly\nT,9,9\n", (3, 0, 0, TrailerReading(("T", "9", "9")), 2)),
    "missing.csv": ("a,2,x\nb,3,y\n", (2, 2, 0, TrailerReading(), 5)),
    "header-only.csv": ("", (0, 0, 0, TrailerReading(), 0)),
    "empty.csv": ("T,0,0\n", (0, 0, 0, TrailerReading(("T", "0", "0")), 0)),
    "not-last.csv": ("a,2,x\nT,2,5\nb,3,y\n", (3, 3, 0, TrailerReading(None, 2), 7)),
    "two.csv": ("T,1,2\na,2,x\nT,2,5\n", (2, 2, 0, TrailerReading(("T", "2", "5"), 1), 3)),
    "like-it.csv": ("Ta,2,x\n T,3,y\nT,2,5\n", (2, 2, 0, END, 5)),
    "broken.csv": ('a,2,x\nT,"2,5\n', (1, 1, 0, TrailerReading((), None, "quotes"), 2)),
    "behind.csv": ('a,2,x\nT,"1"x,2\n', (1, 1, 0, TrailerReading((), None, "quotes"), 2)),
    "blank-first.csv": ('a,2,x\nb,3,y\n"T" ,2,5\n', (2, 2, 0, END, 5)),
    "blank-within.csv": ('"a" ,2,x\nb,3,y\nT,"2" \t,5\n', (2, 2, 0, END, 5)),
    "blank-last.csv": ('a,2,x\nb,3,y\nT,2,"5" \n', (2, 2, 0, END, 5)),
    "within.csv": ('a,2,x\nT,1,2,"a ""b"" ,c"\n', (1, 1, 0, TrailerReading(("T", "1", "2")), 2)),
    "long.csv": (f"a,2,x\nT,1,2,{'x' * 100_000}\n", (1, 1, 0, TrailerReading((), None, "long"), 2)),
    "longest.csv": (f"a,2,x\nT,1,2,{'x' * 99_994}\n", (1, 1, 0, TrailerReading(("T", "1", "2")), 2)),
    "nul.csv": ("a,2,x\nT,1,2,\0\n", (1, 1, 0, TrailerReading((), None, "bytes"), 2)),
    "latin.csv": (b"a,2,x\nT,1,2,\xe9\n", (1, 1, 0, TrailerReading((), None, "bytes"), 2)),
    "accent.csv": ("a,2,x\nT,1,2,\u00e9\ufffd\n", (1, 1, 0, TrailerReading(("T", "1", "2")), 2)),
    "blanks.csv": ("a,2,x\nT,1,2\n  \n", (3, 2, 0, TrailerReading(None, 2), 3)),
}


def test_last_record_is_none_of_the_data(spark: SparkSession, tmp_path: Path) -> None:
    files = {n: HEAD.encode() + (t if isinstance(t, bytes) else t.encode()) for n, (t, _) in LINES.items()}
    run = judge(spark, tmp_path, plan_of(), files)

    assert {name: kept(run.drop(name)) for name in LINES} == {name: wanted for name, (_, wanted) in LINES.items()}
    assert run.decision("plain.csv").verdict == "accepted"
    assert [p.code for p in run.decision("two.csv").problems] == ["trailer-early", "sum-differs"]
    assert [p.code for p in run.decision("empty.csv").problems] == ["no-records"]


def test_records_before_it_keep_their_numbers(spark: SparkSession, tmp_path: Path) -> None:
    run = judge(spark, tmp_path, plan_of(), {"a.csv": f"{HEAD}a,2,x\n,3,y\nT,2,5\n"})

    assert [(row.record, row.raw) for row in run.evidence(spark)] == [(2, ",3,y")]
    assert [row[:4] for row in run.rejected()[1:]] == [["", "3", "y", "2"]]


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_trailer_of_cells_over_lines(spark: SparkSession, tmp_path: Path, compression: str) -> None:
    plan = plan_of(Csv(trailer=RULE, multi_line=True), compression=compression)
    texts = {
        "same": 'a,2,"x\ny"\nb,3,y\nT,2,5\n',
        "narrow": 'a,2,"x\ny"\nb,3,y\nT,2\n',
        "wide": 'a,2,"x\ny"\nb,3,y\n"T",2,5,"m\nn",x\n',
        "blank": "a,2,x\n\nb,3,y\nT,2,5\n\n",
        "missing": "a,2,x\nb,3,y\n",
        "two": "a,2,x\nT,1,2\nb,3,y\nT,2,5\n",
        "behind": 'a,2,x\nb,3,y\n"T" ,"2" ,"5" \n',
        "behind-wide": 'a,2,x\nb,3,y\n"T" ,"2" ,"5" ,z\n',
        "long": f"a,2,x\nb,3,y\nT,2,5,{'x' * 100_000}\n",
        "huge": f"a,2,x\nb,3,y\nT,2,5{'x' * 400_000}\n",
        "longest": f"a,2,x\nb,3,y\nT,2,5,{'x' * 99_994}\n",
        "nul": "a,2,x\nb,3,y\nT,2,5\0\n",
    }
    bodies = {n: (HEAD + text).encode() for n, text in texts.items()} | {
        "latin": f"{HEAD}a,2,x\nb,3,y\nT,2,5,\u00e9\n".encode("latin-1")
    }
    packed = {f"{n}{plan.suffix}": gzip.compress(b) if compression == "gzip" else b for n, b in bodies.items()}
    run = judge(spark, tmp_path, plan, packed)

    endings = {name.partition(".")[0]: (run.drop(name).read, run.drop(name).ending) for name in packed}
    assert endings == {
        **dict.fromkeys(("same", "wide", "blank", "behind", "behind-wide", "longest"), (2, END)),
        **dict.fromkeys(("long", "huge"), (2, TrailerReading((), None, "long"))),
        **dict.fromkeys(("nul", "latin"), (2, TrailerReading((), None, "bytes"))),
        "narrow": (2, TrailerReading(("T", "2"))),
        "missing": (2, TrailerReading()),
        "two": (3, TrailerReading(("T", "2", "5"), 2)),
    }


@pytest.mark.parametrize(
    "csv",
    [
        Csv(trailer=Trailer("99", 2, {"n": 3}), header=False, delimiter="|", quote=""),
        Csv(trailer=Trailer("99", 2, {"n": 3}), header=False, delimiter="|", encoding="iso-8859-1", escape="\\"),
    ],
)
def test_files_without_a_header_have_trailers(spark: SparkSession, tmp_path: Path, csv: Csv) -> None:
    files = {"a.csv": "a|2|x\nb|3|y\n99|2|5\n", "b.csv": "99|0|0\n", "c.csv": "a|2|x\n\n99|1|2"}
    run = judge(spark, tmp_path, plan_of(csv), files)

    assert {n: kept(run.drop(n)) for n in files} == {
        "a.csv": (2, 2, 0, TrailerReading(("99", "2", "5")), 5),
        "b.csv": (0, 0, 0, TrailerReading(("99", "0", "0")), 0),
        "c.csv": (1, 1, 1, TrailerReading(("99", "1", "2")), 2),
    }


QUOTED = {
    'T,"1" ,2': ("T", "1", "2"),
    '"T" ,"",""  ': ("T", "", ""),
    'T,"a\\",b","2"': ("T", 'a",b', "2"),
    'T,a\\,b"c': "quotes",
    "T,1,": ("T", "1", ""),
    "": ("",),
    'T,"a""b",2': "quotes",
    'T,"1\\"': "quotes",
    'T,"': "quotes",
}


def test_cells_of_a_trailer_are_as_those_of_records() -> None:
    escaped = Csv(escape="\\")

    assert {line: cells_of(line, escaped) for line in QUOTED} == QUOTED
    assert cells_of('T,"a""b" ,2', Csv()) == ("T", 'a"b', "2")
    assert cells_of('"T"\x01\t1', Csv(delimiter="\t")) == ("T", "1")
    assert cells_of("T|\"1\" |'2'", Csv(delimiter="|", quote="'")) == ("T", '"1" ', "2")
    assert cells_of("T," + '"' * 99_998, Csv()) == ("T", '"' * 49_998)


def test_bytes_that_are_no_text_reject_wherever_they_stand(spark: SparkSession, tmp_path: Path) -> None:
    """The door sees only the first bytes of a file; the job rejects the same behind as many records as there are."""
    files = {f"{n}.csv": HEAD.encode() + b"a,1,x\n" * n + f"T,{n},{n},\u00e9\n".encode("latin-1") for n in (2, 20_000)}
    run = judge(spark, tmp_path, a_plan(PROPERTIES, csv=Csv(trailer=RULE)), files)

    codes = [[p.code for p in run.decision(name).problems] for name in files]
    assert codes == [["bad-trailer"], ["bad-trailer"]]


def test_trailer_of_a_file_in_several_splits(spark: SparkSession, tmp_path: Path) -> None:
    """Only the last split has it; a file that ends with empty lines ends with a split of these alone."""
    rows = "".join(f"r{n},1,{'x' * 50}\n" for n in range(2_000))
    ends = {
        "a.csv": "T,2000,2000\n",
        "b.csv": f"T,2000,2000\n{chr(10) * 40_000}",
        "c.csv": "",
        "d.csv": "T,1999,2000\n",
    }
    size = "spark.sql.files.maxPartitionBytes"
    before = str(spark.conf.get(size))
    spark.conf.set(size, "20000")
    try:
        run = judge(spark, tmp_path, plan_of(), {name: HEAD + rows + end for name, end in ends.items()})
    finally:
        spark.conf.set(size, before)

    whole = (2000, TrailerReading(("T", "2000", "2000")))
    assert {name: (run.drop(name).read, run.drop(name).ending) for name in ends} == {
        **dict.fromkeys(("a.csv", "b.csv"), whole),
        "c.csv": (2000, TrailerReading()),
        "d.csv": (2000, TrailerReading(("T", "1999", "2000"))),
    }
    assert {name: run.decision(name).verdict for name in ends} == {
        **dict.fromkeys(("a.csv", "b.csv"), "accepted"),
        **dict.fromkeys(("c.csv", "d.csv"), "rejected"),
    }


@pytest.mark.parametrize("multi_line", [False, True])
def test_consumers_of_rows_get_no_trailer(spark: SparkSession, tmp_path: Path, multi_line: bool) -> None:
    body = b"id,n,note\na,2,x\nb,3,y\nT,2,5\n"
    bad = b"id,n,note\na,2,x\n,3,y\nT,2,5\n"
    plan = plan_of(Csv(trailer=RULE, multi_line=multi_line), promote="rows")
    run = promoted(spark, tmp_path, plan, good=body, bad=bad)

    assert left(run, "good") == b"id,n,note\na,2,x\nb,3,y\n"
    assert left(run, "bad") == b"id,n,note\na,2,x\n"
    assert [d.failure for d in run.result.drops] == [None, None]


def test_no_trailer_becomes_a_row_of_a_table(spark: SparkSession, tmp_path: Path) -> None:
    run = promoted(spark, tmp_path, plan_of(promote="table"), a=b"id,n,note\na,2,x\nb,3,y\nT,2,5\n")

    listed = DataFiles.loads(left(run, "a") or b"")
    assert sum(one.rows for one in listed.files) == 2
    assert run.drop("a.csv").sums == {"n": Decimal(5)}
