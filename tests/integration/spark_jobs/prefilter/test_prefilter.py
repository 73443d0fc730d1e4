"""Lines prefiltered and not: every result of the job is the same, and a fault of the prefilter fails no drop."""

from __future__ import annotations

import gzip
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contracts.job import JobReference
from contracts.plan import Compression, Csv, Plan, Policy, Threshold
from contracts.terms.value_form import ValueForm
from spark_jobs.prefilter import plan_tests, prefilter
from spark_jobs.prefilter.arrow_tests import PassCondition
from spark_jobs.scan import batch, prefiltering, references
from spark_jobs.validate import configured
from tests.integration.spark_jobs.scan.test_batch import FILES, PLAN
from tests.integration.spark_jobs.scan.test_references import held, pinned, plan_of
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, a_request, judge
from tests.oracle import faults

Files = Mapping[str, bytes | str]
NEVER, SMALL = 2**62, 2**20
LINES = (
    *(
        "1,1.5,2024-01-01,SP",
        "2,,,",
        "3,NA,NA,NA",
        "4,360,1582-10-10,é",
        "+5,1e2,2024-02-29,RJ",
        ",,,",
        "6,1,2024-02-30,",
    ),
    *("", '7,"1","2024-01-01","SP"', "8,1", "9,1,,SP,", "10,-1,,XXX", "\ufeff11,1,,", "12,1,,S\0", "13,1,,\ufffd", ""),
    *("id,wind,day,state", "14,1,,'S'", '15,1,,"S', "16,1,,\u2028", "17,0,2024-01-01,RJ", " 18,1,,", "NA,1,,SP", "#"),
)
HEADER = "id,wind,day,state"
DIALECTS: dict[str, tuple[Csv, str]] = {
    "other signs": (Csv(delimiter=";", quote="'", escape="\\", null_values=("", "NA", "17")), ";"),
    "no quotes": (Csv(delimiter="\t", quote="", null_values=()), "\t"),
    "no header": (Csv(header=False), ","),
}


def hold(
    spark: SparkSession,
    folder: Path,
    plan: Plan,
    files: Files,
    caplog: pytest.LogCaptureFixture,
    references: Sequence[JobReference] = (),
) -> Judged:
    """Judge files with and without the prefilter, and compare the results."""
    runs = []
    for name, least in (("sifted", 0), ("plain", NEVER)):
        (folder / name).mkdir(parents=True)
        runs.append(judge(spark, folder / name, plan, files, sift_from=least, references=references))
    assert runs[0].outputs(spark) == runs[1].outputs(spark)
    assert is_nothing_kept(spark)
    assert caplog.records == []
    return runs[0]


def is_nothing_kept(spark: SparkSession) -> bool:
    """Return whether executors keep no data of a run."""
    return bool(spark._jsparkSession.sharedState().cacheManager().isEmpty())


def is_sifted(plan: Plan) -> bool:
    """Return whether lines of files with the contract's own header can be prefiltered."""
    names = tuple(p.name for p in plan.properties)
    return prefilter.pass_condition(plan, names, [plan.csv.delimiter.join(names)]) is not None


def test_files_with_any_fault_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plan = faults.plan(faults.WITHOUT_FIGURES)
    assert is_sifted(plan)
    few = {name: body for name, (body, _) in faults.CSV.items() if len(body) < SMALL}
    alike = {name: body for name, body in few.items() if body.startswith(faults.HEAD)}
    files = {f"{name}.csv".replace(" ", "-"): body for name, body in alike.items()}
    judged = hold(spark, tmp_path, plan, files, caplog)
    assert sum(drop.read for drop in judged.result.drops) > 10_000


@pytest.mark.parametrize("name", DIALECTS)
def test_dialects_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    csv, delimiter = DIALECTS[name]
    plan = replace(PLAN, csv=csv)
    assert is_sifted(plan)
    lines = [line.replace(",", delimiter) for line in (HEADER, *LINES)][0 if csv.header else 1 :]
    bodies = {f"{end!r}.csv".replace("\\", ""): end.join([*lines, ""]) for end in ("\n", "\r\n", "\r")}
    judged = hold(spark, tmp_path, plan, bodies, caplog)
    assert all(drop.valid and drop.rejected for drop in judged.result.drops)


