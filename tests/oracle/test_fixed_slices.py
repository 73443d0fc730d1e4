"""The prefilter's slices against the oracle: a line that surely passes or fails does so by plain Python as well."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from spark_jobs.counting import bitmask
from spark_jobs.prefilter import arrow_tests, plan_tests
from tests.oracle import cases, records, running
from tests.oracle.contracts import Document
from tests.oracle.judging import judge
from tests.packing import unpacked

FORMS: dict[str, Document] = {
    "bytes": cases.MORE_FORMS["fixed, bytes"],
    "in zip": cases.MORE_FORMS["fixed, in zip"],
    "one byte a character": {"format": "fixed", "fixed": {"encoding": "windows-1252", "record": {"begins": "D"}}},
    "short": {"format": "fixed", "fixed": {"shortLines": "accept"}},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", [3, 10])
def test_sure_lines_are_those_of_the_oracle(tmp_path: object, form: str, seed: int) -> None:
    made = cases.sifted(None, tmp_path, FORMS[form], seed, 8)  # type: ignore[arg-type]
    plan = made.contract.plan
    assert plan.fixed
    condition = plan_tests.pass_condition(plan, plan.fixed.names, ())
    assert condition
    for body in made.files.values():
        admission = running.look(plan, body)
        if admission.refused:
            continue
        opinion = judge(plan, records.content(plan, admission.header, body), admission.notes)
        data = unpacked(plan, body).removeprefix(b"\xef\xbb\xbf")
        lines = [line for line in re.split(b"\r\n|\r|\n", data) if line]
        raw, ids = pa.array(lines, pa.binary()).view(pa.string()), pa.array(range(len(lines)), pa.int64())
        masks: arrow_tests.Masks = {}
        results = arrow_tests._test_lines(arrow_tests.LineBatch(raw, ids, ()), condition, masks)
        seen: list[set[str] | None] = [set() if passes else None for passes in results.passes.to_pylist()]
        for n, number in enumerate(results.fails.to_pylist()):
            if number is not None:
                mask = bitmask.joined(list(masks.values())[number])
                seen[n] = {check.id for k, check in enumerate(plan.row_checks()) if mask >> k & 1}
        failing = [set(opinion.rows[n][1]) if n in opinion.rows else set() for n in range(1, len(lines) + 1)]
        assert [(n, s) for n, s in enumerate(seen) if s is not None] == [
            (n, failing[n]) for n, s in enumerate(seen) if s is not None
        ]
