"""The pages on contracts: the contract lints clean; every key, sign and kind of change is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema.validators import Draft201909Validator

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.diff.change_kinds import MEANINGS
from contracts.authoring.document import source
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

LEAST = {"files": ["a"], "producer": "shop", "format": "csv"}
"""The keys that each block has."""


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


def _blocks() -> Iterator[dict[str, Any]]:
    """Yield the blocks of all pages as they are written, with the keys that a block must have."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for text in re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            written = source.read(text.encode(), page.name).data
            if "customProperties" in written:
                for value in (e["value"] for e in written["customProperties"] if e["property"] == "drop"):
                    yield from ({**LEAST, **one} for one in (value if isinstance(value, list) else [value]))
            elif page.name == "drop-block.md":
                yield {**LEAST, **written}


def _editors() -> Draft201909Validator:
    """Return what editors hold a block against: the schema as its file has it."""
    file = ROOT / "contracts" / "authoring" / "drop_block" / "drop.schema.json"
    return Draft201909Validator(json.loads(file.read_text(encoding="utf-8")))


def test_editors_take_the_blocks_of_all_pages_as_they_are_written() -> None:
    blocks = list(_blocks())
    assert len(blocks) > 30
    assert [(error.message, text) for text in blocks for error in _editors().iter_errors(text)] == []


@pytest.mark.parametrize(
    ("written", "is_right"),
    [
        ({"files": "a/*.csv"}, True),
        ({"files": ["a/*.csv", "b"]}, True),
        ({"files": []}, False),
        ({"files": 1}, False),
        ({"csv": {"encoding": "cp1252"}}, True),
        ({"csv": {"encoding": "utf-8"}}, True),
        ({"csv": {"encoding": 8}}, False),
        ({"fixed": {"encoding": "latin1", "fields": [{"property": "a", "length": 1}]}}, True),
        ({"references": {"r": {"file": "r.csv", "csv": {"encoding": "UTF8"}}}}, True),
        ({"notify": {"producer": "orders-help"}}, True),
        ({"notify": {"producer": ["orders-help", {"to": "team", "on": ["late"]}]}}, True),
        ({"notify": {"consumer": {"to": "team", "on": ["late"]}}}, True),
        ({"notify": {"consumer": {"to": "team", "on": ["never"]}}}, False),
        ({"notify": {"consumer": {"on": ["late"]}}}, False),
        ({"notify": {"operator": 1}}, False),
        ({"notify": {"operator": ""}}, False),
    ],
)
def test_editors_take_short_forms(written: dict[str, Any], *, is_right: bool) -> None:
    assert _editors().is_valid({**LEAST, **written}) == is_right
    if is_right:
        assert Draft201909Validator(block.schema()).is_valid(block.normalized({**LEAST, **written}))


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
