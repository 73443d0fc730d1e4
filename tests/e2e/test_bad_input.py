"""Every kind of bad input through the whole flow: its state, its code, its message; and the page that says so."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from contracts.plan import Plan
from contracts.problem import visible
from functions.drop import Drop
from functions.operations.replay import replay
from tests.e2e.cases import CASES as OTHERS
from tests.e2e.cases import GOOD, Case
from tests.e2e.conftest import World
from tests.e2e.fixed_cases import CASES as OF_FIXED
from tests.e2e.json_cases import CASES as OF_JSON
from tests.e2e.parquet_cases import CASES as OF_PARQUET
from tests.e2e.sheet_cases import CASES as OF_SHEETS
from tests.e2e.xml_cases import CASES as OF_XML

CASES = (*OTHERS, *OF_JSON, *OF_FIXED, *OF_PARQUET, *OF_XML, *OF_SHEETS)
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "bad-input.md"
HEAD = """\
# Bad input

Each kind of bad file, and the answer of the flow. The table is made from the runs of `tests/e2e`, not by hand: a test
fails where this page and the flow disagree. *Where* names the part that notices the fault: admission (a small function,
within seconds, without Spark), the job (Spark), or the flow itself.

| input | state | code | message for the producer | where |
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


@dataclass(frozen=True)
class Upload:
    """A file to send; `how` is how its producer has S3 keep it."""

    key: str
    body: bytes = GOOD
    how: Mapping[str, str] = field(default_factory=dict)


LONGER = GOOD + b"9,z,1,\n"
FIRST = {
    "replaced": Upload("orders/replaced.csv"),
    "replacing": Upload("orders/replaced.csv", LONGER),
    "judged again": Upload("again/1.csv", b"id,name,day\n1,Ana,\n"),
    "once": Upload("once/1.csv"),
    "of two contracts": Upload("twins/1.csv"),
    "vanished": Upload("orders/gone.csv"),
    "crashing": Upload("crash/1.csv"),
    "archived": Upload("orders/archived.csv", how={"StorageClass": "GLACIER"}),
    "key of the producer": Upload(
        "orders/locked-0.csv", how={"SSECustomerAlgorithm": "AES256", "SSECustomerKey": "k" * 32}
    ),
    "key of another account": Upload(
        "orders/locked-1.csv",
        how={
            "ServerSideEncryption": "aws:kms",
            "SSEKMSKeyId": "arn:aws:kms:us-east-1:210987654321:key/0a1b2c3d-0000-4000-8000-000000000000",
        },
    ),
}
"""Files that no case of one file is, by what becomes of them."""
SECOND = {
    "newer": Upload("again/1.csv"),
    "same key": Upload("once/1.csv", LONGER),
    "same content": Upload("once/2.csv"),
    **{f"deadly {name}": Upload(f"orders/deadly-{name}.csv") for name in ("a", "b", "killer", "d")},
}
"""Files that come when the first have ended."""


def own_contracts(world: World) -> dict[str, Plan]:
    """Contracts that lint would not publish, or of which a test has another version."""
    orders = next(p for p in world.plans if p.contract == "orders.v1")
    again = replace(orders, contract="again.v1", id="again", files=("again/*.csv",))
    once = replace(
        orders, contract="once.v1", id="once", files=("once/*.csv",), same_key="reject", same_content="reject"
    )
    twins = [replace(orders, contract=f"twin-{n}.v1", id=f"twin-{n}", files=("twins/*.csv",)) for n in "ab"]
    return {plan.contract: plan for plan in (again, once, *twins)}


