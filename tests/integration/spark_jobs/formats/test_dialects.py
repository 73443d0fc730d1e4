"""Other dialects than commas and double quotes: delimiter, quote, escape, encoding, null values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Csv
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge

FIELDS = "record.fields (as many cells as the header)"
PROPERTIES = [a_property("id", "integer"), a_property("name"), a_property("wind", "number")]
CHECKS = [a_check("maxLength", "name", value=9), a_check("required", "name"), a_check("minimum", "wind", value="0")]


@pytest.mark.parametrize(
    ("csv", "text"),
    [
        (Csv(delimiter=";"), 'id;name;wind\n1;"a;b""c";-1\n2;x,y;2\n'),
        (Csv(delimiter="\t"), 'id\tname\twind\n1\t"a\tb""c"\t-1\n2\tx\t2\n'),
        (Csv(delimiter="|", quote="'", escape="\\"), "id|name|wind\n1|'a|b\\'c'|-1\n2|x|2\n"),
        (Csv(quote="'", escape="'"), "id,name,wind\n1,'a,b''c',-1\n2,x\"y,2\n"),
    ],
)
def test_rejected_rows_come_back_in_the_files_dialect(spark: SparkSession, tmp_path: Path, csv: Csv, text: str) -> None:
    judged = judge(spark, tmp_path, a_plan(PROPERTIES, CHECKS, csv), {"a.csv": text})

    drop = judged.drop()
    assert (drop.read, drop.valid, drop.rejected) == (2, 1, 1)
    name = f"a{csv.delimiter}b{csv.quote}c"
    assert judged.rejected()[1] == ["1", name, "-1", "1", "wind.minimum (at least 0)"]


def test_escaped_quotes_are_no_open_quotes(spark: SparkSession, tmp_path: Path) -> None:
    csv = Csv(escape="\\")
    judged = judge(spark, tmp_path, a_plan(PROPERTIES, CHECKS, csv), {"a.csv": 'id,name,wind\n1,"a\\"b",1\n2,"c,1\n'})
    assert judged.count("record.quotes").failed == 1
    assert [s.place.record for s in judged.count("record.quotes").samples] == [2]


def test_quote_written_twice_is_no_record_where_another_character_escapes_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    plan = a_plan(PROPERTIES, CHECKS, Csv(delimiter="\t", quote="'", escape="\\"))
    names = ["'it''s'", "'it\\'s'", "''", "''''", "'' ", "'a'''", "'\\'\\''"]
    lines = "".join(f"{n}\t{name}\t{n}\n" for n, name in enumerate(names, 1))
    judged = judge(spark, tmp_path, plan, {"a.csv": f"id\tname\twind\n{lines}"})
    assert [s.place.record for s in judged.count("record.quotes").samples] == [1, 4, 6]


def test_latin_1_is_read_and_written(spark: SparkSession, tmp_path: Path) -> None:
    csv = Csv(encoding="iso-8859-1")
    text = "id,name,wind\n1,S\u00e3o Paulo,-1\n2,M\u00fcnchen,1\n"
    judged = judge(spark, tmp_path, a_plan(PROPERTIES, CHECKS, csv), {"a.csv": text.encode("iso-8859-1")})
    assert judged.drop().rejected == 1
    assert judged.rejected(encoding="iso-8859-1")[1] == ["1", "S\u00e3o Paulo", "-1", "1", "wind.minimum (at least 0)"]


@pytest.mark.parametrize(
    ("words", "nulls"),
    [
        (("",), {"": 0, "NA": 1, "-": 1, '""': 0}),
        (("", "NA"), {"": 0, "NA": 0, "-": 1, '""': 0, '"NA"': 0}),
        (("NA",), {"": 1, "NA": 0, "-": 1, '""': 1, '"NA"': 0}),
        (("NA", "-"), {"": 1, "NA": 0, "-": 0, '"-"': 0}),
        (("", "NA", "-"), {"": 0, "NA": 0, "-": 0}),
        (("NA", "-9"), {"NA": 0, "-9": 0, "-": 1}),
        (("-9", "-8.5", "NA"), {"-9": 0, "-8.5": 0, "NA": 0, "-": 1}),
        ((), {"": 1, "NA": 1}),
    ],
)
def test_null_values_are_the_contracts(
    spark: SparkSession, tmp_path: Path, words: tuple[str, ...], nulls: dict[str, int]
) -> None:
    """A cell is null where it equals a null value, quoted or not; else it is a text, and no number."""
    lines = "".join(f"1,{cell},{cell}\n" for cell in nulls)
    judged = judge(
        spark, tmp_path, a_plan(PROPERTIES, CHECKS, Csv(null_values=words)), {"a.csv": f"id,name,wind\n{lines}"}
    )

    wind = judged.count("wind.logicalType")
    assert (wind.failed, wind.null) == (sum(nulls.values()), len(nulls) - sum(nulls.values()))
    assert judged.count("name.required").failed == len(nulls) - sum(nulls.values())


def test_null_values_that_look_like_values_are_null(spark: SparkSession, tmp_path: Path) -> None:
    properties = [a_property("id", "integer"), a_property("day", "date"), a_property("note")]
    checks = [a_check("required", "day"), a_check("required", "id")]
    csv = Csv(null_values=("", "-", "9999-12-31", "0"))
    text = "id,day,note\n1,9999-12-31,a\n2,2024-02-29,b\n0,2024-02-30,c\n4,-,d\n5,,e\n"
    judged = judge(spark, tmp_path, a_plan(properties, checks, csv), {"a.csv": text})

    assert [s.place.record for s in judged.count("day.required").samples] == [1, 4, 5]
    assert [s.place.record for s in judged.count("day.logicalType").samples] == [3]
    assert [s.place.record for s in judged.count("id.required").samples] == [3]


def test_keys_are_found_in_lines_with_quotes_and_without(spark: SparkSession, tmp_path: Path) -> None:
    properties = [a_property("name"), a_property("id", "integer"), a_property("note")]
    plan = a_plan(properties, [a_check("unique", "id", scope="set")], Csv(delimiter=";"))
    text = 'name;id;note\n"a;7";8;7\nc;7;y\nd;"7";"z"\ne;;\nf;9;"7"\n"g""";007;\n'
    judged = judge(spark, tmp_path, plan, {"a.csv": text})

    count = judged.count("id.unique")
    assert (count.failed, count.null) == (3, 1)
    assert [(s.place.record, s.value, s.note) for s in count.samples] == [(2, "7", "also record 3, line 4 and 1 more")]