FORMED = (
    "id;wind;day;state;on",
    *("1;1,5; 2024-01-01;SP;J", "1.002;1.234,25;;;N", "3;NA; NA ; x ;", " 4 ;,5;2024-02-29;RJ;ja", "5;1.5;;SP;J"),
    *("6;1,5,0;;;N", '7;"1,5";"2024-01-01 ";" SP ";"J"', "8;12.34;;;x", "-1.000;1e2;;;", "9;-1,5;;LONG;J", "x;;;;", ""),
    *("10;0.123;;;", "11;360,1;;;N", "\u00a012;7\t;;\u202fRJ;J", "12;1;;;j", "99.999;360,0;;;J"),
)


def test_values_in_a_form_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    form = ValueForm(trim=True, decimal=",", group=".")
    forms = {p.name: replace(p, form=form.of_type(p.type)) for p in PLAN.properties}
    on = replace(a_property("on", "boolean"), form=ValueForm(true=("J", "ja"), false=("N",)))
    plan = replace(PLAN, properties=(*forms.values(), on), csv=Csv(delimiter=";", null_values=("", "NA")))
    assert is_sifted(plan)
    bodies = {f"{n}.csv": end.join([*FORMED, ""]) for n, end in enumerate(("\n", "\r\n", "\r"))}
    judged = hold(spark, tmp_path, plan, bodies, caplog)
    assert all(drop.valid and drop.rejected for drop in judged.result.drops)


OBJECTS = (
    *('{"id":1,"wind":1.5,"day":"2024-01-01","state":"SP"}', '{"id": 2, "wind": null}', '{"state":"RJ"}', "{}", ""),
    *('{"id":3,"wind":360,"day":"1582-10-10","state":"é"}', '{"id":4,"wind":1e2}', '{"id":-5,"wind":-0.5,"day":null}'),
    *('{"id":"6"}', '{"id":7.0}', '{"wind":1.0E-5,"id":8}', '{"id":9,"day":"2024-02-30"}', '{"id":10,"state":"XXX"}'),
    *('{"id":11,"state":"a\\nb"}', '{"id":12,"id":12}', '{"id":13,"more":[1]}', '{"id":14}{"id":15}', '{"id":16,}'),
    *('{"id":17 "wind":1}', "[]", "null", '{"id":999999999999999999}', '{"id":9223372036854775808}', '\ufeff{"id":18}'),
    *('{"id":19,"state":"\u2028"}', '{"id":20,"wind":1e400}', '{"id":21,"state":"S\0"}', '{"id":22,"wind":true}', " "),
    *(
        ' {"id":23}',
        '{"id":24} ',
        '{"_record":1,"id":25}',
        '{"id":26,"state":"\ufffd"}',
        '{"id":01}',
        '{"id":27,"wind":NaN}',
    ),
)


@pytest.mark.parametrize("extra", ["reject", "ignore"])
def test_objects_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, extra: Policy
) -> None:
    checks = [c for c in PLAN.checks if c.scope != "record" and not c.id.endswith(".logicalType")]
    plan = a_plan(PLAN.properties, checks, columns_extra=extra, file_format="jsonl")
    assert is_sifted(plan)
    bodies: Files = {f"{n}.jsonl": end.join([*OBJECTS, ""]) for n, end in enumerate(("\n", "\r\n", "\r"))}
    packed: Files = {"9.jsonl.gz": gzip.compress("\n".join(OBJECTS).encode(), mtime=0)}

    judged = hold(spark, tmp_path, plan, bodies, caplog)
    assert all(drop.valid and drop.rejected for drop in judged.result.drops)
    judged = hold(spark, tmp_path / "packed", replace(plan, compression="gzip"), packed, caplog)
    assert judged.drop("9.jsonl.gz").valid


