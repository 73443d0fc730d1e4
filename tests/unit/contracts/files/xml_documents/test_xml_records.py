"""XML as lines of JSON: elements become the values that the contract has at their places."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.files.xml_documents import xml_records
from contracts.plan import Columns, LogicalType, Plan, Property, Xml
from contracts.problem import Problem
from contracts.terms.value_form import ValueForm
from contracts.values.nested import name_of

BANK, OTHER = "urn:example:bank", "urn:example:other"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def property_of(kind: LogicalType, *route: str) -> Property:
    """A property by its steps."""
    return Property(name_of(route), kind, path=route if len(route) > 1 else ())


PROPERTIES = (
    property_of("integer", "@n"),
    property_of("string", "name"),
    property_of("number", "rate"),
    property_of("boolean", "open"),
    property_of("date", "day"),
    property_of("object", "amount"),
    property_of("number", "amount", ".#text"),
    property_of("string", "amount", ".@currency"),
    property_of("array", "tag"),
    property_of("string", "tag", "[]"),
    property_of("array", "line"),
    property_of("object", "line", "[]"),
    property_of("integer", "line", "[]", ".no"),
    property_of("map", "more"),
    property_of("integer", "more", "*"),
)


def a_plan(extra: Literal["reject", "ignore"] = "reject", **xml: Any) -> Plan:
    """A plan of rows within a root."""
    return Plan(
        *("c", "c", "1.0.0", "o", "p", ("p/*",), PROPERTIES, ()),
        columns=Columns(extra=extra),
        file_format="xml",
        xml=Xml(**{"record": "rows/row"} | xml),
    )


def read(document: str | bytes, plan: Plan | None = None, **how: Any) -> list[Any]:
    """The lines of a document as values, nulls of records left out; a problem as its code."""
    raw = document.encode() if isinstance(document, str) else document
    return list(_values(xml_records.lines(plan or a_plan(), [raw], **how)))


def _values(parts: Iterable[bytes | Problem]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, Problem):
            yield part.code
            continue
        for line in part.decode().splitlines():
            record = json.loads(line)
            yield {k: v for k, v in record.items() if v is not None} if isinstance(record, dict) else record


def row(inner: str, attributes: str = "", plan: Plan | None = None) -> Any:
    """The value of one row."""
    (value,) = read(f"<rows {XSI}><row {attributes}>{inner}</row></rows>", plan)
    return value


VALUES: dict[str, tuple[str, dict[str, Any]]] = {
    "text": ("<name>a b</name>", {"name": "a b"}),
    "blanks of a text are its own": ("<name> a\n</name>", {"name": " a\n"}),
    "empty texts": ("<name/>", {"name": ""}),
    "entities": ("<name>&lt;&amp;&#233;&#x20AC;&quot;</name>", {"name": '<&é€"'}),
    "CDATA": ("<name>a<![CDATA[<b>&amp;]]>c</name>", {"name": "a<b>&amp;c"}),
    "comments": ("<!-- c --><name>a<!-- <name>x</name> -->b</name>", {"name": "ab"}),
    "processing instructions": ("<?a b?><name>a<?c d?>b</name>", {"name": "ab"}),
    "numbers": ("<rate>12.50</rate>", {"rate": 12.5}),
    "blanks around numbers": ("<rate>\n 12.5\t</rate>", {"rate": 12.5}),
    "signs and zeros": ("<rate>+007.0</rate>", {"rate": 7.0}),
    "no digit before the point": ("<rate>-.5</rate>", {"rate": -0.5}),
    "no digit behind the point": ("<rate>5.</rate>", {"rate": 5}),
    "exponents": ("<rate>1E3</rate>", {"rate": 1000.0}),
    "no number": ("<rate>1,5</rate>", {"rate": "1,5"}),
    "a number of no digits": ("<rate>.</rate>", {"rate": "."}),
    "words of numbers": ("<rate>NaN</rate>", {"rate": "NaN"}),
    "empty numbers": ("<rate></rate>", {"rate": ""}),
    "booleans": ("<open>true</open>", {"open": True}),
    "booleans in digits": ("<open> 0 </open>", {"open": False}),
    "no boolean": ("<open>TRUE</open>", {"open": "TRUE"}),
    "days": ("<day>\n2024-02-29\n</day>", {"day": "2024-02-29"}),
    "nil": ('<name xsi:nil="true"/>', {}),
    "nil with blanks": ('<amount xsi:nil="1"> </amount>', {}),
    "not nil": ('<name xsi:nil="false">a</name>', {"name": "a"}),
    "text with attributes": ('<amount currency="EUR">5</amount>', {"amount": {"#text": 5, "@currency": "EUR"}}),
    "text without attributes": ("<amount>5</amount>", {"amount": {"#text": 5}}),
    "an array of one": ("<tag>a</tag>", {"tag": ["a"]}),
    "an array apart": ("<tag>a</tag><name>n</name><tag/>", {"tag": ["a", ""], "name": "n"}),
    "objects": ("<line><no>1</no></line><line/>", {"line": [{"no": 1}, {}]}),
    "text in place of objects": ("<line>1</line>", {"line": ["1"]}),
    "a map": ("<more><a>1</a><b>2</b></more>", {"more": {"a": 1, "b": 2}}),
    "elements in place of a value": ("<name><b>1</b></name>", {"name": {"b": "1"}}),
    "a value twice": ("<name>a</name><name>b</name>", {"name": ["a", "b"]}),
    "an unknown element": ("<x>1</x>", {"x": "1"}),
    "unknown elements": ("<x><y z='1'>2</y><y/></x>", {"x": {"y": [{"@z": "1", "#text": "2"}, ""]}}),
    "an unknown attribute of a value": ('<name lang="de">a</name>', {"name": "a", "name/@lang": "de"}),
    "an unknown attribute of an object": ('<line a="b"><no>1</no></line>', {"line": [{"no": 1, "@a": "b"}]}),
    "xml:lang": ('<name xml:lang="de">a</name>', {"name": "a", "name/@xml:lang": "de"}),
    "a type of XML Schema": ('<name xsi:type="xs:string">a</name>', {"name": "a"}),
    "text of a record": ("a", {"#text": "a"}),
}


@pytest.mark.parametrize("name", VALUES)
def test_elements_become_values_of_the_contract(name: str) -> None:
    inner, value = VALUES[name]

    assert row(inner) == value


FLAWED: dict[str, tuple[str, str]] = {
    "text beside elements": ("<line>a<no>1</no></line>", "`line` has text beside other elements"),
    "deeper": ("<line><no>1<b/></no></line>", "`line/no` has text beside other elements"),
    "in the record": ("a<name/>", "it has text beside other elements"),
    "nil and full": ('<name xsi:nil="true">a</name>', "`name` is nil, and is not empty"),
}


@pytest.mark.parametrize("name", FLAWED)
def test_mixed_content_is_no_record(name: str) -> None:
    inner, flaw = FLAWED[name]

    assert row(inner)[0] == flaw


def test_attributes_of_a_record_are_its_own_values() -> None:
    assert row("", 'n="07" x="1"') == {"@n": 7, "@x": "1"}


def test_nothing_unknown_is_written_where_it_is_ignored() -> None:
    inner = '<x>a<y/></x><name lang="de">n</name><line a="b"><no>1</no><z><no>2</no></z></line>'

    assert row(inner, 'y="1"', a_plan("ignore")) == {"name": "n", "line": [{"no": 1}]}


def test_agreed_texts_are_null_after_blanks_are_trimmed() -> None:
    plan = a_plan(null_values=("", "-"), trim=True)

    assert row("<name> - </name><rate/><tag> a </tag><amount> </amount>", plan=plan) == {
        "tag": ["a"],
        "amount": {"#text": None},
    }


def test_namespaces_count_and_prefixes_do_not() -> None:
    plan = a_plan(record="rows/o:row", namespaces={"": BANK, "o": OTHER})
    plan = replace(plan, properties=(property_of("string", "name"), property_of("string", "o:name")))
    document = (
        f'<b:rows xmlns:b="{BANK}"><row xmlns="{OTHER}"><b:name>1</b:name><name>2</name>'
        f'<name xmlns="">3</name><name xmlns="u">4</name></row></b:rows>'
    )

    assert read(document, plan) == [{"name": "1", "o:name": "2", "{}name": "3", "{u}name": "4"}]


def test_only_elements_at_the_path_are_records() -> None:
    document = "<rows><head><row/><name>x</name></head><row><name>1</name></row><row><row/></row></rows>"

    assert read(document) == [{"name": "1"}, {"row": ""}]


def test_records_of_several_parents_follow_each_other() -> None:
    plan = a_plan(record="all/rows/row")
    document = "<all><rows><row><name>1</name></row></rows><rows/><rows><row><name>2</name></row></rows></all>"

    assert read(document, plan) == [{"name": "1"}, {"name": "2"}]


def test_the_root_may_be_the_one_record() -> None:
    assert read("<row><name>1</name></row>", a_plan(record="row")) == [{"name": "1"}]


ENCODED: dict[str, bytes] = {
    "utf-8": "<rows><row><name>é€</name></row></rows>".encode(),
    "utf-8 with a mark": "\ufeff<rows><row><name>é€</name></row></rows>".encode(),
    **{
        name: f'<?xml version="1.0" encoding="{name}"?><rows><row><name>é€</name></row></rows>'.encode(name)
        for name in ("windows-1252", "iso-8859-15", "utf-16", "utf-16le", "utf-16be", "gb18030", "UTF-8")
    },
    "utf-16 without a statement": "<rows><row><name>é€</name></row></rows>".encode("utf-16"),
}


@pytest.mark.parametrize("name", ENCODED)
def test_a_document_states_its_encoding(name: str) -> None:
    assert read(ENCODED[name]) == [{"name": "é€"}]


def test_pieces_may_end_anywhere() -> None:
    document = '<?xml version="1.0" encoding="utf-16"?><rows>\n<row><name>é€\U0001f600&amp;</name></row></rows>'
    raw = document.encode("utf-16")

    pieces = [raw[n : n + 1] for n in range(len(raw))]
    assert list(_values(xml_records.lines(a_plan(), pieces))) == [{"name": "é€\U0001f600&"}]


GOOD = "<rows><row><name>1</name></row></rows>"
BAD: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "broken-xml"),
    "cut short": (GOOD[:20], "broken-xml"),
    "cut between records": (GOOD[:-7], "broken-xml"),
    "cut in a tag": (GOOD[:-3], "broken-xml"),
    "cut in a comment": ("<rows><!-- ", "broken-xml"),
    "two roots": (GOOD + GOOD, "broken-xml"),
    "text behind": (f"{GOOD}x", "broken-xml"),
    "a wrong end tag": (GOOD.replace("</name>", "</nam>"), "broken-xml"),
    "an unknown entity": (GOOD.replace("1", "&nbsp;"), "broken-xml"),
    "a bare ampersand": (GOOD.replace("1", "a & b"), "broken-xml"),
    "a control character": (GOOD.replace("1", "\x01"), "broken-xml"),
    "a reference to one": (GOOD.replace("1", "&#1;"), "broken-xml"),
    "an attribute twice": (GOOD.replace("<row>", '<row a="1" a="2">'), "broken-xml"),
    "a prefix without a namespace": (GOOD.replace("name", "a:name"), "broken-xml"),
    "blanks before the first line": (f' <?xml version="1.0"?>{GOOD}', "broken-xml"),
    "two files in one": (f'<?xml version="1.0"?>{GOOD}<?xml version="1.0"?>{GOOD}', "broken-xml"),
    "no XML": ("id,name\n1,2\n", "broken-xml"),
    "a document type": (f"<!DOCTYPE rows>{GOOD}", "xml-doctype"),
    "a bomb": ('<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><rows>&b;</rows>', "xml-doctype"),
    "a file of others": ('<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><rows>&a;</rows>', "xml-doctype"),
    "another root": (GOOD.replace("rows", "orders"), "wrong-root"),
    "another namespace": (GOOD.replace("<rows", f'<rows xmlns="{BANK}"'), "wrong-namespace"),
    "another namespace of records": (GOOD.replace("<row>", f'<row xmlns="{BANK}">'), "wrong-namespace"),
    "of one record": (GOOD.replace("<row>", f'<row/><row xmlns="{BANK}">'), "wrong-namespace"),
    "a misspelt record": (GOOD.replace("row>", "Row>"), "no-record-element"),
    "too deep": ("<rows><row>" + "<a>" * 101, "xml-too-deep"),
    "too deep elsewhere": ("<rows>" + "<a>" * 101, "xml-too-deep"),
    "a record that is too large": (f"<rows><row><name>{'a' * (17 << 20)}", "record-too-long"),
    "a comment without end": (f"<rows><!-- {'</row>' * 3_000_000}", "record-too-long"),
    "an attribute without end": (f"<rows a='{'a' * (17 << 20)}", "record-too-long"),
    "too many names": ("<rows>" + "".join(f"<a{n}/>" for n in range(100_001)), "xml-names"),
    "no UTF-8": (b"<rows><row><name>\xe9</name></row></rows>", "wrong-encoding"),
    "half a character": (b"<rows><row><name>\xc3", "wrong-encoding"),
    "UTF-32": (GOOD.encode("utf-32"), "wrong-encoding"),
    "an unknown encoding": (f'<?xml version="1.0" encoding="x-none"?>{GOOD}', "wrong-encoding"),
    "UTF-16 that is none": (f'<?xml version="1.0" encoding="utf-16"?>{GOOD}', "wrong-encoding"),
    "a mark of another encoding": (f'\ufeff<?xml version="1.0" encoding="iso-8859-1"?>{GOOD}', "wrong-encoding"),
    "bytes in the other order": (f'<?xml version="1.0" encoding="utf-16be"?>{GOOD}'.encode("utf-16"), "wrong-encoding"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_document_that_is_not_as_agreed_is_refused(name: str) -> None:
    document, code = BAD[name]

    assert read(document)[-1] == code


@pytest.mark.parametrize("document", ["<rows/>", "<rows><head/><foot>1</foot></rows>", "<rows>\n</rows>"])
def test_a_document_may_have_no_records(document: str) -> None:
    assert read(document) == []


def test_a_step_on_the_way_must_be_there() -> None:
    plan = a_plan(record="all/rows/row")

    assert read("<all><head/><foot/></all>", plan) == ["no-record-element"]
    assert read("<all/>", plan) == []


def test_second_root_is_refused_also_where_roots_are_records() -> None:
    root = b"<row><name>1</name></row>"

    for size in (1, 20, len(root), 2 * len(root)):
        pieces = [(root * 4)[n : n + size] for n in range(0, 4 * len(root), size)]
        assert list(_values(xml_records.lines(a_plan(record="row"), pieces))) == [{"name": "1"}, "broken-xml"]


def test_of_a_part_only_what_is_there_is_judged() -> None:
    document = f"<rows>{'<row><name>1</name></row>' * 3}<row><na"

    assert read(document, whole=False) == [{"name": "1"}] * 3


def test_problems_name_the_line_also_behind_plain_records() -> None:
    plain = "<row>\n<name>a</name>\n</row>\n" * 50
    (*_, problem) = xml_records.lines(a_plan(), [f"<rows>\n{plain}<row>\n&x;".encode()])

    assert isinstance(problem, Problem)
    assert "line 153, behind record 50" in problem.message


def test_a_document_becomes_a_file_of_lines() -> None:
    target = BytesIO()

    assert xml_records.transcribe(a_plan(), BytesIO(GOOD.encode()), target) is None
    assert json.loads(target.getvalue())["name"] == "1"
    assert xml_records.transcribe(a_plan(), BytesIO(GOOD.encode()[:-1]), BytesIO()) is not None


TEXTS = st.sampled_from(
    ["1", "-2.50", "007", "a b", " 3 ", "", "&amp;", "é", '"', "\\", "true", "0", "2024-01-01", "-"]
)
LEAF = st.tuples(st.sampled_from(["name", "rate", "open", "day", "tag", "x"]), TEXTS)
ROWS = st.lists(st.lists(LEAF, max_size=5, unique_by=lambda leaf: leaf[0]), max_size=12)


@settings(max_examples=150, deadline=None)
@given(ROWS, st.sampled_from(["", "\n  "]), st.integers(1, 200), st.sampled_from(["reject", "ignore"]), st.booleans())
def test_plain_records_are_read_as_the_parser_reads_them(
    rows: list[list[tuple[str, str]]], between: str, size: int, extra: Literal["reject", "ignore"], nulls: bool
) -> None:
    plan = a_plan(extra, null_values=("", "-") if nulls else ())
    inner = [f"{between}".join(["", *(f"<{key}>{text}</{key}>" for key, text in leaves), ""]) for leaves in rows]
    plain = "".join(f"<row>{each}</row>{between}" for each in inner)
    parsed = "".join(f"<row><!-- -->{each}</row>{between}" for each in inner)

    documents = [f"<rows>{each}</rows>".encode() for each in (plain, parsed)]
    pieces = [[raw[n : n + size] for n in range(0, len(raw), size)] for raw in documents]
    first, second = (b"".join(p for p in xml_records.lines(plan, each) if isinstance(p, bytes)) for each in pieces)
    assert first == second
    assert first.count(b"\n") == len(rows)


def test_plain_records_end_with_their_namespaces() -> None:
    plan = replace(
        a_plan(record="all/rows/row", namespaces={"o": OTHER}), properties=(property_of("string", "o:name"),)
    )
    rows = "<row><o:name>1</o:name></row>" * 3
    good = f'<all><rows xmlns:o="{OTHER}">{rows}</rows><rows xmlns:o="u">{rows}</rows></all>'

    assert read(good, plan) == [{"o:name": "1"}] * 3 + [{"{u}name": "1"}] * 3
    assert read(good.replace(' xmlns:o="u"', ""), plan)[3:] == ["broken-xml"]


def test_nothing_in_comments_or_texts_is_a_record() -> None:
    row, hidden = "<row><name>1</name></row>", "<!-- <row><name>2</name></row> -->"
    text = "<![CDATA[</row><row><name>3</name></row>]]>"
    document = f"<rows>{row * 4}{hidden}{row}<x>{text}</x>{row}<row><name>{text}</name></row>{row}</rows>"

    assert [value["name"] for value in read(document)] == [*"111111", text[9:-3], "1"]


def test_order_of_elements_may_differ_between_records() -> None:
    draw = Random(1)
    leaves = ["<name>a</name>", "<rate>1</rate>", "<day>2024-01-01</day>"]
    rows = "".join(f"<row>{''.join(draw.sample(leaves, draw.randint(0, 3)))}</row>" for _ in range(50))
    pieces = xml_records.lines(a_plan(), [f"<rows>{rows}</rows>".encode()])

    assert [len(value) for value in _values(pieces)] == [each.count("</") for each in rows.split("</row>")[:-1]]


GERMAN = ValueForm(decimal=",", group=".", suffixes=(" €",), negatives=("trailing",))
DATED = ValueForm(formats=("d.M.yyyy", "d. MMMM yyyy"), language="de")
FORMED: list[tuple[Property, str, str]] = [
    (Property("x", "number", form=GERMAN), "1.234,50", "1234.50"),
    (Property("x", "number", form=GERMAN), " 17,5- ", "-17.5"),
    (Property("x", "number", form=GERMAN), "3 €", "3"),
    (Property("x", "number", form=GERMAN), "1,5e3", "1.5e3"),
    (Property("x", "number", exact=(9, 2), form=GERMAN), "1,5e3", '"1,5e3"'),
    (Property("x", "number", form=GERMAN), "1.5", '"1.5"'),
    (Property("x", "number", form=ValueForm(decimals=2)), "1234", "12.34"),
    (Property("x", "number", form=ValueForm(percent="divide")), "5%", "0.05"),
    (Property("x", "integer", form=GERMAN.of_type("integer")), "1.234", "1234"),
    (Property("x", "integer", form=GERMAN.of_type("integer")), "1,0", '"1,0"'),
    (Property("x", "boolean", form=ValueForm(true=("J",), false=("N",))), "J", "true"),
    (Property("x", "boolean", form=ValueForm(true=("J",), false=("N",))), "N", "false"),
    (Property("x", "boolean", form=ValueForm(true=("J",), false=("N",))), "true", '"true"'),
    (Property("x", "date", form=DATED), "3.7.2024", '"2024-07-03"'),
    (Property("x", "date", form=DATED), "3. Juli 2024", '"2024-07-03"'),
    (Property("x", "date", form=DATED), "31.2.2024", '"31.2.2024"'),
    (Property("x", "date", form=DATED), "2024-07-03", '["2024-07-03"]'),
    (Property("x", "timestamp", form=ValueForm(formats=("d.M.yyyy H:mm",))), "3.7.2024 9:05", '"2024-07-03T09:05:00"'),
    (
        Property("x", "timestamp", form=ValueForm(formats=("epochSeconds",))),
        "1719993600",
        '"2024-07-03T08:00:00.000000Z"',
    ),
    (Property("x", "time", form=ValueForm(formats=("H.mm",))), "9.05", '"09:05:00"'),
    (Property("x", "time", form=ValueForm(formats=("H.mm",))), "09:05", '["09:05"]'),
    (Property("x", "string", form=ValueForm(trim=True)), " a ", '"a"'),
    (Property("x", "string", form=ValueForm(nulls=("-",))), "-", "null"),
    (Property("x", "string", form=ValueForm(nulls=("-",))), "NA", '"NA"'),
    (Property("x", "string"), "NA", "null"),
]


@pytest.mark.parametrize(("prop", "text", "value"), FORMED)
def test_text_is_read_in_the_form_of_its_property(prop: Property, text: str, value: str) -> None:
    plan = replace(a_plan(null_values=("NA",)), properties=(prop, Property("y", "string", form=prop.form)))
    row = f"<row><x>{text}</x></row>"
    document = f"<rows>{row * 3}</rows>"
    whole = b"".join(
        part for part in xml_records.lines(plan, [document.encode()], whole=True) if isinstance(part, bytes)
    )
    assert whole.decode().splitlines() == [f'{{"x":{value},"y":null}}'] * 3


def test_lines_have_properties_without_forms() -> None:
    plan = replace(a_plan(), properties=tuple(prop for prop, _, _ in FORMED))
    assert {(p.form, p.format, p.offset) for p in plan.transcribed.properties} == {(None, None, None)}
    assert replace(plan, file_format="xlsx", xml=None).transcribed.properties == plan.properties


KEYED = (
    Property("id", "integer", header_names=("@nr",)),
    Property("amount", "object", header_names=("Amt",)),
    Property("amount.value", "number", path=("amount", ".value"), header_names=("#text",)),
    Property("amount.currency", "string", path=("amount", ".currency"), header_names=("@Ccy",)),
    Property("note", "string", header_names=("Text",)),
)


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (
            '<row nr="1"><Amt Ccy="EUR">5</Amt><Text>x</Text></row>',
            '{"id":1,"amount":{"value":5,"currency":"EUR"},"note":"x"}',
        ),
        ("<row><Text>x</Text></row>", '{"id":null,"amount":null,"note":"x"}'),
        ("<row><Text>x</Text><note>y</note></row>", '{"id":null,"amount":null,"note":"x","./note":"y"}'),
        ("<row><other>y</other></row>", '{"id":null,"amount":null,"note":null,"other":"y"}'),
    ],
)
def test_values_have_the_names_of_the_contract(row: str, line: str) -> None:
    plan = replace(a_plan(), properties=KEYED)
    document = f"<rows>{row * 3}</rows>".encode()
    lines = b"".join(part for part in xml_records.lines(plan, [document], whole=True) if isinstance(part, bytes))
    assert lines.decode().splitlines() == [line] * 3
    assert [p.key for p in plan.transcribed.properties] == ["id", "amount", "value", "currency", "note"]
