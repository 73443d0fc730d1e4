"""Texts and elements of XML: what is a value, what is none, and what is null."""

from __future__ import annotations

from tests.oracle.meanings.case import Case, Meaning, bad, good, one

XSI = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'
ARRAY = {"v": {"logicalType": "array", "items": {"logicalType": "integer"}, "logicalTypeOptions": {"maxItems": 1}}}

XML: dict[str, Meaning] = {
    "an empty element is an empty text": Case(one("string", minLength=1), xml=bad("minLength", "")),
    "an empty element is no number": Case(one("number"), xml=bad("logicalType", "", " ", "<!-- 1 -->")),
    "an empty element may be null": Case(
        one("number"),
        xml=good("", " ", "1"),
        values_block={"nullValues": [""]},
        says={"logicalType": "0 of 3, 2 null: passed"},
    ),
    "white space around a number of XML does not count": Case(
        one("number", maximum=9),
        xml=good(" 7 ", "\n7.50\t") + bad("maximum", " 10") + bad("logicalType", "7 5", "\u00a07"),
    ),
    "white space around a text of XML counts": Case(
        one("string", maxLength=1), xml=good("a") + bad("maxLength", " a", "a\n")
    ),
    "a number of XML may have a plus and zeros": Case(
        one("integer", maximum=9),
        xml=good("+7", "007", "-0") + bad("maximum", "+10") + bad("logicalType", "7.0", "1e0", "0x7"),
    ),
    "1 and 0 are booleans of XML": Case(
        one("boolean"), xml=good("true", "0", " 1 ") + bad("logicalType", "TRUE", "yes", "2")
    ),
    "CDATA and character references are text": Case(
        one("string", maxLength=1), xml=good("<![CDATA[<]]>", "&#233;", "&amp;", "<?p i?>a<!-- b -->")
    ),
    "text beside elements is no value": Case(
        one("string"),
        xml=good("a") + bad("record.object", "a<b/>", "<b/>a<c/>") + bad("logicalType", "<b/>", "<b>a</b>"),
    ),
    "an element that the contract has once is no value twice": Case(
        {"v": {"logicalType": "integer"}, "w": {"logicalType": "integer"}},
        xml=good(("1", "2")) + bad("logicalType", ("1</v{n}><v{n}>2", "3")),
    ),
    "an element of an array may stand alone": Case(ARRAY, xml=good("1", None) + bad("maxItems", "1</v{n}><v{n}>2")),
}
