"""docs/contracts.md under test: its contract is right, and it names every key of the block and every sign."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contracts.authoring.block import CheckBlock, ColumnsBlock, CsvBlock, DropBlock, ToleranceBlock
from contracts.authoring.compiling import compile_text
from contracts.pattern import WIDTHS
from contracts.plan import OPERATORS

TEXT = (Path(__file__).parents[3] / "docs" / "contracts.md").read_text(encoding="utf-8")
BLOCKS = (DropBlock, CsvBlock, ColumnsBlock, ToleranceBlock, CheckBlock)


def test_contract_of_the_page_lints_clean() -> None:
    (yaml,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    result = compile_text(yaml.encode(), "shop-orders.v1.yaml")
    assert result.findings == ()
    assert result.plan
    assert [c.id for c in result.plan.checks][-2:] == ["amount.nullValues", "rowCount"]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_key_of_the_block_is_explained(block: type[DropBlock]) -> None:
    names = [field.alias or name for name, field in block.model_fields.items()]
    assert [n for n in names if f"`{n}`" not in TEXT] == []


def test_every_operator_and_date_part_is_named() -> None:
    assert [o for o in OPERATORS if f"`{o}`" not in TEXT] == []
    assert [w for w in WIDTHS if f"%{w}" not in TEXT] == []
