"""First contracts of XML: the elements that are records, and what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from contracts.authoring.draft.profile import SampleRefused
from contracts.plan import Xml
from infra.sampling import profile
from tests.oracle.test_drafts import contract_of, no_spark, verdict

ORDER = (
    '<order id="{n}"><customer>M\u00fcller</customer><total currency="EUR">{n}.50</total><open>{open}</open>'
    "<lines>{lines}</lines>{note}</order>"
)


def orders(count: int = 30, head: str = "", attributes: str = "") -> str:
    """A document of orders, each with one to three lines."""
    made = (
        ORDER.format(
            n=n,
            open=("true", "false")[n % 2],
            lines="".join(f"<line><sku>A{n}{i}</sku><qty>{i or ''}</qty></line>" for i in range(n % 3 + 1)),
            note="<note>a</note><note>b</note>" if n == 3 else "",
        )
        for n in range(count)
    )
    return f"<orders{attributes}>{head}{''.join(made)}</orders>"


def test_orders_are_drafted_with_their_lines(tmp_path: Path) -> None:
    plan, text = contract_of(tmp_path, ("orders.xml", orders().encode()))

    assert plan.xml == Xml("orders/order", {}, ("",))
    assert {p.name: p.type for p in plan.properties} == {
        "@id": "integer",
        "customer": "string",
        "total": "object",
        "total['@currency']": "string",
        "total['#text']": "number",
        "open": "boolean",
        "lines": "object",
        "lines.line": "array",
        "lines.line[]": "object",
        "lines.line[].sku": "string",
        "lines.line[].qty": "integer",
        "note": "array",
        "note[]": "string",
    }
    assert "`xml.record`: whether records are not `orders/order/lines/line`." in text
    assert verdict(plan, orders().encode())[0] == "accepted"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("12.50", "12,50"), ("true", "yes"), ("order>", "Order>"), ("</customer>", "<b/></customer>")],
)
def test_damaged_copies_are_rejected(tmp_path: Path, right: str, wrong: str) -> None:
    plan, text = contract_of(tmp_path, ("orders.xml", orders().encode()))

    assert verdict(plan, orders().replace(right, wrong).encode())[0] == "rejected", text


def test_copy_with_another_value_has_a_warning(tmp_path: Path) -> None:
    plan, text = contract_of(tmp_path, ("orders.xml", orders().encode()))

    assert verdict(plan, orders().encode()) == ("accepted", []), text
    name, problems = verdict(plan, orders().replace("EUR", "USD").encode())
    assert (name, "total['@currency'].enum" in str(problems)) == ("accepted_with_warnings", True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252"])
def test_namespaces_and_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    body = orders(attributes=' xmlns="urn:a" xmlns:x="urn:b"', head="<x:day>2026-01-31</x:day>")
    body = f'<?xml version="1.0" encoding="{encoding}"?>{body.replace("open>", "x:open>")}'

    plan, text = contract_of(tmp_path, ("orders.xml", body.encode(encoding)))

    assert plan.xml
    assert dict(plan.xml.namespaces) == {"": "urn:a", "x": "urn:b"}
    assert "x:open" in {p.name for p in plan.properties}
    assert verdict(plan, body.encode(encoding))[0] == "accepted", text


def test_elements_within_a_few_others_are_the_records(tmp_path: Path) -> None:
    body = f"<bank>{''.join(f'<statement>{orders(40)[8:-9]}</statement>' for _ in range(2))}</bank>"

    plan, _ = contract_of(tmp_path, ("a.xml", body.encode()))

    assert plan.xml
    assert plan.xml.record == "bank/statement/order"


def test_one_document_is_one_record(tmp_path: Path) -> None:
    plan, _ = contract_of(tmp_path, ("a.xml", b"<invoice><id>1</id><payee><name>A</name></payee></invoice>"))

    assert plan.xml
    assert plan.xml.record == "invoice"
    assert [p.name for p in plan.properties] == ["id", "payee", "payee.name"]


def test_properties_stand_in_the_order_of_the_elements(tmp_path: Path) -> None:
    rows = "".join(f"<row><z>{n}</z><b>{n}</b><a>{n}</a></row>" for n in range(3))

    plan, _ = contract_of(tmp_path, ("a.xml", f"<rows>{rows}</rows>".encode()))

    assert [p.name for p in plan.properties] == ["z", "b", "a"]


def test_words_and_days_that_xml_does_not_have_are_values_in_a_form(tmp_path: Path) -> None:
    rows = "".join(f"<row><day>{n + 1}.1.2026</day><ok>{'TRUE' if n % 2 else 'FALSE'}</ok></row>" for n in range(28))

    plan, _ = contract_of(tmp_path, ("a.xml", f"<rows>{rows}</rows>".encode()))

    assert {p.name: p.type for p in plan.properties} == {"day": "date", "ok": "boolean"}


def test_form_of_texts_is_proposed(tmp_path: Path) -> None:
    rows = "".join(
        f"<row><price>{n}.000,50</price><paid>{'J' if n % 2 else 'N'}</paid><due>{n + 1}.1.2026</due>"
        f"<vat>{'-' if n % 3 else f'{n} %'}</vat></row>"
        for n in range(1, 28)
    )

    plan, text = contract_of(tmp_path, ("a.xml", f"<rows>{rows}</rows>".encode()))

    assert {p.name: p.type for p in plan.properties} == {
        "price": "number",
        "paid": "boolean",
        "due": "date",
        "vat": "integer",
    }
    assert yaml.safe_load(text)["customProperties"][0]["value"]["values"] == {
        "nullValues": ["-"],
        "decimalChar": ",",
        "groupChar": ".",
        "columns": {
            "paid": {"trueValues": ["J"], "falseValues": ["N"]},
            "due": {"formats": ["d.M.yyyy"]},
            "vat": {"percent": "keep"},
        },
    }


def test_text_beside_elements_is_named(tmp_path: Path) -> None:
    rows = "<row><a>1</a><b>2</b></row>" * 20 + "<row><a>1</a><b>x<c/></b></row>"

    _, text = contract_of(tmp_path, ("a.xml", f"<rows>{rows}</rows>".encode()))

    assert "`rows/row/b` is left out: it has text beside other elements" in text


REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "a document that ends early": ({"a.xml": orders()[:-3]}, "is not well-formed XML"),
    "a document type": ({"a.xml": f'<?xml version="1.0"?><!DOCTYPE orders>{orders()}'}, "document type"),
    "other roots": ({"a.xml": orders(), "b.xml": orders().replace("orders", "bills")}, "different root elements"),
    "another format": ({"a.xml": orders(), "b.csv": "a,b\n1,2\n"}, "a.xml is XML and b.csv is CSV"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_samples_are_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    files, reason = REFUSED[name]
    for file, body in files.items():
        (tmp_path / file).write_text(body, encoding="utf-8")

    with pytest.raises(SampleRefused) as caught:
        profile([tmp_path / file for file in files], no_spark)

    assert reason in str(caught.value)
