"""Files in each encoding that a contract may agree on: the same texts in Java as in Python, and lies told."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.files import encodings
from contracts.plan import Csv, Plan
from spark_jobs.formats import text_lines
from spark_jobs.validate import SETTINGS
from tests.integration.spark_jobs.world import a_plan, a_property, judge

OTHERS = tuple(n for n in encodings.NAMES if encodings.is_one_byte(n))
BYTES = [bytes([n]) for n in range(256)]


def in_encoding(name: str) -> Plan:
    return a_plan([a_property("id", "integer"), a_property("note")], csv=Csv(encoding=name))


def test_java_reads_each_byte_as_python_does(spark: SparkSession) -> None:
    for setting, value in SETTINGS.items():
        spark.conf.set(setting, value)
    rows = spark.createDataFrame([(n, bytearray(b)) for n, b in enumerate(BYTES)], "n int, raw binary")
    read = rows.select("n", *(text_lines.decoded(sf.col("raw"), Csv(encoding=name)).alias(name) for name in OTHERS))
    differing = [
        (name, row["n"])
        for row in read.collect()
        for name in OTHERS
        if row[name] != BYTES[row["n"]].decode(name, "replace")
    ]
    assert differing == []


@pytest.mark.parametrize("name", OTHERS)
def test_bytes_of_ascii_are_ascii_in_each(name: str) -> None:
    assert [b.decode(name) for b in BYTES[:128]] == [chr(n) for n in range(128)]
    assert encodings.named(name.upper()) == name


SAMPLES = {
    "windows-1252": "1,Müller \u2013 5 €\n2,“a”\n",
    "iso-8859-15": "1,5 €\n2,Œuvre\n",
    "windows-1250": "1,Żółć\n2,KŘÍŽ\n",
    "windows-1251": "1,Москва\n2,Ёлка\n",
    "cp866": "1,\u0440\u0430\u0431\n2,Москва\n",
    "koi8-r": "1,её\n2,Москва\n",
    "cp850": "1,Müller\n2,Straße\n",
    "macintosh": "1,Müller\n2,“é”\n",
    "windows-1253": "1,Αθήνα\n2,Ελλάδα\n",
}
HEAD = b"id,note\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_file_is_read_in_its_encoding_and_no_other(spark: SparkSession, tmp_path: Path, name: str) -> None:
    plan, text = in_encoding(name), SAMPLES[name]
    gap = next((b for b in BYTES if b.decode(name, "replace") == "\ufffd"), None)
    files = {"good.csv": HEAD + text.encode(name), "lie.csv": HEAD + text.encode(), "ascii.csv": HEAD + b"1,a\n"}
    files |= {"gap.csv": HEAD + b"1,a" + gap + b"\n"} if gap else {}
    judged = judge(spark, tmp_path, plan, files)
    codes = {file: [p.code for p in judged.decision(file).problems] for file in files}
    assert codes == {
        "good.csv": [],
        "lie.csv": ["mojibake", *(["check-text"] if "\ufffd" in text.encode().decode(name, "replace") else [])],
        "ascii.csv": [],
        **({"gap.csv": ["check-text"]} if gap else {}),
    }


def test_word_that_is_utf_8_by_chance_stays(spark: SparkSession, tmp_path: Path) -> None:
    plan = in_encoding("windows-1252")
    mixed = HEAD + "1,CAFÉ”\n2,München\n".encode("windows-1252")
    only = HEAD + "1,CAFÉ”\n2,plain\n".encode("windows-1252")
    judged = judge(spark, tmp_path, plan, {"mixed.csv": mixed, "only.csv": only})
    assert judged.decision("mixed.csv").verdict == "accepted"
    (problem,) = judged.decision("only.csv").problems  # nothing in the file tells it from UTF-8
    assert problem.code == "mojibake"
    assert "in which `CAFɔ` would be read as `CAFÉ”`" in problem.message


def test_rejected_rows_are_written_in_the_encoding_of_the_file(spark: SparkSession, tmp_path: Path) -> None:
    plan = in_encoding("windows-1252")
    judged = judge(spark, tmp_path, plan, {"a.csv": HEAD + "x,5 € \u2013 Müller\n2,b\n".encode("windows-1252")})
    (rejected,) = [path for path in tmp_path.rglob("rejected.csv*") if path.is_file()]
    assert "5 € \u2013 Müller" in rejected.read_bytes().decode("windows-1252")
    assert judged.decision("a.csv").verdict == "rejected"
