"""The contract store as suites of Great Expectations read it, without the library."""

from __future__ import annotations

from pathlib import Path

from infra.gx.store import opened

BOTH = """\
apiVersion: v3.2.0
kind: DataContract
id: shop
version: 1.0.0
status: active
schema:
  - name: orders
    properties: [{name: id, logicalType: integer}]
  - name: lines
    properties: [{name: sku, logicalType: string}]
customProperties:
  - property: drop
    vendor: dropgate
    value:
      - {object: orders, files: shop/orders/*.csv, producer: shop, format: csv}
      - {object: lines, files: shop/lines/*.csv, producer: shop, format: csv}
"""


def test_each_object_of_a_document_is_a_table_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "contracts" / "1.0.0" / "shop"
    folder.mkdir(parents=True)
    for table in ("orders", "lines"):
        (folder / f"{table}.yaml").write_text(BOTH)
    store = opened(str(tmp_path))
    named = {table: [p["name"] for p in store.properties(store.title("shop", table))] for table in ("orders", "lines")}

    assert named == {"orders": ["id"], "lines": ["sku"]}