@pytest.fixture(scope="module")
def drops(world: World) -> dict[str, Drop]:
    """Return the drop of each case: first all cases at once, then those that need the end of another, then replays.

    They are taken in while all else sleeps, so that files of one contract share a job.
    """
    plans = own_contracts(world)
    world.embedded.publish([*world.plans, *plans.values()])
    cases = {case.name: Upload(case.key, case.body) for case in CASES}
    with world.embedded.asleep():
        ids = {name: world.upload(each.key, each.body, **each.how) for name, each in {**cases, **FIRST}.items()}
        _delete(world, FIRST["vanished"].key)
        world.take_in()
    ended = {name: world.settled(drop_id, 600) for name, drop_id in ids.items()}
    with world.embedded.asleep():
        later = {name: world.upload(each.key, each.body) for name, each in SECOND.items()}
        world.embedded.emr.deadly.add(later["deadly killer"])
        world.take_in()
    ended |= {name: world.settled(drop_id) for name, drop_id in later.items()}
    world.embedded.emr.deadly.clear()
    milder = replace(plans["again.v1"], columns=replace(plans["again.v1"].columns, missing="ignore"))
    world.embedded.publish([*world.plans, *(plans | {"again.v1": milder}).values()])
    replay(world.ports, ended["judged again"].id)
    ended["judged again"] = world.settled(ended["judged again"].id)
    world.embedded.publish(world.plans)
    return ended


def _delete(world: World, key: str) -> None:
    """Delete all versions of an object that nobody has looked at."""
    client, bucket = world.embedded.client("s3"), world.embedded.stack.names["LandingBucket"]
    for version in client.list_object_versions(Bucket=bucket, Prefix=key)["Versions"]:
        client.delete_object(Bucket=bucket, Key=key, VersionId=version["VersionId"])


def row(name: str, drop: Drop, where: str) -> Row:
    codes = ", ".join(dict.fromkeys(f"`{p.code}`" for p in drop.problems))
    first = drop.problems[0] if drop.problems else None
    message = f"{visible(first.message, 300)} {visible(first.fix, 300)}" if first else ""
    message = re.sub(r"\b[a-z2-7]{32}\b", "…", message)  # ids of drops differ from run to run
    return Row(name, drop.state.replace("_", " "), codes, message, where)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_bad_file_ends_in_its_named_state(case: Case, drops: dict[str, Drop], world: World) -> None:
    drop = drops[case.name]
    assert (drop.state, set(case.codes) <= {p.code for p in drop.problems}) == (case.state, True), drop.problems
    assert all(p.message and p.fix for p in drop.problems)
    assert (drop.batch is not None) == (case.where == "job")
    body = world.ports.store.get(drop.source.uri)
    assert body == case.body, "its bytes are kept"


@pytest.mark.parametrize("case", [c for c in CASES if c.where != "flow"], ids=lambda c: c.name)
def test_every_judged_drop_has_its_receipt(case: Case, drops: dict[str, Drop], world: World) -> None:
    drop = drops[case.name]
    assert drop.receipt
    receipt = json.loads(world.ports.store.get(drop.receipt))
    assert (receipt["verdict"], receipt["drop"]) == (case.state, drop.id)
    page = world.ports.store.get(drop.receipt.replace("receipt.json", "receipt.html")).decode()
    assert "Traceback" not in page
    if receipt["rejected_rows"]:
        assert world.ports.store.get(drop.receipt.replace("receipt.json", receipt["rejected_rows"]))


def test_promoted_zone_holds_accepted_files_alone(drops: dict[str, Drop], world: World) -> None:
    promoted = world.objects("promoted")
    for case in CASES:
        key = f"{drops[case.name].contract}/{case.key}"
        assert promoted.get(key) == (case.body if case.state == "accepted" else None)


def test_newer_of_two_uploads_stands(drops: dict[str, Drop], world: World) -> None:
    assert [drops[name].state for name in ("replaced", "replacing")] == ["accepted", "accepted"]
    assert world.objects("promoted")["orders.v1/orders/replaced.csv"] == LONGER


def test_older_file_does_not_come_back_over_a_newer(drops: dict[str, Drop], world: World) -> None:
    """The older one is judged again, under a milder contract, after a newer one of its key was accepted."""
    older, newer = drops["judged again"], drops["newer"]
    assert (older.state, older.attempt, newer.state) == ("superseded", 2, "accepted")
    assert world.objects("promoted")["again.v1/again/1.csv"] == GOOD


def test_what_was_accepted_is_not_accepted_twice(drops: dict[str, Drop], world: World) -> None:
    """Another file under its key, and the same bytes under another key, where the contract wants none of it."""
    states = [drops[name].state for name in ("once", "same key", "same content")]
    assert states == ["accepted", "rejected", "rejected"]
    promoted = {key: body for key, body in world.objects("promoted").items() if "once" in key}
    assert promoted == {"once.v1/once/1.csv": GOOD}


