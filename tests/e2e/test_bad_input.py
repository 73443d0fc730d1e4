"""Every kind of bad input through the whole flow: its state, its code, its message; and the page that says so."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from contracts.problem import visible
from functions.drop import Drop
from functions.operations.replay import replay
from tests.e2e.cases import CASES as OTHERS
from tests.e2e.cases import GOOD, Case
from tests.e2e.conftest import World
from tests.e2e.parquet_cases import CASES as OF_PARQUET

CASES = (*OTHERS, *OF_PARQUET)
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "bad-input.md"
HEAD = """\
# Bad input

What is sent, and what the flow answers. Made from the runs of `tests/e2e`, not by hand: a test fails where this page
and the flow disagree. *Where* says who notices: admission (a small function, within seconds, without Spark), the job
(Spark), or the flow itself.

| input | state | code | what the producer reads | where |
|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """A line of the page."""

    input: str
    state: str
    codes: str
    message: str
    where: str

    def __str__(self) -> str:
        cells = (self.input, self.state, self.codes, self.message, self.where)
        return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |\n"


@pytest.fixture(scope="module")
def ended(world: World) -> dict[str, Drop]:
    """Every case sent at once, and how it ended."""
    ids = {case.name: world.upload(case.key, case.body) for case in CASES}
    return {name: world.settled(drop_id, 600) for name, drop_id in ids.items()}


def row(name: str, drop: Drop, where: str) -> Row:
    codes = ", ".join(dict.fromkeys(f"`{p.code}`" for p in drop.problems))
    first = drop.problems[0] if drop.problems else None
    text = f"{visible(first.message, 300)} {visible(first.fix, 300)}" if first else ""
    text = re.sub(r"\b[a-z2-7]{32}\b", "…", text)  # ids of drops differ from run to run
    return Row(name, drop.state.replace("_", " "), codes, text, where)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_bad_file_ends_in_its_named_state(case: Case, ended: dict[str, Drop], world: World) -> None:
    drop = ended[case.name]
    assert (drop.state, set(case.codes) <= {p.code for p in drop.problems}) == (case.state, True), drop.problems
    assert all(p.message and p.fix for p in drop.problems)
    assert (drop.batch is not None) == (case.where == "job")
    body = world.ports.store.get(drop.source.uri)
    assert body == case.body, "its bytes are kept"


@pytest.mark.parametrize("case", [c for c in CASES if c.where != "flow"], ids=lambda c: c.name)
def test_every_judged_drop_has_its_receipt(case: Case, ended: dict[str, Drop], world: World) -> None:
    drop = ended[case.name]
    assert drop.receipt
    receipt = json.loads(world.ports.store.get(drop.receipt))
    assert (receipt["verdict"], receipt["drop"]) == (case.state, drop.id)
    page = world.ports.store.get(drop.receipt.replace("receipt.json", "receipt.html")).decode()
    assert "Traceback" not in page
    if receipt["rejected_rows"]:
        assert world.ports.store.get(drop.receipt.replace("receipt.json", receipt["rejected_rows"]))


def test_promoted_zone_holds_accepted_files_alone(ended: dict[str, Drop], world: World) -> None:
    promoted = world.objects("promoted")
    for case in CASES:
        where = f"{ended[case.name].contract}/{case.key}"
        assert promoted.get(where) == (case.body if case.state == "accepted" else None)


def test_newer_of_two_uploads_stands(world: World) -> None:
    with world.embedded.asleep():
        first = world.upload("orders/replaced.csv", GOOD)
        second = world.upload("orders/replaced.csv", GOOD + b"9,z,1,\n")
    assert [world.settled(d).state for d in (first, second)] == ["accepted", "accepted"]
    assert world.objects("promoted")["orders.v1/orders/replaced.csv"] == GOOD + b"9,z,1,\n"


