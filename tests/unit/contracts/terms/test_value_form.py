"""Cells in the form of a file: a table of texts, and the values that a contract means by them."""

from __future__ import annotations

import pytest

from contracts import codec
from contracts.terms.value_form import PLAIN, ValueForm, published, words, written

GERMAN = ValueForm(decimal=",", group=".")
SWISS = ValueForm(group="'")
FRENCH = ValueForm(decimal=",", group="\u202f", suffixes=(" €", "\u00a0€"))
LEDGER = ValueForm(prefixes=("$", "US$ "), suffixes=(" CR",), group=",", negatives=("trailing", "brackets"))
MAINFRAME = ValueForm(decimals=2, negatives=("trailing",))
SHARE = ValueForm(percent="divide", decimal=",")
NUMBERS: list[tuple[ValueForm, dict[str, str | None]]] = [
    (PLAIN, {"1.5": "1.5", "x": "x"}),
    (GERMAN, {"1.234,50": "1234.50", "1234,5": "1234.5", "-7": "-7", "+7,0": "+7.0", ",5": ".5", "5,": "5."}),
    (GERMAN, {"1.234": "1234", "12.345.678,9": "12345678.9", "1,5E+3": "1.5E+3", "1e2": "1e2"}),
    (
        GERMAN,
        dict.fromkeys(
            (
                "0.123",
                "1.23",
                "1.2345",
                "12.34.567",
                "1234.567",
                ".123",
                "1,234,5",
                "1.5",
                "1,5.000",
                "1.234E2",
                "",
                ",",
            )
        ),
    ),
    (
        GERMAN,
        dict.fromkeys((" 1", "1 ", "1 000", "--1", "-", "1-", "(1)", "1 €", "٣", "1٣", "0x1", "NaN", "1d", "1e")),
    ),
    (SWISS, {"1'234.5": "1234.5", "1234.5": "1234.5", "1'23": None, "1\u2019234": None, "1'234'567": "1234567"}),
    (FRENCH, {"1\u202f234,5 €": "1234.5", "5\u00a0€": "5", "5€": None, "5  €": None, "1 234,5": None, "€ 5": None}),
    (LEDGER, {"$1,234.50": "1234.50", "-$5": "-5", "$-5": "-5", "US$ 5 CR": "5", "5-": "-5", "$5- CR": "-5"}),
    (LEDGER, {"(5)": "-5", "($5)": "-5", "$(5)": "-5", "(5) CR": "-5", "5 CR-": "-5", "+5": "+5", "5+": "+5"}),
    (LEDGER, dict.fromkeys(("$", "$$5", "-(5)", "(-5)", "(5", "5)", "-5-", "()", "(5)-", "CR", "5CR", "$ 5", "- 5"))),
    (MAINFRAME, {"1250": "12.50", "0001250-": "-0012.50", "5": "0.05", "-5": "-0.05", "0": "0.00", "12.50": None}),
    (MAINFRAME, dict.fromkeys(("12,50", "1e2", "", "-", " 5"))),
    (SHARE, {"12,5%": "0.125", "12,5 %": "0.125", "7\u00a0%": "0.07", "-,5%": "-.005", "100%": "1.00", "7": None}),
    (SHARE, dict.fromkeys(("12.5%", "%", " %", "12,5  %", "1e1%", "5%%"))),
    (ValueForm(percent="keep"), {"5%": "5", "5 %": "5", "5": "5", "5.5e1%": "5.5e1", "5 ": None}),
    (ValueForm(negatives=("typographic",)), {"\u22125": "-5", "-5": "-5", "5": "5", "\u2212\u22125": None}),
    (ValueForm(decimals=0), {"12": "12", "12.": None}),
]


@pytest.mark.parametrize(("form", "texts"), NUMBERS, ids=range(len(NUMBERS)))
def test_number_is_that_of_its_form(form: ValueForm, texts: dict[str, str | None]) -> None:
    read = {text: published(form, text, "number") for text in texts}
    assert {text: number and _plain(number) for text, number in read.items()} == {
        text: number and _plain(number) for text, number in texts.items()
    }


def _plain(number: str) -> str:
    """A number without zeros in front, which mean nothing."""
    sign = number[:1] if number[:1] in "+-" else ""
    return sign + (number.removeprefix(sign).lstrip("0") or "0")


def test_integer_has_no_fraction_and_no_exponent() -> None:
    form = ValueForm(decimal=",", group=".", suffixes=(" kg",)).of_type("integer")
    texts = {"1.234 kg": "1234", "1234": "1234", "1,0": None, "1e3": None, "1.5": None, "0.123": None}
    assert {text: published(form, text, "integer", exponent=False) for text in texts} == texts