def test_deleted_object_is_vanished(drops: dict[str, Drop]) -> None:
    assert drops["vanished"].state == "vanished"


@pytest.mark.parametrize("name", ["key of the producer", "key of another account"])
def test_file_that_nobody_can_decrypt_is_rejected_with_a_receipt(
    name: str, drops: dict[str, Drop], world: World
) -> None:
    drop = drops[name]
    assert (drop.state, drop.verdict, drop.batch) == ("rejected", "rejected", None)
    assert drop.source.uri.startswith(world.ports.zones.landing), "it stays where its uploader can get at it"
    assert drop.receipt
    receipt = json.loads(world.ports.store.get(drop.receipt))
    assert [p["code"] for p in receipt["problems"]] == ["unreadable-object"]


def test_archived_file_is_rejected_by_name_and_stays(drops: dict[str, Drop], world: World) -> None:
    archived = drops["archived"]
    assert (archived.state, [p.code for p in archived.problems]) == ("rejected", ["archived-object"])
    assert archived.source.uri.startswith(world.ports.zones.landing)


def test_crashing_job_fails_the_drop(drops: dict[str, Drop], world: World) -> None:
    crashed = drops["crashing"]
    assert (crashed.state, crashed.verdict, crashed.try_) == ("failed", None, 3)
    assert [p.code for p in crashed.problems] == ["job-failed"]
    assert not [k for k in world.objects("promoted") if k.startswith("crash")]


def test_file_that_kills_its_job_fails_alone(drops: dict[str, Drop], world: World) -> None:
    deadly = {name: drops[f"deadly {name}"] for name in ("a", "b", "killer", "d")}
    states = {name: drop.state for name, drop in deadly.items()}
    assert states == {"a": "accepted", "b": "accepted", "killer": "failed", "d": "accepted"}
    assert [p.code for p in deadly["killer"].problems] == ["job-killed"]
    batch = world.ports.ledger.batch(deadly["killer"].batch or "")
    assert batch
    assert (batch.members, batch.reason) == ((deadly["killer"].id,), "FAILED: RunKilledError")
    evidence = {key.partition("batch=")[2].partition("/")[0] for key in world.objects("evidence")}
    assert evidence & {drop.batch for drop in deadly.values()} == {deadly[name].batch for name in ("a", "b", "d")}


def test_key_of_two_contracts_is_unmatched(drops: dict[str, Drop]) -> None:
    assert drops["of two contracts"].state == "unmatched"
    assert "twin-a.v1" in drops["of two contracts"].problems[0].message


PAGED = {
    "a file encrypted with a key that its producer keeps (SSE-C)": ("key of the producer", "admission"),
    "a file encrypted with a key of another account": ("key of another account", "admission"),
    "an archived file (S3 Glacier)": ("archived", "admission"),
    "a file judged again after a newer one of its key was accepted": ("judged again", "flow"),
    "a second file under a key, where `sameKey: reject`": ("same key", "flow"),
    "the same bytes under another key, where `sameContent: reject`": ("same content", "flow"),
    "an object deleted before anyone looks": ("vanished", "flow"),
    "a key that two contracts claim": ("of two contracts", "flow"),
    "a job that crashes, three times": ("crashing", "flow"),
    "a file that kills its job, among others that do not": ("deadly killer", "flow"),
}
"""What the page says of files that no case of one file is: which of them, and where it is noticed."""


def test_page_says_what_the_flow_answers(drops: dict[str, Drop]) -> None:
    rows = [
        *(row(case.name, drops[case.name], case.where) for case in CASES),
        *(row(text, drops[name], where) for text, (name, where) in PAGED.items()),
    ]
    text = HEAD + "".join(map(str, rows))
    made, by_hand, rest = PAGE.read_text(encoding="utf-8").partition("\n## ")
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        made = text
        PAGE.write_text(f"{made}{by_hand}{rest}", encoding="utf-8")
    assert made == text, "run `DROPGATE_WRITE_DOCS=1 make test` and look at the difference"
