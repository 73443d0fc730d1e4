"""Sample files: their profile, the first contract, and the samples that are refused."""

from __future__ import annotations

import bz2
import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from backports import zstd

from contracts.authoring.draft.columns.column import ColumnCounts
from contracts.authoring.draft.drafting import annotated
from contracts.authoring.draft.profile import SampleRefused, null_words, settle
from contracts.plan import Plan
from contracts.values.long_lines import LONGEST
from functions.admission.admit import admit
from infra.sampling import Bounds, profile, wide_text
from tests.oracle.samples import table
from tests.oracle.test_drafts import contract_of, no_spark, verdict
from tests.packing import zipped


def drafted(folder: Path, body: bytes, name: str = "things.csv") -> str:
    return contract_of(folder, (name, body))[1]


NAMES: dict[str, tuple[str, list[str], tuple[str, ...]]] = {
    "a column without a name": (
        "id,,name\n1,x,a\n2,y,b\n",
        ["id", "name"],
        ("`column_2` is left out", "extra: ignore"),
    ),
    "columns without a name at the end": (
        "id,name,,\n1,a,,\n2,b,,x\n",
        ["id", "name"],
        ("`column_3` is left out", "`column_4` is left out", "extra: ignore"),
    ),
    "columns with one name": (
        "id,value,value\n1,1.5,7\n2,2.5,8\n",
        ["id", "value", "value_2"],
        ("match: byPosition", "physicalName: value", "only their places"),
    ),
    "columns with one name, and one without": (
        "id,value,,value\n1,1.5,x,7\n2,2.5,x,8\n",
        ["id", "value", "column_3", "value_2"],
        ("match: byPosition", "source: physicalName"),
    ),
    "names with blanks and signs that nobody sees": (
        " id ,na\u00a0me,x\u200b,x\n1,a,b,c\n2,c,d,e\n",
        ["id", "na me", "x_2", "x"],
        ("source: physicalName", "physicalName: ' id '"),
    ),
    "a delimiter at the end of each line": ("id,name,\n1,a,\n2,b,\n", ["id", "name"], ("trailingDelimiter: true",)),
    "a delimiter at the end of rows": ("id,name\n1,a,\n2,b,\n3,,\n", ["id", "name"], ("trailingDelimiter: true",)),
    "a delimiter at the end of the header": ("id;name;\n1;a\n2;b\n", ["id", "name"], ("trailingDelimiter: true",)),
    "a column without a name at the end": ("id,name,\n1,a,x\n2,b,\n", ["id", "name"], ("extra: ignore",)),
    "a name with a line break": (
        'id,"amount\nEUR"\n1,"2\n"\n2,x\n',
        ["id", "amount EUR"],
        ("multiLine: true", "physicalName: |-"),
    ),
    "row names of R": (
        '"n","size"\n"a",1,2.5\n"b",2,3.5\n',
        ["row_name", "n", "size"],
        ("headerLacks:", "first: [row_name]", "as row names of R are"),
    ),
    "row names of R beside twins": ("x;x;n\na;1;2;3\nb;0;1;4\n", ["row_name", "x", "x_2", "n"], ("first: [row_name]",)),
    "row names of R beside such a name": ("row_name,n\na,1,2\nb,2,3\n", ["row_name_", "row_name", "n"], ()),
    "a line break behind the last cell": (
        '"a";"b"\n"1";"x";"\n"\n"2";"y";"\n"\n',
        ["a", "b", "column_3"],
        ("last: [column_3]", "multiLine: true"),
    ),
    "names for the first columns alone": (
        "a,b\nx,1,2,3\nx,2,3,4\n",
        ["a", "b", "column_3", "column_4"],
        ("last: [column_3, column_4]",),
    ),
    "names that dropgate adds": ("id,x,x,_record,_reasons\n1,a,b,1,c\n", ["id", "x", "x_2"], ("match: byPosition",)),
}


@pytest.mark.parametrize(("body", "names", "shown"), NAMES.values(), ids=NAMES.keys())
def test_every_column_has_a_name_of_its_own(
    tmp_path: Path, body: str, names: list[str], shown: tuple[str, ...]
) -> None:
    plan, text = contract_of(tmp_path, ("things.csv", body.encode()))
    assert [p.name for p in plan.properties] == names, text
    assert [part for part in shown if part not in text] == [], text
    assert verdict(plan, body.encode())[0] == "accepted", text


def test_records_without_a_header_may_end_with_an_empty_cell(tmp_path: Path) -> None:
    plan, _ = contract_of(tmp_path, ("things.csv", b"1,a,\n2,b,\n"))
    assert ([p.name for p in plan.properties], plan.csv.trailing_delimiter) == (
        ["column_1", "column_2", "column_3"],
        False,
    )


def column(*texts: str) -> bytes:
    """A file of one column beside a number."""
    return b"n,x\n" + b"".join(f"{n},{text}\n".encode() for n, text in enumerate(texts))


GERMAN = """\
konto;betrag;menge;preis;aktiv;quote;kurs;saldo;punkt
K1;11.271,28;1.034;26,20 €;J;50,7 %;n/a;7,00;1.25
K2;873,5;94;3,00 €;N;4 %;-;(3,00);2.5
K3;19.189,96;1.675;32,60 €;J;2,2 %;1,5;12,50-;3.75
"""


def test_marks_words_and_signs_of_values_are_proposed(tmp_path: Path) -> None:
    plan, text = contract_of(tmp_path, ("umsatz.csv", GERMAN.encode()))
    assert verdict(plan, GERMAN.encode())[0] == "accepted", text
    assert {p.name: p.type for p in plan.properties} == {
        "konto": "string", "betrag": "number", "menge": "integer", "preis": "number", "aktiv": "boolean",
        "quote": "number", "kurs": "number", "saldo": "number", "punkt": "number",
    }  # fmt: skip
    assert text[text.index("      values:") : text.index("      columns: {")] == (
        "      values:  # proposed: values of the samples are written so, and no cell contradicts\n"
        "        decimalChar: ','\n"
        "        groupChar: .\n"
        "        columns:\n"
        "          preis:\n"
        "            suffixes: [' €']\n"
        "          aktiv:\n"
        "            trueValues: [J]\n"
        "            falseValues: [N]\n"
        "          quote: {percent: keep}\n"
        "          saldo:\n"
        "            negatives: [trailing, brackets]\n"
        '          punkt: {decimalChar: ., groupChar: ""}\n'
    )
    assert "`menge`: whether their marks stand before fractions or between groups of digits" in text
    assert "minimum" not in text  # three values carry none


