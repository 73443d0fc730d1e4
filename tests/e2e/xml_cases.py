"""The ways an XML document can be wrong, and two in which it is right: see `tests/e2e/cases.py`."""

from __future__ import annotations

from tests.e2e.cases import GOOD as CSV
from tests.e2e.cases import Case

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<statement xmlns="urn:example:statement:1">\n<id>7</id>\n<entries>\n'
END = "</entries>\n</statement>\n"
FIRST = '<entry id="1"><amount currency="EUR">10.50</amount><tag>a</tag><tag>b</tag></entry>\n'
OTHER = '<entry id="2"><amount currency="EUR">-3</amount></entry>\n'
GOOD = HEAD + FIRST + OTHER + END
MANY = "".join(f'<entry id="{n}"><amount currency="EUR">{n}.00</amount></entry>\n' for n in range(3, 20_003))
"""More than the first bytes that admission reads."""


def _case(name: str, document: str | bytes, code: str, where: str = "admission") -> Case:
    body = document.encode() if isinstance(document, str) else document
    state = "rejected" if code else "accepted"
    key = f"entries/{''.join(c for c in name if c.isalnum())}.xml"
    return Case(name, key, body, state, (code,) if code else (), where)


CASES = (
    _case("XML", GOOD, "", "job"),
    _case("XML in UTF-16", GOOD.replace("UTF-8", "UTF-16").encode("utf-16"), "", "job"),
    _case("XML with a wrong number", GOOD.replace("10.50", "10,50"), "check-logicalType", "job"),
    _case(
        "XML with text beside elements",
        HEAD + FIRST + OTHER.replace("<amount", "x<amount") + END,
        "check-object",
        "job",
    ),
    _case(
        "XML with an element that nobody knows",
        HEAD + FIRST + OTHER.replace("</entry>", "<vat>1</vat></entry>") + END,
        "check-knownKeys",
        "job",
    ),
    _case(
        "XML with an element twice",
        HEAD + FIRST + OTHER.replace("</entry>", '<amount currency="EUR">1</amount></entry>') + END,
        "check-logicalType",
        "job",
    ),
    _case(
        "XML with an unknown element in its first record",
        GOOD.replace("<tag>", "<tga>").replace("</tag>", "</tga>"),
        "unknown-key",
    ),
    _case("XML that ends early", GOOD[:-20], "broken-xml"),
    _case("XML that ends early, behind many records", HEAD + FIRST + MANY, "broken-xml", "job"),
    _case(
        "XML that is broken behind many records",
        HEAD + FIRST + MANY + "<entry>&nbsp;</entry>" + END,
        "broken-xml",
        "job",
    ),
    _case("XML with two roots", GOOD + GOOD.partition("\n")[2], "broken-xml"),
    _case(
        "XML with a document type",
        GOOD.replace("<statement", '<!DOCTYPE statement [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<statement', 1),
        "xml-doctype",
    ),
    _case(
        "XML with a bomb of entities",
        GOOD.replace("<statement", '<!DOCTYPE s [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n<statement', 1),
        "xml-doctype",
    ),
    _case("XML with another root", GOOD.replace("statement", "report"), "wrong-root"),
    _case("XML of another version", GOOD.replace("statement:1", "statement:2"), "wrong-namespace"),
    _case("XML without its namespace", GOOD.replace(' xmlns="urn:example:statement:1"', ""), "wrong-namespace"),
    _case(
        "XML with records of another name",
        GOOD.replace("<entry", "<Entry").replace("</entry>", "</Entry>"),
        "no-record-element",
    ),
    _case("XML without records", HEAD + END, "no-records"),
    _case("XML with other elements in place of the records", HEAD + "<item/>\n" + END, "no-records"),
    _case("XML that states another encoding than it has", GOOD.replace("UTF-8", "UTF-16"), "wrong-encoding"),
    _case("XML with bytes that are no text", GOOD.replace(">a<", ">\xe9<").encode("latin-1"), "wrong-encoding"),
    _case("a web page where XML is agreed", "<!DOCTYPE html>\n<html><body>Sign in</body></html>", "wrong-format"),
    _case(
        "a workbook as XML where XML is agreed",
        '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>',
        "wrong-format",
    ),
    _case("CSV where XML is agreed", CSV, "wrong-format"),
    _case("JSON where XML is agreed", '{"id": 1}\n', "wrong-format"),
)
