"""Texts of the header in a contract: what comes into the plan, and where a finding belongs."""

from __future__ import annotations

import pytest

from contracts.plan import SHEETS, Plan
from tests.unit.contracts.authoring.documents import DROP, a_document, compiled, expected, reported

TWO = "- {name: id, physicalName: Konto-Nr., logicalType: integer}\n- {name: note, logicalType: string}"
PLAIN = "- {name: id, logicalType: integer}\n- {name: note, logicalType: string}"
PARQUET, OBJECTS = DROP.replace("csv", "parquet"), DROP.replace("csv", "jsonl")


def texts(columns: str, properties: str = TWO) -> list[tuple[str, ...]]:
    plan = compiled(a_document(properties, drop=f"{DROP}columns: {columns}")).plan
    assert isinstance(plan, Plan)
    return [p.header_names for p in plan.properties]


@pytest.mark.parametrize(
    ("columns", "stated"),
    [
        ("{source: name}", [(), ()]),
        ("{source: physicalName}", [("Konto-Nr.",), ()]),
        ("{source: name, aliases: {id: [Nr]}}", [("id", "Nr"), ()]),
        (
            "{source: physicalName, aliases: {id: [Nr, Konto-Nr.], note: [Text]}}",
            [("Konto-Nr.", "Nr"), ("note", "Text")],
        ),
        ("{source: physicalName, match: byPosition}", [("Konto-Nr.",), ()]),
        ("{source: name, match: byPosition, aliases: {note: [Text]}}", [(), ("note", "Text")]),
    ],
)
def test_texts_of_the_header_come_into_the_plan(columns: str, stated: list[tuple[str, ...]]) -> None:
    assert texts(columns) == stated


def test_physical_name_like_the_name_is_stated_by_place_only() -> None:
    same = TWO.replace("Konto-Nr.", "id")
    assert texts("{source: physicalName}", same) == [(), ()]
    assert texts("{source: physicalName, match: byPosition}", same) == [("id",), ()]


LINES = "- {name: id, physicalName: 'Konto\\nNr.', logicalType: integer}".replace("'", '"')


@pytest.mark.parametrize("drop", [*(DROP.replace("csv", form) for form in SHEETS), f"{DROP}csv: {{multiLine: true}}\n"])
@pytest.mark.parametrize(
    ("columns", "stated"),
    [
        ("{source: physicalName}", ("Konto\nNr.",)),
        ("{source: physicalName, match: byPosition}", ("Konto\nNr.",)),
        ('{source: name, aliases: {id: ["Konto\\r\\nNr."]}}', ("id", "Konto\r\nNr.")),
    ],
)
def test_names_have_line_breaks_where_cells_may_have_them(drop: str, columns: str, stated: tuple[str, ...]) -> None:
    plan = compiled(a_document(LINES, drop=f"{drop}columns: {columns}")).plan
    assert isinstance(plan, Plan)
    assert [p.header_names for p in plan.properties] == [stated]


NESTED = """\
- {name: id, physicalName: Konto-Nr., logicalType: integer}
- name: amount
  physicalName: Amt
  logicalType: object
  properties: [{name: currency, physicalName: "@Ccy", logicalType: string}, {name: n, logicalType: integer}]
- name: tags
  logicalType: array
  items: {logicalType: object, properties: [{name: t, physicalName: T, logicalType: string}]}
"""
XML = DROP.replace("csv", "xml") + "xml: {record: all/one}\n"


@pytest.mark.parametrize(
    ("drop", "keys"),
    [
        (f"{OBJECTS}columns: {{source: physicalName}}", ["Konto-Nr.", "Amt", "tags", "@Ccy", "n", "[]", "T"]),
        (f"{OBJECTS}columns: {{source: name}}", ["id", "amount", "tags", "currency", "n", "[]", "t"]),
        (f"{XML}columns: {{source: physicalName}}", ["Konto-Nr.", "Amt", "tags", "@Ccy", "n", "[]", "T"]),
    ],
)
def test_keys_of_objects_are_physical_names(drop: str, keys: list[str]) -> None:
    plan = compiled(a_document(NESTED, drop=drop)).plan
    assert isinstance(plan, Plan)
    assert sorted(p.key for p in plan.properties) == sorted(keys)


