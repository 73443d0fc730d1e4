"""Forms of XLSX that programs write, and what is at fault in others."""

from __future__ import annotations

import io
import zipfile

import pytest

from contracts.files.sheets.faults import Faulty
from contracts.files.sheets.opening import opened
from tests import workbooks

SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "xl/_rels/workbook.xml.rels"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PLAIN = workbooks.xlsx({"S": [["a", "b"], ["c", 1]]})


def rows(data: bytes, name: str = "S") -> list[tuple[int, list[str]]]:
    """Return the rows of a sheet."""
    return list(opened("xlsx", io.BytesIO(data)).rows(name))


def with_rows(inner: str, texts: str = "", prefix: str = "") -> bytes:
    """Return a workbook whose sheet has these rows, and these shared texts."""
    xmlns = f"xmlns:{prefix[:-1]}" if prefix else "xmlns"
    sheet = f'<{prefix}worksheet {xmlns}="{MAIN}"><{prefix}sheetData>{inner}</{prefix}sheetData></{prefix}worksheet>'
    shared = f'<sst xmlns="{MAIN}">{texts}</sst>'
    of_texts = f'<Relationship Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml" Id="rId9"/></Relationships>'
    links = workbooks.part(PLAIN, LINKS).replace("</Relationships>", of_texts)
    return workbooks.with_parts(PLAIN, {SHEET: sheet, "xl/sharedStrings.xml": shared, LINKS: links})


def fault(data: bytes) -> tuple[str, str]:
    """Return the code and the message of a workbook's problem."""
    with pytest.raises(Faulty) as raised:
        rows(data)
    return raised.value.problem.code, raised.value.problem.message


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c t="inlineStr"><is><t>a</t></is></c>', "a"),
        ('<c t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r></is></c>', "a b"),
        ('<c t="inlineStr"><is><t>漢</t><rPh sb="0" eb="1"><t>カン</t></rPh></is></c>', "漢"),
        ('<c t="s"><v>0</v></c>', "one"),
        ('<c t="s"><v>1</v></c>', "rich text"),
        ('<c t="s"><v>2</v></c>', "a\rb"),
        ('<c t="s"><v>3</v></c>', "_x0007_ and _"),
        ('<c t="str"><f>A1</f><v>x</v></c>', "x"),
        ('<c t="str"><f>A1</f><v></v></c>', ""),
        ('<c t="str"><f>A1</f></c>', "\0#NOT-CALCULATED!"),
        ("<c><f>A1</f></c>", "\0#NOT-CALCULATED!"),
        ("<c><f>A1</f><v></v></c>", "\0#NOT-CALCULATED!"),
        ("<c><f>A1</f><v>3</v></c>", "3"),
        ('<c t="n"><v> 3.0 </v></c>', "3"),
        ("<c><v>1.0000000000000002E-2</v></c>", "0.01"),
        ('<c t="b"><v>1</v></c>', "true"),
        ('<c t="b"><f>A1</f><v>0</v></c>', "false"),
        ('<c t="e"><v>#N/A</v></c>', "\0#N/A"),
        ('<c t="d"><v>2024-03-01</v></c>', "2024-03-01"),
        ("<c><v/></c>", ""),
        ('<c t="s"/>', ""),
        ('<c s="999"><v>5</v></c>', "5"),
        ("<c><v>5</v><extLst><ext><x>6</x></ext></extLst></c>", "5"),
    ],
)
def test_cell_is_read_in_each_form(cell: str, text: str) -> None:
    shared = (
        "<si><t>one</t></si><si><r><t>rich</t></r><r><t> text</t></r><rPh><t>no</t></rPh></si>"
        "<si><t>a_x000D_b</t></si><si><t>_x0007_ and _x005F_</t></si>"
    )

    assert rows(with_rows(f"<row>{cell}</row>", shared)) == [(1, [text] if text else [])]


def test_places_may_be_left_out_or_have_gaps() -> None:
    inner = '<row><c><v>1</v></c><c><v>2</v></c></row><row r="5"><c r="C5"><v>3</v></c><c><v>4</v></c></row>'

    assert rows(with_rows(inner)) == [(1, ["1", "2"]), (5, ["", "", "3", "4"])]


