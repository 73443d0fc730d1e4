"""The page of a contract: everything in plain words, and untrusted text stays text."""

from __future__ import annotations

import base64
import hashlib
import re
import textwrap
from html.parser import HTMLParser

import pytest

from contracts.authoring.compiler.compile import compile_each
from contracts.authoring.exports import sample
from contracts.terms.key_pattern import captures
from tests.unit.contracts.authoring.documents import HEAD, a_document
from tests.unit.contracts.authoring.exports.test_formats import contract, export

EVIL = "<script>alert(1)</script>\"'&"
ORDERS = """\
- name: id
  logicalType: integer
  required: true
  unique: true
  description: Number of the order.
- name: state
  logicalType: string
  enum: [{value: SP, label: São Paulo}, {value: RJ}]
- name: code
  logicalType: string
  businessName: Code of the shop
  logicalTypeOptions: {pattern: '^[A-Z]{2}-\\d+$', minLength: 4}
- name: amount
  logicalType: number
  physicalType: decimal(8,2)
  logicalTypeOptions: {minimum: 0, exclusiveMaximum: 1000}
  quality: [{metric: nullValues, mustBeLessThan: 5, unit: percent, description: Gifts have none.}]
- name: day
  logicalType: date
  logicalTypeOptions: {format: dd.MM.yyyy, minimum: '01.02.2030'}
"""
QUALITY = """\
- {metric: rowCount, mustBeGreaterThan: 10}
- {type: custom, engine: dropgate, id: sums, implementation: {metric: expression, expression: amount < id}}
"""


class _Reader(HTMLParser):
    """The tags and texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def page(text: str) -> _Reader:
    reader = _Reader()
    reader.feed(export("html", text).text)
    return reader


def words(text: str) -> str:
    return " ".join(" ".join(page(text).parts).split())


@pytest.mark.parametrize(
    "phrase",
    [
        "Sent by shop",
        "shop/orders/*.csv for example shop/orders/file.csv",
        "Format CSV Delimiter comma Header the first line names the columns Encoding UTF-8 Null an empty cell",
        "id Number of the order. whole number always filled in different in every row of a file 12",
        "one of “SP”, “RJ” may be empty “SP” is São Paulo SP",
        "code Code of the shop text matching the pattern ^[A-Z]{2}-\\d+$ at least 4 characters may be empty AA-77",
        "decimal number with at most 6 digits before the point and at most 2 after it at least 0 less than 1000",
        "empty in less than 5 % of the rows Gifts have none.",
        "date like 31.01.2026 at least 01.02.2030 may be empty 01.02.2030",
        "id,state,code,amount,day 12,SP,AA-77,500.00,01.02.2030",
        "The file has more than 10 rows.",
        "This is true in every row: amount < id",
        "A row breaks a rule The whole file is rejected: readers do not get it",
        "The file has columns that the contract does not name The file is rejected.",
        "The file has no rows The file is rejected.",
    ],
)
def test_page_says_in_plain_words(phrase: str) -> None:
    assert phrase in words(a_document(ORDERS, QUALITY))


def test_tolerance_and_warnings_are_told() -> None:
    more = 'tolerance: {rows: "1%"}\nchecks: {amount.minimum: {severity: warning}}\nempty: warn\n'
    text = words(a_document(ORDERS, more_drop=more))
    assert "at least 0 (only a warning)" in text
    assert "less than 1000 (up to 1 % may break this)" in text
    assert "More than 1 % of its rows break a rule" in text
    assert "Up to 1 % of its rows break a rule The file is accepted with warnings, and the receipt lists" in text
    assert "lists these rows. Readers get them." in text
    assert "The file breaks a rule that only warns" in text
    assert "The file has no rows The file is accepted with a warning." in text


def test_trailer_is_told() -> None:
    text = words(a_document(ORDERS, more_drop="csv: {trailer: {begins: T, rows: 3, sums: {amount: 2}}}\n"))
    trailer = "the last line, which begins with “T” and holds no data"
    assert f"Trailer {trailer}; cell 2: the sum of amount; cell 3: the number of rows" in text


def test_names_that_the_header_lacks_are_told() -> None:
    text = words(a_document(ORDERS, more_drop="csv: {headerLacks: {first: [id], last: [amount]}}\n"))
    assert "Not in the header the first columns, here named “id”; rows have cells for them" in text


QUESTIONS = """\
- {type: sql, query: "select count(*) from ${object} where id < 0", mustBe: 0}
- {metric: rowCount, mustBeGreaterThan: 5, arguments: {filter: id > 7}}
- {id: new, metric: rowCount, mustBeLessThan: 5, arguments: {filter: id > 7, watermark: id}}
- {type: custom, engine: dropgate, implementation: {metric: statement, statement: select * from data where id > 9}}
- {type: text, description: Buyers look at prices.}
- {type: custom, engine: soda, name: Sound, implementation: x}
"""
QUANTILE = """\
- name: id
  logicalType: integer
  quality:
    - {type: custom, engine: dropgate, implementation: {metric: quantile, quantile: 0.95, mustBeLessThan: 9}}
