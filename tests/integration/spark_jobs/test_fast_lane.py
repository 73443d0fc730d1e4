"""The fast lane: small files that surely pass have the job's result without Spark; all others are left to the job."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from contracts.job import JobRequest
from contracts.plan import Csv, Plan
from infra.offline.judge import Upload, judge_all
from spark_jobs import fast_lane
from spark_jobs.prefilter.plan_tests import WIDE
from tests.integration.spark_jobs.world import SMALL_BLOCK, a_check, a_plan, a_property, a_request, run_both_ways

PROPERTIES = [
    a_property("id", "integer"),
    a_property("name"),
    a_property("amount", "number"),
    a_property("day", "date"),
]
CHECKS = [
    *(a_check("required", "id"), a_check("unique", "id", "set"), a_check("minimum", "amount", value="0")),
    *(a_check("maxLength", "name", value=5, severity="warning"), a_check("rowCount", scope="set")),
]
MEAN = a_check("mean", "amount", "set", limits=["1"])
PLAN = a_plan(PROPERTIES, CHECKS)
HEAD = "id,name,amount,day\n"
GOOD = HEAD + "1,one,1.5,2026-01-31\n2,,0,\n\n9,nine,,2026-02-28\n"
LINES = replace(PLAN, file_format="jsonl", checks=a_plan(PROPERTIES, CHECKS, file_format="jsonl").checks)
NAMES = [f"c{n}" for n in range(WIDE + 1)]
VALUES = range(len(NAMES))
BROAD = [a_property(name, "integer") for name in NAMES], [a_check("minimum", name, value="0") for name in NAMES]
PASSING: dict[str, tuple[Plan, str | bytes]] = {
    "a small file": (PLAN, GOOD),
    "keys in any order": (PLAN, f"{GOOD}3,x,1,\n-7,x,1,\n"),
    "without a record": (PLAN, HEAD),
    "without a last line end": (PLAN, GOOD.rstrip()),
    "lines that end in CR and LF": (PLAN, GOOD.replace("\n", "\r\n")),
    "a byte order mark": (PLAN, "\ufeff" + GOOD),
    "without a header": (replace(PLAN, csv=Csv(header=False)), GOOD.removeprefix(HEAD)),
    "windows-1252": (replace(PLAN, csv=Csv(encoding="windows-1252")), GOOD.replace("one", "né").encode("cp1252")),
    "more columns than the job prefilters": (a_plan(*BROAD), f"{','.join(NAMES)}\n{','.join(map(str, VALUES))}\n"),
    "objects of more keys than the job prefilters": (
        a_plan(*BROAD, file_format="jsonl"),
        json.dumps(dict(zip(NAMES, VALUES, strict=True))),
    ),
    "objects in lines": (LINES, '{"id": 1, "name": "a", "amount": 1.5}\n{"id": 2, "day": "2026-01-31"}\n'),
}
LEFT: dict[str, tuple[Plan, str | bytes]] = {
    "a null that is forbidden": (PLAN, f"{GOOD},x,1,\n"),
    "a value of another type": (PLAN, f"{GOOD}10,x,many,\n"),
    "a number that is perhaps one": (PLAN, f"{GOOD}10,x,1e2,\n"),
    "a warning": (PLAN, f"{GOOD}10,longer than five,1,\n"),
    "a line that is short": (PLAN, f"{GOOD}10\n"),
    "a key that is null": (
        replace(PLAN, checks=tuple(c for c in PLAN.checks if c.id != "id.required")),
        f"{GOOD},x,1,\n",
    ),
    "a key that is there twice": (PLAN, f"{GOOD}9,x,1,\n"),
    "another header than was admitted": (PLAN, GOOD),
    "a figure of all values": (replace(PLAN, checks=(*PLAN.checks, MEAN)), GOOD),
    "rows for consumers": (replace(PLAN, promote="rows"), GOOD),
    "a value among many columns": (a_plan(*BROAD), f"{','.join(NAMES)}\n-1,{','.join(map(str, VALUES[1:]))}\n"),
    "a packed file": (replace(PLAN, compression="gzip"), GOOD),
    "bytes that are no text": (PLAN, GOOD.replace("one", "né").encode("cp1252")),
    "bytes that are no UTF-8 in a line that fails": (
        replace(PLAN, csv=Csv(encoding="windows-1252")),
        f"{GOOD}10,né,many,\n11,né,-1,\n".encode("cp1252"),
    ),
    "letters of another encoding": (
        replace(PLAN, csv=Csv(encoding="windows-1252", mojibake="reject")),
        GOOD.replace("one", "né"),
    ),
}
FILES_OF_A_FORM, MOST_ROWS = 500, 12
USUAL = {
    "name": ("one", "", "a b", "ü", "x.y"),
    "amount": ("0", "1.5", "", "12", "0.25"),
    "day": ("2026-01-31", "", "1999-12-31"),
}
ODD = {
    "id": ("", "1.0", "007", "+8", "x", "1", "99999999999999999999"),
    "name": ("longer than five", '"x, y"', "1;2", '"', '""""', '"a\nb"', "\\N", "a,b", "\t", " x", "\ufeff", "null"),
    "amount": ("-1", "-0", "1e3", "1,5", "NaN", ".5", "5.", "0x1", "9" * 40, "\u0661", " 2", "-"),
    "day": ("2026-02-30", "2026-1-5", "31.01.2026", "2026-01-31T00:00:00Z", "0000-01-01", "today"),
}
"""Texts that pass, and texts that fail in some form and pass in another."""
FORMS = {
    "csv": PLAN,
    "csv, semicolons": replace(PLAN, csv=Csv(delimiter=";", header=False)),
    "csv, windows-1252": replace(PLAN, csv=Csv(encoding="windows-1252")),
    "jsonl": LINES,
}
"""The forms of the many files."""


