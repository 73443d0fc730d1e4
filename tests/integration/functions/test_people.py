"""People of the account, by the policies of infra/aws/access.yaml: their commands, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from click.testing import CliRunner, Result

from contracts import codec
from contracts.errors import ServiceUnavailable
from contracts.table import TableColumn
from functions.aws.clients import Clients
from functions.ports.clock import stamp
from functions.ports.expected_files import Absence
from functions.ports.promises import Held, Standing
from functions.ports.store import CopyTag
from infra.cli.main import main
from infra.local.embedded import session
from infra.local.iam.calls import Call
from infra.local.iam.policy_evaluator import grants, read
from tests.hearing import a_promise
from tests.integration.functions.test_rights import CLOCK, HEARD, Site, site

__all__ = ["site"]
CONTRACTS = Path(__file__).parents[2] / "e2e" / "contracts"
PEOPLE = {
    "watcher": ("WatchPolicy",),
    "operator": ("WatchPolicy", "OperatePolicy"),
    "steward": ("WatchPolicy", "TryPolicy"),
    "teller": ("WatchPolicy", "NotifyPolicy"),
    "maintainer": ("WatchPolicy", "MaintainPolicy"),
    "publisher": ("PublishPolicy",),
}

UNUSED = {
    ("watcher", "ListPlansReceiptsResults", "s3:ListBucket"),
    ("operator", "ListPlansReceiptsResults", "s3:ListBucket"),
    ("steward", "ListPlansReceiptsResults", "s3:ListBucket"),
    ("steward", "TellMissingDropFromForbidden", "s3:ListBucket"),
    ("teller", "ListPlansReceiptsResults", "s3:ListBucket"),
    ("maintainer", "ListPlansReceiptsResults", "s3:ListBucket"),
    ("maintainer", "RemoveWhatTablesNameNoMore", "s3:DeleteObject"),
    ("operator", "LookAtDeadLettersOrThrowThemAway", "sqs:PurgeQueue"),
    ("publisher", "SeeWhichSecretsThereAre", "ssm:DescribeParameters"),
}
"""Calls that no command makes: what is missing is to be called so, not forbidden, purging is AWS's, no file is old, and
no contract here names a secret."""


@dataclass
class Office:
    """The stack, drops by their ends, and the answers of people's commands."""

    site: Site
    drops: Mapping[str, str]
    answers: dict[str, Any] = field(default_factory=dict)
    denied: list[Call] = field(default_factory=list)
    people: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: PEOPLE)

    def statements(self, who: str) -> list[Mapping[str, Any]]:
        """The policy of somebody."""
        return [one for policy in self.people[who] for one in self.site.stack.people[policy]]

    @contextmanager
    def held_to(self, who: str) -> Iterator[None]:
        """Let somebody be held to their policy within; what they are refused is no fault of the functions."""
        guard = self.site.cloud.guard
        before = len(guard.denied)
        with guard.holding(who, self.statements(who)):
            yield
        self.denied += guard.denied[before:]
        del guard.denied[before:]

    def dropgate(self, who: str, *words: str) -> Result:
        """A command of somebody about this stack, by its name."""
        name = self.site.stack.names["NoticesBus"].partition("-notices-")[0]
        with pytest.MonkeyPatch.context() as patch, self.held_to(who):
            patch.setenv("AWS_ACCESS_KEY_ID", who)
            return CliRunner(mix_stderr=False).invoke(main, [*words, "--stack", name])

    def ask(self, who: str, *words: str) -> Any:
        """Return the output of a command, which must end well."""
        done = self.dropgate(who, *words, "--format", "json")
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def office(site: Site) -> Office:
    """Everybody at their work."""
    refused = b"ID,note\n1,a\n"
    events = {"rejected": site.land("orders/refused.csv", refused), "unmatched": site.land("nowhere.csv")}
    events["known"] = site.land("orders/known.csv", refused)
    office = Office(site, {state: site.drop(event).id for state, event in events.items()})
    rejected, unmatched, late = office.drops.values()
    at = stamp(datetime.now(UTC))
    promise = Held("loadDate", "sha", at, at, at)
    absence = Absence("orders.v1", at[:10], 2, 1, at, at, at)
    site.ports.ledger.write((), absence, Standing("orders.v1", None, promises=(promise,)))
    office.answers["shown"] = office.ask("watcher", "show", rejected)
    office.answers["drops"] = office.ask("watcher", "drops")
    office.answers["sent"] = site.send_events()
    for event in office.answers["sent"]:
        site.tell(HEARD, json.dumps({"source": "dropgate", **event}))
    site.tell(HEARD, json.dumps({"source": "dropgate", "detail": codec.encode(a_promise())}))
    office.answers["notices"] = office.ask("watcher", "notices", rejected)
    office.answers["of contract"] = office.ask("watcher", "notices", "--contract", "orders.v1")
    site.clients.sqs.purge_queue(QueueUrl=site.stack.names["NoticeEventQueue"])
    office.answers["again"] = office.ask("operator", "events", rejected, unmatched, "--again")
    office.answers["on the bus"] = messages(site, "NoticeEventQueue")
    for body in office.answers["on the bus"]:
        site.tell(HEARD, body)
    office.answers["notices after"] = office.ask("watcher", "notices", rejected)
    tested = office.dropgate("teller", "notify", "--test", "orders.v1", "--format", "json")
    office.answers["samples"] = (tested.exit_code, json.loads(tested.stdout))
    office.answers["stuck"] = office.ask("watcher", "drops", "--stuck")
    office.answers["pauses"] = office.ask("watcher", "pause")
    office.answers["paused"] = office.ask("operator", "pause", "orders.v1")
    office.answers["resumed"] = office.ask("operator", "resume", "orders.v1")
    office.answers["tried"] = office.ask("steward", "try", str(CONTRACTS / "sales" / "orders.v1.yaml"))
    parcels = str(CONTRACTS / "sales" / "parcels.v1.yaml")
    office.answers["related"] = office.ask("steward", "try", parcels, "--of", "orders.v1")
    office.answers["replayed"] = [office.ask("operator", "replay", drop) for drop in (rejected, unmatched)]
    office.answers["accepted"] = office.ask("operator", "accept", late, "--because", "ticket 512")
    letter = {"source": "aws.s3", "detail-type": "Object Created"}
    for queue in ("ObjectCreatedDlq", "ScheduleDlq"):
        site.clients.sqs.send_message(QueueUrl=site.stack.names[queue], MessageBody=json.dumps(letter))
    office.answers["letters"] = office.ask("operator", "redrive")
    office.answers["redriven"] = office.ask("operator", "redrive", "object-created")
    office.answers["published"] = office.ask("publisher", "publish", str(CONTRACTS))
    table = f"{site.ports.zones.promoted}tabled.v1/"
    site.ports.tables.ready(table, (TableColumn("_drop", "string"),), CopyTag("d" * 32, 1))
    office.answers["maintained"] = office.ask("maintainer", "maintain", "tabled.v1")
    return office


