"""Samples that are JSON documents: the form that is proposed, with its reason, and what stays JSON Lines."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from contracts.plan import Json
from functions.admission.admit import admit
from infra.sampling import documents
from tests.oracle.test_drafts import contract_of
from tests.packing import zipped

ROWS = [{"id": n, "day": "2026-01-31", "tags": [{"a": n}, {"a": 2}]} for n in range(1, 4)]
POINT = {"type": "Feature", "properties": {"name": "x"}, "geometry": {"type": "Point", "coordinates": [1.5, 2]}}


def document(value: Any, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent).encode()


FORMS: dict[str, tuple[bytes, Json | None]] = {
    "an array": (document(ROWS), Json()),
    "an array over lines": (document(ROWS, 2), Json()),
    "an array behind a mark": (b"\xef\xbb\xbf\n" + document(ROWS), Json()),
    "objects over lines": (b"\n".join(document(row, 2) for row in ROWS), Json()),
    "one object over lines": (document({"id": 1, "day": "x"}, 1), Json()),
    "lines": (b"\n".join(map(document, ROWS)), None),
    "one line": (document(ROWS[0] | {"tags": [{"a": 1}]}), None),
    "a wrapper": (document({"count": 3, "rows": ROWS}), Json("rows")),
    "a wrapper over lines": (
        document({"meta": {"warnings": [{"a": 1}]}, "data": {"items": ROWS}}, 1),
        Json("data.items"),
    ),
    "the longest list": (document({"few": ROWS[:2], "all": ROWS, "numbers": [1, 2, 3, 4]}), Json("all")),
    "a key with a point": (document({"a.b": {"c": ROWS}}), Json(r"a\.b.c")),
    "GeoJSON": (document({"type": "FeatureCollection", "features": [POINT]}), Json("features")),
    "CSV": (b"[a],[b]\n1,2\n", None),
    "numbers": (b"[1, 2]", None),
}


WRITTEN: dict[str, tuple[list[Any], str, Any]] = {
    "decimal commas": (["1.234,50", "17,00"], "number", {"decimalChar": ",", "groupChar": "."}),
    "a currency": (["$1.50", "$17.25"], "number", {"columns": {"v": {"prefixes": ["$"]}}}),
    "words of booleans": (["J", "N"], "boolean", {"columns": {"v": {"trueValues": ["J"], "falseValues": ["N"]}}}),
    "days": (["3.7.2024", "14.12.2024"], "date", {"columns": {"v": {"formats": ["d.M.yyyy"]}}}),
    "days and words for null": (
        ["3.7.2024", "", "-"],
        "date",
        {"columns": {"v": {"nullValues": ["", "-"], "formats": ["d.M.yyyy"]}}},
    ),
    "days in ISO and nothing": (["2024-07-03", ""], "date", {"columns": {"v": {"nullValues": [""]}}}),
    "numbers that could be names": (["12", "13"], "string", None),
    "texts and words for null": (["x", "-"], "string", None),
    "numbers and nothing": ([5, ""], "integer", {"columns": {"v": {"nullValues": [""]}}}),
    "numbers and numbers in texts": ([1.5, "2.5"], "number", {"columns": {"v": {"decimalChar": "."}}}),
    "booleans and a word for null": ([True, False, "n.a."], "boolean", {"columns": {"v": {"nullValues": ["n.a."]}}}),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("form", ["lines", "nested", "document"])
def test_form_of_texts_is_proposed(tmp_path: Path, name: str, form: str) -> None:
    texts, kind, values = WRITTEN[name]
    rows: list[Any] = [{"id": n, "v": text} for n, text in enumerate(texts * 3)]
    if form == "nested":
        rows = [{"id": row["id"], "in": [{"v": row["v"]}]} for row in rows]
        values = json.loads(json.dumps(values).replace('"v"', '"in[].v"'))
    body = document({"all": rows}) if form == "document" else b"\n".join(map(document, rows))

    plan, text = contract_of(tmp_path, ("a.json", body))

    assert next(p for p in plan.properties if p.name in ("v", "in[].v")).type == kind
    block = yaml.safe_load(text)["customProperties"][0]["value"]
    assert block.get("values") == values
    assert admit(plan, "a.json", len(body), lambda start, stop: body[start:stop]).problems == ()


def test_numbers_in_texts_are_named(tmp_path: Path) -> None:
    rows = b"\n".join(document({"id": n, "price": f"{n}.50"}) for n in range(5))

    plan, text = contract_of(tmp_path, ("a.jsonl", rows))

    assert plan.property_named("price").type == "string"
    assert "`price`: whether their texts are numbers" in text


@pytest.mark.parametrize("name", FORMS)
def test_form_of_a_document_is_recognised(tmp_path: Path, name: str) -> None:
    body, form = FORMS[name]
    for n, bytes_ in enumerate((body, gzip.compress(body))):
        path = tmp_path / f"{n}.json"
        path.write_bytes(bytes_)
        assert documents.form_of(path) == form


@pytest.mark.parametrize("name", [name for name, (_, form) in FORMS.items() if form])
@pytest.mark.parametrize("packed", ["plain", "gzip", "zip"])
def test_document_is_drafted_and_admitted(tmp_path: Path, name: str, packed: str) -> None:
    body, form = FORMS[name]
    packs = {"plain": body, "gzip": gzip.compress(body), "zip": zipped({"x.json": body})}
    plan, text = contract_of(tmp_path, ("things.json", packs[packed]))
    admission = admit(plan, "maker/a", len(packs[packed]), lambda start, n: packs[packed][start : start + n])
    assert admission.problems == ()
    assert "format: json " in text
    path = form.property if form else ""
    assert (f"json: {{property: {path}}}  # proposed: it leads to" in text) == bool(path)
    assert ("compression: gzip" in text) == (packed == "gzip")
