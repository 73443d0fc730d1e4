"""Records held against references: files and promoted data in, what is in none of them out."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from backports import zstd
from pyspark.sql import SparkSession

from contracts.job import JobReference
from contracts.plan import Check, Csv, FileFormat, Plan, Reference
from contracts.terms.trailer import Trailer
from contracts.terms.value_form import ValueForm
from spark_jobs.scan import references
from spark_jobs.scan.references import MOST_BYTES
from tests.integration.spark_jobs.summaries import dq_summary, stored
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, a_request, judge

SHOPS = Reference("shops", path="shops.csv")
PROPS = (a_property("shop"), a_property("no", "integer"), a_property("day", "date", format="dd.MM.yyyy"))
VERSION = "sha256:1"


def held(*columns: str, of: str = "shops", name: str | None = None, **more: Any) -> Check:
    """A check that looks for the values of properties in columns of a reference."""
    text = ", ".join(f"{of}.{column}" for column in columns)
    check = a_check("foreignKey", name, to=of, columns=list(columns), text=text, **more)
    return replace(check, expected=f"found in {text}")


def plan_of(*checks: Check, references: Sequence[Reference] = (SHOPS,), form: FileFormat = "csv") -> Plan:
    """A plan of three properties with these checks."""
    return a_plan(PROPS, checks, references=tuple(references), file_format=form)


def pinned(folder: Path, text: str | bytes, name: str = "shops", file: str = "ref.csv") -> JobReference:
    """A reference file as a run gets it."""
    path = folder / "references" / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return JobReference(name, VERSION, (path.as_uri(),))


def figures(judged: Judged, check: str = "no.foreignKey") -> tuple[int, int, int]:
    """Return the counts of a check: evaluated, failed, null."""
    count = judged.count(check)
    return count.evaluated, count.failed, count.null


ROWS = 'shop,no,day\nA,1,01.02.2024\nA,01,\n"A",2,02.02.2024\nB,,01.02.2024\nB,x,\nA ,3,05.02.2024\na,1\n'
"""The last is no record, the one before has a blank behind its shop, another a number that is none."""


def test_value_that_is_in_no_reference_rejects_its_record(spark: SparkSession, tmp_path: Path) -> None:
    shops = pinned(tmp_path, "no,shop,day\n001,A,01.02.2024\n3,B,\nno,shop,day\nx,C,03.02.2024\n,D,\n")
    plan = plan_of(held("no", name="no"), held("shop", name="shop"), held("day", name="day"))
    judged = judge(spark, tmp_path, plan, {"a.csv": ROWS}, references=[shops])

    assert figures(judged) == (6, 1, 2)  # 1 and 01 are the same; nothing is looked for of null and `x`
    assert figures(judged, "shop.foreignKey") == (6, 1, 0)
    assert figures(judged, "day.foreignKey") == (6, 2, 2)
    assert [(s.place.record, s.value) for s in judged.count("no.foreignKey").samples] == [(3, "2")]
    assert [(s.place.record, s.value) for s in judged.count("shop.foreignKey").samples] == [(6, "A ")]
    assert judged.count("no.foreignKey").against == VERSION
    assert judged.decision().verdict == "rejected"
    assert {row[-2]: row[-1] for row in judged.rejected()[1:]}["6"] == (
        "shop.foreignKey (found in shops.shop); day.foreignKey (found in shops.day)"
    )


def test_several_columns_are_looked_for_together(spark: SparkSession, tmp_path: Path) -> None:
    shops = pinned(tmp_path, 'shop;no\n"A";1\nB;2\n')
    check = held("shop", "no", properties=["shop", "no"])
    plan = plan_of(check, references=[replace(SHOPS, csv=Csv(delimiter=";"))])
    judged = judge(spark, tmp_path, plan, {"a.csv": ROWS}, references=[shops])

    assert figures(judged, "foreignKey") == (6, 2, 2)
    assert [(s.place.record, s.value) for s in judged.count("foreignKey").samples] == [
        (3, "shop=A, no=2"),
        (6, "shop=A , no=3"),
    ]
    (row,) = dq_summary(spark, stored(tmp_path, plan)).where("rule_id = 'foreignKey'").collect()
    assert json.loads(row.metadata_json_string) == {"reference": {"name": "shops", "version": VERSION}}
    problem = next(p for p in judged.decision().problems if p.check == "foreignKey")
    assert problem.message == (
        "2 of 7 records (28.5 %) have a value of `shop`, `no` that is not in `shops.shop, shops.no`."
    )


def test_filter_and_warning_go_for_relationships_too(spark: SparkSession, tmp_path: Path) -> None:
    only = {"sql": "(v0 = 'A')", "text": "shop = 'A'", "properties": ["shop"]}
    one = held("no", name="no", filter=only)
    two = replace(held("shop", "no", properties=["shop", "no"], filter=only), id="both", severity="warning")
    judged = judge(spark, tmp_path, plan_of(one, two), {"a.csv": ROWS}, references=[pinned(tmp_path, "shop,no\nA,1\n")])

    assert figures(judged) == (3, 1, 0)
    assert figures(judged, "both") == (3, 1, 0)
    assert {o.id: o.result for o in judged.decision().checks}["both"] == "warning"


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_relationships_mean_the_same_in_every_format(spark: SparkSession, tmp_path: Path, form: FileFormat) -> None:
    rows = [("A", 1), ("A", 2), ("B", None), ("A ", 1), (None, 1)]
    plan = a_plan(PROPS[:2], [held("no", name="no"), held("shop", "no", properties=["shop", "no"])], file_format=form,
                  references=(SHOPS,))  # fmt: skip
    if form == "jsonl":
        text = "".join(json.dumps({"shop": shop, "no": no}) + "\n" for shop, no in rows).encode()
    else:
        text = parquet(spark, tmp_path, rows)
    shops = pinned(tmp_path, "shop,no\nA,1\nB,1\n")
    judged = judge(spark, tmp_path, plan, {"a": text}, references=[shops])

    assert figures_of(judged, "a") == {"no.foreignKey": (5, 1, 1), "foreignKey": (5, 2, 2)}


def test_value_within_an_object_is_looked_for(spark: SparkSession, tmp_path: Path) -> None:
    inner = a_property("to.shop", path=("to", ".shop"))
    plan = a_plan(
        [a_property("to", "object"), inner], [held("shop", name="to.shop")], file_format="jsonl", references=(SHOPS,)
    )
    rows = [{"to": {"shop": "A"}}, {"to": {"shop": "B"}}, {"to": {}}, {}, {"to": 1}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    judged = judge(spark, tmp_path, plan, {"a": text}, references=[pinned(tmp_path, "shop\nA\n")])

    assert figures_of(judged, "a") == {"to.shop.foreignKey": (5, 1, 3)}
    assert [s.value for s in judged.count("to.shop.foreignKey", "a").samples] == ["B"]


def parquet(spark: SparkSession, folder: Path, rows: Iterable[tuple[object, ...]]) -> bytes:
    """A Parquet file of shops and numbers."""
    to = folder / "made"
    spark.createDataFrame(list(rows), "shop string, no bigint").coalesce(1).write.mode("overwrite").parquet(str(to))
    return next(to.glob("part-*.parquet")).read_bytes()


def figures_of(judged: Judged, file: str) -> dict[str, tuple[int, int, int]]:
    """Return the counts of the checks of relationships in a file."""
    counts = dict(zip(judged.result.header.checks, judged.drop(file).counts, strict=True))
    return {name: (n.evaluated, n.failed, n.null) for name, n in counts.items() if name.endswith("foreignKey")}


LISTED: dict[str, tuple[dict[str, Any], list[str | bytes]]] = {
    "csv": ({}, ["no;shop\n1;A\nNA;B\n", "\ufeffshop;seen;no\nC;2024-01-01;03\nbad;4\n", "shop\nZ\n"]),
    "packed": ({"compression": "gzip"}, [gzip.compress(b"no;shop\n1;A\n"), gzip.compress(b"shop;no\nA;3\n")]),
    "by bzip2": ({"compression": "bzip2"}, [bz2.compress(b"no;shop\n1;A\n"), bz2.compress(b"shop;no\nA;3\n")]),
    "by zstd": ({"compression": "zstd"}, [zstd.compress(b"no;shop\n1;A\n"), zstd.compress(b"shop;no\nA;3\n")]),
    "over lines": ({"csv": Csv(multi_line=True)}, ['no,shop\n1,"A\nB"\n', 'shop,no\n"\n",3\nx,y,4\n']),
    "no header": ({"csv": Csv(header=False)}, ["A,1,\nB,03,\n4\n"]),
    "with a trailer": ({"csv": Csv(trailer=Trailer("4"))}, ["no,shop\n1,A\n4,2\n", 'no,seen,shop\n3,,B\n"4",1\n']),
    "over lines, with a trailer": ({"csv": Csv(multi_line=True, trailer=Trailer("4"))}, ['no,shop\n1,"\n"\n3,\n4\n']),
    "jsonl": (
        {"file_format": "jsonl"},
        ['{"no": 1}\n{"no": "2"}\n{"shop": "B", "no": null}\n', '{"no": 4} x\n{"no": 3}\n'],
    ),
    "parquet": ({"file_format": "parquet"}, []),
}
"""Promoted files that have the numbers 1 and 3, by how their contract says that they are written."""


def test_promoted_files_are_read_by_their_own_contract(spark: SparkSession, tmp_path: Path) -> None:
    columns = [a_property("shop"), a_property("no", "integer"), a_property("seen", "date")]
    listed = []
    for form, (written, files) in LISTED.items():
        theirs = a_plan(columns, **({"csv": Csv(delimiter=";", null_values=("", "NA"))} | written))
        bodies = files or [parquet(spark, tmp_path, [("A", 1), ("B", None), ("C", 3)])]
        at = [pinned(tmp_path, body, file=f"[{n}]{form}{theirs.suffix}") for n, body in enumerate(bodies)]
        listed.append(JobReference(form, "v", tuple(uri for one in at for uri in one.files), theirs))
    checks = [replace(held("no", of=form, name="no"), id=form) for form in LISTED]
    plan = plan_of(*checks, references=[Reference(form, contract=form) for form in LISTED])
    judged = judge(spark, tmp_path, plan, {"a.csv": "shop,no,day\nA,1,\nA,2,\nA,3,\nA,4,\n"}, references=listed)

    assert {form: figures(judged, form) for form in LISTED} == dict.fromkeys(LISTED, (4, 2, 0))


@pytest.mark.parametrize(
    ("form", "failed"),
    [(None, 1), (ValueForm(decimal=",", group="."), 0), (ValueForm(), 1)],
    ids=["none", "groups", "plain"],
)
def test_texts_of_a_reference_of_json_are_values_if_so_agreed(
    spark: SparkSession, tmp_path: Path, form: ValueForm | None, failed: int
) -> None:
    forms = {"no": form} if form else None
    shops = Reference("shops", path="ref.jsonl", file_format="jsonl", forms=forms)
    plan = plan_of(held("no", name="no"), references=[shops])
    theirs = pinned(tmp_path, '{"no": "1.000"}\n{"no": 2}\n{"no": "3"}\n', file="ref.jsonl")
    rows = "A,1000,\nA,2,\n" + ("A,3,\n" if form else "")
    judged = judge(spark, tmp_path, plan, {"a.csv": f"shop,no,day\n{rows}"}, references=[theirs])

    assert figures(judged) == (rows.count("A"), failed, 0)


def test_large_reference_is_joined_and_not_broadcast(spark: SparkSession, tmp_path: Path) -> None:
    long = "x" * (MOST_BYTES // 500)
    shops = pinned(tmp_path, "shop\n" + "".join(f"{long}{n}\n" for n in range(500)))
    rows = "".join(f"{shop},1,\n" for shop in (f"{long}7", f"{long}499", f"{long}500", "", f'"{long}8"', "x"))
    plan, files = plan_of(held("shop", name="shop")), {"a.csv": f"shop,no,day\n{rows}"}
    loaded = references.read(spark, replace(a_request(tmp_path, plan, files), references=(shops,)))
    judged = judge(spark, tmp_path, plan, files, references=[shops])

    assert not loaded.keys["shop.foreignKey"].small
    assert figures(judged, "shop.foreignKey") == (6, 2, 1)


@pytest.mark.parametrize(("small", "how"), [(True, "BroadcastHashJoin"), (False, "SortMergeJoin")])
def test_size_says_how_keys_are_joined(spark: SparkSession, small: bool, how: str) -> None:
    keys = references.Keys(spark.range(3).toDF("key0"), small=small)
    plan = a_plan([a_property("no", "integer")], [held("no", name="no")], references=(SHOPS,))
    rows = spark.range(9).selectExpr("id as v0")
    joined = references.joined(rows, plan, {"no"}, references.References({"no.foreignKey": keys}))

    assert how in joined._jdf.queryExecution().executedPlan().toString()
    assert joined.where(f"r{plan.checks.index(plan.checks[-1])}").count() == 6


def test_what_cannot_be_held_against_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    names = ("nowhere", "empty", "keyless", "other", "broken", "hidden", "unknown", "unsaid")
    checks = [replace(held("no", of=name, name="no"), id=name) for name in names]
    plan = plan_of(*checks, held("no", name="no"), references=[SHOPS, *(Reference(n, path=n) for n in names)])
    references = [
        pinned(tmp_path, "no\n1\n"),
        JobReference("nowhere", "v", ((tmp_path / "nowhere.csv").as_uri(),)),
        pinned(tmp_path, "no\n", "empty", "empty.csv"),
        pinned(tmp_path, "no\nx\n\n", "keyless", "keyless.csv"),
        pinned(tmp_path, "number\n1\n", "other", "other.csv"),
        replace(pinned(tmp_path, b"PAR1nothing", "broken", "broken"), plan=a_plan(PROPS, file_format="parquet")),
        pinned(tmp_path, "no\n1\n", "hidden", "_1.csv"),
        JobReference("unknown", problem="is in no catalog"),
    ]
    judged = judge(spark, tmp_path, plan, {"a.csv": "shop,no,day\nA,1,\n"}, references=references)

    counts = {name: judged.count(name) for name in names}
    assert {n.state for n in counts.values()} == {"error"}
    assert counts["empty"].reason == "the reference `empty` is empty: nothing in it has `no`"
    assert counts["keyless"].reason == "the reference `keyless` is empty: nothing in it has `no`"
    assert counts["other"].reason == "the reference `other` has no column `no`"
    assert counts["unknown"].reason == "the reference `unknown` is in no catalog"
    assert counts["hidden"].reason == (
        "the reference `hidden` has a file `_1.csv`, which Spark takes for a hidden one and leaves out"
    )
    assert "nowhere.csv" in (counts["nowhere"].reason or "")
    assert "could not be read" in (counts["broken"].reason or "")
    assert judged.count("no.foreignKey").state == "counted"
    decision = judged.decision()
    assert decision.verdict is None
    assert decision.failure is not None
    assert decision.failure.code == "check-crashed"


def test_missing_column_is_not_looked_for(spark: SparkSession, tmp_path: Path) -> None:
    judged = judge(
        spark,
        tmp_path,
        plan_of(held("no", name="no")),
        {"a.csv": "shop,day\nA,\n"},
        references=[pinned(tmp_path, "no\n1\n")],
    )
    assert judged.count("no.foreignKey").state == "not_evaluated"