def messages(site: Site, queue: str) -> list[str]:
    """Take all messages of a queue."""
    bodies: list[str] = []
    url = site.stack.names[queue]
    while page := site.clients.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        for message in page:
            bodies.append(message["Body"])
            site.clients.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return bodies


def test_notices_of_a_contract_are_of_its_missing_files_and_promises(office: Office) -> None:
    listed = office.answers["of contract"]["notices"]
    today = stamp(datetime.now(UTC))[:10]

    assert {(each["of"], each["occasion"]) for each in listed} == {(today, "missing"), ("loadDate", "stale")}
    assert {each["service"] for each in listed} == {"email", "slack", "webhook"}


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ((), "Name a DROP, or a --contract"),
        (("abcd", "--contract", "orders.v1"), "Name a DROP, or a --contract"),
        (("--contract", "order.v1"), "Did you mean orders.v1?"),
    ],
)
def test_notices_of_nothing_that_is_named_are_a_usage_error(office: Office, words: tuple[str, ...], hint: str) -> None:
    done = office.dropgate("watcher", "notices", *words)

    assert (done.exit_code, hint in done.stderr) == (2, True), done.stderr


def test_events_of_a_drop_are_sent_again_as_they_were_and_tell_nobody_twice(office: Office) -> None:
    events = {event["id"]: event for event in office.answers["again"]}
    sent = {event["detail"]["id"]: event["detail"] for event in office.answers["sent"]}
    first = {name: {**sent[name], "source": events[name]["source"]} for name in events}  # the functions' is a default
    heard = [json.loads(body)["detail"]["id"] for body in office.answers["on the bus"]]

    assert [event["data"]["state"] for event in events.values()] == [
        *("received", "rejecting", "rejected"),
        *("received", "unmatched"),
    ]
    assert first == events
    assert heard == [name for name, event in events.items() if event["data"]["state"] in ("rejected", "unmatched")]
    before, after = office.answers["notices"]["notices"], office.answers["notices after"]["notices"]
    assert [(each["at"], each["occasion"]) for each in before] == [(each["at"], each["occasion"]) for each in after]


