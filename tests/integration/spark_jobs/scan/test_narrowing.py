"""Spark judges only the columns that are not sure in odd lines: all that the job writes is as if it judged all."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from contracts.job import BROAD, JobRequest
from contracts.plan import Csv, Plan, Reference
from spark_jobs import validate
from spark_jobs.scan import batch
from tests.integration.spark_jobs.scan.test_references import held, pinned
from tests.integration.spark_jobs.world import (
    Judged,
    a_check,
    a_plan,
    a_property,
    a_request,
    run_both_ways,
)

USUAL = {
    "integer": ("1", "0", "-7", "12"),
    "string": ("one", "a b", "ü", ""),
    "number": ("0", "1.5", "", "12"),
    "date": ("2026-01-31", "", "1999-12-31"),
}
ODD = {
    "integer": ("", "1.0", "007", "+8", "x", "99999999999999999999", '"3"'),
    "string": ("longer than five", '"x, y"', '"', '""""', "\\N", "a,b", "\t", " x", "\ufeff", "null", "caf\xe9", "\0"),
    "number": ("-1", "-0", "1e3", "1,5", "NaN", ".5", "0x1", "9" * 40, " 2", '"1.5"', '5 1/4"'),
    "date": ("2026-02-30", "2026-1-5", "2026-01-31T00:00:00Z", "today"),
}
"""Texts that pass; and texts that fail, or of which only Spark is sure."""
OF_TYPE = {
    "integer": lambda name: [a_check("required", name), a_check("minimum", name, value="-7")],
    "string": lambda name: [a_check("maxLength", name, value=5, severity="warning")],
    "number": lambda name: [a_check("minimum", name, value="0"), a_check("maximum", name, value="1000")],
    "date": lambda name: [a_check("nullValues", name, "set")],
}


def broad(columns: int, **more: object) -> Plan:
    """Return a plan of so many columns of all types, with a key."""
    own = [a_property(f"c{n}", of) for n, of in zip(range(columns), cycle(USUAL), strict=False)]  # type: ignore[arg-type]
    checks = [check for prop in own for check in OF_TYPE[prop.type](prop.name)]
    key = a_check("unique", "id", "set")
    return a_plan([a_property("id", "integer"), *own], [a_check("required", "id"), key, *checks], **more)  # type: ignore[arg-type]


def drawn(plan: Plan, draw: Random, bad: list[str], odd: dict[str, tuple[str, ...]]) -> bytes:
    """Draw a file of which some values of some columns are odd, some of its lines are cut, and one is no UTF-8."""
    types = {prop.name: prop.type for prop in plan.properties[1:]}
    lines = [["id", *types]]
    for n in range(draw.randint(1, 12)):
        row = {name: draw.choice(USUAL[of]) for name, of in types.items()}
        if draw.random() < 0.6:
            name = draw.choice(bad)
            row[name] = draw.choice(odd[types[name]])
        cells = [str(n), *row.values()]
        lines.append(cells[: draw.randrange(1, len(cells))] if draw.random() < 0.1 else cells)
    text = "".join(plan.csv.delimiter.join(line) + "\n" for line in lines)
    return b"".join(
        line.encode("latin-1" if draw.random() < 0.02 else "utf-8", "replace")
        for line in text.splitlines(keepends=True)
    )


def both_ways(spark: SparkSession, folder: Path, request: JobRequest, sift_from: int) -> None:
    """Judge a request with and without the prefilter, and hold all that is written against each other."""
    narrow = Judged(request.plan, run_both_ways(spark, folder, request, sift_from), folder).outputs(spark)
    whole = Judged(request.plan, run_both_ways(spark, folder, request, None), folder).outputs(spark)
    assert narrow == whole


def judged_names(spark: SparkSession, request: JobRequest) -> list[str]:
    """Return the names of the properties that Spark judges of a request's odd lines."""
    with ExitStack() as cached:
        scanned = batch.scan(validate.configured(spark), request, cached, 0)
        return [prop.name for prop in scanned.narrowing.plan.properties]


@pytest.mark.parametrize("seed", range(6))
def test_drawn_files_have_one_result_whatever_spark_judges(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    csv = Csv(encoding="windows-1252") if seed == 4 else Csv(delimiter=";") if seed == 5 else Csv()
    plan = broad(20, csv=csv)
    if seed > 3:  # a check that only Spark can test
        plan = replace(plan, checks=(*plan.checks, a_check("multipleOf", "c4", value="1")))
    bad = draw.sample([prop.name for prop in plan.properties[1:]], 3)
    if seed in {2, 5}:  # a column that is not sure in odd lines, and another one, have a foreign key
        bad[0] = "c1"
        checks = [held("word", of="words", name="c1"), held("word", of="words", name="c5", severity="warning")]
        plan = replace(plan, checks=(*plan.checks, *checks), references=(Reference("words", path="words.csv"),))
    odd = {of: tuple(text for text in texts if '"' not in text and "," not in text) for of, texts in ODD.items()}
    files = {f"{n}.csv": drawn(plan, draw, bad, ODD if seed % 2 else odd) for n in range(20)}
    words = pinned(tmp_path, "word\none\nü\n x\nnull\n", "words", "words.csv")
    request = replace(a_request(tmp_path, plan, files), references=(words,) if plan.references else ())

    both_ways(spark, tmp_path, request, 0)


def test_only_columns_that_are_not_sure_are_judged(spark: SparkSession, tmp_path: Path) -> None:
    plan = broad(8)
    head = ",".join(prop.name for prop in plan.properties)
    good = "1,1,one,1.5,2026-01-31,-7,,,"
    files = {
        "numbers.csv": f"{head}\n{good}\n{good.replace('1.5', '1e3')}\n",
        "dates.csv": f"{head}\n{good.replace('2026-01-31', '31.1.2026')}\n",
        "short.csv": f"{head}\n1,2\n",
        "low.csv": f"{head}\n{good.replace('-7', '-8')}\n",
    }
    assert judged_names(spark, a_request(tmp_path, plan, files)) == ["c2", "c3"]
    assert judged_names(spark, a_request(tmp_path, plan, {"a.csv": f'{head}\n1,"\n'})) == head.split(",")


def test_broad_file_is_judged_by_its_few_odd_columns(spark: SparkSession, tmp_path: Path) -> None:
    plan, draw = broad(BROAD), Random("broad")
    bad = [f"c{n}" for n in (0, 7, 258, BROAD - 1)]
    odd = {of: tuple(text for text in texts if '"' not in text and "," not in text) for of, texts in ODD.items()}
    request = a_request(tmp_path, plan, {f"{n}.csv": drawn(plan, draw, bad, odd) for n in range(10)})

    both_ways(spark, tmp_path, request, 1 << 30)
    assert {*judged_names(spark, request)} <= {*bad}