"""


@pytest.mark.parametrize(
    "phrase",
    [
        "The result of this query is exactly 0: select count(*) from orders where id < 0",
        "The file has more than 5 rows (only rows where id > 7)",
        "less than 5 rows (only rows where id > 7 and whose id is newer than in every file accepted before)",
        "The number of rows that this query finds is exactly 0: select * from data where id > 9",
        "Buyers look at prices. (not checked by dropgate: people check it)",
        "Sound (checked by another tool)",
        "The 95 % quantile of all values is less than 9",
    ],
)
def test_questions_and_rules_for_others_are_told(phrase: str) -> None:
    assert phrase in words(a_document(QUANTILE, QUESTIONS))


def test_text_of_strangers_stays_text() -> None:
    evil = EVIL.replace("'", "''")
    head = HEAD + f"name: '{evil}'\ndescription: {{purpose: '{evil}'}}\n"
    listed = f"enum: [{{value: '{evil}', label: '{evil}'}}]"
    body = f"- {{name: '{evil}', logicalType: string, description: '{evil}', {listed}}}\n"
    shown_page = page(a_document(body, head=head))
    assert "script" not in shown_page.tags
    assert sum(EVIL in part for part in shown_page.parts) >= 5


def test_page_has_no_script_and_loads_nothing() -> None:
    text = export("html", a_document(ORDERS, QUALITY)).text
    shown_page = page(a_document(ORDERS, QUALITY))
    assert not {"script", "link", "img", "iframe", "form"} & set(shown_page.tags)
    assert not {"src", "href", "style"} & {name for name, _ in shown_page.attributes}
    assert "url(" not in text
    assert "@import" not in text
    (style,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


def test_hidden_characters_are_written_out() -> None:
    text = export("html", a_document('- {name: x, logicalType: string, description: "a\\u202eb"}\n')).text
    assert "\u202e" not in text
    assert "a\\u202eb" in text


def test_decimal_of_all_digits_has_an_example() -> None:
    made = contract(a_document("- {name: x, logicalType: number, physicalType: 'decimal(38,38)'}\n"))
    assert sample.row(made)["x"] == f"0.{'0' * 38}"


@pytest.mark.parametrize(
    "pattern", ["shop/*.csv", "shop/{state}/{day:%Y-%m-%d}*.csv", "shop/**/x-?.csv", "shop/**", "shop/a_*_b.csv"]
)
def test_example_key_is_one_of_the_patterns(pattern: str) -> None:
    assert captures(pattern, sample.key(pattern)) is not None


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("^[A-Z]{3}$", "AAA"),
        ("^([01][0-9]|2[0-3]):[0-5][0-9]$", "05:55"),
        ("^(?:a|b)+x?$", "aax"),
        (r"^N\d{2,4}\.$", "N77."),
        (r"^[^a-z]\s.$", None),
        ("^(?=a)b$", None),
    ],
)
def test_good_value_of_a_pattern(pattern: str, wanted: str | None) -> None:
    made = contract(a_document(f"- {{name: x, logicalType: string, logicalTypeOptions: {{pattern: '{pattern}'}}}}\n"))
    example = sample.row(made)["x"]
    assert example == (wanted or example)
    if wanted is None:
        assert example is None or re.search(pattern, example)


@pytest.mark.parametrize(
    "drop", ["columns: {missing: ignore}", "tolerance: {rows: 1%}\npromote: rows", "empty: reject"]
)
def test_page_of_an_observed_contract_rejects_no_file(drop: str) -> None:
    enforced = a_document(ORDERS, QUALITY, more_drop=f"{drop}\n")
    observed = a_document(ORDERS, QUALITY, more_drop=f"{drop}\nmode: observe\n")

    assert "rejected" in words(enforced)
    assert "reject" not in words(observed)
    assert "do not get them" not in words(observed)
    assert "Readers get the file unchanged: the contract is only observed so far." in words(observed)


def test_form_of_values_in_files_is_shown_with_an_example() -> None:
    block = """\
    csv: {delimiter: ";"}
    values:
      {decimalChar: ",", groupChar: ".", trueValues: [J], falseValues: [N], columns: {amount: {suffixes: [" €"]}}}
    """
    properties = "- {name: id, logicalType: integer}\n- {name: amount, logicalType: number}\n"
    properties += "- {name: flag, logicalType: boolean}\n- {name: note, logicalType: string}\n"
    shown = words(a_document(properties, more_drop=textwrap.dedent(block)))
    groups = "“.” may stand between groups of three digits"
    assert f"in the file: “,” before fractions; {groups}; “ €” may stand beside it" in shown
    assert "in the file: “J” for true, “N” for false" in shown
    assert f"in the file: {groups}" in shown
    assert "id;amount;flag;note 12;12,5;J;note" in shown


FIXED = "files: a/b\nproducer: shop\nformat: fixed\n"
FIXED += "fixed: {encoding: iso-8859-1, mojibake: warn, fields: [{property: id, length: 2}]}\n"
ZIPPED = 'archive: {format: zip, members: "orders*.csv"'


@pytest.mark.parametrize(
    ("block", "line"),
    [
        (f"{ZIPPED}}}", "in a zip archive: its files like orders*.csv are one drop Delimiter"),
        (f"{ZIPPED}, others: ignore}}", "its files like orders*.csv are one drop; other files in it are not read"),
        (f"{ZIPPED}}}\ncsv: {{skipRows: 2}}", "in a zip archive: it holds one file like orders*.csv Delimiter"),
        (f"{ZIPPED}}}\ncsv: {{footer: {{begins: Total}}}}", "it holds one file like orders*.csv"),
        (f"{ZIPPED}}}\ncsv: {{encoding: utf-16}}", "it holds one file like orders*.csv"),
        ("csv: {multiLine: true}", "a cell that contains the delimiter, a line break or a quote"),
        ("csv: {header: true}", "Encoding UTF-8 Null"),
        ("csv: {header: true}", "a cell that contains the delimiter or a quote"),
        (
            "csv: {encoding: iso-8859-1, mojibake: ignore}",
            "ISO-8859-1; a file that seems to have another one is accepted Null",
        ),
        (
            "csv: {encoding: iso-8859-1, mojibake: warn}",
            "ISO-8859-1; a file that seems to have another one is accepted with a warning Null",
        ),
    ],
)
def test_page_says_what_is_taken_as_it_is(block: str, line: str) -> None:
    assert line in words(a_document(more_drop=f"{block}\n"))


def test_page_says_of_fixed_width_what_it_says_of_csv() -> None:
    shown = words(a_document("- {name: id, logicalType: integer}", drop=FIXED))
    assert "ISO-8859-1; a file that seems to have another one is accepted with a warning Null" in shown


HEARD = """\
support:
  - {channel: orders-help, url: "mailto:help@example.org"}
