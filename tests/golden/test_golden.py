"""Documents of earlier versions are read, and written back byte for byte: drops wait under them, hashes name them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts import codec
from contracts.catalog import Index, Pointer
from contracts.decision import File
from contracts.job import JobRequest, JobResult
from contracts.plan import Plan
from contracts.verdict import decide, document
from functions.aws import items
from functions.aws.items import Item
from functions.events.drop_event import DropEvent
from functions.events.shape import Origin, event_of_absence, event_of_step
from functions.ports.drops import Step

CORPUS = Path(__file__).parents[1] / "data" / "golden"
VERSIONS = sorted(path.name for path in CORPUS.iterdir())
LIVES: dict[str, Callable[[Item], Item]] = {
    "BATCH": lambda item: items.batch_item(items.batch_of(item)),
    "KEY": lambda item: items.lineage_item(items.lineage_of(item)),
    "MARKS": lambda item: items.watermarks_item(items.watermarks_of(item)),
    "PAUSES": lambda item: items.pause_item(items.pause_of(item)),
    "ROLL": lambda item: items.roll_item(items.roll_of(item)),
    "WINDOW": lambda item: items.window_item(items.window_of(item)),
}
"""Kinds of items that one value stands behind: the item of the value that was read of an item."""
ORIGIN = Origin("/dropgate/golden", "s3://promoted/")
POINTING = {"ID", "POINTER", "RUN", "SLOTS"}
"""Kinds of items that only lead elsewhere, or say one thing."""


def lines(version: str, name: str) -> list[Any]:
    return [json.loads(line) for line in (CORPUS / version / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def ledger(version: str) -> Iterator[tuple[dict[str, Any], Item]]:
    return ((written, items.loads(written)) for written in lines(version, "items"))


def read_again(item: Item) -> Item:
    """Return the item of the value that an item is read as."""
    kind = items.kind(item)
    if kind == "D":
        if item["sk"] == items.STATE:
            return items.drop_item(items.drop_of(item))
        step = items.step_of(item)
        return {**item, **{name: value for name, value in codec.encode(step).items() if value is not None}}
    if kind == "PENDING":
        drop = items.pending_of(item)
        assert not isinstance(drop, str)
        return items.pending_item(drop)
    if kind == "SET":
        return items.set_item(items.set_of(item)) if item["sk"] == items.STATE else item
    return LIVES[kind](item) if kind not in POINTING else item


@pytest.mark.parametrize("version", VERSIONS)
def test_plans_keep_their_bytes(version: str) -> None:
    texts = (CORPUS / version / "plans.jsonl").read_text(encoding="utf-8").splitlines()
    for text in texts:
        plan = codec.loads(Plan, text, "plan")
        assert (codec.canonical(plan), plan.sha) == (text, hashlib.sha256(text.encode()).hexdigest())
    assert len(texts) > 50


@pytest.mark.parametrize("version", VERSIONS)
def test_catalogs_keep_their_bytes(version: str) -> None:
    pointer, index = ((CORPUS / version / f"{name}.json").read_bytes() for name in ("current", "index"))
    assert codec.canonical(codec.loads(Index, index, "index")).encode() == index
    assert codec.loads(Pointer, pointer, "pointer").index == hashlib.sha256(index).hexdigest()


@pytest.mark.parametrize("version", VERSIONS)
def test_items_are_read_and_written_back(version: str) -> None:
    seen = set()
    for written, item in ledger(version):
        assert items.dumps(read_again(item)) == written
        seen.add(items.kind(item))
    assert seen == {"D", "PENDING", "SET", *LIVES, *POINTING}


@pytest.mark.parametrize("version", VERSIONS)
def test_requests_and_results_keep_their_bytes(version: str) -> None:
    for text in lines(version, "requests"):
        assert JobRequest.loads(text).dumps() == text
    for text in lines(version, "results"):
        assert JobResult.loads(text).dumps() == text


@pytest.mark.parametrize("version", VERSIONS)
def test_results_are_decided_as_they_were(version: str) -> None:
    receipts = {(r["drop"], r["attempt"]): r for r in map(json.loads, lines(version, "receipts"))}
    requests = {(r.batch, r.try_): r for r in map(JobRequest.loads, lines(version, "requests"))}
    decided = 0
    for result in map(JobResult.loads, lines(version, "results")):
        plan = requests[result.header.batch, result.header.try_].plan
        for facts in result.drops:
            decision = decide(plan, facts, result.header.checks)
            receipt = receipts.get((facts.drop, facts.attempt))
            if receipt and not receipt["override"]:
                assert decision.verdict == receipt["verdict"], receipt["key"]
                results = {check["id"]: check["result"] for check in receipt["checks"]}
                assert {check.id: check.result for check in decision.checks} == results
                decided += 1
    assert decided > 20


@pytest.mark.parametrize("version", VERSIONS)
def test_receipts_still_say_all_that_they_said(version: str) -> None:
    requests = {(r.batch, r.try_): r for r in map(JobRequest.loads, lines(version, "requests"))}
    receipts = {(r["drop"], r["attempt"]): r for r in map(json.loads, lines(version, "receipts"))}
    for result in map(JobResult.loads, lines(version, "results")):
        plan = requests[result.header.batch, result.header.try_].plan
        for facts in result.drops:
            before = receipts.get((facts.drop, facts.attempt))
            if before and not before["override"]:
                now = document(decide(plan, facts, result.header.checks), plan, codec.decode(File, before["file"]))
                _says_all(before, {**before, **now})


def _says_all(before: Any, now: Any, place: str = "") -> None:
    """Hold that every key of a document is there still, with a value of the same type."""
    if isinstance(before, dict):
        assert before.keys() <= now.keys(), place
        for name, value in before.items():
            _says_all(value, now[name], f"{place}.{name}")
    elif isinstance(before, list) and before and now:
        _says_all(before[0], now[0], f"{place}[0]")
    else:
        assert before is None or now is None or type(before) is type(now), place


def events_of(version: str) -> Iterator[DropEvent]:
    """Yield the event of each history item of a corpus."""
    for _, item in ledger(version):
        if not item["sk"].startswith(items.HISTORY):
            continue
        if items.kind(item) == "D":
            yield event_of_step(ORIGIN, items.step_of(item), items.facts_of(item), None, None)
        else:
            yield event_of_absence(ORIGIN, items.absence_step_of(item), None)


@pytest.mark.parametrize("version", VERSIONS)
def test_history_still_has_its_events(version: str) -> None:
    made = list(events_of(version))

    assert {event.data.state for event in made} >= {"accepted", "rejected", "failed", "noted"}
    assert {problem.code for event in made for problem in event.data.problems} > {"accepted-by-person"}


@pytest.mark.parametrize("version", ["0.1.0"])
def test_notices_of_first_version_have_places_in_events(version: str) -> None:
    for notice in lines(version, "notices"):
        drop, history, state, problem = (notice["detail"][name] for name in ("drop", "history", "state", "problem"))
        item = {"pk": drop, "sk": history, "state": state, "told": problem, "at": "t", "version": 1, "contract": "c"}
        if items.kind(item) != "D":
            assert event_of_absence(ORIGIN, items.absence_step_of(item), None).data.state == state
            continue
        attempt, step = map(int, history.removeprefix(items.HISTORY).split("#"))
        read = Step(drop.removeprefix("D#"), attempt, step, state, "any", "t")
        event = event_of_step(ORIGIN, read, items.facts_of(item), None, None)
        assert (f"D#{event.subject}", event.data.state) == (drop, state)
        assert [each.code for each in event.data.problems] == ([problem] if problem else [])
