"""Every kind of bad input through the whole flow: its state, its code, its message; and the page that says so."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from contracts.plan import Plan
from contracts.problem import visible
from functions.drop import Drop
from functions.operations.replay import replay
from tests.e2e.cases import GOOD, Case
from tests.e2e.conftest import World
from tests.e2e.sections import COMMON, SECTIONS

SAMPLES = tuple(cases[0] for section, cases in SECTIONS.items() if section != COMMON)
"""One good file of each other form: `make test` sends these, the proofs send the whole section."""
RUNS = {
    "common": (*SECTIONS[COMMON], *SAMPLES),
    "forms": tuple(case for name, cases in SECTIONS.items() if name != COMMON for case in cases),
}
"""The cases that are sent at once, by the name of the fixture that sends them."""
SENT = [(run, case) for run, cases in RUNS.items() for case in cases]
JUDGED = [(run, case) for run, case in SENT if case.where != "flow"]
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "bad-input.md"
TABLE = """\
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
def common(world: World) -> dict[str, Drop]:
    """Return the drop of each case of the first run: all cases at once, those that need another's end, then replays.

    They are taken in while all else sleeps, so that files of one contract share a job.
    """
    plans = own_contracts(world)
    world.embedded.publish([*world.plans, *plans.values()])
    with world.embedded.asleep():
        ids = _sent(world, {**_uploads(RUNS["common"]), **FIRST})
        _delete(world, FIRST["vanished"].key)
        world.take_in()
    ended = {name: world.settled(drop_id, 600) for name, drop_id in ids.items()}
    with world.embedded.asleep():
        later = _sent(world, SECOND)
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


@pytest.fixture(scope="module")
def forms(world: World) -> dict[str, Drop]:
    """Return the drop of each case of the other forms, which were sent at once."""
    with world.embedded.asleep():
        ids = _sent(world, _uploads(RUNS["forms"]))
        world.take_in()
    return {name: world.settled(drop_id, 600) for name, drop_id in ids.items()}


def _uploads(cases: Iterable[Case]) -> dict[str, Upload]:
    return {case.name: Upload(case.key, case.body) for case in cases}


def _sent(world: World, uploads: Mapping[str, Upload]) -> dict[str, str]:
    """Upload files; return the id of each one's drop."""
    return {name: world.upload(each.key, each.body, **each.how) for name, each in uploads.items()}


@pytest.fixture
def drops(run: str, request: pytest.FixtureRequest) -> dict[str, Drop]:
    """Return the drops of a run, by the name of their case."""
    return dict(request.getfixturevalue(run))


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


@pytest.mark.parametrize(("run", "case"), SENT, ids=[f"{run}, {case.name}" for run, case in SENT])
def test_bad_file_ends_in_its_named_state(case: Case, drops: dict[str, Drop], world: World) -> None:
    drop = drops[case.name]
    assert (drop.state, set(case.codes) <= {p.code for p in drop.problems}) == (case.state, True), drop.problems
    assert all(p.message and p.fix for p in drop.problems)
    assert (drop.batch is not None) == (case.where == "job")
    body = world.ports.store.get(drop.source.uri)
    assert body == case.body, "its bytes are kept"


@pytest.mark.parametrize(("run", "case"), JUDGED, ids=[f"{run}, {case.name}" for run, case in JUDGED])
def test_every_judged_drop_has_its_receipt(case: Case, drops: dict[str, Drop], world: World) -> None:
    drop = drops[case.name]
    assert drop.receipt
    receipt = json.loads(world.ports.store.get(drop.receipt))
    assert (receipt["verdict"], receipt["drop"]) == (case.state, drop.id)
    page = world.ports.store.get(drop.receipt.replace("receipt.json", "receipt.html")).decode()
    assert "Traceback" not in page
    if receipt["rejected_rows"]:
        assert world.ports.store.get(drop.receipt.replace("receipt.json", receipt["rejected_rows"]))


@pytest.mark.parametrize("run", RUNS)
def test_promoted_zone_holds_accepted_files_alone(run: str, drops: dict[str, Drop], world: World) -> None:
    promoted = world.objects("promoted")
    for case in RUNS[run]:
        key = f"{drops[case.name].contract}/{case.key}"
        assert promoted.get(key) == (case.body if case.state == "accepted" else None)


def test_newer_of_two_uploads_stands(common: dict[str, Drop], world: World) -> None:
    assert [common[name].state for name in ("replaced", "replacing")] == ["accepted", "accepted"]
    assert world.objects("promoted")["orders.v1/orders/replaced.csv"] == LONGER