"""
NOTIFY = """\
consumers: [finance, risk]
notify:
  producer: orders-help
  consumer: {to: "slack:finance", on: [late, accepted]}
"""


def test_promises_that_are_held_are_said_in_words() -> None:
    levels = (
        "slaProperties: [{property: loadDate, value: 26, unit: h}, {property: timeOfAvailability, value: '09:00'}]\n"
    )
    held, kept = (
        words(a_document(head=HEAD + levels, more_drop=f"slo: {slo}\nsloZone: Europe/Berlin"))
        for slo in ("enforce", "ignore")
    )
    assert (
        "Promised the newest accepted file is at most 26 h old and new data can be read by 09:00 (Europe/Berlin)"
    ) in held
    assert "Promised" not in kept


def test_people_who_hear_of_files_are_named() -> None:
    text = words(a_document(head=HEAD + HEARD, more_drop=NOTIFY))
    assert "Sent by shop Read by finance, risk" in text
    assert "Questions orders-help" in text
    assert (
        "Who hears of it The sender help@example.org: a file is rejected, files are missing, no contract covers the "
        "name of a file, all is well again The readers Slack (finance): a file comes at another time than agreed, a "
        "file is accepted"
    ) in text


def test_contact_is_a_link() -> None:
    assert ("href", "mailto:help@example.org") in page(a_document(head=HEAD + HEARD)).attributes
    assert "href" not in dict(page(a_document()).attributes)


def test_page_of_nobody_who_hears_has_no_such_part() -> None:
    assert "Who hears of it" not in words(a_document())


def test_exported_contract_keeps_who_hears() -> None:
    text = export("odcs", a_document(head=HEAD + HEARD, more_drop=NOTIFY)).text
    (again,) = compile_each(text.encode(), "orders.v1.yaml")
    assert again.routes
    assert [(r.audience, r.channel.to, len(r.on)) for r in again.routes.routes] == [
        ("producer", "help@example.org", 4),
        ("consumer", "finance", 2),
    ]