def test_file_without_a_header_has_the_contracts_columns(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan([a_property("id", "integer"), a_property("note")], csv=Csv(header=False))
    judged = judge(spark, tmp_path, plan, {"a.csv": "1,a\n\nx,b\n3\n4,d\n"})
    drop = judged.drop()
    assert (drop.read, drop.valid, drop.blank) == (4, 2, 1)
    assert [(r.record, r.checks) for r in judged.evidence(spark)] == [(2, ["id.logicalType"]), (3, ["record.fields"])]
    assert judged.rejected() == [
        ["x", "b", "2", "id.logicalType (integer)"],
        ["3", "", "3", FIELDS],
    ]
    assert [s.note for s in judged.count("record.fields").samples] == ["1 cell"]


def test_without_quotes_a_quote_is_a_character(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan([a_property("id", "integer"), a_property("note")], csv=Csv(delimiter=";", quote=""))
    judged = judge(spark, tmp_path, plan, {"a.csv": 'id;note\n1;5" pipe\n"2";b\n3;"a;b"\n4;"\n'})
    assert [(r.record, r.checks) for r in judged.evidence(spark)] == [(2, ["id.logicalType"]), (3, ["record.fields"])]
    assert judged.evidence(spark)[0].cells == {"id": '"2"', "note": "b"}
    assert [s.note for s in judged.count("record.fields").samples] == ["3 cells"]
    assert judged.rejected()[1] == ['"2"', "b", "2", "id.logicalType (integer)"]


MULTI = a_plan(
    [a_property("id", "integer"), a_property("note")],
    [a_check("maxLength", "note", value=20)],
    csv=Csv(multi_line=True),
)


CELLS_OVER_LINES = (
    f'\ufeffid,note\n1,"two\nlines"\n\n"x","a ""b""\n=c"\n3\n4,a,b\n5,{"n" * 21}\nid,note\n6,\x00\n7,"a,b"\n"8",""'
)
ENDS = {"lf": "\n", "crlf": "\r\n"}
STRAY: dict[str, str | bytes] = {
    "within.csv": 'id,note\n1,5"x\n2,"abc\n3,d\n',
    "at-the-end.csv": 'id,note\n1,5"\n2,"abc\n3,d\n',
    "behind-blanks.csv": 'id,note\n1, "a"\n',
    "two-in-a-cell.csv": 'id,note\n1,"a" "b"\n',
    "text-behind.csv": 'id,note\n1,"a\nb"c\n',
    "after-a-break.csv": 'id,note\n1,"a\nb"\n2,x"\n3,"y\n',
    "never-closed.csv": 'id,note\n1,"a\n2,b\n3,c\n',
    "bytes-and-open.csv": b'id,note\n1,"\xea\xbb"\n2,"a\n',
}
"""Files with a quote that stands not around a cell."""
WHOLE: dict[str, str | bytes] = {
    "good.csv": 'id,note\n1,"5""x"\n"2" ,"a\nb"\n',
    "continued.csv": 'id,note\n1,"a\nb, 5"\n2,"x\n""y"" z"\n"3",\n',
    "empty.csv": 'id,note\n1,""\n2,"a\n"\n3,"\n"\n',
    "signs.csv": 'id,note\n1,"\ue000"\n2,\ue001\n3,"\ue001\n\ue000"\n',
    "one-cell.csv": 'id,note\n1,"a\nb"\n',
    "replacement.csv": "id,note\r1,\ufffd\r",
}
OTHERS: dict[str, str | bytes] = {
    "wide.csv": "id,note\n1,a\n2," + "," * 30_000 + "\n",
    "no-text.csv": b"id,note\n1,\xef\xbf\xbd\r2,\xe9\r3,\xe9\r\n4,b\n",
}


@pytest.fixture(scope="module")
def over_lines(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """One run over all files of the plan with cells over lines."""
    cells = {f"{name}.csv": CELLS_OVER_LINES.replace("\n", end) for name, end in ENDS.items()}
    return judge(spark, tmp_path_factory.mktemp("lines"), MULTI, {**cells, **STRAY, **WHOLE, **OTHERS})


@pytest.mark.parametrize("name", ENDS)
def test_quoted_cell_may_hold_line_breaks(spark: SparkSession, over_lines: Judged, name: str) -> None:
    end, file = ENDS[name], f"{name}.csv"
    drop = over_lines.drop(file)
    assert (drop.read, drop.valid, drop.rejected) == (9, 3, 6)
    rows = over_lines.evidence(spark, file)
    assert [(r.record, r.checks) for r in rows] == [
        (2, ["id.logicalType"]),
        (3, ["record.fields"]),
        (4, ["record.fields"]),
        (5, ["note.maxLength"]),
        (6, ["id.logicalType"]),
        (7, ["record.text"]),
    ]
    assert rows[0].cells == {"id": "x", "note": f'a "b"{end}=c'}
    assert rows[0].raw == f'"x","a ""b""{end}=c"'
    assert over_lines.count("note.maxLength", file).null == 1
    rejected = over_lines.rejected(file)
    assert rejected[:4] == [
        ["id", "note", "_record", "_reasons"],
        ["x", f'a "b"{end}\'=c', "2", "id.logicalType (integer)"],
        ["3", "", "3", FIELDS],
        ["4,a,b", "", "4", FIELDS],
    ]
    assert [s.note for s in over_lines.count("record.fields", file).samples] == ["1 cell", "3 cells"]
    assert [len(line) for line in rejected] == [4] * 7


def test_quote_that_stands_not_around_a_cell_refuses_the_file_alone(over_lines: Judged) -> None:
    refusals = {name: over_lines.drop(name).refusal for name in STRAY | WHOLE}
    codes = {name: refusal and refusal.code for name, refusal in refusals.items()}
    assert codes == dict.fromkeys(STRAY, "open-quote") | dict.fromkeys(WHOLE)
    assert {over_lines.decision(name).verdict for name in STRAY} == {"rejected"}
    assert {over_lines.decision(name).verdict for name in WHOLE} == {"accepted"}


def test_record_of_too_many_cells_fails_alone(over_lines: Judged) -> None:
    assert [s.place.record for s in over_lines.count("record.fields", "wide.csv").samples] == [2]


def test_bytes_that_are_no_text_stay_so_between_mixed_line_ends(over_lines: Judged) -> None:
    assert [s.place.record for s in over_lines.count("record.text", "no-text.csv").samples] == [2, 3]


MIXED = {
    "within.csv": (b'id,note\r\n1,"a\r\nb"\n2,"a\nb"\r3,"a\rb"\r\n', ["a\r\nb", "a\nb", "a\rb"]),
    "at-the-end.csv": (b'id,note\n1,"a\r\nb\r"\r\n2,x\r3,"\r"\n', ["a\r\nb\r", "x", "\r"]),
    "of-cr.csv": (b'id,note\r1,a\r\r2,"b\r\r\n\n"\r3,"c"', ["a", "b\r\r\n\n", "c"]),
    "empty.csv": (b'id,note\n\n1,a\r\n\r\n2,"\r\n"\n\r3,c\n\n', ["a", "\r\n", "c"]),
}
"""Files with several kinds of line ends, and the notes in them."""


def test_mixed_line_ends_part_records_and_stay_in_cells(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan(MULTI.properties, [a_check("maxLength", "note", value=0)], csv=Csv(multi_line=True))
    judged = judge(spark, tmp_path, plan, {name: body for name, (body, _) in MIXED.items()})
    for name, (_, cells) in MIXED.items():
        assert judged.drop(name).read == len(cells)
        assert [(r.record, r.cells["id"], r.cells["note"]) for r in judged.evidence(spark, name)] == [
            (n, str(n), cell) for n, cell in enumerate(cells, 1)
        ]


def test_quote_behind_bytes_that_are_no_text_is_counted(spark: SparkSession, tmp_path: Path) -> None:
    files = {"cut.csv": b'id,note\n1,\xea\xbb"\n', "open.csv": b'id,note\n1,"\xea\xbb"\n2,"a\n'}
    judged = judge(spark, tmp_path, replace(MULTI, csv=Csv()), files)
    assert judged.count("record.quotes", "cut.csv").failed == 1


def test_mark_at_the_start_of_a_line_is_a_part_of_its_cell(spark: SparkSession, tmp_path: Path) -> None:
    """Spark's CSV parser drops it from the first line that it gets, here the only one that needs it."""
    plan = a_plan([a_property("name"), a_property("id", "integer")], [a_check("maxLength", "name", value=1)])
    text = "name,id\na,1\n\ufeffb,2\nc,3\n"
    judged = judge(spark, tmp_path, plan, {"a.csv": text, "quoted.csv": 'name,id\n"a",1\n\ufeff"b,c",2\n'})
    assert [s.place.record for s in judged.count("name.maxLength", "a.csv").samples] == [2]
    assert [s.place.record for s in judged.count("record.quotes", "quoted.csv").samples] == [2]


def test_tabs_and_escapes_stand_between_quoted_cells(spark: SparkSession, tmp_path: Path) -> None:
    tabs = replace(MULTI, csv=Csv(multi_line=True, delimiter="\t", escape="\\"))
    good = 'id\tnote\n"1"\t"a\n\\"b\\""\n"2"\t\\"\n'
    judged = judge(spark, tmp_path, tabs, {"good.csv": good, "twice.csv": 'id\tnote\n1\t"a""b"\n'})
    refusal = judged.drop("twice.csv").refusal
    assert judged.decision("good.csv").verdict == "accepted"
    assert refusal
    assert refusal.code == "open-quote"


@pytest.mark.parametrize("least", [0, 2**62])
def test_a_character_that_ends_the_parser_ends_no_line(spark: SparkSession, tmp_path: Path, least: int) -> None:
    plan = a_plan([a_property("a"), a_property("b")], csv=Csv(escape="\\"))
    text = 'a,b\n"x",\uffff\n"x",y\n"\uffff",y\n"x,",y\n'
    drop = judge(spark, tmp_path, plan, {"a.csv": text}, sift_from=least).drop()
    assert (drop.read, drop.valid) == (4, 4)