def test_packed_files_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plan = replace(PLAN, compression="gzip")
    files = {f"{n}.csv.gz": gzip.compress("\n".join([HEADER, *LINES]).encode(), mtime=0) for n in range(2)}
    judged = hold(spark, tmp_path, plan, files, caplog)
    assert all(drop.valid for drop in judged.result.drops)


LETTERS = {
    "windows-1252": ("1,Müller", "2,CAFÉ”", "3,5 €", "-4,Ä", "5,«x\xa0»"),
    "iso-8859-1": ("1,São", "2,CAFÉ\xa0»", "-3,é"),
    "koi8-r": ("1,\u0435\u0451", "2,Москва", "-3,Ё"),
    "windows-1255": ("1,שלום", "2,x"),
    "cp866": ("1,\u0440\u0430\u0431", "2,Москва", "3,\u2502"),
    "us-ascii": ("1,x", "-2,y"),
}
"""Lines of sound files in an encoding; some are UTF-8 by chance."""
GAPS = (b"6,\x81", b"7,\xd9\xff", b"8,a\x8db,c", b'9,"\xe9"', b'10,"x""\xe9"', b"x,\xe9", b"-11,\xff\xc3\xa9")
"""Bytes that some encodings lack, in lines of any kind."""
LIES = ("id,note", "1,São", "2,Ação", "-3,“é”", "4,x", "x,é", '5,"é"')
"""Lines of files in UTF-8."""


@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize("encoding", LETTERS)
def test_encodings_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, encoding: str, compression: Compression
) -> None:
    checks = [a_check("minimum", "id", value="0"), a_check("maxLength", "note", value=30)]
    plan = a_plan(
        [a_property("id", "integer"), a_property("note")], checks, Csv(encoding=encoding), compression=compression
    )
    assert is_sifted(plan)
    own = [line.encode(encoding) for line in ("id,note", *LETTERS[encoding])]
    lies = [line.encode() for line in LIES]
    ascii_only = [own[0], b"1,a", b"", b"-2,b"]
    kinds = {"own": own, "gaps": [*own, *GAPS], "lies": lies, "both": [*own, *lies], "ascii": ascii_only}
    packed = gzip.compress if compression == "gzip" else bytes
    ends = (b"\n", b"\r\n", b"\r")
    files = {
        f"{kind}{plan.suffix}": packed(ends[n % 3].join([*lines, b""])) for n, (kind, lines) in enumerate(kinds.items())
    }
    judged = hold(spark, tmp_path, plan, files, caplog)
    assert all(drop.read for drop in judged.result.drops)


def test_file_in_several_blocks_is_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Numbers of records stand in evidence: they are the same only if the first ids of blocks are."""
    plan = a_plan([a_property("id", "integer"), a_property("note")], [a_check("minimum", "id", value="0")])
    lines = [f"{'-' if n % 999 == 0 else ''}{n},{'x' * 900}\n" + "\n" * (n % 7 == 0) for n in range(1, 13_000)]
    judged = hold(spark, tmp_path, plan, {"a.csv": "id,note\n" + "".join(lines)}, caplog)
    assert [row.record for row in judged.evidence(spark)] == list(range(999, 13_000, 999))
    assert judged.drop().blank == 12_999 // 7


def test_lines_that_fail_many_checks_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Their bits take two words; those of severity warning stay valid."""
    bounds = [replace(a_check("maximum", "id", value=str(n)), id=f"id.maximum.{n}") for n in range(70)]
    mild = replace(a_check("maxLength", "note", value=1), severity="warning")
    plan = a_plan([a_property("id", "integer"), a_property("note")], [*bounds, mild])
    lines = [f"{n},{'x' * (n % 3)}\n" for n in range(-20, 80)]
    judged = hold(spark, tmp_path, plan, {"a.csv": "id,note\n" + "".join(lines), "b.csv": "id,note\n1,xx\n"}, caplog)
    assert [(d.read, d.rejected, d.flagged) for d in judged.result.drops] == [(100, 79, 7), (1, 1, 0)]
    assert max(len(row.checks) for row in judged.evidence(spark)) == 71


