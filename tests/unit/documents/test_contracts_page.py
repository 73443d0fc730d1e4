"""The pages on contracts: the contract lints clean; every key, sign and kind of change is named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.diff.change_kinds import MEANINGS
from contracts.authoring.drop_block import block
from contracts.plan import OPERATORS
from contracts.terms.key_pattern import WIDTHS
from infra.cli.main import main
from infra.demo import inmet
from infra.packaging.bundles import ROOT

HOW_TO = (ROOT / "docs" / "how-to" / "contracts.md").read_text(encoding="utf-8")
DROP_BLOCK, CHECKS, CHANGES = (
    (ROOT / "docs" / "reference" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("drop-block", "checks", "changes")
)


def test_contract_of_the_page_lints_clean() -> None:
    (yaml,) = re.findall(r"```yaml\n(apiVersion.*?)```", HOW_TO, re.DOTALL)
    result = compile_text(yaml.encode(), "shop-orders.v1.yaml")
    assert result.findings == ()
    assert result.plan
    assert [c.id for c in result.plan.checks][-2:] == ["amount.nullValues", "rowCount"]


def test_export_of_the_page_is_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = re.findall(r"```yaml\n(apiVersion.*?)```", HOW_TO, re.DOTALL)
    ((line, output),) = re.findall(r"```console\n\$ dropgate (export .*?)\n(.*?)```", HOW_TO, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("shop-orders.v1.yaml").write_text(text, encoding="utf-8")
    assert CliRunner(mix_stderr=False).invoke(main, line.split()).stdout == output


def _keys(schema: dict[str, Any]) -> Iterator[str]:
    yield from schema.get("properties", {})
    for inner in (*schema.get("properties", {}).values(), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from _keys(inner)


def test_every_key_of_the_block_is_explained() -> None:
    keys = [
        *_keys(block.schema()),
        *(key for part in ("csv", "fixed", "form") for key in _keys(block.schema()["$defs"][part])),
    ]
    assert {"files", "nullValues", "order", "rows", "severity", "sameKey"} <= set(keys)
    assert [k for k in keys if f"`{k}`" not in DROP_BLOCK] == []


def test_every_operator_and_date_part_is_named() -> None:
    assert [o for o in OPERATORS if f"`{o}`" not in CHECKS] == []
    assert [w for w in WIDTHS if f"%{w}" not in DROP_BLOCK] == []


def test_every_kind_of_change_is_told_as_it_is() -> None:
    rows = [
        f"| `{kind}` | {m.what} | {m.direction or 'by its values'} | {m.producer or ''} | {m.consumer or ''} |"
        for kind, m in MEANINGS.items()
    ]
    assert "\n".join(rows) in CHANGES


def test_first_contract_of_the_page_is_what_init_writes(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```text\n(# A first contract.*?)```", HOW_TO, re.DOTALL)
    sample = tmp_path / "inmet-2019-01-31.csv"
    inmet.write(sample, stations=4, hours=720)
    result = CliRunner().invoke(main, ["init", str(sample), "--producer", "inmet"])
    assert [part for part in shown.split("...\n") if part not in result.output] == []