@pytest.mark.parametrize(
    ("header", "cells", "kind"),
    [
        ("n;x", ("1.234", "5.678"), "number"),
        ("n;x", ("1,234", "5,678"), "number"),
        ("n;x", ("1.234", "5.67"), "number"),
        ("n;x", ("1'234", "12'345.5"), "number"),
        ("n;x", ("123 456 789", "987 654 321"), "string"),
        ("n;x", ("1 234", "12 345"), "integer"),
        ("n;x", ("+49 123", "+49 456"), "string"),
        ("n;x", ("007,5", "1,5"), "string"),
        ("n;x", ("1,5", "1,5,6"), "string"),
        ("n;x", ("0,123", "1,500"), "number"),
        ("n;x", ("1,5", "y"), "string"),
        ("n;x", ("Ja", "Nein"), "boolean"),
        ("n;x", ("Y", "N"), "boolean"),
        ("n;x", ("Ja", "ja"), "string"),
        ("n;x", ("J", "J"), "string"),
        ("n;x", ("A", "N"), "string"),
        ("n;x", ("0", "1"), "integer"),
        ("n;x", ("$5", "$7.50"), "number"),
        ("n;x", ("A5", "A7"), "string"),
        ("n;x", ("5 kg", "7,5 kg"), "number"),
        ("n;x", ("5kg", "7kg"), "string"),
        ("n;x", ("1,5E+03", "2,5E-01"), "number"),
    ],
)
def test_values_in_a_form_have_a_type(tmp_path: Path, header: str, cells: tuple[str, ...], kind: str) -> None:
    body = f"{header}\n{''.join(f'{n};{cell}' + chr(10) for n, cell in enumerate(cells))}".encode()
    plan, text = contract_of(tmp_path, ("things.csv", body))
    assert (plan.property_named("x").type, verdict(plan, body)[0]) == (kind, "accepted"), text