@pytest.fixture(scope="module")
def overtaken(world: World) -> tuple[Drop, Drop]:
    """A file that is judged again, under a milder contract, after a newer one of its key was accepted."""
    orders = next(p for p in world.plans if p.contract == "orders.v1")
    strict = replace(orders, contract="again.v1", id="again", files=("again/*.csv",))
    world.embedded.publish([*world.plans, strict])
    first = world.upload("again/1.csv", b"id,name,day\n1,Ana,\n")
    world.settled(first)
    second = world.settled(world.upload("again/1.csv", GOOD))
    world.embedded.publish([*world.plans, replace(strict, columns=replace(strict.columns, missing="ignore"))])
    replay(world.ports, first)
    overtaken = world.settled(first)
    world.embedded.publish(world.plans)
    return overtaken, second


def test_older_file_does_not_come_back_over_a_newer(overtaken: tuple[Drop, Drop], world: World) -> None:
    first, second = overtaken
    assert (first.state, first.attempt, second.state) == ("superseded", 2, "accepted")
    assert world.objects("promoted")["again.v1/again/1.csv"] == GOOD


@pytest.fixture(scope="module")
def twice(world: World) -> tuple[Drop, Drop, Drop]:
    """A file, another one under its key, and the same bytes under another key, where the contract wants none of it."""
    orders = next(p for p in world.plans if p.contract == "orders.v1")
    once = replace(
        orders, contract="once.v1", id="once", files=("once/*.csv",), same_key="reject", same_content="reject"
    )
    world.embedded.publish([*world.plans, once])
    first = world.settled(world.upload("once/1.csv", GOOD))
    rest = world.upload("once/1.csv", GOOD + b"9,z,1,\n"), world.upload("once/2.csv", GOOD)
    settled = first, world.settled(rest[0]), world.settled(rest[1])
    world.embedded.publish(world.plans)
    return settled


def test_what_was_accepted_is_not_accepted_twice(twice: tuple[Drop, Drop, Drop], world: World) -> None:
    assert [d.state for d in twice] == ["accepted", "rejected", "rejected"]
    assert {k: v for k, v in world.objects("promoted").items() if "once" in k} == {"once.v1/once/1.csv": GOOD}


@pytest.fixture(scope="module")
def vanished(world: World) -> Drop:
    """An object that is deleted before any function runs."""
    with world.embedded.asleep():
        version = world.embedded.upload("orders/gone.csv", GOOD)
        bucket = world.embedded.stack.names["LandingBucket"]
        drop_id = world.upload("orders/gone.csv", GOOD)
        client = world.embedded.client("s3")
        for one in client.list_object_versions(Bucket=bucket, Prefix="orders/gone.csv")["Versions"]:
            client.delete_object(Bucket=bucket, Key="orders/gone.csv", VersionId=one["VersionId"])
    assert version
    return world.settled(drop_id)


def test_deleted_object_is_vanished(vanished: Drop) -> None:
    assert vanished.state == "vanished"


@pytest.fixture(scope="module")
def locked(world: World) -> tuple[Drop, Drop]:
    """Files that nobody here can decrypt: under a key that the producer keeps, under a key of another account."""
    customers = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": "k" * 32}
    foreign = {
        "ServerSideEncryption": "aws:kms",
        "SSEKMSKeyId": "arn:aws:kms:us-east-1:210987654321:key/0a1b2c3d-0000-4000-8000-000000000000",
    }
    ids = [world.upload(f"orders/locked-{n}.csv", GOOD, **how) for n, how in enumerate((customers, foreign))]
    first, second = (world.settled(drop_id) for drop_id in ids)
    return first, second


def test_file_that_nobody_can_decrypt_is_rejected_with_a_receipt(locked: tuple[Drop, Drop], world: World) -> None:
    for drop in locked:
        assert (drop.state, drop.verdict, drop.batch) == ("rejected", "rejected", None)
        assert drop.source.uri.startswith(world.ports.zones.landing), "it stays where its uploader can get at it"
        assert drop.receipt
        receipt = json.loads(world.ports.store.get(drop.receipt))
        assert [p["code"] for p in receipt["problems"]] == ["unreadable-object"]


@pytest.fixture(scope="module")
def archived(world: World) -> Drop:
    """A file that its producer uploaded into an archive."""
    return world.settled(world.upload("orders/archived.csv", GOOD, StorageClass="GLACIER"))


def test_archived_file_is_rejected_by_name_and_stays(archived: Drop, world: World) -> None:
    assert (archived.state, [p.code for p in archived.problems]) == ("rejected", ["archived-object"])
    assert archived.source.uri.startswith(world.ports.zones.landing)


