"""Relationships: the names that `to` and `from` may have, and the findings about either side."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.authoring.compiler.lint import lint
from contracts.authoring.compiler.reference_checks import files
from contracts.authoring.quality.relationships import Target, target
from contracts.authoring.store import documents
from contracts.plan import Check, Reference
from tests.builders import arguments_of
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document, a_plan, compiled, expected, reported

CUSTOMERS = """\
- {id: c1, name: number, logicalType: integer}
- {name: shop, logicalType: string}
- {name: price, logicalType: number, physicalType: "decimal(9,2)"}
"""
ORDERS = """\
- name: customer
  logicalType: integer
  relationships:
    - to: customers.v1.yaml#/schema/customers/properties/number
- name: shop
  logicalType: string
- {id: l1, name: country, logicalType: string}
"""
BLOCK = DROP + "references:\n  lands: {file: lands.csv}\n"
MORE = "customProperties:\n  - property: drop"


def of_object(entries: str, drop: str = DROP) -> str:
    """A contract of orders with relationships beside its properties."""
    inner = "    relationships:\n" + "".join(f"      {line}\n" for line in entries.splitlines())
    return a_document(ORDERS, drop=drop).replace(MORE, inner + MORE)


def of_property(entries: str, drop: str = DROP) -> str:
    """A contract with one property `x` and its relationships."""
    return a_document(f"- name: x\n  logicalType: string\n  relationships: {entries}", drop=drop)


def keys(text: str) -> list[Check]:
    return [c for c in a_plan(text).checks if c.kind == "foreignKey"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("lands.code", ("", "lands", ("code",), False)),
        ("accounts.address.street", ("", "accounts", ("address", "street"), False)),
        ("schema/lands_tbl/properties/code", ("", "lands_tbl", ("code",), True)),
        ("/schema/a/properties/b/properties/c", ("", "a", ("b", "c"), True)),
        ("../x.v1.yaml#/schema/a/properties/b", ("../x.v1.yaml", "a", ("b",), True)),
    ],
)
def test_references_are_read_as_the_standard_has_them(
    text: str, wanted: tuple[str, str, tuple[str, ...], bool]
) -> None:
    assert target(text) == Target(text, *wanted)


@pytest.mark.parametrize("text", ["lands", "schema/lands", "schema/a/b/c", "other/a/properties/b", "x.yaml#lands.code"])
def test_what_names_no_property_is_no_reference(text: str) -> None:
    assert target(text) is None


def test_relationship_becomes_a_check_of_its_property() -> None:
    (check,) = keys(a_document(ORDERS))
    assert (check.id, check.scope, check.severity, check.dimension) == (
        "customer.foreignKey",
        "row",
        "error",
        "consistency",
    )
    assert arguments_of(check) == {"to": "customers.v1", "columns": ["number"], "text": "customers.v1.number"}
    assert a_plan(a_document(ORDERS)).references == (Reference("customers.v1", contract="customers.v1"),)


def test_several_properties_become_one_check() -> None:
    text = of_object(
        "- {id: place, from: [orders.shop, schema/orders/properties/l1], to: [lands.shop, lands.code]}", BLOCK
    )
    _, check = keys(text)
    assert (check.id, check.property, check.properties()) == ("place", None, ("shop", "country"))
    assert arguments_of(check)["columns"] == ["shop", "code"]
    assert a_plan(text).references[1] == Reference("lands", path="lands.csv")


def test_severity_and_tolerance_stand_in_the_block() -> None:
    drop = DROP + 'checks:\n  customer.foreignKey: {severity: warning, tolerance: "5%", filter: shop is not null}\n'
    (check,) = keys(a_document(ORDERS, drop=drop))
    assert (check.severity, str(check.tolerance), check.where) == ("warning", "5 %", " where `shop is not null`")


def test_objects_of_one_document_refer_to_each_other() -> None:
    text = (
        HEAD + "schema:\n  - name: orders\n    properties:\n"
        "      - {name: customer, logicalType: integer, relationships: [{to: customers.number}]}\n"
        "      - {name: twice, logicalType: integer, relationships: [{to: schema/c_tbl/properties/c1}]}\n"
        "  - id: c_tbl\n    name: customers\n    properties:\n      - {id: c1, name: number, logicalType: integer}\n"
        "customProperties:\n  - property: drop\n    vendor: dropgate\n    value:\n"
        "      - {object: orders, files: shop/orders/*.csv, producer: shop, format: csv}\n"
        "      - {object: customers, files: shop/customers/*.csv, producer: shop, format: csv}\n"
    )
    plan = a_plan(text)
    assert plan.references == (Reference("orders.customers.v1", contract="orders.customers.v1"),)
    assert [arguments_of(c)["columns"] for c in keys(text)] == [["number"], ["number"]]


WRONG = {
    "no property": of_property("[{to: schema/lands}]  #! bad-reference", BLOCK),
    "unknown object": of_property("[{to: land.code}]  #! unknown-object", BLOCK),
    "itself": of_property("[{to: orders.x}]  #! not-built-yet"),
    "several for one": of_property("[{to: [lands.code, lands.name]}]  #! bad-reference", BLOCK),
    "on the web": of_property('[{to: "https://example.com/c.yaml#/schema/c/properties/number"}]  #! bad-reference'),
    "within another property": of_property("[{to: lands.a.b}]  #! not-built-yet", BLOCK),
    "another type of relationship": of_property("[{to: lands.code, type: x}]  #! unknown-value", BLOCK),
    "file that nobody asks": a_document(drop=DROP + "references:\n  lands: {file: a.csv}  #! not-used"),
    "file without a path": of_property(
        "[{to: lands.code}]", DROP + "references:\n  lands: {format: csv}  #! missing-key"
    ),
    "unknown key of a file": of_property(
        "[{to: lands.code}]", DROP + "references:\n  lands: {file: a.csv, fromat: csv}  #! unknown-key"
    ),
    "dialect of Parquet": of_property(
        "[{to: lands.code}]",
        DROP + "references:\n  lands:\n    file: a\n    format: parquet\n    csv: {header: true}  #! bad-value",
    ),
    "trailer of a reference": of_property(
        "[{to: lands.code}]", DROP + "references:\n  lands: {file: a.csv, csv: {trailer: {begins: T}}}  #! bad-value"
    ),
    "twice the same id": of_property("[{to: lands.code}, {to: lands.name}]  #! check-id-clash", BLOCK),
    "lists of two lengths": of_object("- {from: [orders.shop], to: [lands.shop, lands.code]}  #! bad-reference", BLOCK),
    "properties of two objects": of_object(
        "- {from: [orders.shop, orders.country], to: [lands.shop, c.code]}  #! bad-reference", BLOCK
    ),
    "from another object": of_object("- {from: shops.shop, to: lands.shop}  #! bad-reference", BLOCK),
    "from no property": of_object("- {from: orders.shopp, to: lands.shop}  #! unknown-property", BLOCK),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_wrong_relationship_is_found_in_its_line(text: str) -> None:
    assert reported(text) == expected(text)
    assert all(f.fix.endswith(".") for f in compiled(text).findings)


def test_nearest_spelling_is_named() -> None:
    findings = compiled(of_object("- {from: orders.shopp, to: lands.shop}", BLOCK)).findings
    assert "Write `orders.shop`." in [f.fix for f in findings]
    assert "Write `lands`." in [f.fix for f in compiled(of_property("[{to: land.code}]", BLOCK)).findings]


def test_values_within_arrays_are_not_looked_for() -> None:
    text = a_document(
        "- name: lines\n  logicalType: array\n  items:\n    logicalType: string\n"
        "    relationships: [{to: lands.code}]  #! not-built-yet",
        drop=BLOCK.replace("csv\nreferences", "jsonl\nreferences"),
    )
    assert reported(text) == expected(text)


# ---- the other side


def folder(
    path: Path, orders: str = ORDERS, drop: str = DROP, customers: str = CUSTOMERS, status: str = "active"
) -> Path:
    """A folder with contracts of orders and of customers."""
    head = HEAD.replace("orders", "customers").replace("active", status)
    block = DROP.replace("orders", "customers")
    theirs = a_document(customers, drop=block, head=head).replace("- name: orders", "- name: customers")
    (path / "customers.v1.yaml").write_text(theirs)
    (path / "orders.v1.yaml").write_text(a_document(orders, drop=drop))
    return path


def findings_of(path: Path) -> list[tuple[str, str, str]]:
    return [(f.code, f.message, f.fix) for f in lint((path,)).findings if f.level != "note"]


def test_relationship_to_another_contract_is_fine(tmp_path: Path) -> None:
    assert findings_of(folder(tmp_path)) == []
    assert findings_of(folder(tmp_path) / "orders.v1.yaml") == []


def test_ids_of_another_contract_stand_for_its_names(tmp_path: Path) -> None:
    linted = lint((folder(tmp_path, ORDERS.replace("properties/number", "properties/c1")),))
    (check,) = (c for plan in linted.plans for c in plan.checks if c.kind == "foreignKey")
    assert (linted.failed, arguments_of(check)["columns"]) == (False, ["number"])


@pytest.mark.parametrize("name", ["orders.v1.yaml", "."])
def test_what_the_other_contract_lacks_is_found(tmp_path: Path, name: str) -> None:
    path = folder(tmp_path, ORDERS.replace("properties/number", "properties/numbr")) / name
    assert findings_of(path) == [("unknown-property", "There is no property `customers.v1.numbr`.", "Write `number`.")]


@pytest.mark.parametrize(("column", "kind"), [("shop", "text"), ("price", "a decimal number")])
def test_other_type_is_found(tmp_path: Path, column: str, kind: str) -> None:
    orders = ORDERS.replace("properties/number", f"properties/{column}")
    ((code, message, _),) = findings_of(folder(tmp_path, orders))
    assert code == "wrong-type"
    assert message.startswith(f"`customer` is an integer, `customers.v1.{column}` is {kind}")


def test_doubles_are_never_held_against_decimals(tmp_path: Path) -> None:
    orders = ORDERS.replace("integer", "number").replace("properties/number", "properties/price")
    assert [code for code, _, _ in findings_of(folder(tmp_path, orders))] == ["wrong-type"]


def test_contract_in_no_force_is_found(tmp_path: Path) -> None:
    (only,) = findings_of(folder(tmp_path, status="draft"))
    assert only[:2] == ("not-in-force", "`customers.v1` matches no files: nothing of it is ever promoted.")


def test_absent_contract_file_names_the_nearest(tmp_path: Path) -> None:
    orders = ORDERS.replace("customers.v1.yaml", "customer.v1.yaml")
    ((code, message, fix),) = findings_of(folder(tmp_path, orders))
    assert (code, fix) == ("unknown-contract", "Write `customers.v1.yaml`.")
    assert message == f"There is no contract file `{tmp_path / 'customer.v1.yaml'}`."


def test_unknown_object_of_another_contract_is_found(tmp_path: Path) -> None:
    orders = ORDERS.replace("schema/customers", "schema/customer")
    ((code, _, fix),) = findings_of(folder(tmp_path, orders))
    assert (code, fix) == ("unknown-object", "Write `customers`.")


def test_contracts_that_wait_for_each_other_are_warned_of(tmp_path: Path) -> None:
    back = "orders.v1.yaml#/schema/orders/properties/customer"
    customers = f"{CUSTOMERS}- {{name: last, logicalType: integer, relationships: [{{to: {back}}}]}}\n"
    findings = findings_of(folder(tmp_path, customers=customers))
    assert [code for code, _, _ in findings] == ["circle", "circle"]
    assert findings[0][1] == (
        "`customers.v1` and `orders.v1` look for values in each other: neither can be the first to be promoted."
    )


ORDERS_OF_LANDS = "- {name: land, logicalType: string, relationships: [{to: lands.code}]}\n"


def with_file(path: Path, text: str | None) -> Path:
    """The same, with a reference file, or without."""
    if text is not None:
        (path / "lands.csv").write_text(text)
    return folder(path, ORDERS_OF_LANDS, BLOCK)


def test_absent_reference_file_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "land.csv").touch()
    ((code, _, fix),) = findings_of(with_file(tmp_path, None))
    assert (code, fix) == ("no-file", "Write `land.csv`.")


def test_header_of_one_column_names_the_delimiter_that_it_has(tmp_path: Path) -> None:
    ((code, _, fix),) = findings_of(with_file(tmp_path, "code;name\nAT;Austria\n"))
    assert (code, fix) == (
        "unknown-property",
        'Its columns are separated by `;`: write `csv: {delimiter: ";"}` next to `file`.',
    )


def test_reference_without_a_column_is_told_how_one_is_written(tmp_path: Path) -> None:
    findings = findings_of(folder(tmp_path, ORDERS_OF_LANDS.replace("lands.code", "lands"), BLOCK))
    assert findings[0][0] == "bad-reference"
    assert findings[0][2].startswith("Write `lands.<property>`, or ")


def test_reference_file_outside_the_contracts_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "lands.csv").write_text("code\nAT\n")
    (tmp_path / "below").mkdir()
    ((code, message, _),) = findings_of(
        folder(tmp_path / "below", ORDERS_OF_LANDS, BLOCK.replace("lands.csv", "../lands.csv"))
    )
    assert (code, message) == ("bad-value", "The reference file `../lands.csv` is outside the contract's folder.")


def test_column_that_a_reference_file_lacks_is_found(tmp_path: Path) -> None:
    ((code, _, fix),) = findings_of(with_file(tmp_path, "kode,name\nAT,x\n"))
    assert (code, fix) == ("unknown-property", "Write `lands.kode`.")


def test_renewed_file_makes_another_plan_of_the_same_contract(tmp_path: Path) -> None:
    before = lint((with_file(tmp_path, "code\nAT\n"),))
    after = lint((with_file(tmp_path, "code\nAT\nDE\n"),))
    shas = [next(p for p in linted.plans if p.references).sha for linted in (before, after)]

    assert shas[0] != shas[1]
    ((name, body),) = files(after.contracts).items()
    assert (name.startswith("references/"), name.endswith(".csv"), body) == (True, True, b"code\nAT\nDE\n")
    assert name in documents(after.contracts)


@pytest.mark.parametrize("version", ["2.0.0", "v2", "2-rc.1", "02.0.0", "2+b", "v2.1-rc.1+b"])
def test_relationship_within_a_document_goes_by_the_first_number_of_its_version(tmp_path: Path, version: str) -> None:
    orders = "- {name: x, logicalType: string, relationships: [{to: sibling.y}]}\n"
    sibling = "  - {name: sibling, properties: [{name: y, logicalType: string}]}\ncustomProperties:"
    blocks = "    - {object: orders, files: a/*, producer: p, format: csv}\n"
    blocks += "    - {object: sibling, files: b/*, producer: p, format: csv}\n"
    text = a_document(orders, drop="").replace("customProperties:", sibling).replace("1.0.0", version) + blocks
    (tmp_path / "orders.v2.yaml").write_text(text, encoding="utf-8")

    assert findings_of(tmp_path) == []