@pytest.mark.parametrize("name", PASSING)
def test_file_that_surely_passes_has_the_result_of_the_job(spark: SparkSession, tmp_path: Path, name: str) -> None:
    plan, text = PASSING[name]
    request = a_request(tmp_path, plan, {"a.csv": text})

    assert fast_lane.judge(request)
    assert run_both_ways(spark, tmp_path, request).drops[0].rejected == 0


@pytest.mark.parametrize("name", LEFT)
def test_file_that_is_not_sure_is_left_to_the_job(tmp_path: Path, name: str) -> None:
    assert fast_lane.judge(_request(tmp_path, *LEFT[name], changed=name.startswith("another"))) is None


def test_files_of_a_request_are_left_together(tmp_path: Path) -> None:
    files = {"a.csv": GOOD, "b.csv": GOOD}
    good = a_request(tmp_path, PLAN, files)
    size = sum(map(len, files.values()))

    assert fast_lane.judge(good, size)
    assert fast_lane.judge(good, size - 1) is None
    assert fast_lane.judge(a_request(tmp_path, PLAN, files | {"c.csv": f"{GOOD}x,,,\n"})) is None


@pytest.mark.parametrize("form", FORMS)
def test_many_files_have_one_verdict_both_ways(
    spark: SparkSession, tmp_path: Path, form: str, record_property: Callable[[str, object], None]
) -> None:
    plan, draw = FORMS[form], Random(form)
    unique = [check.id for check in plan.checks].index("id.unique")
    files = {f"{n}.txt": _drawn(plan, draw) for n in range(FILES_OF_A_FORM)}
    request = a_request(tmp_path, plan, files)
    result = run_both_ways(spark, tmp_path, request)
    sure = [drop.id for drop in request.drops if fast_lane.judge(replace(request, drops=(drop,)))]
    by_blocks = [
        drop.id
        for drop in request.drops
        if fast_lane.judge(replace(request, drops=(drop,)), at_once=0, block=SMALL_BLOCK)
    ]
    passing = [facts.drop for facts in result.drops if not facts.masks and not facts.counts[unique].failed]
    record_property(f"files that Spark passes in the form {form}", len(passing))
    record_property(f"of them by the fast lane, {form}", len(sure))

    assert {*by_blocks} <= {*sure} <= {*passing}
    assert len(passing) < FILES_OF_A_FORM * 0.9, "many fail"
    assert len(sure) > len(passing) * 0.8, "it takes most of those that pass"
    assert len(by_blocks) > len(sure) * 0.9, "but for keys of blocks that overlap"


def _drawn(plan: Plan, draw: Random) -> bytes:
    """Draw a file, in half of the cases with one odd text."""
    rows = [
        {"id": str(n), **{name: draw.choice(texts) for name, texts in USUAL.items()}}
        for n in range(1, draw.randint(1, MOST_ROWS) + 1)
    ]
    if draw.random() < 0.5:
        name = draw.choice([*ODD])
        draw.choice(rows)[name] = draw.choice(ODD[name])
    if plan.file_format == "jsonl":
        return "".join(
            json.dumps({k: _value(k, v) for k, v in row.items()}, ensure_ascii=False) + "\n" for row in rows
        ).encode()
    ends = draw.choice(("\n", "\r\n"))
    lines = [*([HEAD.strip()] if plan.csv.header else []), *(plan.csv.delimiter.join(row.values()) for row in rows)]
    return "".join(line + ends for line in lines).encode(plan.csv.encoding, "replace")


def _value(name: str, text: str) -> object:
    """Return the value of a text in JSON: a number where it is one and is to be one."""
    try:
        return json.loads(text) if name in ("id", "amount") else text or None
    except ValueError:
        return text or None


def test_file_that_surely_passes_is_judged_at_home_without_spark(tmp_path: Path) -> None:
    path = tmp_path / "_a[1].csv"
    path.write_text(GOOD, encoding="utf-8")

    def session() -> SparkSession:
        raise AssertionError("Spark was started")

    (judged,) = judge_all([Upload(path, "things/a.csv", datetime(2026, 1, 31, tzinfo=UTC))], PLAN, session)
    assert (judged.decision.verdict, judged.decision.rows.read) == ("accepted", 3)


def _request(folder: Path, plan: Plan, text: str | bytes, *, changed: bool) -> JobRequest:
    request = a_request(folder, plan, {"a.csv": text})
    drops = tuple(replace(drop, header_line="id,name,day,amount") if changed else drop for drop in request.drops)
    return replace(request, drops=drops)
