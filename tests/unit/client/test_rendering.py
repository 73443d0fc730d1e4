"""Rendering: what the client prints is what dropgate prints, and no text of others commands a terminal or a CI."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import decision, messages, problem
from contracts.place import Place
from dropgate_client.rendering import screen
from dropgate_client.rendering.drops import claim_text, drop_text, drops_table, history_text, refusal_text
from dropgate_client.rendering.screen import as_json, inert, visible
from dropgate_client.rendering.verdict import EXCUSED, NUMBERS, REASONS, _some, place_text, verdict_text
from dropgate_client.values import Claim, Drop, Problem, Refusal
from infra.cli import screen as dropgates_screen
from infra.cli.output import render
from infra.packaging.bundles import ROOT
from tests.unit.client.conftest import DROP, KEY, a_drop
from tests.unit.infra.cli.output.test_render import MAXIMUM, NOT_MADE, PASSED, TOO_FAST, a_document

RECEIPTS = [
    json.loads(json.loads(line))
    for lines in sorted((ROOT / "tests" / "data" / "golden").glob("*/receipts.jsonl"))
    for line in lines.read_text(encoding="utf-8").splitlines()
]
WARNING = TOO_FAST | {"level": "warning", "record": 0}
HOSTILE = "\x1b[31m::error::\n##[x]\u202e" * 30
RESULTS = ("failed", "error", "warning", "not_evaluated", "passed")
SAMPLES = [
    {"record": 3, "line": 5, "member": "b.csv", "value": HOSTILE, "note": None},
    {"record": 4, "element": "/a/b[2]", "value": "***", "note": "x"},
]
DOCUMENTS = [
    a_document(checks=[PASSED, NOT_MADE, MAXIMUM], problems=[TOO_FAST, WARNING]),
    a_document("accepted_with_warnings", problems=[WARNING], rows={"read": 1000, "valid": 999, "rejected": 1}),
    a_document("accepted", rows={"read": 0, "valid": 0, "rejected": 0}),
    a_document("accepted", rows={"read": 1, "valid": 1, "rejected": 0}),
    a_document(rows={"read": None, "valid": None, "rejected": None}, contract=None),
    a_document(rows={"read": 7, "valid": 7, "rejected": 0}, file={"name": HOSTILE, "size": 1, "sha256": None}),
    a_document(None, failure={"message": "It crashed.", "fix": "Nothing."}),
    a_document(None),
    a_document(problems=[TOO_FAST] * 15, checks=[MAXIMUM | {"samples": SAMPLES}]),
    a_document(problems=[TOO_FAST | {"record": 4, "element": "/a/b[2]"}], checks=[MAXIMUM | {"samples": SAMPLES[1:]}]),
    a_document(checks=[MAXIMUM | {"id": f"{r}{k}", "result": r, "kind": k} for r in RESULTS for k in (*NUMBERS, "x")]),
    a_document(checks=[NOT_MADE | {"id": reason, "reason": reason} for reason in [*REASONS, "another"]]),
    a_document(checks=[MAXIMUM | {"kind": "expectation", "failed": 0, "samples": []}]),
]


@pytest.mark.parametrize("width", [30, 80, 200])
@pytest.mark.parametrize("colour", [False, True])
def test_verdict_is_printed_as_dropgate_prints_it(width: int, colour: bool) -> None:
    assert len(RECEIPTS) > 20
    judged = [r for r in RECEIPTS if r["verdict"] or r["failure"]]

    for document in [*DOCUMENTS, *judged]:
        assert verdict_text(document, width, colour=colour) == render.verdict_text(document, width, colour)


@given(st.text())
def test_text_of_others_is_made_safe_as_dropgate_does_it(text: str) -> None:
    assert visible(text) == problem.visible(text)
    assert inert(text) == dropgates_screen.inert(text)
    assert as_json({"a": text}) == dropgates_screen.as_json({"a": text})
    assert "\n" not in visible(text)


def test_words_are_those_of_dropgate() -> None:
    assert {k: (v.sign, v.word, v.colour) for k, v in screen.LOOKS.items()} == {
        k: (v.sign, v.word, v.colour) for k, v in render.LOOKS.items()
    }
    assert (REASONS, EXCUSED, set(NUMBERS)) == (render.REASONS, decision.EXCUSED, render.NUMBERS)


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_shares_are_those_of_dropgate(a: int, b: int) -> None:
    count, of = sorted((a, b))

    assert _some(count, of) == messages.some(count, of)


@given(
    st.fixed_dictionaries(
        {"record": st.sampled_from([None, 0, 1, 12345])},
        optional={
            name: st.sampled_from([None, value]) for name, value in (("line", 7), ("member", "b"), ("element", "e"))
        },
    )
)
def test_places_are_those_of_dropgate(document: dict[str, Any]) -> None:
    place = Place.of(document)

    assert place_text(document) == (str(place) if place else None)


def test_drops_are_a_line_each() -> None:
    drops = [Drop.of(a_drop("rejected")), Drop.of(a_drop("staged", rows=None, key="k" * 200))]
    table = drops_table(drops, 100).splitlines()

    assert table[0].split() == ["ID", "STATE", "KEY", "READ", "REJECTED", "RECEIVED"]
    assert table[1].split() == ["abcdefghab", "✕", "rejected", KEY, "2", "1", "2026-01-31", "08:00:00"]
    assert "…" in table[2]
    assert max(map(len, table)) <= 100
    assert drops_table([]) == "No drops.\n"


def test_drop_without_verdict_shows_state_and_problems() -> None:
    problems = [{"code": "unmatched", "message": "Nobody claims it.", "fix": "Name it so.", "level": "error"}]
    text = drop_text(Drop.of(a_drop("unmatched", problems=problems)), {"verdict": None, "failure": None}, 80)

    assert text == f"∅ UNMATCHED  {KEY}\n\nWhat to fix\n  ✕ Nobody claims it.\n    → Name it so.\n"
    assert drop_text(Drop.of(a_drop("superseded")), None) == f"↷ SUPERSEDED  {KEY}\n"


def test_history_names_who_decided() -> None:
    step = {"at": "2026-01-31T08:00:00.1Z", "attempt": 1, "state": "received", "event": "received"}
    nobody = {"problem": None, "by": None, "because": None, "seconds": 1.0}
    person = step | {"attempt": 2, "state": "accepted", "event": "accept", "by": "ann", "because": "late\x1b"}
    text = history_text(Drop.of(a_drop(history=[step | nobody, {"problem": None} | person])), 80)

    assert f"drop      {DROP}" in text
    assert "  2026-01-31 08:00:00  … received  received\n" in text
    assert "  2026-01-31 08:00:00  ✓ accepted (attempt 2)  accept by ann: late\\u001b\n" in text


def test_refusal_reads_as_a_rejected_file() -> None:
    refusal = Refusal(KEY, 5, (Problem("header-missing", "No `id`.", "Add it.", place="header"),))

    assert refusal_text(refusal, "weather.csv", 80) == (
        "✕ REJECTED  weather.csv: rejected before its records were read.\n  5 bytes\n\n"
        "What to fix\n  ✕ header: No `id`.\n    → Add it.\n"
    )
    unmatched = Refusal(KEY, 5, (Problem("unmatched", "Nobody claims it.", "Name it so."),))
    assert refusal_text(unmatched, "weather.csv", 80).startswith(f"∅ UNMATCHED  {KEY}\n\nWhat to fix\n")


def test_claim_names_contract_and_depth() -> None:
    text = claim_text(Claim(KEY, "inmet-weather.v1", "1.2.0", "head"), 80)

    assert text == (
        f"✓ MATCHED  {KEY}\n  contract  inmet-weather.v1 1.2.0\n  checked   its name, size and first bytes\n"
    )
