"""Workbooks as samples: the sheet, the range and the rows around the records that a first contract proposes."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import draft
from contracts.authoring.draft.profile import SampleRefused
from contracts.plan import SHEETS
from infra.sampling import profile
from infra.sampling.self_check import checked
from tests import workbooks
from tests.oracle.test_drafts import no_spark
from tests.workbooks import Error, Rows

RECORDS: Rows = [[f"K{n:03}", n * 1.25, date(2024, 1, 1 + n % 28), "J" if n % 3 else "N"] for n in range(30)]
PLAIN: Rows = [["konto", "betrag", "tag", "aktiv"], *RECORDS]


def drafted(folder: Path, files: dict[str, bytes]) -> str:
    """Return the contract of samples, which admission accepts under it."""
    paths = []
    for name, body in files.items():
        paths.append(folder / name)
        paths[-1].write_bytes(body)
    made = checked(draft(profile(paths, no_spark)), paths)
    assert compile_text(made.text.encode(), f"{made.name}.yaml").draft
    return made.text


@pytest.mark.parametrize("form", SHEETS)
def test_workbook_of_one_sheet_needs_no_more_than_its_format(tmp_path: Path, form: str) -> None:
    text = drafted(tmp_path, {f"a.{form}": workbooks.made(form, {"Blatt": PLAIN})})

    assert f"format: {form}" in text
    assert not any(word in text for word in ("sheet:", "sheetName", "tolerance"))
    for line in ("logicalType: number", "logicalType: date", "logicalType: boolean", "trueValues: [J]"):
        assert line in text, text


@pytest.mark.parametrize("form", SHEETS)
def test_name_of_several_lines_is_a_physical_name(tmp_path: Path, form: str) -> None:
    text = drafted(tmp_path, {f"a.{form}": workbooks.made(form, {"S": [["Konto\nNr.", *PLAIN[0][1:]], *RECORDS]})})

    assert "name: Konto Nr." in text
    assert "source: physicalName" in text


@pytest.mark.parametrize("form", SHEETS)
def test_table_within_a_sheet_is_found(tmp_path: Path, form: str) -> None:
    rows: Rows = [
        *(["Umsätze"], [], [None, *PLAIN[0]], [None, None, "EUR", "TT.MM.JJJJ"]),
        *([None, *row] for row in RECORDS),
        *([], [None, "Summe", 543.75]),
    ]
    text = drafted(tmp_path, {f"a.{form}": workbooks.made(form, {"Deckblatt": [["x"]], "Daten": rows})})

    for line in (
        "sheetName: Daten  # proposed: of several sheets the one with the most rows",
        "range: B3  # proposed: the column names and the records are there",
        "commentRows: [2]",
        "footer: {begins: Summe}",
        "the sheets `Deckblatt` are not read",
    ):
        assert line in text, text


def test_cells_beside_a_table_end_its_range(tmp_path: Path) -> None:
    rows: Rows = [PLAIN[0], *RECORDS[:5], [*RECORDS[5], None, "checked"], *RECORDS[6:]]
    text = drafted(tmp_path, {"a.xlsx": workbooks.xlsx({"S": rows})})

    assert "A1:D" in text
    assert "tolerance" not in text
    assert "cells beside the columns of the header are not read" in text


def test_samples_with_titles_of_other_lengths_are_found_by_their_column_names(tmp_path: Path) -> None:
    files = {f"{n}.xlsx": workbooks.xlsx({"S": [["Report"]] * n + [*PLAIN]}) for n in (1, 3)}
    text = drafted(tmp_path, files)

    assert "^konto,betrag" in text


def test_errors_are_null_words_or_tolerated(tmp_path: Path) -> None:
    rows: Rows = [*PLAIN, ["K900", Error("#N/A"), date(2024, 1, 1), "J"], ["K901", Error("#REF!"), None, "J"]]
    text = drafted(tmp_path, {"a.xlsx": workbooks.xlsx({"S": rows})})

    assert "'#N/A'" in text
    assert "1 row of the samples has an error" in text


def test_numbers_in_text_are_numbers_beside_others(tmp_path: Path) -> None:
    rows: Rows = [["id", "betrag", "kurs"], *([n, f"1.{n:03},50 €", n / 8] for n in range(100, 130))]
    rows = [*rows, [200, 2.125, "1,5"], [201, -3, "-"]]
    text = drafted(tmp_path, {"a.xlsx": workbooks.xlsx({"S": rows})})

    assert "decimalChar: ','" in text
    assert "groupChar: ." in text
    assert "suffixes: [' €']" in text
    assert "from -3 to 1129.50" in text
    assert "from 1.5 to 16.125" in text


def test_sheet_without_a_header_is_proposed_so(tmp_path: Path) -> None:
    text = drafted(tmp_path, {"a.xlsx": workbooks.xlsx({"S": [[n, n * 2.5] for n in range(20)]})})

    assert "header: false" in text
    assert "The files have no header: name the columns." in text


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({"a.xlsx": workbooks.xlsx({"S": PLAIN}), "b.csv": b"a,b\n1,2\n"}, "b.csv is none"),
        ({"a.xlsx": workbooks.xlsx({"S": PLAIN}), "b.ods": workbooks.ods({"S": PLAIN})}, "b.ods is ODS"),
        ({"a.xlsx": workbooks.xlsx({"S": []})}, "its sheet S is empty"),
        ({"a.xlsx": workbooks.xlsx({"S": [["a", "b"]]})}, "no records"),
        ({"a.xls": workbooks.xls({"S": PLAIN})[:3_000]}, "cannot be read"),
        (
            {"a.xlsx": workbooks.xlsx({"S": PLAIN, "T": PLAIN}), "b.xlsx": workbooks.xlsx({"U": PLAIN, "V": PLAIN})},
            "other sheets",
        ),
    ],
)
def test_bad_samples_are_refused_in_a_sentence(tmp_path: Path, files: dict[str, bytes], part: str) -> None:
    with pytest.raises(SampleRefused, match=part):
        drafted(tmp_path, files)