def test_elements_may_have_a_prefix() -> None:
    assert rows(with_rows("<x:row><x:c><x:v>1</x:v></x:c></x:row>", prefix="x:")) == [(1, ["1"])]


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ('<row><c t="s"><v>7</v></c></row>', "text that is not there"),
        ('<row><c t="s"><v>-1</v></c></row>', "text that is not there"),
        ("<row><c><v>x</v></c></row>", "no number"),
        ("<row><c><v>nan</v></c></row>", "no number"),
        ('<row r="2"/><row r="1"/>', "not in order"),
        ('<row r="1048577"/>', "not in order"),
        ('<row r="x"/>', "not in order"),
        ('<row><c r="XFE1"><v>1</v></c></row>', "column"),
        ('<row><c r="a1"><v>1</v></c></row>', "column"),
        ('<row><c r="1"><v>1</v></c></row>', "column"),
        ('<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>', "another order"),
        ('<row><c r="B1"><v>1</v></c><c r="B1"><v>1</v></c></row>', "another order"),
        ("<row><c>", "not XML"),
    ],
)
def test_sheet_that_contradicts_itself_is_refused(inner: str, part: str) -> None:
    code, message = fault(with_rows(inner))

    assert (code, part in message) == ("broken-workbook", True), message


@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "_rels/.rels", "xl/styles.xml"])
def test_document_type_is_refused(part: str) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]><x>&c;</x>'

    assert "document type" in fault(workbooks.with_parts(PLAIN, {part: bomb}))[1]


@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "_rels/.rels", LINKS])
def test_part_that_is_not_there_is_named(part: str) -> None:
    assert fault(workbooks.with_parts(PLAIN, {part: None})) == (
        "broken-workbook",
        f"The workbook cannot be read: its part `{part}` is not there.",
    )


def test_strict_form_and_whole_paths_are_read() -> None:
    strict = "http://purl.oclc.org/ooxml/officeDocument/relationships"
    changed = {name: workbooks.part(PLAIN, name).replace(OFFICE, strict) for name in ("_rels/.rels", "xl/workbook.xml")}
    links = workbooks.part(PLAIN, LINKS).replace(OFFICE, strict)
    changed[LINKS] = links.replace('"worksheets/', '"/xl/worksheets/')

    assert rows(workbooks.with_parts(PLAIN, changed)) == rows(PLAIN)


def test_names_of_parts_have_any_case() -> None:
    sheet = workbooks.part(PLAIN, SHEET)

    assert rows(workbooks.with_parts(PLAIN, {SHEET: None, "xl/Worksheets/Sheet1.xml": sheet})) == rows(PLAIN)


def test_workbook_of_large_exports_is_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(PLAIN)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            with copy.open(name, "w", force_zip64=True) as part:
                part.write(archive.read(name))

    assert rows(out.getvalue()) == rows(PLAIN)


@pytest.mark.parametrize(
    ("parts", "name"), [({"xl/vbaProject.bin": b"x"}, ".xlsm"), ({"xl/vbaproject.BIN": b"x"}, ".xlsm")]
)
def test_workbook_with_macros_is_refused(parts: dict[str, bytes], name: str) -> None:
    code, message = fault(workbooks.with_parts(PLAIN, parts))

    assert (code, name in message) == ("wrong-format", True)


def test_binary_workbook_is_refused() -> None:
    links = workbooks.part(PLAIN, "_rels/.rels").replace("workbook.xml", "workbook.bin")

    code, message = fault(workbooks.with_parts(PLAIN, {"_rels/.rels": links}))
    assert (code, ".xlsb" in message) == ("wrong-format", True)


def test_bomb_is_refused_before_it_is_unpacked() -> None:
    code, message = fault(with_rows(" " * (70 << 20)))

    assert (code, SHEET in message) == ("workbook-too-large", True)


def test_encrypted_part_needs_a_password() -> None:
    data = bytearray(PLAIN)
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)

    assert fault(bytes(data))[0] == "workbook-password"


@pytest.mark.parametrize("cut", [10, 400, 1_000, 2_000])
def test_workbook_that_is_cut_short_is_refused(cut: int) -> None:
    assert fault(PLAIN[:-cut])[0] == "broken-workbook"


def test_chart_is_no_sheet_of_cells() -> None:
    links = workbooks.part(PLAIN, LINKS).replace("/worksheet", "/chartsheet", 1)

    assert opened("xlsx", io.BytesIO(workbooks.with_parts(PLAIN, {LINKS: links}))).sheets == ()
