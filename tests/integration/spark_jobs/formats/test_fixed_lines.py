"""Lines of fixed width in the job: cells by slices, odd lines by name, in characters and in bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.job import Sample
from contracts.place import Place
from tests.integration.spark_jobs.world import Judged, judge
from tests.layouts import PROPERTIES, plan_of


def judged(spark: SparkSession, folder: Path, plan: Any, text: bytes | str, **files: bytes | str) -> Judged:
    encoding = plan.csv.encoding
    bodies = {"a.txt": text} | {f"{name}.txt": body for name, body in files.items()}
    return judge(
        spark,
        folder,
        plan,
        {n: body if isinstance(body, bytes) else body.encode(encoding) for n, body in bodies.items()},
    )


def failing(run: Judged, name: str = "a.txt") -> dict[str, int]:
    """The failing checks of a file, with the number of failing records."""
    return {
        check: count.failed
        for check, count in zip(run.result.header.checks, run.drop(name).counts, strict=True)
        if count.failed
    }


def test_lines_are_sliced_and_wrong_ones_are_named(spark: SparkSession, tmp_path: Path) -> None:
    plan = plan_of({"record": {"begins": "D"}, "trailer": {"begins": "T"}})
    lines = [
        "D00123400001234Ada  ",
        "",
        "D      0000123-     ",  # no account, a negative amount
        "D0012340000x234Bob  ",  # no number
        "D001234000012",  # cut
        "D00123400001234Ada   ",  # one blank too many
        "X00123400001234Ada  ",  # another kind
        "D001234\t0001234Ada  ",  # a tab is a character like others
        "T",
    ]
    run = judged(spark, tmp_path, plan, "\r\n".join(lines))

    assert failing(run) == {"record.length": 2, "record.type": 1, "account.required": 1, "amount.logicalType": 2}
    assert run.count("record.length", "a.txt").samples == (
        Sample(Place(4, 5), None, "13 characters"),
        Sample(Place(5, 6), None, "21 characters"),
    )
    assert run.rejected("a.txt") == [
        ["account", "amount", "holder", "_record", "_reasons"],
        ["", "0000123-", "", "2", "account.required (a value in every record)"],
        ["001234", "0000x234", "Bob", "3", run.rejected("a.txt")[2][4]],
        ["D001234000012", "", "", "4", "record.length (20 characters)"],
        ["D00123400001234Ada   ", "", "", "5", "record.length (20 characters)"],
        ["X00123400001234Ada  ", "", "", "6", "record.type (lines that begin with `D`)"],
        ["001234", "'\t0001234", "Ada", "7", run.rejected("a.txt")[6][4]],
    ]


@pytest.mark.parametrize("encoding", ["windows-1252", "cp866", "cp932", "utf-16"])
def test_word_is_read_in_its_encoding(spark: SparkSession, tmp_path: Path, encoding: str) -> None:
    word = {"windows-1252": "Gr\u00f6\u00dfe", "cp866": "Москв", "cp932": "漢字ｶﾅ", "utf-16": "Ä😀漢x"}[encoding]
    plan = plan_of({"encoding": encoding}, _only(word))
    good, bad = f"D00123400001234{word:<5}\n", f"D00123400001234{word[1:]:<5}\n"
    run = judged(spark, tmp_path, plan, good, bad=good + bad)

    assert (failing(run), failing(run, "bad.txt")) == ({}, {"holder.enum": 1})
    assert run.rejected("bad.txt")[1][:3] == ["001234", "00001234", word[1:]]  # in UTF-8


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "euc-jp", "gb18030"])
def test_field_in_bytes_has_whole_characters(spark: SparkSession, tmp_path: Path, encoding: str) -> None:
    plan = plan_of({"encoding": encoding, "unit": "bytes"}, _only("漢"))
    size = len("漢".encode(encoding))

    def line(account: str, holder: str) -> bytes:
        return (f"D{account}".encode(encoding) + b"00001234" + holder.encode(encoding)).ljust(20) + b"\n"

    good = line("001234", "漢")
    cut = b"D00123" + "漢".encode(encoding) + good[6 + size :]  # one byte is left in the field of the account
    run = judged(spark, tmp_path, plan, good, cut=good + cut)

    assert failing(run) == {}
    assert failing(run, "cut.txt") == {"record.characters": 1}


def test_odd_lines_may_be_tolerated(spark: SparkSession, tmp_path: Path) -> None:
    plan = plan_of(tolerance={"rows": 2})
    good = "D00123400001234Ada  \n"
    run = judged(spark, tmp_path, plan, f"{good}x\n{good}\x1a")

    assert failing(run) == {"record.length": 2}
    assert run.decision("a.txt").verdict == "accepted_with_warnings"


def _only(word: str) -> list[dict[str, Any]]:
    """Properties of which the last has one value."""
    return [*PROPERTIES[:2], {"name": "holder", "logicalType": "string", "enum": [{"value": word}]}]