@pytest.fixture(scope="module")
def crashed(world: World) -> Drop:
    """A drop whose job crashes every time."""
    return world.settled(world.upload("crash/1.csv", GOOD), 90)


def test_crashing_job_fails_the_drop(crashed: Drop, world: World) -> None:
    assert (crashed.state, crashed.verdict, crashed.try_) == ("failed", None, 3)
    assert [p.code for p in crashed.problems] == ["job-failed"]
    assert not [k for k in world.objects("promoted") if k.startswith("crash")]


@pytest.fixture(scope="module")
def deadly(world: World) -> dict[str, Drop]:
    """Files that share a job, which one of them kills."""
    with world.embedded.asleep():
        ids = {name: world.upload(f"orders/deadly-{name}.csv", GOOD) for name in ("a", "b", "killer", "d")}
    world.embedded.emr.deadly.add(ids["killer"])
    drops = {name: world.settled(drop_id) for name, drop_id in ids.items()}
    world.embedded.emr.deadly.clear()
    return drops


def test_file_that_kills_its_job_fails_alone(deadly: dict[str, Drop], world: World) -> None:
    states = {name: drop.state for name, drop in deadly.items()}
    assert states == {"a": "accepted", "b": "accepted", "killer": "failed", "d": "accepted"}
    assert [p.code for p in deadly["killer"].problems] == ["job-killed"]
    batch = world.ports.ledger.batch(deadly["killer"].batch or "")
    assert batch
    assert (batch.members, batch.reason) == ((deadly["killer"].id,), "FAILED: RunKilledError")
    evidence = {key.partition("batch=")[2].partition("/")[0] for key in world.objects("evidence")}
    assert evidence & {drop.batch for drop in deadly.values()} == {deadly[name].batch for name in ("a", "b", "d")}


@pytest.fixture(scope="module")
def twofold(world: World) -> Drop:
    """A key that two contracts claim, which lint would never have published."""
    orders = next(p for p in world.plans if p.contract == "orders.v1")
    twins = [replace(orders, contract=f"twin-{n}.v1", id=f"twin-{n}", files=("twins/*.csv",)) for n in "ab"]
    world.embedded.publish([*world.plans, *twins])
    drop = world.settled(world.upload("twins/1.csv", GOOD))
    world.embedded.publish(world.plans)
    return drop


def test_key_of_two_contracts_is_unmatched(twofold: Drop) -> None:
    assert twofold.state == "unmatched"
    assert "twin-a.v1" in twofold.problems[0].message


def test_page_says_what_the_flow_answers(
    ended: dict[str, Drop],
    locked: tuple[Drop, Drop],
    archived: Drop,
    overtaken: tuple[Drop, Drop],
    twice: tuple[Drop, Drop, Drop],
    vanished: Drop,
    crashed: Drop,
    deadly: dict[str, Drop],
    twofold: Drop,
) -> None:
    rows = [
        *(row(c.name, ended[c.name], c.where) for c in CASES),
        row("a file encrypted with a key that its producer keeps (SSE-C)", locked[0], "admission"),
        row("a file encrypted with a key of another account", locked[1], "admission"),
        row("an archived file (S3 Glacier)", archived, "admission"),
        row("a file judged again after a newer one of its key was accepted", overtaken[0], "flow"),
        row("a second file under a key, where `sameKey: reject`", twice[1], "flow"),
        row("the same bytes under another key, where `sameContent: reject`", twice[2], "flow"),
        row("an object deleted before anyone looks", vanished, "flow"),
        row("a key that two contracts claim", twofold, "flow"),
        row("a job that crashes, three times", crashed, "flow"),
        row("a file that kills its job, among others that do not", deadly["killer"], "flow"),
    ]
    text = HEAD + "".join(map(str, rows))
    made, by_hand, rest = PAGE.read_text(encoding="utf-8").partition("\n## ")
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        made = text
        PAGE.write_text(f"{made}{by_hand}{rest}", encoding="utf-8")
    assert made == text, "run `DROPGATE_WRITE_DOCS=1 make test` and look at the difference"