@pytest.mark.parametrize("cells", [("1.234", "5.678"), ("1,234", "5,678")])
def test_mark_before_three_digits_alone_is_named(tmp_path: Path, cells: tuple[str, ...]) -> None:
    body = f"n;x\n1;{cells[0]}\n2;{cells[1]}\n".encode()
    text = drafted(tmp_path, body)
    assert "it could be between groups, or before fractions" in text
    assert "`x`: whether their marks stand before fractions or between groups of digits" in text


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (("1", "-20", ""), "logicalType: integer  # proposed: 2 of 2 values are an integer"),
        (("1", "2.5", "1e3"), "logicalType: number  # proposed: 3 of 3 values are a number"),
        (
            ("1.50", "22.25") * 10,
            "physicalType: decimal(6,2)  # proposed: all of them have 2 digits after the point",
        ),
        (("1.50", "22.25"), "logicalType: number  # proposed: 2 of 2 values are a number"),
        (("007", "123"), "logicalType: string"),
        (("+491", "+492"), "logicalType: string"),
        (("+5", "-3", "0") * 7, "{minimum: -27, maximum: 29}  # proposed: 21 of 21 values within, from -3 to +5"),
        (("+5", "7"), "`x`: text, as phone numbers with `+` are; if they count something, write `integer`."),
        (("+5", "-05"), "logicalType: string"),
        (("99999999999999999999", "1"), "logicalType: string"),
        (("1e999", "2.5"), "logicalType: string"),
        (("True", "false"), "logicalType: boolean"),
        (("2026-01-31", "2026-02-28"), "{format: yyyy-MM-dd}  # proposed: seen from 2026-01-31 to 2026-02-28"),
        (("2026-01-31", "2026-02-30"), "logicalType: string"),
        (("31/01/2026", "01/02/2026"), "{format: dd/MM/yyyy}"),
        (("01/31/2026", "02/01/2026"), "{format: MM/dd/yyyy}"),
        (("01/02/2026", "03/02/2026"), "{format: dd/MM/yyyy}  # proposed: it could be MM/dd/yyyy as well"),
        (("20260131", "20260201"), "{format: yyyyMMdd}"),
        (("20260131", "20260232"), "logicalType: integer"),
        (("2026-01-31T10:00:00Z", "2026-01-31T10:00:00.5+01:00"), "{timezone: true}"),
        (("2026-01-31 10:00:00", "2026-01-31 10:00:01"), "{timezone: false}"),
        (("2026-01-31 10:00:00", "2026-01-31 24:00:00"), "logicalType: string"),
        (("31.01.2026 10:00", "01.02.2026 23:59"), "{format: 'dd.MM.yyyy HH:mm'}"),
        (("10:00", "23:59"), "{format: 'HH:mm'}"),
        (("10:00", "25:59"), "logicalType: string"),
        (("3.7.2024", "12.11.2024"), "formats: [d.M.yyyy]"),
        (("12.11.2024", "3.7.2024", "31.12.2024"), "formats: [d.M.yyyy]"),
        (("3.7.2024", "12.11.2024", "31.2.2024"), "logicalType: string"),
        (("3.7.2024", "12.11.2024", "2024-07-03"), "logicalType: string"),
        (("3/7/2024", "12/11/2024"), "proposed: it could be M/d/yyyy as well, in `formats` of the drop block"),
        (("7/31/2024", "12/11/2024"), "formats: [M/d/yyyy]"),
        (("03-Jul-24", "12-NOV-24"), "formats: [d-MMM-yy]\n            century: 1950"),
        (("3. Januar 2024", "12. März 2024"), "formats: [d. MMMM yyyy]\n            language: de"),
        (("Wed. 03 Jul 2024", "MON. 12 AUG 2024"), "formats: [EEE d MMM yyyy]"),
        (("Mi. 03.07.2024", "Mo. 12.08.2024"), "formats: [EEE d.M.yyyy]\n            language: de"),
        (("Mi. 03.07.2024", "So. 12.08.2024"), "logicalType: string"),
        (("3. července 2024", "12. srpna 2024"), "formats: [d. MMMM yyyy]\n            language: cs"),
        (("3 Temmuz 2024", "12 HAZİRAN 2024"), "formats: [d MMMM yyyy]\n            language: tr"),
        (("03-Jul-2024 14:05:09", "12-NOV-2024 08:00:00"), "formats: ['d-MMM-yyyy H:mm:ss']"),
        (("Wed Jul 3 14:05:09 2024", "Mon Aug 12 01:02:03 2024"), "formats: ['EEE MMM d H:mm:ss yyyy']"),
        (
            ("3 april 2024", "12 april 2024"),
            "`language` of `x`: the names of its months and days could be German or",
        ),
        (("7/31/2024 1:05 PM", "12/11/2024 12:00 am"), "formats: ['M/d/yyyy h:mm a']"),
        (("7/31/2024 13:05 PM", "12/11/2024 12:00 am"), "logicalType: string"),
        (
            ("1720015509", "1720015510"),
            "they could be seconds since 1970: a `timestamp` with `formats: [epochSeconds]`",
        ),
        (("1720015509000", "1720015510000"), "they could be milliseconds since 1970"),
        (("45476", "45477"), "logicalType: integer  # proposed: 2 of 2 values are an integer\n"),
        (("9:05", "10:00"), "formats: ['H:mm']"),
        (("3.7.2024", "NA"), 'nullValues: ["", NA]'),
        (("f81d4fae-7dec-11d0-a765-00a0c91e6bf6",), "{format: uuid}"),
        (("a@example.org", "b@example.org"), "{format: email}"),
        (("192.0.2.1", "10.0.0.1"), "{format: ipv4}"),
        (("https://example.org/a",), "{format: uri}"),
        (("NA", "1", "2"), 'nullValues: ["", NA]'),
        (
            tuple(f"{'x' * (n % 3)}abcdef{n + 10}" for n in range(20)),
            "{minLength: 4, maxLength: 20}  # proposed: 20 of 20 values within, with 8 to 10 characters",
        ),
        (
            tuple(f"c{n}" for n in range(10, 30)),
            "{minLength: 3, maxLength: 3}  # proposed: 20 of 20 values have 3 characters",
        ),
        (("NO", "SE") * 10, 'enum: [{value: "NO"}, {value: SE}]  # proposed: 2 values in 20 records'),
        (("0", "1") * 10, "{minimum: 0, maximum: 1}  # proposed: 20 of 20 values within, from 0 to 1"),
        (("", ""), "no value was seen"),
        (("850.3", "1019.9", "930.7") * 7, "{minimum: 300, maximum: 1600}"),
        (("", "7", "8", "9") * 6, "mustBeLessOrEqualTo: 52"),
    ],
)
def test_column_is_proposed_as_what_it_holds(tmp_path: Path, texts: tuple[str, ...], shown: str) -> None:
    body = column(*texts)
    plan, text = contract_of(tmp_path, ("things.csv", body))
    assert shown in text.replace("''", '""').replace("['', NA]", '["", NA]')
    assert verdict(plan, body)[0] == "accepted"


@pytest.mark.parametrize(
    ("texts", "missing"),
    [
        (("7", "8", "9") * 6, "minimum"),  # too few
        (("7",) * 40, "minimum"),
        (("7", "8") * 20, "minimum"),
        (tuple(f"{n}" for n in range(45476, 45506)), "primaryKey"),  # not the first column, and without a key's name
        (("1700000000", "1700003600", "1700007200") * 10, "minimum"),  # moments
        (("abc", "abcdefgh") * 9, "Length"),
        (("NO", "SE") * 9, "enum"),
        ((*("NO", "SE") * 20, "DK"), "enum"),  # seen once, so that others were not seen
        (("NO", "SE") * 9, "required"),
        ((*("",) * 27, "7", "8", "9"), "nullValues"),
        (("5.25", "7.5") * 20, "physicalType"),
    ],
)
def test_few_values_carry_no_rule(tmp_path: Path, texts: tuple[str, ...], missing: str) -> None:
    text = drafted(tmp_path, column(*texts))
    assert missing not in text[text.index("- name: x") : text.index("customProperties")], text


STATES = ("NO", "SE", "DK")


def test_rules_about_values_warn_and_structure_rejects(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n * 1.25:.2f},{STATES[n % 3]},2026-01-{n % 28 + 1:02d}\n" for n in range(60))
    plan, text = contract_of(tmp_path, ("things.csv", f"id,price,state,day\n{rows}".encode()))
    levels = {check.id: check.severity for check in plan.checks}
    structure = {check for check, level in levels.items() if level == "error" and not check.startswith("record.")}
    assert structure == {"id.logicalType", "price.logicalType", "day.logicalType"}, text
    wrong = {
        "unknown country": f"id,price,state,day\n{rows}99,1.25,XX,2026-01-31\n",
        "repeated key": f"id,price,state,day\n{rows}7,1.25,SE,2026-01-31\n",
        "a hundred times the price": f"id,price,state,day\n{rows}99,7025.00,SE,2026-01-31\n",
        "no state": f"id,price,state,day\n{rows}99,1.25,,2026-01-31\n",
        "twice the file, and more": f"id,price,state,day\n{rows}{rows}{rows}",
    }
    assert {what: verdict(plan, body.encode())[0] for what, body in wrong.items()} == dict.fromkeys(
        wrong, "accepted_with_warnings"
    )
    assert verdict(plan, f"id,price,state,day\n{rows}99,much,SE,2026-01-31\n".encode())[0] == "rejected"