KEYS = a_plan(
    [a_property("id", "integer"), a_property("price", "number", exact=(5, 2)), a_property("code")],
    [
        *(a_check("unique", name, scope="set") for name in ("id", "price", "code")),
        a_check("primaryKey", "id", scope="set"),
        replace(a_check("duplicateValues", "code", scope="set"), threshold=Threshold("mustBeLessThan", (Decimal(2),))),
    ],
    Csv(null_values=("", "NA")),
)
NAMES = "id,price,code"
ENDS = ("\n", "\r\n", "\r")
ASCENDING = [f"{n},{n}.5,c{n:03}" for n in range(1, 25)]
OF_KEYS: dict[str, dict[str, list[str]]] = {
    "ascending": {
        "plain": [NAMES, *ASCENDING],
        "with empty lines": [NAMES, *[""] * 99, *ASCENDING, ""],
        "with a mark": [f"\ufeff{NAMES}", *ASCENDING],
    },
    "repeated": {"plain": [NAMES, *ASCENDING], "far apart": [NAMES, *ASCENDING, "007,7.50,c007"]},
    "of any kind": {
        "falling": [NAMES, *reversed(ASCENDING)],
        "a zero with a sign": [NAMES, "-0,-0.0,a", "0,0,b"],
        "a null": [NAMES, "1,1,a", ",2,b", "3,NA,c", *ASCENDING[10:]],
        "header again": [NAMES, *ASCENDING, NAMES],
        "header alone": [NAMES],
        "header quoted": ['"id",price,code', *ASCENDING],
        "odd lines": [NAMES, *ASCENDING, "x,1,y", "+70,7e1,z", '"71","71","a,b"', "72"],
        "texts by their bytes": [NAMES, "1,1,B", "2,2,a", "3,3,\uff5e", "4,4,\U0001f600", "5,5,A", "6,6,a "],
    },
}
"""Files that are read together: only of those that ascend all no second look is taken."""


TO_SHOPS = (
    "shop,no",
    *(
        "A,1",
        "A,01",
        '"A",2',
        "B,",
        "B,x",
        "A ,3",
        "a,1",
        ",7",
        ",",
        "\u00e9,-5",
        "A,1,1",
        "A,123456789012345678901",
        "",
    ),
)


@pytest.mark.parametrize(("name", "is_prefiltered"), [("no", True), ("shop", True), ("day", False), ("both", False)])
def test_foreign_keys_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, *, is_prefiltered: bool
) -> None:
    """Keys of one column of texts or integers become a list for the prefilter; Spark judges all others."""
    checks = {
        "no": [held("no", name="no")],
        "shop": [held("shop", name="shop"), held("no", name="no", severity="warning")],
        "day": [held("day", name="day")],
        "both": [held("shop", "no", properties=["shop", "no"])],
    }[name]
    plan = plan_of(*checks)
    keys = pinned(tmp_path, "no,shop,day\n001,A,01.02.2024\n3,\u00e9,\n,B,\nx,B,03.02.2024\n-5,D,\n")
    files = {"a.csv": "\n".join(("shop,no,day", *(f"{line},01.02.2024" for line in TO_SHOPS[1:])))}
    files["b.csv"] = "\n".join(TO_SHOPS)
    judged = hold(spark, tmp_path, plan, files, caplog, [keys])
    assert all(drop.rejected for drop in judged.result.drops)

    request = replace(a_request(tmp_path, plan, files), references=(keys,), scratch=(tmp_path / "keys/").as_uri() + "/")
    conditions = prefiltering.conditions(spark, request, references.read(spark, request), 0)
    header = ("shop", "no", "day") if name == "day" else ("shop", "no")  # Arrow reads no day in this format
    condition = conditions.get((header, ()))
    assert (isinstance(condition, PassCondition) and condition.pattern != plan_tests.NOTHING) is is_prefiltered


