"""Files with one fault each: what is written by hand, what the oracle says and what the job says are the same.

The job says the same of a file among a thousand others as it says of the file alone. In the test command that is shown
in two ways that need few jobs: of each file among a thousand it says what the oracle says, which knows that file alone;
and its whole results (samples, worst values and the producer's file, too) are those of jobs with few other files.
`make torture` runs a job for each file alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.job import DropResult
from tests.integration.spark_jobs.world import Judged
from tests.oracle import faults, records, running
from tests.oracle.judging import judge

PLAN = faults.plan()
FILES = {f"{name}.csv".replace(" ", "-"): body for name, (body, _) in faults.CSV.items()}
SMALL = (
    faults.HEAD + faults.GOOD,
    faults.HEAD + b"1,a,1,2026-01-31,\nx,elf letters,-1,,\n2,a\n",
    faults.HEAD + b'7,a,0.1,2026-01-31,"x"\n7,b,0.2,,\n',
)
OTHERS = {f"other-{n}.csv": SMALL[n % 3] for n in range(1_000 - len(FILES))}
COMPANIES = 4


@dataclass(frozen=True)
class Company:
    """One run of the job over some files."""

    judged: Judged
    rows: Mapping[str, running.Rows]

    def result(self, name: str) -> tuple[DropResult, bytes]:
        """All that is said of a file, but for where it is written, and the producer's file."""
        drop = self.judged.drop(name)
        report = self.judged.folder / "rejected" / name / "rejected.csv"
        return replace(drop, outputs=dict.fromkeys(drop.outputs, "")), report.read_bytes() if report.exists() else b""


@pytest.fixture(scope="module")
def thousand(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Company:
    return _judged(spark, tmp_path_factory.mktemp("thousand"), OTHERS | FILES)


def _judged(spark: SparkSession, folder: Path, files: Mapping[str, bytes]) -> Company:
    admitted = {name: running.look(PLAN, body) for name, body in files.items()}
    return Company(*running.judged_by_job(spark, folder, PLAN, files, admitted))


@pytest.mark.parametrize("name", faults.CSV)
def test_oracle_says_what_is_written(name: str) -> None:
    body, expected = faults.CSV[name]
    admission = running.look(PLAN, body)
    assert not admission.refused
    opinion = judge(PLAN, records.content(PLAN, admission.header, body))
    assert {n: checks for n, (_, checks) in opinion.rows.items()} == {n: {*ids} for n, ids in expected.items()}


def test_among_a_thousand_each_is_judged_as_if_alone(thousand: Company) -> None:
    differences = []
    for name, body in (OTHERS | FILES).items():
        admission = running.look(PLAN, body)
        opinion = judge(PLAN, records.content(PLAN, admission.header, body), admission.notes)
        differences += running.differences(name, opinion, thousand.judged, thousand.rows.get(name, {}))
    assert differences == []


@pytest.mark.parametrize("nth", range(COMPANIES))
def test_results_do_not_depend_on_the_others(spark: SparkSession, tmp_path: Path, thousand: Company, nth: int) -> None:
    _hold(spark, tmp_path, thousand, list(FILES)[nth::COMPANIES])


@pytest.mark.torture
@pytest.mark.parametrize("name", FILES)
def test_results_are_those_of_the_file_alone(spark: SparkSession, tmp_path: Path, thousand: Company, name: str) -> None:
    _hold(spark, tmp_path, thousand, [name])


def _hold(spark: SparkSession, folder: Path, thousand: Company, names: Sequence[str]) -> None:
    few = _judged(spark, folder, {name: FILES[name] for name in names})
    different = [name for name in names if few.result(name) != thousand.result(name)]
    assert [(few.result(name), thousand.result(name)) for name in different[:1]] == []
    assert different == []


def test_columns_of_parquet_that_differ_in_case_are_two(spark: SparkSession, tmp_path: Path) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.caseSensitive", "true")
    session.sql("select 1L as id, 'x' as ID union all select 2L, 'long'").coalesce(1).write.parquet(f"{tmp_path}/made")
    body = next((tmp_path / "made").glob("part-*")).read_bytes()
    short = {"name": "ID", "logicalType": "string", "logicalTypeOptions": {"maxLength": 1}}
    plan = faults.plan([{"name": "id", "logicalType": "integer", "unique": True}, short], format="parquet", columns={})
    content = records.typed(plan, [{"id": 1, "ID": "x"}, {"id": 2, "ID": "long"}])
    compared = running.compare(spark, tmp_path, plan, {"a.parquet": body}, {"a.parquet": content})
    assert compared.differences == ()
    assert compared.opinions["a.parquet"].rows == {2: ("rejected", frozenset({"ID.maxLength"}))}
