"""Files in Asian encodings: the same characters and the same faults in Java and in Python, at the door and after."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.files import encodings
from contracts.files.byte_patterns import CHARACTERS
from contracts.plan import Csv, Plan
from functions.admission.admit import admit
from spark_jobs.formats import text_lines
from spark_jobs.validate import SETTINGS
from tests.integration.spark_jobs.world import a_plan, a_property, judge

HIGH, LOW = range(0x80, 0x100), range(0x100)
HEAD = b"id,note\n"
TEXTS = {
    "cp932": "表示ソ能|ｱｲｳ",
    "euc-jp": "日本語テキスト",
    "gb18030": "中文\U0001f600ǹ",
    "gbk": "中华人民共和国",
    "big5": "功能許蓋",
    "cp949": "똠방각하",
    "euc-kr": "대한민국",
}
"""Words with second bytes that are signs of ASCII, where an encoding has them."""


def sequences(name: str) -> Iterator[bytes]:
    """All sequences of one and two bytes, and of three and four where an encoding has them."""
    yield from (bytes([n]) for n in LOW)
    yield from (bytes([a, b]) for a in HIGH for b in LOW)
    if name == "euc-jp":
        yield from (bytes([0x8F, a, b]) for a in HIGH for b in HIGH)
    if name == "gb18030":
        four = (range(0x81, 0xFF), range(0x30, 0x3A))
        yield from (bytes([a, b, c, d]) for a in four[0] for b in four[1] for c in four[0] for d in four[1])


def in_encoding(name: str, **csv: object) -> Plan:
    return a_plan([a_property("id", "integer"), a_property("note")], csv=Csv(encoding=name, **csv))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CHARACTERS)
def test_java_reads_all_sound_characters_as_python_does(spark: SparkSession, name: str) -> None:
    for setting, value in SETTINGS.items():
        spark.conf.set(setting, value)
    one = re.compile(f"(?:{CHARACTERS[name]})")
    alike = [raw for raw in sequences(name) if one.fullmatch(raw.decode("latin-1"))]
    joined = [b"".join(alike[n : n + 2_000]) for n in range(0, len(alike), 2_000)]
    rows = spark.createDataFrame([(bytearray(raw),) for raw in joined], "raw binary")
    text = text_lines.decoded(sf.col("raw"), Csv(encoding=name))
    read = [
        (bytes(row["raw"]), row["text"], bytes(row["back"]))
        for row in rows.select("raw", text.alias("text"), sf.encode(text, encodings.java(name)).alias("back")).collect()
    ]
    assert len(read) == len(joined)
    for raw, text_in_java, back in read:
        assert text_in_java == raw.decode(name)
        assert "\ufffd" not in text_in_java
        assert back.decode(name) == text_in_java


@pytest.mark.parametrize("name", CHARACTERS)
def test_other_bytes_are_no_text_in_either(spark: SparkSession, name: str) -> None:
    for setting, value in SETTINGS.items():
        spark.conf.set(setting, value)
    odd = [raw for raw in sequences(name) if len(raw) < 4 and encodings.flaw(raw, name) is not None]
    odd += [raw + tail for raw in odd if len(raw) == 1 for tail in (b",", b"1", b"\xff", TEXTS[name].encode(name))]
    rows = spark.createDataFrame([(bytearray(raw),) for raw in odd], "raw binary")
    text = text_lines.decoded(sf.col("raw"), Csv(encoding=name))
    sound = rows.select("raw", text.alias("text")).where(~sf.contains("text", sf.lit("\ufffd"))).collect()
    assert [bytes(row["raw"]) for row in sound if encodings.flaw(bytes(row["raw"]), name) is not None] == []


@pytest.mark.parametrize("name", CHARACTERS)
def test_no_character_holds_the_byte_of_a_line_end_or_comma(name: str) -> None:
    one = re.compile(f"(?:{CHARACTERS[name]})")
    longer = [raw for raw in sequences(name) if 1 < len(raw) < 4 and one.fullmatch(raw.decode("latin-1"))]
    assert min(byte for raw in longer for byte in raw[1:]) >= 0x30
    assert all(encodings.flaw(bytes([n]), name) is None for n in range(0x80))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("multi_line", [False, True])
def test_cells_are_found_behind_decoding(spark: SparkSession, tmp_path: Path, name: str, *, multi_line: bool) -> None:
    plan = in_encoding(name, delimiter="|", escape="\\", multi_line=multi_line)
    word = TEXTS[name].replace("|", "")
    good = f'id|note\n1|{word}\n2|"{word}"\n3|"a\\"{word}"\n'.encode(name)
    bad = f"id|note\n{word}|{word}\n".encode(name)
    gap = b"id|note\n1|a\xff\n2|b\n"
    lie = f"id|note\n1|{'é' * 5}€\n2|日本語\n".encode()
    files = {"good.csv": good, "bad.csv": bad, "gap.csv": gap, "lie.csv": lie}
    judged = judge(spark, tmp_path, plan, files)
    codes = {file: [p.code for p in judged.decision(file).problems] for file in files}
    assert (codes["good.csv"], codes["bad.csv"], codes["gap.csv"]) == ([], ["check-logicalType"], ["check-text"])
    assert codes["lie.csv"]
    written = (tmp_path / "rejected" / "bad.csv" / "rejected.csv").read_bytes().decode(name)
    assert word in written
    assert not admit(plan, "a.csv", len(good), lambda start, length: good[start : start + length]).refused
    (problem,) = admit(plan, "a.csv", len(gap), lambda start, length: gap[start : start + length]).problems
    assert problem.code == "wrong-encoding"
    assert "0xFF" in problem.message


@pytest.mark.parametrize("name", TEXTS)
def test_text_in_utf_8_is_told_so_at_the_door(name: str) -> None:
    body = f"id,note\n1,{TEXTS[name]}日本語\n2,{TEXTS['euc-kr']}é€\n".encode()
    problems = admit(in_encoding(name), "a.csv", len(body), lambda start, length: body[start : start + length]).problems
    if encodings.flaw(body, name) is not None:
        assert "written in UTF-8" in problems[0].message
