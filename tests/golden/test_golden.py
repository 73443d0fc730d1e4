"""Documents of earlier versions are read, and written back byte for byte: drops wait under them, hashes name them."""

from __future__ import annotations

import hashlib
import json
import re
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
from infra.packaging.bundles import ROOT

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


@pytest.mark.parametrize("version", VERSIONS)
def test_notices_still_have_all_places(version: str) -> None:
    (pipe,) = re.findall(r"InputTemplate: >-\n\s+(\{.*\})", (ROOT / "infra/aws/state.yaml").read_text())
    places = set(re.findall(r'"(\w+)": <', pipe))
    for notice in lines(version, "notices"):
        assert notice["detail"].keys() <= places
