"""Columns that are text only because of a few values, and headers with a word for null."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from contracts.authoring.draft.columns.column import WORDS
from contracts.authoring.draft.columns.nearly import nearly
from tests.oracle.test_drafts import contract_of, verdict

MOST = {
    "1,15 1.234,50 0,05": "numbers",
    "12 7 140": "numbers",
    "12.5 1.25 100.75": "numbers",
    "5 % 7,5 % 12 %": "numbers",
    "1,50 € 20,00 € 3,75 €": "numbers",
    "2024-01-31 2024-02-29 2023-12-01": "dates or times",
    "31.01.2024 29.02.2024 01.12.2023": "dates or times",
    "20240131 20240229 20231201": "numbers",
    "1.1.2024 29.2.2024 31.12.2023": "dates or times",
    "25. Apr 2020|12. Dez 2020|1. Mai 2021": "dates or times",
    "2024-01-31T10:00:00 2024-02-29T23:59:59 2023-12-01T00:00:00": "dates or times",
    "10:30 23:59 07:05": "dates or times",
}
OTHERS = ("k.A.", "(null)", "12,5x", "31.02.2024x", "tbd", "nicht bekannt")
VALUES = {
    text: text.split("|") if "|" in text else text.replace(" %", "\0").replace(" €", "\1").split() for text in MOST
}


@pytest.mark.parametrize(("text", "other"), [*product(MOST, OTHERS)])
def test_few_other_texts_are_a_point_to_review(tmp_path: Path, text: str, other: str) -> None:
    values = [value.replace("\0", " %").replace("\1", " €") for value in VALUES[text]]
    rows = [*(values * 10)[:29], other]
    body = "".join(f"{line}\n" for line in ("id;v", *(f"{n};{value}" for n, value in enumerate(rows)))).encode()
    plan, made = contract_of(tmp_path, ("things.csv", body))

    assert f"`v` is proposed as text: 29 of 30 values are {MOST[text]} as `{values[0]}`, but not `{other}`." in made
    assert [p.type for p in plan.properties] == ["integer", "string"]
    assert verdict(plan, body)[0] == "accepted"


@pytest.mark.parametrize("texts", [("a", "b", "c"), ("A1", "B2", "7"), ("007", "008", "x"), ("1", "2", "3"), (), ("",)])
def test_other_texts_are_no_point_to_review(texts: tuple[str, ...]) -> None:
    assert nearly(dict.fromkeys(texts, 5)) is None


ZEROS = {
    "20240131 20240229 20231201": "00000000",
    "31.01.2024 29.02.2024 01.12.2023": "00.00.0000",
    "31/01/2024 29/02/2024 01/12/2023": "00/00/0000",
    "2024-01-31 2024-02-29 2023-12-01": "0000-00-00",
    "1.1.2024 29.2.2024 31.12.2023": "0.0.0000",
    "20240131101500 20240229101500 20231201000000": "00000000000000",
}


@pytest.mark.parametrize("text", ZEROS)
@pytest.mark.parametrize("empty", ["", "NA"])
def test_days_of_zeros_are_null_words_of_their_column(tmp_path: Path, text: str, empty: str) -> None:
    rows = [*text.split() * 10, ZEROS[text], empty, ZEROS[text]]
    body = "".join(f"{line}\n" for line in ("id;v;z", *(f"{n};{v};0000" for n, v in enumerate(rows)))).encode()
    plan, made = contract_of(tmp_path, ("things.csv", body))

    assert "`nullValues` of `v`: that days of zeros stand for none." in made
    assert plan.properties[1].type in ("date", "timestamp")
    assert f'"{ZEROS[text]}"' in made.replace("'", '"') or f"{ZEROS[text]}]" in made
    assert verdict(plan, body)[0] == "accepted"


@pytest.mark.parametrize("name", sorted(word for word in WORDS if word.isalpha()))
@pytest.mark.parametrize("rows", [("1;2.5;a", "2;3.5;b"), ("1;;a", "2;;b"), ("1;x;a", "2;y;b"), ("1;7;a", "2;8;b")])
def test_word_for_null_may_be_a_name(tmp_path: Path, name: str, rows: tuple[str, ...]) -> None:
    body = "".join(f"{line}\n" for line in (f"id;{name};c", *rows)).encode()
    plan, made = contract_of(tmp_path, ("things.csv", body))

    assert [p.name for p in plan.properties] == ["id", name, "c"]
    assert "no header" not in made
    assert verdict(plan, body)[0] == "accepted"


@pytest.mark.parametrize("first", ["5;NA;a", "NA;null;none", "x;-;a", "x;\\N;a", "NA;2024-01-31;a"])
def test_word_for_null_beside_values_is_no_name(tmp_path: Path, first: str) -> None:
    plan, made = contract_of(tmp_path, ("things.csv", f"{first}\n7;2024-02-01;b\n8;2024-02-02;c\n".encode()))

    assert "The files have no header" in made
    assert len(plan.properties) == 3
