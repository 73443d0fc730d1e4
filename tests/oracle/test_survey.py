"""The comparison of a survey's files with their cleaned copies, on files of our own.

The files of the survey are not ours (`survey.py` judges a checkout, by hand).
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from tests.oracle.survey import FOLDER, Entry, difference, entries

BODY = "id,word\n1,a\n2,-\n"


def test_each_file_is_drafted_judged_and_compared(tmp_path: Path, spark: SparkSession) -> None:
    for folder, other in (("csv", BODY), ("clean", BODY.replace("a", "b"))):
        (tmp_path / FOLDER / folder).mkdir(parents=True)
        (tmp_path / FOLDER / folder / "empty.csv").touch()
        (tmp_path / FOLDER / folder / "same.csv").write_text(BODY)
        (tmp_path / FOLDER / folder / "other.csv").write_text(other)
    assert list(entries(tmp_path, spark)) == [
        Entry("empty.csv", "is empty; give a file with records"),
        Entry("other.csv", verdict="accepted", cells="differ (2 records; the cleaned file has 3 lines)"),
        Entry("same.csv", verdict="accepted", cells="equal"),
    ]


def test_columns_are_compared_in_their_order_and_nulls_by_their_words() -> None:
    clean = [["id", "", "word"], ["1", "x", "a"], ["2", "y", ""]]
    assert difference([["1", "a"], ["2", None]], clean, {""}) == "equal"
    assert difference([["1", "a"], ["2", None]], clean[1:], {""}) == "equal"
    others: list[list[list[str | None]]] = [
        [["1", "a"], ["2", "-"]],
        [["a", "1"], [None, "2"]],
        [["1", "a"]],
        [["1", "a"], [None, None]],
    ]
    for read in others:
        assert difference(read, clean, {""}).startswith("differ"), read
