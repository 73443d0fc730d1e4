"""Large documents and workbooks as samples: their first records alone are read, and no rule says what others hold."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from contracts.authoring.draft.profile import SampleRefused
from infra.sampling import BOUNDS, WHOLE, Bounds
from tests import workbooks
from tests.oracle.test_drafts import contract_of, verdict
from tests.packing import zipped

FEW = Bounds(json=4000, xml=4000, cells=300)
ROWS = [(n, f"{'AB' if n < 200 else 'CDE'}{n % 2}", n * 1.25 if n < 200 or n % 2 else None) for n in range(400)]
"""Of the later ones the words are other and longer, the numbers larger, and some are null."""


def array(rows: Sequence[tuple[object, ...]]) -> bytes:
    return json.dumps([dict(zip(("id", "word", "sum"), row, strict=True)) for row in rows]).encode()


def elements(rows: Sequence[tuple[object, ...]]) -> bytes:
    inner = (
        f"<row><id>{n}</id><word>{word}</word>{'' if total is None else f'<sum>{total}</sum>'}</row>"
        for n, word, total in rows
    )
    return f"<rows>{''.join(inner)}</rows>".encode()


def sheet(rows: Sequence[tuple[object, ...]]) -> bytes:
    return workbooks.xlsx({"S": [["id", "word", "sum"], *map(list, rows)]})


FORMS = {
    "rows.json": array(ROWS),
    "rows.json.gz": gzip.compress(array(ROWS)),
    "rows.zip": zipped({"rows.json": array(ROWS)}),
    "rows.xml": elements(ROWS),
    "rows.xml.gz": gzip.compress(elements(ROWS)),
    "rows.xlsx": sheet(ROWS),
}


@pytest.mark.parametrize("name", FORMS)
def test_draft_of_a_begin_accepts_the_rest(tmp_path: Path, name: str) -> None:
    plan, text = contract_of(tmp_path, (name, FORMS[name]), bounds=FEW)

    assert f"Only the first records of `{name}` were read" in text
    for rule in ("enum", "minimum", "maxLength", "nullValues", "rowCount"):
        assert f"{rule}:" not in text.replace("metric: ", ""), text
    assert {p.name: p.type for p in plan.properties} == {"id": "integer", "word": "string", "sum": "number"}
    assert verdict(plan, FORMS[name])[0] == "accepted"


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("bounds", [BOUNDS, WHOLE])
def test_draft_of_all_records_has_all_rules(tmp_path: Path, name: str, bounds: Bounds) -> None:
    plan, text = contract_of(tmp_path, (name, FORMS[name]), bounds=bounds)

    assert "Only the first records" not in text
    for rule in ("enum:", "maximum: ", "metric: nullValues", "metric: rowCount"):
        assert rule in text, text
    assert verdict(plan, FORMS[name])[0] == "accepted"


def test_document_as_long_as_the_bound_is_whole(tmp_path: Path) -> None:
    bounds = Bounds(json=len(array(ROWS)), xml=len(elements(ROWS)), cells=3 * (len(ROWS) + 1))
    for name in ("rows.json", "rows.xml", "rows.xlsx"):
        assert "Only the first records" not in contract_of(tmp_path, (name, FORMS[name]), bounds=bounds)[1]


def test_fault_in_the_begin_is_one_of_the_sample(tmp_path: Path) -> None:
    for name, body in (("a.xml", elements(ROWS).replace(b"</word>", b"</wrd>", 1)), ("a.json", b"[{]" + array(ROWS))):
        with pytest.raises(SampleRefused, match=name):
            contract_of(tmp_path, (name, body), bounds=FEW)