def test_decimal_has_no_exponent() -> None:
    assert published(GERMAN, "1,5e3", "number", exponent=False) is None


def test_boolean_is_one_of_its_words_letter_by_letter() -> None:
    form = ValueForm(true=("J", "ja"), false=("N", ""))
    texts = {"J": "true", "ja": "true", "N": "false", "": "false", "j": None, "JA": None, "true": None, " J": None}
    assert {text: published(form, text, "boolean") for text in texts} == texts


def test_text_is_itself() -> None:
    form = ValueForm(decimal=",", true=("J",), false=("N",))
    assert [published(form, text, "string") for text in ("1,5", "J")] == ["1,5", "J"]


@pytest.mark.parametrize("form", [GERMAN, SWISS, FRENCH, LEDGER, MAINFRAME, SHARE, PLAIN])
def test_number_that_is_written_is_read_back(form: ValueForm) -> None:
    for number in ("0", "1", "-1.5", "1234.56", "-0.05", "12345678901234567890123456.78"):
        read = published(form, written(form, number, "number"), "number")
        assert read is not None
        assert float(read) == float(number)


def test_boolean_is_written_by_its_first_word() -> None:
    form = ValueForm(true=("J", "ja"), false=("N",))
    assert [written(form, text, "boolean") for text in ("true", "false")] == ["J", "N"]


def test_form_of_a_type_has_only_what_it_needs() -> None:
    form = ValueForm(trim=True, decimal=",", percent="divide", decimals=2, true=("J",), false=("N",))
    assert form.of_type("string") == ValueForm(trim=True)
    assert form.of_type("boolean") == ValueForm(trim=True, true=("J",), false=("N",))
    assert form.of_type("integer") == ValueForm(trim=True)
    assert codec.encode(form.of_type("number")) == {"trim": True, "decimal": ",", "percent": "divide", "decimals": 2}


def test_text_of_a_hundred_thousand_groups_is_read() -> None:
    assert published(GERMAN, "1" + ".000" * 100_000, "number") == "1" + "000" * 100_000


@pytest.mark.parametrize(
    ("kind", "pattern", "zone", "text", "formats", "cell"),
    [
        ("date", None, None, "2024-07-03", ("d.M.yyyy", "yyyyMMdd"), "3.7.2024"),
        ("date", "dd.MM.yyyy", None, "03.07.2024", ("d-MMM-yy",), "3-Jul-24"),
        ("date", None, None, "2024-07-03", ("excelDays",), "45476"),
        ("date", None, None, "no date", ("d.M.yyyy",), "no date"),
        ("time", None, None, "14:05", ("h:mm a",), "2:05 PM"),
        ("time", "HHmm", None, "1405", ("H:mm:ss",), "14:05:00"),
        ("timestamp", None, None, "2024-07-03 14:05:09", ("M/d/yyyy h:mm a",), "7/3/2024 2:05 PM"),
        ("timestamp", None, None, "2024-07-03T14:05:09+02:00", ("d.M.yyyy H:mm",), "3.7.2024 12:05"),
        ("timestamp", None, "Europe/Berlin", "2024-07-03T12:05:09Z", ("d.M.yyyy H:mm",), "3.7.2024 14:05"),
        ("timestamp", None, "Europe/Berlin", "2024-07-03T14:05:09", ("epochSeconds",), "1720008309"),
        ("timestamp", None, None, "2024-07-03T14:05:09Z", ("yyyyMMdd'T'HHmmssX",), "20240703T140509Z"),
    ],
)
def test_date_is_written_in_the_first_format_of_files(
    kind: str, pattern: str | None, zone: str | None, text: str, formats: tuple[str, ...], cell: str
) -> None:
    form = ValueForm(formats=formats, century=1950)
    assert written(form, text, kind, pattern, zone) == cell


def test_date_is_read_in_iso() -> None:
    form = ValueForm(formats=("d.M.yyyy", "d.M.yy"), century=1950)
    assert [published(form, text, "date") for text in ("3.7.2024", "3.7.50", "2024-07-03")] == [
        "2024-07-03",
        "1950-07-03",
        None,
    ]


def test_formats_in_words_have_examples() -> None:
    form = ValueForm(formats=("d. MMM yyyy", "d.M.yy", "excelDays"), century=1950, language="de")
    shown = "3. Jul 2024 (d. MMM yyyy, German) or 3.7.24 (d.M.yy, 1950 to 2049) or 45476 (a day number of Excel)"
    assert words(form) == shown
