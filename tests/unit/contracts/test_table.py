"""A contract's table: its columns from the plan, and the changes that another version may make."""

from __future__ import annotations

import pytest

from contracts.errors import TableUnlike
from contracts.plan import Property
from contracts.table import TableColumn, columns, lacking
from tests.builders import a_plan

WHOLE = (TableColumn("n", "long"), TableColumn("note", "string"))


def test_columns_have_deltas_types_and_end_with_ours() -> None:
    kinds = ("string", "integer", "number", "boolean", "date", "timestamp", "time")
    props = (*(Property(kind, kind) for kind in kinds), Property("exact", "number", exact=(12, 2)))  # type: ignore[arg-type]

    assert [one.type for one in columns(a_plan(properties=props))] == [
        *("string", "long", "double", "boolean", "date", "timestamp", "string", "decimal(12,2)"),
        *("string", "long"),
    ]
    assert [one.name for one in columns(a_plan())] == ["id", "note", "_drop", "_record"]


def test_table_gets_what_it_lacks() -> None:
    assert lacking(WHOLE, (*WHOLE, TableColumn("more", "date"))) == (TableColumn("more", "date"),)
    assert lacking(WHOLE, WHOLE[1:]) == ()


@pytest.mark.parametrize("other", [TableColumn("n", "double"), TableColumn("N", "long")])
def test_other_type_or_case_is_another_table(other: TableColumn) -> None:
    with pytest.raises(TableUnlike, match="the table has `n` long where the contract has"):
        lacking(WHOLE, (other,))