@pytest.fixture
def pieces(spark: SparkSession) -> Iterator[None]:
    """Files are cut into pieces of a few lines, in every session that is made meanwhile."""
    settings = {"spark.sql.files.maxPartitionBytes": "200"}
    conf = spark.sparkContext._jsc.sc().conf()
    for name, value in settings.items():
        conf.set(name, value)
    yield
    for name in settings:
        conf.remove(name)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("name", OF_KEYS)
def test_keys_and_headers_in_many_pieces_are_judged_the_same(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    assert is_sifted(KEYS)
    files = {f"{of}.csv": ENDS[n % 3].join(lines) for n, (of, lines) in enumerate(OF_KEYS[name].items())}
    judged = hold(spark, tmp_path, KEYS, files, caplog)
    verdicts = {drop.drop: judged.decision(drop.drop).verdict for drop in judged.result.drops}
    assert (set(verdicts.values()) == {"accepted"}) is (name == "ascending")


@pytest.mark.parametrize(
    ("body", "pays"),
    [
        (f"{HEADER}\n" + "1,1,,SP\n" * 9000, True),
        (f"{HEADER}\n" + "1,1e2,,SP\n" * 9000, False),
        (f"{HEADER}\n" + "1,-1,,XXX\n" * 9000, True),
        (f"{HEADER}\r\n1,1,,SP\r\n1,1e2,,SP\r\n1,1e2", True),
        (f"{HEADER}\n", True),
    ],
)
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_files_whose_first_lines_surely_pass_or_fail_are_worth_prefiltering(
    spark: SparkSession, tmp_path: Path, body: str, compression: Compression, *, pays: bool
) -> None:
    data = gzip.compress(body.encode()) if compression == "gzip" else body
    assert is_worth_it(spark, tmp_path, data, compression) is pays


def test_files_that_cannot_be_read_are_not_worth_prefiltering(spark: SparkSession, tmp_path: Path) -> None:
    assert not is_worth_it(spark, tmp_path, b"\x1f\x8b no pack", "gzip")
    assert not is_worth_it(spark, tmp_path, None, "none")


def is_worth_it(spark: SparkSession, folder: Path, data: bytes | str | None, compression: Compression) -> bool:
    """Return whether a prefilter pays for a file of the plan; None stands for a file that is gone."""
    drop = a_request(folder, PLAN, {"a.csv": data or HEADER}).drops[0]
    if data is None:
        (folder / "stage" / "a.csv").unlink()
    proof = prefilter.pass_condition(PLAN, tuple(HEADER.split(",")), [HEADER])
    assert proof
    return prefilter.pays(spark, replace(PLAN, compression=compression), proof, drop)


NO_ARROW = f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n'
"""A Python that finds none of the packages that are installed."""


@pytest.mark.parametrize("python", [NO_ARROW, "#!/bin/sh\nexit 1\n"])
def test_prefilter_that_fails_fails_no_drop(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    path = tmp_path / "python"
    path.write_text(python)
    path.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(path))
    caplog.set_level(logging.WARNING)
    judged = judge(spark, tmp_path, PLAN, {"a.csv": FILES["warned.csv"]}, sift_from=0)
    assert [record.getMessage()[:29] for record in caplog.records] == ["Records are judged one by one"]
    assert is_nothing_kept(spark)
    assert (judged.drop().valid, judged.drop().flagged, judged.drop().failure) == (2, 2, None)


def test_what_an_earlier_job_keeps_of_a_file_is_not_taken_for_it(spark: SparkSession, tmp_path: Path) -> None:
    request = a_request(tmp_path, PLAN, {"a.csv": FILES["rejected.csv"]})
    with ExitStack() as cached:
        batch.scan(configured(spark), request, cached, 0)
        assert not is_nothing_kept(spark)
        judged = judge(spark, tmp_path, PLAN, {"a.csv": FILES["warned.csv"]}, sift_from=0)
    assert (judged.drop().valid, judged.drop().rejected, judged.drop().flagged) == (2, 0, 2)
    assert is_nothing_kept(spark)
