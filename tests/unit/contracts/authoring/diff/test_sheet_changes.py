"""Two versions of a contract of workbooks: which way the sheet, its range and the rows around it change."""

from __future__ import annotations

import pytest

from contracts.authoring.diff.compare import compare
from tests.unit.contracts.authoring.documents import DROP, a_document, compiled

BLOCK = DROP.replace("csv", "xlsx")
SHEET = "sheet: {sheetName: Orders, range: B4, footer: {begins: Total}}\n"
PROPERTIES = "- {name: id, logicalType: integer}"


def changes(before: str, after: str) -> list[tuple[str, str, str]]:
    """Return the kind, the place and the direction of each change between two blocks."""
    old, new = (compiled(a_document(PROPERTIES, drop=f"{BLOCK}{own}")) for own in (before, after))
    return [(c.kind, c.path, c.direction) for c in compare(old, new).changes]


@pytest.mark.parametrize(
    ("before", "after", "place", "direction"),
    [
        ("Orders", "Umsatz", "sheet.sheetName", "both"),
        ("sheetName: Orders, ", "", "sheet.sheetName", "both"),
        ("B4", "B5", "sheet.range", "both"),
        ("B4", "'B4:H'", "sheet.range", "both"),
        ("B4", "B4, skipRows: 2", "sheet.skipRows", "both"),
        ("B4", "B4, skipRows: {until: ^id}", "sheet.skipRows", "both"),
        ("B4", "'B4', headerRows: [1, 2]", "sheet.headerRows", "both"),
        ("B4", "B4, commentRows: [2]", "sheet.commentRows", "both"),
        ("B4", "B4, header: false", "sheet.header", "both"),
        ("Total", "Sum", "sheet.footer", "both"),
        ("Total}", "Total, lines: 3}", "sheet.footer", "loosens"),
        (SHEET, f"{SHEET}values: {{nullValues: ['', '#N/A']}}\n", "values.nullValues", "both"),
    ],
)
def test_change_of_a_sheet_has_its_place_and_direction(before: str, after: str, place: str, direction: str) -> None:
    assert ("dialect", place, direction) in changes(SHEET, SHEET.replace(before, after, 1))


def test_same_range_in_other_words_is_no_change() -> None:
    assert changes(SHEET, SHEET.replace("B4", "B4, header: true, headerRows: [1], skipRows: 0")) == []
    assert changes(SHEET, "sheet: {footer: {begins: Total, lines: 1}, sheetName: Orders, range: B4}\n") == []


def test_another_format_of_workbooks_is_another_format() -> None:
    old, new = (
        compiled(a_document(PROPERTIES, drop=block + SHEET))
        for block in (BLOCK, BLOCK.replace("format: xlsx", "format: ods"))
    )

    assert [(c.kind, c.direction) for c in compare(old, new).changes] == [("format", "both")]