def test_bounds_leave_room_for_the_tails_that_there_are(tmp_path: Path) -> None:
    chance = Random(7)
    heavy = [f"{chance.lognormvariate(3, 1):.2f}" for _ in range(500)]
    plan, text = contract_of(tmp_path, ("things.csv", column(*heavy)))
    ends = {c.kind: float(c.expected.split()[-1]) for c in plan.checks if c.kind in ("minimum", "maximum")}
    assert ends["minimum"] == 0
    assert 2 * max(map(float, heavy)) < ends["maximum"] < 100 * sorted(map(float, heavy))[250], text


IBANS = [f"DE{98 - int(f'37040044{n:010d}131400') % 97:02d}37040044{n:010d}" for n in range(532013000, 532013030)]


@pytest.mark.parametrize(
    ("name", "texts", "note"),
    [
        ("x", [f"a{n}@example.org" for n in range(30)], "e-mail addresses"),
        ("account", IBANS, "IBANs, by their check digits"),
        ("phone_1", [f"+49 30 {n:05d}" for n in range(30)], "phone numbers"),
        ("mobile", [f"49301{n:04d}" for n in range(30)], "phone numbers, by the name"),
        ("lastName", ["Adams", "Brown", "Clark"] * 10, "names of people, by the name of the column"),
        ("first_name", ["Ada", "Bob", "Cy"] * 10, "names of people, by the name of the column"),
    ],
)
def test_personal_data_is_classified_and_names_no_record(
    tmp_path: Path, name: str, texts: list[str], note: str
) -> None:
    body = f"{name},n\n" + "".join(f"{text},{n % 7}\n" for n, text in enumerate(texts))
    plan, text = contract_of(tmp_path, ("things.csv", body.encode()))
    assert f"classification: personal  # proposed: {note}; receipts and results do not show them" in text
    assert plan.property_named(name).masked
    assert "primaryKey: true" not in text


@pytest.mark.parametrize("name", ["account", "name", "station_name", "amount"])
def test_other_data_is_not_personal(tmp_path: Path, name: str) -> None:
    wrong = [iban[:-1] + str((int(iban[-1]) + 1) % 10) for iban in IBANS]
    assert "classification" not in drafted(tmp_path, f"{name},n\n{''.join(f'{t},1' + chr(10) for t in wrong)}".encode())