WRONG = {
    "alias of no property": a_document(PLAIN, drop=f"{DROP}columns: {{aliases: {{nte: [x]}}}}  #! unknown-property"),
    "aliases that are no list": a_document(PLAIN, drop=f"{DROP}columns: {{aliases: {{id: x}}}}  #! wrong-type"),
    "no alias": a_document(PLAIN, drop=f"{DROP}columns: {{aliases: {{id: []}}}}  #! bad-value"),
    "blank alias": a_document(PLAIN, drop=f'{DROP}columns: {{aliases: {{id: [" "]}}}}  #! bad-name'),
    "alias that is ours": a_document(PLAIN, drop=f"{DROP}columns: {{aliases: {{id: [_record]}}}}  #! bad-name"),
    "alias with a line break": a_document(PLAIN, drop=f'{DROP}columns: {{aliases: {{id: ["a\\nb"]}}}}  #! bad-name'),
    "alias of two": a_document(PLAIN, drop=f"{DROP}columns: {{aliases: {{id: [x], note: [x]}}}}  #! column-clash"),
    "alias that is a name": a_document(f"{PLAIN}  #! column-clash", drop=f"{DROP}columns: {{aliases: {{id: [note]}}}}"),
    "aliases alike in another case": a_document(
        PLAIN, drop=f"{DROP}columns: {{match: anyCase, aliases: {{id: [x], note: [X]}}}}  #! column-clash"
    ),
    "names alike in another case": a_document(
        "- {name: id, logicalType: integer}\n- {name: ID, logicalType: string}  #! column-clash",
        drop=f"{DROP}columns: {{match: anyCase}}",
    ),
    "physical names alike": a_document(
        "- {name: a, physicalName: x, logicalType: integer}\n"
        "- {name: b, physicalName: x, logicalType: string}  #! column-clash",
        drop=f"{DROP}columns: {{source: physicalName}}",
    ),
    "physical name that is another name": a_document(
        "- {name: a, physicalName: b, logicalType: integer}\n- {name: b, logicalType: string}  #! column-clash",
        drop=f"{DROP}columns: {{source: physicalName}}",
    ),
    "physical name without a decision": a_document(f"{TWO.replace('}', '}  #! no-source', 1)}"),
    "physical name of Parquet": a_document(TWO.replace("}", "}  #! not-built-yet", 1), drop=PARQUET),
    "places of JSON Lines": a_document(PLAIN, drop=f"{OBJECTS}columns: {{match: byPosition}}  #! bad-value"),
    "match of Parquet": a_document(PLAIN, drop=f"{PARQUET}columns: {{match: anyCase}}  #! not-built-yet"),
    "aliases of JSON Lines": a_document(PLAIN, drop=f"{OBJECTS}columns: {{aliases: {{id: [x]}}}}  #! not-built-yet"),
    "physical names of JSON alike": a_document(
        "- {name: a, physicalName: x, logicalType: integer}\n"
        "- {name: b, physicalName: x, logicalType: string}  #! column-clash",
        drop=f"{OBJECTS}columns: {{source: physicalName}}",
    ),
    "blank physical name of JSON": a_document(
        '- {name: a, physicalName: " ", logicalType: integer}  #! bad-name',
        drop=f"{OBJECTS}columns: {{source: physicalName}}",
    ),
    "physical name of JSON that is ours": a_document(
        "- {name: a, physicalName: _record, logicalType: integer}  #! bad-name",
        drop=f"{OBJECTS}columns: {{source: physicalName}}",
    ),
    "physical name of JSON without a decision": a_document(TWO.replace("}", "}  #! no-source", 1), drop=OBJECTS),
    "physical name that no element has": a_document(
        "- {name: a, physicalName: a b, logicalType: integer}  #! bad-name",
        drop=f"{XML}columns: {{source: physicalName}}",
    ),
    "match without a header": a_document(
        PLAIN, drop=f"{DROP}csv: {{header: false}}\ncolumns: {{match: trimmed}}  #! bad-value"
    ),
    "order by position": a_document(PLAIN, drop=f"{DROP}columns: {{match: byPosition, order: exact}}  #! bad-value"),
    "another way of match": a_document(PLAIN, drop=f"{DROP}columns: {{match: fuzzy}}  #! unknown-value"),
    "alias that the encoding lacks": a_document(
        f"{PLAIN.replace('}', '}  #! cannot-hold', 1)}",
        drop=f"{DROP}csv: {{encoding: iso-8859-1}}\ncolumns: {{aliases: {{id: [Ω]}}}}",
    ),
    "column of no property that the header lacks": a_document(
        PLAIN, drop=f"{DROP}csv: {{headerLacks: {{first: [nte]}}}}  #! unknown-property"
    ),
    "header that lacks all columns": a_document(
        PLAIN, drop=f"{DROP}csv: {{headerLacks: {{first: [id], last: [note]}}}}  #! bad-value"
    ),
    "column that the header lacks twice": a_document(
        PLAIN, drop=f"{DROP}csv: {{headerLacks: {{first: [id], last: [id]}}}}  #! bad-value"
    ),
    "column that the header lacks and that is ours": a_document(
        PLAIN, drop=f"{DROP}csv: {{headerLacks: {{first: [_record]}}}}  #! bad-value"
    ),
    "column that the header lacks in another place": a_document(
        PLAIN,
        drop=f"{DROP}csv: {{headerLacks: {{first: [note]}}}}  #! column-clash\ncolumns: {{match: byPosition}}",
    ),
    "alias in which the trailer begins": a_document(
        PLAIN, drop=f"{DROP}csv: {{trailer: {{begins: T}}}}  #! bad-value\ncolumns: {{aliases: {{id: [T]}}}}"
    ),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_wrong_texts_are_found_in_their_line(text: str) -> None:
    assert reported(text) == expected(text)


@pytest.mark.parametrize(
    "columns",
    [
        "{match: byPosition, aliases: {id: [x], note: [x]}}",
        "{match: trimmed, aliases: {id: [x], note: [X]}}",
        "{aliases: {id: [x, x, id]}}",
    ],
)
def test_texts_that_clash_with_none_are_no_finding(columns: str) -> None:
    assert reported(a_document(PLAIN, drop=f"{DROP}columns: {columns}")) == set()


def test_physical_name_means_nothing_without_a_header() -> None:
    assert reported(a_document(TWO, drop=f"{DROP}csv: {{header: false}}")) == set()
