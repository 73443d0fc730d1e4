"""Many drops in one request: each gets the facts that it would get alone, whatever is wrong with the others."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from contracts.authoring.patterns.regex import to_java
from contracts.job import JobResult
from contracts.plan import Columns, Threshold
from contracts.terms.file_sets import SetRule
from spark_jobs.formats import text_lines
from spark_jobs.prefilter import prefilter
from spark_jobs.validate import configured, run
from tests.integration.spark_jobs.summaries import dq_summary, stored
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, a_request, judge

PLAN = a_plan(
    [
        a_property("id", "integer", required=True),
        a_property("wind", "number"),
        a_property("day", "date"),
        a_property("state", classification="internal"),
    ],
    [
        a_check("required", "id"),
        a_check("primaryKey", "id", scope="set"),
        a_check("minimum", "wind", value="0"),
        a_check("maximum", "wind", severity="warning", value="360"),
        a_check("minimum", "day", value="2020-01-01"),
        a_check("enum", "state", values=["SP", "RJ"]),
        a_check("maxLength", "state", value=2),
        replace(
            a_check("nullValues", "wind", scope="set"), threshold=Threshold("mustBeLessThan", (Decimal(60),), "percent")
        ),
        replace(a_check("rowCount", scope="set"), threshold=Threshold("mustBeGreaterThan", (Decimal(0),))),
    ],
    columns=Columns(extra="ignore", missing="ignore"),
)
HEAD = "id,wind,day,state\n"
FILES: dict[str, bytes | str] = {
    "clean.csv": HEAD + "1,1.5,2024-01-01,SP\n2,,2024-01-02,RJ\n",
    "header-only.csv": HEAD,
    "no-end.csv": HEAD + "1,1.5,2024-01-01,SP",
    "crlf.csv": (HEAD + "1,1.5,2024-01-01,SP\n2,,,\n").replace("\n", "\r\n"),
    "bom.csv": "\ufeff" + HEAD + "1,1.5,2024-01-01,SP\n",
    "blanks.csv": HEAD + "\n\n1,1.5,2024-01-01,SP\n\n2,-1,,\n\n",
    "warned.csv": HEAD + "1,400,2024-01-01,SP\n2,361,,\n",
    "rejected.csv": HEAD + "1,-1,2019-12-31,XXX\n2,-7,,SP\n,3,,\n",
    "misfits.csv": HEAD + "x,1d,2024-1-5,SP\n2, 1,today,\n",
    "ragged.csv": HEAD + "1,1.5\n2,1,2024-01-01,SP,more\n3,,,\n",
    "open-quote.csv": HEAD + '1,1.5,2024-01-01,"SP\n2,,,"RJ"\n',
    "swallowed.csv": HEAD + '1,,5"x,"SP,and more\n2,,,SP\n',
    "many-cells.csv": HEAD + "," * 25_000 + "\n2,,,SP\n",
    "quoted.csv": 'id,"wind",day,state\n"1","1.5","2024-01-01","SP"\n2,"","",""\n',
    "nul.csv": HEAD + "1,1.5,2024-01-01,S\x00\n2,,,\n",
    "not-utf8.csv": (HEAD + "1,1.5,2024-01-01,S").encode() + b"\xff\xfe\n2,,,\n",
    "repeated-header.csv": HEAD + "1,1.5,2024-01-01,SP\n" + HEAD + "2,,,\n",
    "same-keys.csv": HEAD + "7,,,\n8,,,\n007,,,\n8,,,\n+7,,,\n,,,\n",
    "reordered.csv": "state,day,wind,id\nSP,2024-01-01,1.5,1\nXX,,,2\n",
    "extra.csv": "id,note,wind,day,state\n1,=1+1,-5,,\n",
    "missing.csv": "id,wind\n1,2\n2,-2\n",
    "sent-back.csv": "id,wind,day,state,_record,_reasons\n1,1.5,2024-01-01,SP,4,wind.minimum\n2,-1,,,5,\n",
    "formulas.csv": HEAD + "=1+1,,,@SUM(A1)\n-5,-5,,+x\n",
}


@pytest.fixture(scope="module")
def together(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """All files in one request."""
    return judge(spark, tmp_path_factory.mktemp("together"), PLAN, FILES)


@pytest.mark.parametrize("name", [*FILES][::4])
def test_others_in_a_batch_change_nothing(spark: SparkSession, tmp_path: Path, together: Judged, name: str) -> None:
    alone = judge(spark, tmp_path, PLAN, {name: FILES[name]})

    assert replace(alone.drop(name), outputs={}) == replace(together.drop(name), outputs={})


def test_results_are_the_same_where_lines_are_prefiltered(
    spark: SparkSession, tmp_path: Path, together: Judged, caplog: pytest.LogCaptureFixture
) -> None:
    assert prefilter.pass_condition(PLAN, ("id", "wind", "day", "state"), [HEAD])
    assert prefilter.pass_condition(PLAN, ("id", "wind"), ["id,wind"])

    assert judge(spark, tmp_path, PLAN, FILES, sift_from=0).outputs(spark) == together.outputs(spark)
    assert caplog.records == []


@pytest.mark.parametrize(
    ("name", "read", "valid", "rejected", "flagged", "blank"),
    [
        ("clean.csv", 2, 2, 0, 0, 0),
        ("header-only.csv", 0, 0, 0, 0, 0),
        ("no-end.csv", 1, 1, 0, 0, 0),
        ("crlf.csv", 2, 2, 0, 0, 0),
        ("bom.csv", 1, 1, 0, 0, 0),
        ("blanks.csv", 2, 1, 1, 0, 4),
        ("warned.csv", 2, 2, 0, 2, 0),
        ("rejected.csv", 3, 0, 3, 0, 0),
        ("misfits.csv", 2, 0, 2, 0, 0),
        ("ragged.csv", 3, 1, 2, 0, 0),
        ("open-quote.csv", 2, 1, 1, 0, 0),
        ("swallowed.csv", 2, 1, 1, 0, 0),
        ("many-cells.csv", 2, 1, 1, 0, 0),
        ("quoted.csv", 2, 2, 0, 0, 0),
        ("nul.csv", 2, 1, 1, 0, 0),
        ("not-utf8.csv", 2, 1, 1, 0, 0),
        ("repeated-header.csv", 3, 2, 1, 0, 0),
        ("same-keys.csv", 6, 5, 1, 0, 0),
        ("reordered.csv", 2, 1, 1, 0, 0),
        ("extra.csv", 1, 0, 1, 0, 0),
        ("missing.csv", 2, 1, 1, 0, 0),
        ("sent-back.csv", 2, 1, 1, 0, 0),
        ("formulas.csv", 2, 0, 2, 0, 0),
    ],
)
def test_records_are_counted(
    together: Judged, name: str, read: int, valid: int, rejected: int, flagged: int, blank: int
) -> None:
    drop = together.drop(name)
    assert (drop.read, drop.valid, drop.rejected, drop.flagged, drop.blank) == (read, valid, rejected, flagged, blank)
    assert together.decision(name).failure is None


def test_malformed_records_are_judged_by_record_checks_alone(together: Judged) -> None:
    assert together.count("record.fields", "ragged.csv").failed == 2
    required = together.count("id.required", "ragged.csv")
    assert (required.evaluated, required.failed, required.null) == (1, 0, 0)


def test_quote_that_swallows_delimiters_is_open(together: Judged) -> None:
    assert together.count("record.quotes", "swallowed.csv").failed == 1


def test_line_of_more_cells_than_the_parser_takes_is_no_record(together: Judged) -> None:
    assert together.count("record.fields", "many-cells.csv").failed == 1


def test_misfits_are_null_for_other_checks(together: Judged) -> None:
    maximum = together.count("wind.maximum", "misfits.csv")
    assert (maximum.evaluated, maximum.failed, maximum.null) == (2, 0, 2)
    assert together.count("id.required", "misfits.csv").failed == 0
    assert together.count("id.primaryKey", "misfits.csv").null == 1


def test_worst_value_is_observed(together: Judged) -> None:
    assert together.count("wind.minimum", "rejected.csv").observed == "-7"
    assert together.count("day.minimum", "rejected.csv").observed == "2019-12-31"
    assert together.count("wind.nullValues", "clean.csv").observed == "50 %"


def test_classified_values_are_masked(together: Judged) -> None:
    count = together.count("state.enum", "rejected.csv")
    assert (count.observed, [s.value for s in count.samples]) == ("***", ["***"])


def test_keys_are_compared_as_values(together: Judged) -> None:
    count = together.count("id.primaryKey", "same-keys.csv")
    assert (count.evaluated, count.failed, count.null) == (6, 6, 0)
    assert [(s.place.record, s.value, s.note) for s in count.samples] == [
        (1, "7", "also record 3, line 4 and 1 more"),
        (2, "8", "also record 4, line 5"),
        (6, None, "has no id"),
    ]


def test_checks_of_missing_columns_are_not_made(together: Judged) -> None:
    count = together.count("day.minimum", "missing.csv")
    assert (count.state, count.reason) == ("not_evaluated", "allowed-missing")


def test_evidence_names_every_failing_check(spark: SparkSession, together: Judged) -> None:
    rows = {(r.file, r.record): r for r in together.evidence(spark)}
    assert rows["rejected.csv", 1].checks == ["wind.minimum", "day.minimum", "state.enum", "state.maxLength"]
    assert rows["rejected.csv", 1].cells == {"id": "1", "wind": "-1", "day": "2019-12-31", "state": "XXX"}
    assert rows["warned.csv", 1].outcome == "flagged"
    assert (rows["ragged.csv", 1].cells, rows["ragged.csv", 1].raw) == (None, "1,1.5")
    assert rows["sent-back.csv", 2].cells == {"id": "2", "wind": "-1", "day": "", "state": ""}


def test_rejected_rows_is_safe_to_open(together: Judged) -> None:
    assert together.rejected("formulas.csv")[1:] == [
        ["'=1+1", "", "", "'@SUM(A1)", "1", "id.logicalType (integer); state.enum (enum); state.maxLength (maxLength)"],
        ["-5", "-5", "", "'+x", "2", "wind.minimum (at least 0); state.enum (enum)"],
    ]
    assert together.rejected("ragged.csv")[1] == [
        "1,1.5",
        "",
        "",
        "",
        "1",
        "record.fields (as many cells as the header)",
    ]
    assert together.rejected("extra.csv") == [
        ["id", "note", "wind", "day", "state", "_record", "_reasons"],
        ["1", "'=1+1", "-5", "", "", "1", "wind.minimum (at least 0)"],
    ]


def test_each_drop_has_a_row_of_the_summary_for_each_check(spark: SparkSession, together: Judged) -> None:
    rows = dq_summary(spark, stored(together.folder, PLAN)).where("drop_id = 'rejected.csv'").collect()
    assert len(rows) == len(PLAN.checks)
    minimum = next(r for r in rows if r.rule_id == "wind.minimum")
    assert (minimum.rows_validated, minimum.failed_count, minimum.success_count, minimum.null_count) == (3, 2, 1, 0)


def test_unreadable_and_changed_files_fail_alone(spark: SparkSession, tmp_path: Path) -> None:
    names = ("clean.csv", "gone.csv", "warned.csv", "changed.csv")
    request = a_request(tmp_path, PLAN, dict.fromkeys(names, HEAD + "1,1,,\n"))
    (tmp_path / "stage" / "gone.csv").unlink()
    (tmp_path / "stage" / "changed.csv").write_text("1,1,,\n" + HEAD)
    (tmp_path / "request.json").write_text(request.dumps())

    run(spark, (tmp_path / "request.json").as_uri())

    result = JobResult.loads((tmp_path / "result.jsonl").read_bytes())
    assert [d.failure and d.failure.code for d in result.drops] == [None, "unreadable", None, "header-changed"]
    assert [d.valid for d in result.drops] == [1, 0, 1, 0]


@pytest.mark.parametrize("now", ["", "\n\n"])
def test_file_that_is_empty_by_now_fails_alone(spark: SparkSession, tmp_path: Path, now: str) -> None:
    request = a_request(tmp_path, PLAN, {"a.csv": HEAD + "1,1,,\n", "empty.csv": "id,wind\n1,2\n"})
    (tmp_path / "stage" / "empty.csv").write_text(now)
    (tmp_path / "request.json").write_text(request.dumps())

    run(spark, (tmp_path / "request.json").as_uri())

    result = JobResult.loads((tmp_path / "result.jsonl").read_bytes())
    assert [d.failure and d.failure.code for d in result.drops] == [None, "header-changed"]


@pytest.mark.parametrize("names", [("a.csv",), ("a.csv", "b.csv")])
def test_one_unreadable_file_fails_and_several_fail_the_run(
    spark: SparkSession, tmp_path: Path, names: tuple[str, ...]
) -> None:
    """An error that keeps several files from being read is hardly in the files: the run may be tried again."""
    request = a_request(tmp_path, PLAN, dict.fromkeys(names, HEAD + "1,1,,\n"))
    for name in names:
        (tmp_path / "stage" / name).unlink()
    (tmp_path / "request.json").write_text(request.dumps())

    if len(names) == 1:
        run(spark, (tmp_path / "request.json").as_uri())
        (drop,) = JobResult.loads((tmp_path / "result.jsonl").read_bytes()).drops
        assert drop.failure is not None
        assert drop.failure.code == "unreadable"
    else:
        with pytest.raises(AnalysisException, match="PATH_NOT_FOUND"):
            run(spark, (tmp_path / "request.json").as_uri())
        assert not (tmp_path / "result.jsonl").exists()


@pytest.mark.parametrize(("classification", "shown"), [(None, True), ("internal", False)])
def test_error_that_may_quote_a_classified_value_is_not_told(
    spark: SparkSession, tmp_path: Path, classification: str | None, *, shown: bool
) -> None:
    """The value has more digits than are added up, which a contract cannot ask for."""
    value = "9876" * 7
    n = a_property("n", "integer", exact=(30, 0), classification=classification)
    plan = a_plan([n], set=SetRule(("day",), 60, manifest="in/{day}.json", sums=("n",)))
    failure = judge(spark, tmp_path, plan, {"a.csv": "n\n1\n", "b.csv": f"n\n{value}\n"}).drop("b.csv").failure

    assert failure is not None
    assert (failure.code, value in failure.message) == ("unreadable", shown)
    assert "NUMERIC_VALUE_OUT_OF_RANGE" in failure.message


def test_a_crashed_run_leaves_no_result(spark: SparkSession, tmp_path: Path) -> None:
    broken = a_plan([a_property("id")], [a_check("pattern", "id", pattern="(")])
    with pytest.raises(Exception, match=r"(?i)pattern|unclosed|invalid"):
        judge(spark, tmp_path, broken, {"a.csv": "id\nx\n"})
    assert not (tmp_path / "result.jsonl").exists()


def test_long_text_does_not_overflow_the_stack(spark: SparkSession, tmp_path: Path) -> None:
    pattern = to_java("^([a-z]|-)+$")
    plan = a_plan([a_property("id")], [a_check("pattern", "id", pattern=pattern)])
    judged = judge(spark, tmp_path, plan, {"a.csv": f"id\na-b\n{'a-' * 10_000}\n"})
    assert (judged.drop().valid, judged.drop().rejected) == (1, 1)


def test_more_columns_than_the_pattern_is_made_for(spark: SparkSession, tmp_path: Path) -> None:
    names = [f"d{n}" for n in range(450)]
    plan = a_plan([a_property(name, "date") for name in names])
    good, bad = ["2024-01-01"] * 450, ["2024-01-01"] * 449 + ["2024-02-30"]
    judged = judge(spark, tmp_path, plan, {"a.csv": "\n".join(map(",".join, (names, good, bad))) + "\n"})
    assert (judged.drop().valid, judged.drop().rejected) == (1, 1)
    assert [row.checks for row in judged.evidence(spark)] == [["d449.logicalType"]]


def test_header_that_a_spreadsheet_would_run_is_harmless(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan([a_property("a", "integer")], columns_extra="ignore")
    judged = judge(spark, tmp_path, plan, {"a.csv": "a,=1+1\nx,y\n"})
    assert judged.rejected()[0] == ["a", "'=1+1", "_record", "_reasons"]


def test_names_are_taken_as_they_are(spark: SparkSession, tmp_path: Path) -> None:
    names = ["a b.csv", "100%.csv", "x[1].csv", "m\u00fcll{a}.csv", "a+b*.csv"]
    judged = judge(spark, tmp_path, PLAN, dict.fromkeys(names, HEAD + "1,-1,,\n"))
    assert [(judged.drop(name).read, judged.drop(name).rejected) for name in names] == [(1, 1)] * 5


def test_many_small_files_are_read_by_a_task_for_each_core(spark: SparkSession, tmp_path: Path) -> None:
    request = a_request(tmp_path, PLAN, {f"{n}.csv": HEAD for n in range(400)})
    session = configured(spark)
    tasks = text_lines.load(session, PLAN, request.drops)._jdf.queryExecution().toRdd().getNumPartitions()
    assert tasks <= session.sparkContext.defaultParallelism + 1  # the rest of a division


def test_later_try_replaces_the_evidence(spark: SparkSession, tmp_path: Path) -> None:
    judge(spark, tmp_path, PLAN, {"a.csv": HEAD + "1,-1,,\n2,-2,,\n"})
    judged = judge(spark, tmp_path, PLAN, {"a.csv": HEAD + "1,-1,,\n2,-2,,\n"}, try_=2)
    assert [(r["record"], r["try"]) for r in judged.evidence(spark)] == [(1, 2), (2, 2)]


@pytest.mark.parametrize(("kind", "bound", "again"), [("maxLength", 2, True), ("multipleOf", "2", False)])
def test_only_what_was_prefiltered_is_scanned_again(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str, bound: object, *, again: bool
) -> None:
    """The warning leaves out the error's text, which may quote a classified value."""
    plan = a_plan([a_property("a", classification="internal")], [a_check(kind, "a", value=bound)])
    request = a_request(tmp_path, plan, {"gone.csv": "a\nx\n"})
    (tmp_path / "stage" / "gone.csv").unlink()
    (tmp_path / "request.json").write_text(request.dumps())

    run(spark, (tmp_path / "request.json").as_uri(), prefilter_from=0)

    logged = [record.getMessage() for record in caplog.records if record.name == "spark_jobs.scan.batch"]
    assert [("PATH_NOT_FOUND" in text, "gone.csv" in text) for text in logged] == [(True, False)] * again