def test_keys_are_proposed_of_enough_records(tmp_path: Path) -> None:
    rows = [f"{n % 3},{n},K{n:03d}\n" for n in range(30)]
    text = drafted(tmp_path, ("count,order_id,ref\n" + "".join(rows)).encode())
    assert text.count("primaryKey: true") == 1
    assert "unique: true  # proposed" not in text
    assert "`ref`: no value twice as well; `unique: true`, if that is a rule and no chance." in text
    assert "  - `primaryKey`: whether `order_id` names a record." in text
    few = drafted(tmp_path, ("count,order_id,ref\n" + "".join(rows[:10])).encode(), "few.csv")
    assert "primaryKey: true" not in few
    assert "No column names a record: say which do." in few


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"a;b\n1,5;2,5\n2,5;3,5\n", "delimiter: ;\n"),
        (b"a\tb\n1\t2\n", 'delimiter: "\\t"'),
        (b"a:b\n1:2\n", 'delimiter: ":"'),
        (b"1,x\n2,y\n", "header: false"),
        (b'a,b\nA,"x\ny"\nB,"z"\n', "multiLine: true"),
        (b'pipe,n\n5" x,1\n6" y,2\n', 'quote: ""'),
        (b'a,b\n"x \\"y\\" z",1\n"u",2\n', "escape: \\\n"),
        ("id,name\n1,Jürgen\n".encode("iso-8859-1"), "encoding: iso-8859-1"),
        ("id,name\n1,Jürgen\n".encode("utf-16"), "encoding: utf-16"),
        ("id,name\n1,Jürgen\n".encode("utf-16-le"), "encoding: utf-16le"),
        ("id,name\n1,Jürgen\n".encode("utf-16-be"), "encoding: utf-16be"),
        (gzip.compress("id,name\n1,Jürgen\n".encode("utf-16-be"), mtime=0), "encoding: utf-16be"),
        ("id,name\n1,Jürgen\n2,5 €\n".encode("windows-1252"), "encoding: windows-1252"),
        (b"id,name\n1,J\xfcrgen\n2,a\x81\x93\n", "mojibake: warn"),
        ("\ufeffid,name\n1,Jürgen\n".encode(), "encoding: utf-8"),
        (b"a,b\r1,2\r3,4\r", 'delimiter: ","'),
        (b'a||b||c\n1||"x||y"||\n2||u|v||"z"\n', 'delimiter: "||"'),
        (b'a~|~b\n1~|~x\n2~|~5" y\n', "delimiter: ~|~"),
        (b"a\t|\tb\n1\t|\tx\n", 'delimiter: "\\t|\\t"'),
        (b"a\tb\n1\tx\\ty\n2\t\\N\n3\tz\n", "unquotedEscape: \\"),
        (b"a\\b\n1\\x\n2\\y\n", "delimiter: \\"),
        (b"a\x01b\n1\x01x,y\n2\x01z\n", 'delimiter: "\\x01"'),
        (b"Report of May\n\nday;n\n2024-05-01;1\n2024-05-02;2\n", "skipRows: {until: ^day;n}"),
        (b"Report of May;\n;\nday;n (EUR)\n2024-05-01;1\n2024-05-02;2\n", "until: "),
        (b'Water,,\nTotal (m3),per head,cost\n"44,761",13.9,68\n', "skipRows: {until: "),
        (b"Report\nname;town\nA;B\nC;D\n", "until: ^name;town"),
        (b"Report;of;May\nday;n\n2024-05-01;1\n2024-05-02;2\n", "until: ^day;n"),
        (b"day;\n;\nday;n\n2024-05-01;1\n2024-05-02;2\n", "until: ^day;n"),
        (b"North;;South;\nX;Y;X;Y\n1;2;3;4\n2;3;4;5\n", "headerRows: [1, 2]  # proposed: these rows name"),
        (b'day;"N\no";\n;big;small\n2024-05-01;1;2\n2024-05-02;2;3\n', "headerRows: [1, 2]"),
        (b"R\nday;n;\n;;x\n;EUR;\n2024-05-01;1;4\n2024-05-02;2;5\n2024-05-03;2;5\n", "commentRows: [3]"),
        (b",a,b\nx,Bob,Rome\ny,Al,Oslo\n", "header: "),
        (b"Statement;;\nAccount;DE 47;\n\nday;n;kind\n2024-05-01;1;x\n2024-05-02;2;y\n", "{until: ^day;n}"),
        (b"Month;May;\nBy;Shop 1;x\n;;\nday;n;kind\n2024-05-01;1;x\n2024-05-02;2;\n", "{until: ^day;n}"),
        (b"sep=;\nday;n\n2024-05-01;1\n2024-05-02;2\n", "separatorLine: true"),
        (b"# by hand\n# in May\nday,n\n2024-05-01,1\n# late\n2024-05-02,2\n", 'commentChar: "#"'),
        (b"#id,n\n1,2\n3,4\n", "name: "),
        (b"day;n\n;EUR\n2024-05-01;1\n2024-05-02;2\n2024-05-03;2\n", "commentRows: [2]"),
        (b"day;n\n2024-05-01;1\n2024-05-02;2\nTotal;3\n", "footer: {begins: Total}"),
        (b"day;n\n2024-05-01;1\n2024-05-02;2\nSumme;3\nStand 3.5.\n\n", "footer: {begins: Summe, lines: 2}"),
        (gzip.compress(b"Report\nday;n\n2024-05-01;1\n2024-05-02;2\nTotal;3\n", mtime=0), "footer: {begins: Total}"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "compression: gzip  # proposed: by the first bytes of the samples"),
        (bz2.compress(b"a,b\n1,2\n"), "compression: bzip2  # proposed: by the first bytes of the samples"),
        (bz2.compress(b'{"a": 1}\n'), "compression: bzip2"),
        (zstd.compress(b"a,b\n1,2\n"), "compression: zstd  # proposed: by the first bytes of the samples"),
        (zipped({"d/o_1.csv": b"a,b\n1,2\n", "d/o_2.csv": b"a,b\n2,3\n"}), "{format: zip, members: d/o_*.csv}"),
        (zipped({"o_2026-01-31.csv": b"a,b\n1,2\n"}), 'members: "o_{date:%Y-%m-%d}.csv"}'),
        (zipped({"o.csv": b"a,b\n1,2\n", "__MACOSX/._o.csv": b"x"}), "members: o.csv\n        others: ignore"),
        (zipped({"o.jsonl": b'{"a": 1}\n{"a": 2}\n'}), "members: o.jsonl}"),
        (
            b"a,b\n" + b"1,2\n" * 99 + b"1\n",
            'tolerance: {rows: "2.00%"}  # proposed: 1 line of the samples',
        ),
        (b'{"a": 1, "b": [1, "x"]}\n', "columns: {extra: ignore}"),
        (b'{"a": 1, "b": "2"}\n{"b": "3"}\n', "format: jsonl"),
    ],
)
def test_dialect_is_found(tmp_path: Path, body: bytes, shown: str) -> None:
    plan, text = contract_of(tmp_path, ("things.csv", body))
    assert shown in text.replace("'", '"')
    assert verdict(plan, body)[0] in ("accepted", "accepted_with_warnings")


def test_table_with_rows_all_around_is_drafted(tmp_path: Path) -> None:
    rows = "".join(f"2024-05-{n:02d};{n}.5;x\n" for n in range(1, 31))
    body = f"sep=;\nUms\u00e4tze Mai\n\nday;amount;kind\n;EUR;\n{rows}Summe;465;\nStand 1.6.\n".encode()
    plan, text = contract_of(tmp_path, ("things.csv", body))

    assert {p.name: p.type for p in plan.properties} == {"day": "date", "amount": "number", "kind": "string"}
    assert "proposed: lines above the header of a sample have other cells" in text
    assert verdict(plan, body)[0] == "accepted"


TYPED = "H|20240501|BANK\nD|a|1,5|01.05.2024\nD|b|2,5|02.05.2024\nD|c|3,5|03.05.2024\nT|3|7,5\n"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (TYPED, ("skipColumns: 1", "leader:", "begins: H", "begins: D", "trailer:", "rows: 2")),
        (TYPED.replace("T|3|", "T|4|"), ("begins: T",)),
        (TYPED.replace("H|", "00|").replace("D|", "10|").replace("T|", "99|"), ('begins: "00"', 'begins: "10"')),
        (TYPED.replace("T|3|7,5\n", ""), ("begins: H", "begins: D")),
        (TYPED.replace("D|", '"D"|'), ("begins: D",)),
    ],
)
def test_types_of_records_are_proposed(tmp_path: Path, body: str, shown: tuple[str, ...]) -> None:
    plan, text = contract_of(tmp_path, ("bank.csv", body.encode()))

    assert [part for part in shown if part not in text.replace("'", '"')] == [], text
    assert [p.type for p in plan.properties] == ["string", "number", "date"]
    assert not plan.csv.header
    assert admitted(plan, body)


@pytest.mark.parametrize(
    "body",
    [
        "H|x|y|z\nD|a|1|2\nD|b|2|3\n",  # as wide as the others: a header
        "Bank|May\nD|a|1\nD|b|2\n",
        "H|x\nD|a|1\nE|b|2\n",
        "H|x\nD|a|1\n",
        "10|x\n20|a|1\n20|b|2\n",  # numbers without a trailer
    ],
)
def test_rows_without_types_have_none(tmp_path: Path, body: str) -> None:
    with suppress(SampleRefused):
        assert "leader" not in drafted(tmp_path, body.encode())


