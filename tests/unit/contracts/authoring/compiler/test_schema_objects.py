"""Several schema objects in one document: a contract of each, findings at their own places."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.authoring import store
from contracts.authoring.compiler.compile import Compiled, compile_each
from contracts.authoring.compiler.lint import lint
from contracts.authoring.diff.compare import compare
from contracts.authoring.diff.pairing import compare_paths
from contracts.authoring.exports.reading import read_each
from tests.unit.contracts.authoring.documents import HEAD, expected

SHOP = (
    HEAD.replace("id: orders", "id: shop")
    + """\
schema:
  - name: orders
    properties:
      - {name: id, logicalType: integer}
  - name: lines
    properties:
      - {name: order, logicalType: integer, required: true}
  - name: notes
    properties:
      - {name: text, logicalType: string}
customProperties:
  - property: drop
    vendor: dropgate
    value:
      - object: lines
        files: shop/lines/*.jsonl
        producer: shop
        format: jsonl
      - object: orders
        files: shop/orders/*.csv
        producer: shop
        format: csv
        checks: {id.logicalType: {severity: warning}}
"""
)


def each(text: str = SHOP) -> tuple[Compiled, ...]:
    return compile_each(text.encode(), "shop.v1.yaml")


def test_each_object_is_a_contract() -> None:
    plans = [one.plan for one in each()]
    assert [
        (p.contract, p.id, p.object, p.file_format, [c.id for c in p.checks if c.scope == "row"]) for p in plans if p
    ] == [
        ("shop.orders.v1", "shop.orders", "orders", "csv", ["id.logicalType"]),
        (
            *("shop.lines.v1", "shop.lines", "lines", "jsonl"),
            ["record.knownKeys", "order.logicalType", "order.required"],
        ),
    ]
    assert plans[2] is None
    assert [f.code for f in each()[2].findings] == ["matches-nothing"]


def test_list_of_one_is_the_contract_itself() -> None:
    text = SHOP.split("  - name: lines")[0] + "customProperties" + SHOP.split("customProperties")[1]
    text = text.replace(text[text.index("      - object: lines") : text.index("      - object: orders")], "")
    (one,) = each(text)
    assert one.plan
    assert one.plan.contract == "shop.v1"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("object: lines", "object: line  #! unknown-object"),
        ("- object: orders\n", "- object: lines  #! two-blocks\n"),
        ("- object: lines\n        files:", "- empty: warn  #! missing-key\n        files:"),
        ("format: csv", "format: csv\n        emtpy: warn  #! unknown-key"),
        ("logicalType: integer, required: true}", "logicalType: intger, required: true}  #! unknown-value"),
        ("checks: {id.logicalType: {severity: warning}}", "checks: {id.type: {severity: warning}}  #! unknown-check"),
    ],
)
def test_finding_stands_at_its_own_place(right: str, wrong: str) -> None:
    text = SHOP.replace(right, wrong)
    errors = {(f.line, f.code) for one in each(text) for f in one.findings if f.level == "error"}
    assert errors == expected(text)


def test_lint_names_a_finding_of_the_whole_once(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(SHOP)
    linted = lint([tmp_path])
    assert [f.code for f in linted.findings if f.level == "warning"] == ["file-name"]
    assert len(linted.plans) == 2


def test_objects_are_kept_each_under_its_name() -> None:
    kept = store.documents(each())
    assert sorted(kept) == ["contracts/1.0.0/shop/lines.yaml", "contracts/1.0.0/shop/orders.yaml"]
    for key, text in kept.items():
        title = store.title_of_key(key)
        assert title
        assert store.verified(title, text) == SHOP.encode()


def test_change_of_one_object_is_asked_of_that_alone(tmp_path: Path) -> None:
    new = SHOP.replace('version: "1.0.0"', 'version: "1.1.0"').replace("required: true", "required: false")
    changed = [compare(a, b) for a, b in zip(each()[:2], each(new)[:2], strict=True)]
    assert [[c.kind for c in one.changes] for one in changed] == [[], ["required"]]
    assert [len(one.findings) for one in changed] == [0, 1]
    for name, text in (("old", SHOP), ("new", new)):
        (tmp_path / f"{name}.yaml").write_text(text)
    compared = compare_paths(tmp_path / "old.yaml", tmp_path / "new.yaml")
    assert [one.contract for one in compared.contracts] == ["shop.lines.v1", "shop.orders.v1"]


def test_each_object_is_exported_by_itself() -> None:
    read = [one.contract for one in read_each(SHOP.encode(), "shop.v1.yaml")]
    assert [one.name for one in read if one] == ["shop.orders.v1", "shop.lines.v1", "shop.notes.v1"]
    assert [one.data["id"] for one in read if one] == ["shop.orders", "shop.lines", "shop.notes"]
