"""Files of a set at home: held against what their manifest says of their records, as the gate does."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Archive, Csv
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from contracts.terms.trailer import Trailer
from infra.offline.file_sets import gathered
from infra.offline.history_file import read
from infra.offline.judge import judge_all
from tests.builders import a_relative_plan
from tests.integration.spark_jobs.world import a_check, a_plan, a_property
from tests.packing import PACK, zipped

RULE = SetRule(("day",), 3600, manifest="in/{day}/manifest.json", sums=("n",))
PLAN = a_plan([a_property("id"), a_property("n", "integer")], files=("in/{day}/*.csv",), set=RULE)
AT = datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_totals_of_a_manifest_are_compared_at_home(spark: SparkSession, tmp_path: Path) -> None:
    texts = {
        "a.csv": "id,n\nx,1\ny,2\n",
        "b.csv": "id,n\nx,1\ny,2\n",
        "c.csv": "id,n\nx,1\n",
        "manifest.json": """{"files": [{"name": "a.csv", "rows": 2, "sums": {"n": 3}},
                                      {"name": "b.csv", "rows": 3, "sums": {"n": "2.5"}}, {"name": "c.csv"}]}""",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    home = gathered(PLAN, [(tmp_path / name, f"in/1/{name}") for name in texts], AT)
    judged = judge_all(home.uploads, PLAN, lambda: spark)

    assert [(one.name, one.lacks) for one in home.sets] == [("day 1", None)]
    assert {one.file.name: [p.message for p in one.decision.problems] for one in judged} == {
        "a.csv": [],
        "b.csv": [
            "The file has 2 records; its manifest says 3.",
            "The sum of `n` is 3; its manifest says 2.5.",
        ],
        "c.csv": [],
    }


def test_trailer_and_window_are_held_at_home(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,n\nx,1\nEND,2\n", encoding="utf-8")
    plan = a_plan(
        [a_property("id"), a_property("n", "integer")],
        csv=Csv(trailer=Trailer("END", 2)),
        arrival=Arrival("06:00"),
    )
    home = gathered(plan, [(tmp_path / "a.csv", "things/a.csv")], AT)
    (one,) = judge_all(home.uploads, plan, lambda: spark)

    assert [p.code for p in one.decision.problems] == ["rows-differ", "arrived-late"]


def test_file_is_held_against_lines_of_results(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,n\nx,1\n", encoding="utf-8")
    usual = replace(a_relative_plan().checks[-1], id="usual")
    plan = a_plan([a_property("id"), a_property("n", "integer")], [usual])
    uploads = gathered(plan, [(tmp_path / "a.csv", "things/a.csv")], AT).uploads
    lines = [json.dumps({"check_id": "usual", "evaluated": rows}) for rows in (10, 11, 12)]
    results = []
    for earlier in (lines, lines[1:]):
        (one,) = judge_all(uploads, plan, lambda: spark, earlier=read(plan, earlier))
        results.append((one.decision.verdict, one.decision.checks[-1].result, one.decision.checks[-1].lacks))

    assert results == [
        ("rejected", "failed", None),
        ("accepted", "not_evaluated", "2 of 3 accepted files so far"),
    ]


TEXT = "id,n\nx,1\n\ny,two\n"
FORMS: dict[str, tuple[dict[str, Any], bytes, str]] = {
    "UTF-16": ({"csv": Csv(encoding="utf-16")}, TEXT.encode("utf-16"), "record 2, line 4"),
    "a zip archive": (
        {"archive": Archive("zip", "*.csv")},
        zipped({"1.csv": b"id,n\nw,0\n", "2.csv": TEXT.encode()}),
        "record 3, 2.csv:4",
    ),
    "Zstandard": ({"compression": "zstd"}, PACK["zstd"](TEXT.encode()), "record 2, line 4"),
}


@pytest.mark.parametrize("form", FORMS)
def test_file_is_judged_as_it_is_sent(spark: SparkSession, tmp_path: Path, form: str) -> None:
    agreed, body, place = FORMS[form]
    (tmp_path / "a").write_bytes(body)
    plan = a_plan([a_property("id"), a_property("n", "integer")], [a_check("minimum", "n", value="0")], **agreed)
    (one,) = judge_all(gathered(plan, [(tmp_path / "a", "things/a.csv")], AT).uploads, plan, lambda: spark)

    (problem,) = one.decision.problems
    assert (problem.code, str(problem.place)) == ("check-logicalType", place)