def admitted(plan: Plan, body: str) -> bool:
    raw = body.encode()
    return not admit(plan, "maker/a", len(raw), lambda start, length: raw[start : start + length]).refused


def test_blanks_around_values_are_trimmed(tmp_path: Path) -> None:
    body = b"a;n;day;text\n1; 0.5;2024-05-01 ; x\n2; 1.5; 2024-05-02;y\n3; NA;;z \n"
    plan, text = contract_of(tmp_path, ("things.csv", body))

    assert [(p.type, bool(p.form and p.form.trim)) for p in plan.properties] == [
        ("integer", False),
        ("number", True),
        ("date", True),
        ("string", False),
    ]
    assert "`trim` of `n`, `day`: their values have a type only without the blanks around them." in text
    assert verdict(plan, body)[0] == "accepted"


def test_percent_is_named_as_it_is_proposed(tmp_path: Path) -> None:
    assert "`percent` of `x`: `5 %` is 5 as proposed" in drafted(tmp_path, column("5 %", "6.5 %", "7 %"))


def test_what_may_be_no_record_is_named(tmp_path: Path) -> None:
    text = drafted(tmp_path, b"name,n\na,1\nb,2\n,\n,\nThis,Total 3\n")

    assert "2 of the first records have no value in any cell; they are counted as records." in text
    assert "`Total 3` in the last line: it is read as a record, and may be a total of the others." in text
    assert "Total" not in drafted(tmp_path, b"name,n\na,1\nb,2\nTotal,3\n").split("apiVersion")[0]


def test_footers_and_units_that_not_all_samples_have_are_not_proposed(tmp_path: Path) -> None:
    rows = "".join(f"2024-05-{n:02d};{n}\n" for n in range(1, 31))
    _, text = contract_of(tmp_path, ("a.csv", f"day;n\n{rows}Total;2\n".encode()), ("b.csv", f"day;n\n{rows}".encode()))

    assert "footer" not in text