def test_everybody_can_do_their_work(office: Office) -> None:
    answers = office.answers

    assert answers["shown"]["drop"]["state"] == "rejected"
    assert {row["id"] for row in answers["drops"]} == set(office.drops.values())
    assert (answers["pauses"], [one["name"] for one in answers["paused"]], answers["resumed"]) == (
        [],
        ["orders.v1"],
        [],
    )
    assert answers["stuck"] == []
    assert [one["letters"] for one in answers["letters"]] == [1, 0, 0, 0, 1, 0, 0, 0]
    channels = {one["service"]: one["result"] for one in answers["notices"]["notices"]}
    assert channels.keys() == {"email", "slack", "webhook"}
    assert {*channels.values()} <= {"sent", "failed", "waiting"}  # as many were told before
    code, samples = answers["samples"]
    assert (code, [one["result"] for one in samples["channels"]]) == (1, ["sent", "refused", "refused"])
    _, inward, missing = (one["answer"] for one in samples["channels"])
    assert "not public" in inward
    assert "/notify/nowhere" in missing
    assert answers["redriven"]["moved"] == 1
    assert [(one["files"], one["removed"]) for one in answers["maintained"]] == [(0, 0)]
    assert "orders.v1" in answers["published"]["changed"]
    for tried in ("tried", "related"):
        assert answers[tried]["changes"] == {"same": 2, "better": 0, "worse": 0, "failed": 0, "gone": 0}


@pytest.mark.parametrize(("name", "hint"), [("order.v1", "Did you mean orders.v1?"), ("x", "Published: ")])
def test_contract_that_is_not_published_is_no_one_to_tell_of(office: Office, name: str, hint: str) -> None:
    done = office.dropgate("teller", "notify", "--test", name)

    assert done.exit_code == 2
    assert hint in done.stderr


def test_replay_of_who_may_not_read_files_is_begun_by_the_schedule(office: Office) -> None:
    assert [one["state"] for one in office.answers["replayed"]] == ["received", "received"]  # both write results
    assert {call.action for call in office.denied} <= {"s3:GetObject", "s3:PutObject"}
    office.site.invoke(CLOCK, {})
    drops = [office.site.ports.ledger.drop(drop) for drop in office.drops.values()]
    ended = [("rejected", 2), ("unmatched", 2), ("accepted_with_warnings", 2)]
    assert [(d.state, d.attempt) for d in drops if d] == ended


def test_decision_names_the_caller_by_arn(office: Office) -> None:
    assert office.answers["accepted"]["state"] == "promoting"
    assert office.answers["accepted"]["override"]["by"].startswith("arn:aws:sts::123456789012:")


def test_nobody_has_a_right_that_no_command_uses(office: Office) -> None:
    granted = {(who, sid, action) for who in PEOPLE for sid, action, _ in grants(read(office.statements(who)))}
    used = {(sid, action) for _, (sid, action, _) in office.site.cloud.guard.used}  # operators are watchers, too

    assert {each for each in granted if each[1:] not in used} == UNUSED


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("watcher", ("replay", "{rejected}")),
        ("watcher", ("accept", "{rejected}", "--because", "x")),
        ("watcher", ("pause", "orders.v1")),
        ("watcher", ("events", "{rejected}", "--again")),
        ("watcher", ("try", str(CONTRACTS / "sales" / "orders.v1.yaml"))),
        ("watcher", ("publish", str(CONTRACTS))),
        ("operator", ("publish", str(CONTRACTS))),
        ("operator", ("maintain", "tabled.v1")),
        ("publisher", ("show", "{rejected}")),
        ("publisher", ("pause", "orders.v1")),
    ],
)
def test_other_commands_say_that_the_right_is_missing(office: Office, who: str, words: tuple[str, ...]) -> None:
    done = office.dropgate(who, *(word.format(**office.drops) for word in words))

    assert isinstance(done.exception, ServiceUnavailable)
    assert "is not authorized to perform" in str(done.exception)


@pytest.mark.parametrize("who", [who for who in PEOPLE if who not in ("steward", "maintainer")])
@pytest.mark.parametrize("place", ["LandingBucket/orders/1.csv", "PromotedBucket/orders.v1/1.csv"])
def test_nobody_reads_what_producers_sent_and_consumers_have(office: Office, who: str, place: str) -> None:
    bucket, _, key = place.partition("/")
    s3 = Clients(session(who)).s3
    with office.held_to(who), pytest.raises(ClientError, match="AccessDenied"):
        s3.get_object(Bucket=office.site.stack.names[bucket], Key=key)
