"""The comparison of a survey's files with their cleaned copies, on files of our own.

The files of the survey are not ours (`survey.py` judges a checkout, by hand).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.oracle.survey import FOLDER, Entry, by_job, by_oracle, clean_rows, difference, entries, page

BODY = "id,word\n1,a\n2,-\n"


@pytest.mark.parametrize("by_spark", [True, False])
def test_each_file_is_drafted_judged_and_compared(tmp_path: Path, spark: SparkSession, by_spark: bool) -> None:
    for folder, other in (("csv", BODY), ("clean", BODY.replace("a", "b").replace("2", "3"))):
        (tmp_path / FOLDER / folder).mkdir(parents=True)
        (tmp_path / FOLDER / folder / "empty.csv").touch()
        (tmp_path / FOLDER / folder / "same.csv").write_text(BODY)
        (tmp_path / FOLDER / folder / "other.csv").write_text(other)
    assert list(entries(tmp_path, by_job(spark) if by_spark else by_oracle)) == [
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
        [["1", "a"], ["2", None], ["3", None]],
        [["2", "a"]],
        [],
    ]
    for read in others:
        assert difference(read, clean, {""}).startswith("differ"), read


@pytest.mark.parametrize(
    ("read", "clean", "kinds"),
    [
        ([["1", "a"], [None, None]], "id,word\n1,a\n", "rows without values"),
        ([["1", " a"]], "id,word\n1,a\n", "outer blanks"),
        ([["1", "a"]], "id,word\n'1',a\n", "quotes"),
        ([["1", "\u00e4"]], "id,word\n1,\ufffd\n", "letters beyond ASCII"),
        ([["1", "a\r\nb"]], 'id,word\n1,"a\nb"\n', "line ends in cells"),
        ([["1", "a"]], "id,word\nn,text\n1,a\n", "rows above"),
        ([["1", "a"]], "id,word\n1,a\nTotal,1\n", "rows below"),
        ([["1", " a"], [None, None]], "id,word\n1,a\n", "rows without values, outer blanks"),
    ],
)
def test_changes_of_a_cleaned_file_are_named(
    tmp_path: Path, read: list[list[str | None]], clean: str, kinds: str
) -> None:
    (tmp_path / "a.csv").write_bytes(clean.encode())
    assert difference(read, clean_rows(tmp_path / "a.csv"), {""}) == f"equal but for {kinds}"


def test_outcomes_are_a_page() -> None:
    every = [
        Entry("a.csv", "is empty"),
        Entry("b.csv", verdict="accepted", cells="equal"),
        Entry("c.csv", verdict="accepted", cells="equal but for quotes, rows below"),
        Entry("d.csv", verdict="rejected", cells="equal"),
    ]
    text = page(every)
    for line in ("| files | 4 |", "| the contract accepts its own file | 2 |", "| quotes | 1 |", "| rows below | 1 |"):
        assert line in text
    assert text.endswith("| `a.csv` | is empty |\n| `d.csv` | rejected; cells equal |")