def test_older_file_does_not_come_back_over_a_newer(common: dict[str, Drop], world: World) -> None:
    """The older one is judged again, under a milder contract, after a newer one of its key was accepted."""
    older, newer = common["judged again"], common["newer"]
    assert (older.state, older.attempt, newer.state) == ("superseded", 2, "accepted")
    assert world.objects("promoted")["again.v1/again/1.csv"] == GOOD


def test_what_was_accepted_is_not_accepted_twice(common: dict[str, Drop], world: World) -> None:
    """Another file under its key, and the same bytes under another key, where the contract wants none of it."""
    states = [common[name].state for name in ("once", "same key", "same content")]
    assert states == ["accepted", "rejected", "rejected"]
    promoted = {key: body for key, body in world.objects("promoted").items() if "once" in key}
    assert promoted == {"once.v1/once/1.csv": GOOD}


def test_deleted_object_is_vanished(common: dict[str, Drop]) -> None:
    assert common["vanished"].state == "vanished"


@pytest.mark.parametrize("name", ["key of the producer", "key of another account"])
def test_file_that_nobody_can_decrypt_is_rejected_with_a_receipt(
    name: str, common: dict[str, Drop], world: World
) -> None:
    drop = common[name]
    assert (drop.state, drop.verdict, drop.batch) == ("rejected", "rejected", None)
    assert drop.source.uri.startswith(world.ports.zones.landing), "it stays where its uploader can get at it"
    assert drop.receipt
    receipt = json.loads(world.ports.store.get(drop.receipt))
    assert [p["code"] for p in receipt["problems"]] == ["unreadable-object"]


def test_archived_file_is_rejected_by_name_and_stays(common: dict[str, Drop], world: World) -> None:
    archived = common["archived"]
    assert (archived.state, [p.code for p in archived.problems]) == ("rejected", ["archived-object"])
    assert archived.source.uri.startswith(world.ports.zones.landing)


def test_crashing_job_fails_the_drop(common: dict[str, Drop], world: World) -> None:
    crashed = common["crashing"]
    assert (crashed.state, crashed.verdict, crashed.try_) == ("failed", None, 3)
    assert [p.code for p in crashed.problems] == ["job-failed"]
    assert not [k for k in world.objects("promoted") if k.startswith("crash")]


def test_file_that_kills_its_job_fails_alone(common: dict[str, Drop], world: World) -> None:
    deadly = {name: common[f"deadly {name}"] for name in ("a", "b", "killer", "d")}
    states = {name: drop.state for name, drop in deadly.items()}
    assert states == {"a": "accepted", "b": "accepted", "killer": "failed", "d": "accepted"}
    assert [p.code for p in deadly["killer"].problems] == ["job-killed"]
    batch = world.ports.ledger.batch(deadly["killer"].batch or "")
    assert batch
    assert (batch.members, batch.reason) == ((deadly["killer"].id,), "FAILED: RunKilledError")
    evidence = {key.partition("batch=")[2].partition("/")[0] for key in world.objects("evidence")}
    assert evidence, "other files of this run have rejected rows"
    assert deadly["killer"].batch not in {*evidence, *(deadly[name].batch for name in ("a", "b", "d"))}


def test_key_of_two_contracts_is_unmatched(common: dict[str, Drop]) -> None:
    assert common["of two contracts"].state == "unmatched"
    assert "twin-a.v1" in common["of two contracts"].problems[0].message


def test_unmatched_upload_has_a_receipt_in_its_producer_s_folder_alone(common: dict[str, Drop], world: World) -> None:
    nobodys, own = (common[f"a key that no contract claims{more}"] for more in ("", ", in the folder of its producer"))
    assert (nobodys.producer, nobodys.receipt) == (None, None)
    receipt = json.loads(world.ports.store.get(own.receipt or ""))
    assert (receipt["verdict"], receipt["failure"], receipt["problems"][0]["code"]) == (None, None, "unmatched")


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


@pytest.mark.parametrize(("run", "section"), [("common" if name == COMMON else "forms", name) for name in SECTIONS])
def test_page_says_what_the_flow_answers(section: str, drops: dict[str, Drop]) -> None:
    rows = [row(case.name, drops[case.name], case.where) for case in SECTIONS[section]]
    if section == COMMON:
        rows += [row(text, drops[name], where) for text, (name, where) in PAGED.items()]
    made = f"## {section}\n\n{TABLE}{''.join(map(str, rows))}"
    page = PAGE.read_text(encoding="utf-8")
    before, title, rest = page.partition(f"## {section}\n")
    assert title, f"the page has a heading `## {section}`"
    _, end, after = rest.partition("\n## ")
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        PAGE.write_text(page := before + made + end + after, encoding="utf-8")
    assert page == before + made + end + after, "run `DROPGATE_WRITE_DOCS=1 make test proofs` and see what differs"
