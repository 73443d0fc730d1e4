"""Of odd lines the columns that Spark has to judge, and the nulls in all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from contracts.plan import Check, Csv
from spark_jobs.prefilter import arrow_tests, plan_tests
from tests.integration.spark_jobs.world import a_check, a_plan, a_property

NAMES = ("id", "wind", "day", "state", "note")
CHECKS = [
    *(a_check("required", "id"), a_check("minimum", "wind", value="0"), a_check("enum", "state", values=["on", "off"])),
    *(a_check("nullValues", name, "set") for name in ("day", "note")),
]
TYPES = ("integer", "number", "date", "string", "string")
HEAD = ",".join(NAMES)
GOOD = "1,2.5,2026-01-31,on,x"


def opened(
    *lines: str | bytes, csv: Csv | None = None, checks: Sequence[Check] = CHECKS
) -> tuple[list[str] | None, dict[str, int]]:
    """Return the names of the columns that are open in these lines, and the nulls of the counted others."""
    plan = a_plan([a_property(*each) for each in zip(NAMES, TYPES, strict=True)], checks, csv)  # type: ignore[arg-type]
    condition = plan_tests.pass_condition(plan, NAMES, [HEAD], narrows=True)
    assert condition
    raw = [line if isinstance(line, bytes) else line.encode(plan.csv.encoding) for line in lines]
    of_file = [arrow_tests.Stretch("f", 0, 0, len(lines))]
    batch = arrow_tests.LineBatch(pa.array(raw).view(pa.string()), pa.array(range(len(lines)), pa.int64()), of_file)
    (row,) = _stretches(arrow_tests.evaluate_lines([batch], condition))
    nulls = {NAMES[at]: n for at, n in zip(condition.counted, row["nulls"], strict=False) if at is not None and n}
    return row["open"] and [NAMES[at] for at in row["open"]], nulls


def _stretches(batches: Any) -> list[dict[str, Any]]:
    """Return the counts of stretches; the text of an odd line may be no UTF-8."""
    rows = (row for batch in batches for row in batch.select(["n", "odd", "open", "nulls"]).to_pylist())
    return [row for row in rows if row["odd"] is not None]


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        (GOOD, []),
        (GOOD.replace("2.5", "-1"), []),
        ("1,1e3,2026-01-31,on,x", ["wind"]),
        ("+1,2.5,2026-02-29,on,x", ["id", "day"]),
        (",1e3,2026-01-31,on,x", ["id", "wind"]),
        ("1,1e3,2026-01-31,half,x", ["wind", "state"]),
        ('1,1e3,"2026-01-31",on,"x, y"', ["wind"]),
        ('1,1e3,2026-01-31,on,"x ""y"""', None),
        ('1,1e3,2026-01-31,on,5" pipe', None),
        ("1,1e3,2026-01-31,on,\ufeff", None),
        ("1,2.5", []),
        ("1,2.5,2026-01-31,on,x,", []),
        ('1,2.5,2026-01-31,on,"x', None),
        (b"1,x,y,z,caf\xe9", []),
        ("1,x,y,z,\0", []),
        (HEAD, ["id", "wind", "day", "state"]),
    ],
)
def test_columns_are_open_if_a_cell_is_not_sure(line: str | bytes, columns: list[str] | None) -> None:
    assert opened(GOOD, line)[0] == columns


def test_nulls_of_sure_columns_are_counted() -> None:
    lines = ("1,x,,on,", "2,y,2026-01-31,,", ",3,1.1.2026,on,", "4,3", "5,6,,on,")

    assert opened(*lines[:2]) == (["wind"], {"day": 1, "state": 1, "note": 2})
    assert opened(*lines) == (["id", "wind", "day"], {"state": 1, "note": 3})


def test_lines_in_other_encodings_are_tested_as_texts() -> None:
    csv = Csv(delimiter=";", encoding="windows-1252")

    assert opened("1;1e3;2026-01-31;on;Müller", csv=csv)[0] == ["wind"]
    assert opened(b"1;1e3;2026-01-31;on;\x81", csv=csv)[0] is None


def test_column_that_has_no_test_is_open_in_each_record() -> None:
    even = [*CHECKS, a_check("multipleOf", "id", value="2")]

    assert opened(GOOD, checks=even) == (["id"], {})
    assert opened(GOOD, "1,x,,on,", "1,2", checks=even) == (["id", "wind"], {"day": 1, "note": 1})
    assert opened("1,2", checks=even) == ([], {})
    assert (
        plan_tests.pass_condition(a_plan([a_property("id", "integer")], even[-1:]), ("id",), (), narrows=True) is None
    )


def test_conditions_of_few_columns_leave_all_open() -> None:
    plan = a_plan([a_property("id", "integer")])
    condition = plan_tests.pass_condition(plan, ("id",), ["id"])

    assert condition
    assert condition.shapes is None