def test_sample_that_is_damaged_behind_other_text_is_refused(tmp_path: Path) -> None:
    body = gzip.compress(b"id,name\n" + b"1,J\xfcrgen\n" + bytes(range(65, 91)) * 1_000_000, mtime=0)
    with pytest.raises(SampleRefused, match="cannot be unpacked"):
        contract_of(tmp_path, ("things.csv.gz", body[: len(body) // 2]))


WIDE = {
    "cp932": "東京都渋谷区の会社は、データの品質を表示しています",
    "euc-jp": "東京都渋谷区の会社は、データの品質を表示しています",
    "gb18030": "北京市朝阳区的示例有限公司正在检查数据质量、请按照合同提供文件",
    "big5": "台北市信義區的範例有限公司正在檢查資料品質、請按照合約提供檔案",
    "cp949": "서울특별시 강남구에 있는 주식회사 예제는 데이터 품질을 확인합니다",
}


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_asian_encoding_is_recognised(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    body = "".join(f"{line}\n" for line in ("id|name", f"1|{WIDE[name]}", f"2|{WIDE[name]}")).encode(name)
    suffix = ".csv" if pack is bytes else ".csv.gz"
    plan, _ = contract_of(tmp_path, (f"things{suffix}", pack(body)))
    assert (plan.csv.encoding, plan.csv.delimiter) == (name, "|")
    with pytest.raises(SampleRefused, match="line 20,004 is not"):
        contract_of(tmp_path, ("odd.csv", body + b"3|a\n" * 20_000 + b"4|\xff\n"))
    with pytest.raises(SampleRefused, match="give files in one encoding"):
        contract_of(tmp_path, ("a.csv", body), ("b.csv", "id|name\n1|é\n".encode()))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("koi8-r", "Москва и другие города России, проверка качества данных"),
        ("cp1251", "Москва и другие города России, проверка качества данных"),
        ("cp1253", "Στην Αθήνα είναι η πρωτεύουσα της Ελλάδας"),
        ("cp1252", "Müller größer José São Paulo ação über Ärzte Straße Köln"),
        ("cp1256", "القاهرة هي عاصمة جمهورية مصر العربية"),
        ("cp866", "Москва и другие города России, проверка качества данных"),
        ("cp1252", "ESTAÇÃO ESTAÇÕES"),
        *(
            (name, text)
            for name in ("cp850", "macintosh")
            for text in ("München Köln Düsseldorf", "España mañana niño")
        ),
        *((name, "Gérard Hélène garçon Müller naïf août") for name in ("cp850", "macintosh", "cp1252")),
        *((name, "Łódź Kraków Gdańsk Wrocław Poznań") for name in ("cp852", "cp1250", "iso-8859-2")),
        ("cp1254", "İstanbul Şişli Güngören Üsküdar"),
    ],
)
def test_letters_of_one_byte_are_no_asian_text(name: str, text: str) -> None:
    assert wide_text.encoding(f"{n},{text}\n".encode(name, "ignore") for n in range(30)) is None


LATIN, ANSI, UTF_8, PLAIN = (
    f"id,name\n{text}\n".encode(encoding)
    for text, encoding in (("1,Jürgen", "iso-8859-1"), ("2,5 €", "cp1252"), ("3,José", "utf-8"), ("4,a", "ascii"))
)


@pytest.mark.parametrize(
    ("bodies", "encoding", "odd"),
    [
        ((PLAIN, UTF_8), "utf-8", False),
        ((PLAIN, LATIN), "iso-8859-1", False),
        ((PLAIN, ANSI), "windows-1252", False),
        ((LATIN, ANSI, PLAIN), "windows-1252", False),
        ((UTF_8, ANSI), "iso-8859-1", True),
        ((UTF_8, LATIN), "iso-8859-1", True),
        ((ANSI, b"id,name\n5,a\x81\xfc\n"), "iso-8859-1", True),
    ],
)
def test_samples_in_several_encodings_have_one(
    tmp_path: Path, bodies: tuple[bytes, ...], encoding: str, *, odd: bool
) -> None:
    plan, _ = contract_of(tmp_path, *((f"things-{n}.csv", body) for n, body in enumerate(bodies)))
    assert (plan.csv.encoding, plan.csv.mojibake) == (encoding, "warn" if odd else "reject")


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"a.csv": b""}, "a.csv is empty"),
        ({"a.csv": b"\n\n"}, "a.csv is empty"),
        ({"a.csv": b"id,v\n"}, "a.csv has a header and no records"),
        ({"a.csv": bytes(range(256)) * 9}, "a.csv is not text"),
        ({"a.csv": "a,b\n".encode("utf-32")}, "a.csv is written in UTF-32"),
        ({"a.csv": "a,b\n".encode("utf-32-le")}, "a.csv is not text"),
        ({"a.csv": "a,b\n1,2\n".encode("utf-16") + b"x"}, "a.csv is damaged: its text in UTF-16"),
        ({"a.csv": "a\n1\n".encode("utf-16"), "b.csv": b"a\n1\n"}, "a.csv is in UTF-16 and b.csv is in UTF-8"),
        ({"a.jsonl": '{"a": 1}\n'.encode("utf-16")}, "a.jsonl is not UTF-8, as JSON Lines are"),
        ({"a.csv": b"PK\x03\x04" + b"x" * 99}, "a.csv: The zip archive cannot be unpacked"),
        ({"a.zip": zipped({"a.csv": b"a,b\n1,2\n", "b.csv": b"c\n1\n"})}, "b.csv"),
        ({"a.zip": zipped({"a.csv": b"a,b\n1,2\n"}), "b.csv": b"a,b\n1,2\n"}, "b.csv is none; give files"),
        ({"a.zip": zipped({"a/": b""})}, "a.zip: The zip archive has no member"),
        ({"a.csv": gzip.compress(b"a,b\n1,2\n")[:-6]}, "a.csv cannot be unpacked"),
        ({"a.csv": gzip.compress(b"a,b\n" + b"1,2\n" * (17 << 20))}, "unpacks to more than 200 times its size"),
        ({"a.csv": bz2.compress(b"a,b\n1,2\n")[:-6]}, "compress it with bzip2 again"),
        ({"a.csv": zstd.compress(b"a,b\n1,2\n")[:-6]}, "compress it with zstd again"),
        ({"a.csv": zstd.compress(b"a,b\n1,2\n") + b"more"}, "compress it with zstd again"),
        (
            {"a.csv": bz2.compress(b"a,b\n1,2\n"), "b.csv": b"a,b\n1,2\n"},
            "a.csv is CSV, compressed by bzip2, and b.csv is CSV",
        ),
        ({"a.csv": b"a,b,c\n1,2\n2,3\n4,5\n"}, "has 3 cells, and most others have 2: a contract takes no records"),
        ({"a.csv": b"a,b\n1,2\n1\n1,2,3\n"}, "2 of 3 lines of the samples have other than 2 cells"),
        ({"a.csv": b"A\nx,n\na,1\nb,2\n\nB\nx,n\nc,3\n"}, "several tables: line 7 has the names of the columns again"),
        ({"a.csv": b"A,\nx,n\na,b\n,\nB,\ny,m\nc,d\n"}, "line 4 has no value in any cell, as between two tables"),
        ({"a.csv": b"x,n\n" + b"a,1\n" * 9 + b"y,m,o,p\n" * 9}, "from line 11 on it has 4 cells, and 2 above"),
        ({"a.csv": b"a,b\n1,2\n", "b.csv": b"a,c\n1,2\n"}, "(`b` missing, `c` added)"),
        ({"a.csv": b"a,b\n1,2\n", "b.jsonl": b'{"a": 1}\n'}, "a.csv is CSV and b.jsonl is JSON Lines"),
        ({"a.json": b"[\n1,\n2\n]\n"}, "is neither JSON Lines nor a JSON document of records"),
        ({"a.json": b'[\n{"a": 1}\n'}, "a.json: The document ends too early"),
        ({"a.json": b"[]"}, "a.json holds no records"),
        ({"a.json": b'{"data": [{"a": 1}, {"a": 2}]}', "b.json": b'[{"a": 1}]'}, "b.json: The file is an array"),
        ({"a.jsonl": b'{"a": 1}\n{"a": "x"}\n'}, "its values are of several types (number, text)"),
        ({"a.jsonl": b'{"a": [1]}\n{"a": {}}\n'}, "its values are of several types (lists, objects)"),
        (
            {"a.jsonl": json.dumps({f"k{n}": n for n in range(2001)}).encode()},
            "have 2,001 keys; 2,000 are the maximum",
        ),
        ({"a.parquet": b"PAR1" + b"x" * 99}, "does not end as a Parquet file does"),
    ],
)
def test_bad_samples_are_refused_in_a_sentence(tmp_path: Path, files: dict[str, bytes], reason: str) -> None:
    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
    with pytest.raises(SampleRefused) as caught:
        profile([tmp_path / name for name in files], no_spark)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.csv", b"id,text\n1,x\n2,", b"\n3,y\n"),
        ("a.csv", b'id,text\n1,"x\ny"\n2,"\n', b'"\n3,y\n'),
        ("a.jsonl", b'{"id": 1, "text": "x"}\n{"id": 2, "text": "', b'"}\n'),
        ("a.json", b'[{"id": 1, "text": "x"}, {"id": 2, "text": "', b'"}]'),
    ],
    ids=["CSV", "CSV over several lines", "JSON Lines", "JSON"],
)
def test_sample_whose_record_is_too_long_to_be_read_is_refused(
    tmp_path: Path, name: str, before: bytes, after: bytes
) -> None:
    (tmp_path / name).write_bytes(before + b"a" * LONGEST + after)
    with pytest.raises(SampleRefused, match="A record of the samples has more than 32 MiB"):
        profile([tmp_path / name], no_spark)


def test_longest_record_that_is_read_is_a_sample(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,text\n1,x\n2," + b"a" * (LONGEST - 2) + b"\n")

    assert profile([path], no_spark).samples[0].records == 2


def test_comment_parts_no_value() -> None:
    text = 'a: "x\\\n  y"\nb: 1\n'
    assert annotated(text, {("b",): "why"}) == 'a: "x\\\n  y"\nb: 1  # proposed: why\n'
    assert annotated(text, {("a",): "why"}) == '# proposed: why\na: "x\\\n  y"\nb: 1\n'


@pytest.mark.parametrize("seed", range(60))
def test_damaged_samples_end_in_a_sentence_or_pass(tmp_path: Path, seed: int) -> None:
    chance, body = Random(seed), bytearray(table(seed).written())
    for _ in range(chance.choice([1, 3, 20])):
        at = chance.randrange(len(body))
        body[at : at + chance.randrange(3)] = chance.choice(
            [b'"', b"\n", b",", b"\r", b"\\", b"\xff", b": #", b"{", b"\0"]
        )
    with suppress(SampleRefused):
        plan, _ = contract_of(tmp_path, ("things.csv", bytes(body)))
        assert verdict(plan, bytes(body))[0] in ("accepted", "accepted_with_warnings")


def test_several_samples_are_one_contract(tmp_path: Path) -> None:
    counts = {"2026-01-30": 30, "2026-01-31": 40}
    bodies = {f"shop-{day}.csv": b"id,v\n" + b"1,2\n" * count for day, count in counts.items()}
    plan, text = contract_of(tmp_path, *bodies.items())
    assert plan.files == ("maker/shop-{date:%Y-%m-%d}.csv",)
    assert "mustBeGreaterOrEqualTo: 15\n" in text
    assert "mustBeLessOrEqualTo: 80\n" in text
    assert "2 files of 30 to 40 records, and room" in text
    assert [verdict(plan, body)[0] for body in bodies.values()] == ["accepted", "accepted"]


def test_several_samples_leave_less_room(tmp_path: Path) -> None:
    bodies = [(f"shop-2026-0{month}.csv", column(*(f"{n % 50}" for n in range(100)))) for month in (1, 2, 3)]
    one, three = contract_of(tmp_path, bodies[0])[1], contract_of(tmp_path, *bodies)[1]
    assert "{minimum: 0, maximum: 120}" in one
    assert "{minimum: 0, maximum: 75}" in three
    assert "mustBeGreaterOrEqualTo: 50\n" in one
    assert "mustBeGreaterOrEqualTo: 66\n" in three


def test_values_of_one_sample_alone_are_no_list(tmp_path: Path) -> None:
    bodies = [("a.csv", column(*("NO", "SE") * 10)), ("b.csv", column(*("NO", "SE", "DK") * 10))]
    assert "enum" not in contract_of(tmp_path, *bodies)[1]
    assert "enum" in contract_of(tmp_path, bodies[0], ("b.csv", bodies[0][1]))[1]


def test_same_samples_give_the_same_bytes(tmp_path: Path) -> None:
    body = column(*(f"w{n % 7}" for n in range(99)))
    assert drafted(tmp_path, body) == drafted(tmp_path, body)


@pytest.mark.parametrize("again", [0, 7])
def test_many_texts_are_judged_as_few_are(again: int) -> None:
    """Counts that are merged part by part equal counts over the whole, including null words and repetitions."""
    texts = ["NA", *(f"{n}.25" for n in range(1000)), *(f"{n}.25" for n in range(again)), ""]
    few, many = ColumnCounts(), ColumnCounts(few=40)
    for column_of in (few, many):
        for at in range(0, len(texts), 90):
            column_of.add(texts[at : at + 90])
        column_of.done()
    assert null_words({"x": many}) == null_words({"x": few}) == ("", "NA")
    one, other = (settle("x", c, len(texts), frozenset(("", "NA"))) for c in (few, many))
    assert other == replace(one, values=None)
    assert one.unique is not bool(again)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_parts_of_a_file_are_the_whole_file(
    tmp_path: Path, end: str, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    lines = ["id,v,w", *(f'{n},{n % 9 or "NA"},"ä""{n}"' for n in range(200)), "1,2", ""]
    (tmp_path / "a.csv").write_bytes(pack(end.join(lines).encode(encoding)))
    whole = profile([tmp_path / "a.csv"], no_spark)
    assert profile([tmp_path / "a.csv"], no_spark, Bounds(large=1)) == whole
    assert (whole.records, whole.broken, whole.columns[0].unique, whole.columns[1].nulls) == (200, 1, True, 23)


NO_FORK = """
import os, sys
from pathlib import Path
from infra.sampling import Bounds, profile
os.register_at_fork(before=lambda: os._exit(9))
if __name__ == "__main__":
    print(profile([Path(sys.argv[1])], lambda: None, Bounds(large=1)).records)
"""


def test_parts_are_read_without_a_fork(tmp_path: Path) -> None:
    """A fork beside threads may wait for a lock for good; Python 3.12 and later warn of it."""
    (tmp_path / "a.csv").write_bytes(b"id,v\n" + b"1,2\n" * 200)
    command = [sys.executable, "-W", "error", "-c", NO_FORK, str(tmp_path / "a.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "200\n", "")


@pytest.mark.parametrize(("left", "right"), [(30, 30), (90, 30), (30, 90), (90, 90), (0, 90), (90, 0)])
@pytest.mark.parametrize("again", [False, True])
def test_merged_columns_are_one(left: int, right: int, again: bool) -> None:
    texts = [f"{n}.5" for n in range(left)], [f"{n + (0 if again else left)}.5" for n in range(right)]
    one, other, both = ColumnCounts(few=50), ColumnCounts(few=50), ColumnCounts(few=50)
    one.add(texts[0])
    other.add(texts[1])
    both.add([*texts[0], *texts[1]])
    one.merge(other)
    one.done()
    both.done()
    assert settle("x", one, left + right, frozenset()) == settle("x", both, left + right, frozenset())
