"""Dead letters: every queue of the template is known, none is lost on the way back, and what people read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from click.testing import CliRunner

from infra.cli.main import main
from infra.cli.redrive import listed, outcome
from infra.local.template.template import expand, of_type
from infra.packaging.bundles import ROOT
from infra.stack_admin.redrive import KINDS, LetterKind, NotMoved, Redriven, Waiting, redrive, waiting

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
OBJECTS = KINDS[0]
URLS = {"ObjectCreatedDlq": "dead", "ObjectCreatedQueue": "live"}


@dataclass
class Letters:
    """SQS with two queues in memory: `refuses` are bodies that it does not take, `keeps` those it does not delete.

    What is sent to `live` with a body in `dies` is at once a dead letter again, under its new id, and is the first that
    the queue gives; without `hides` it gives it over and over.
    """

    dead: dict[str, str]
    live: dict[str, str] = field(default_factory=dict)
    refuses: frozenset[str] = frozenset()
    keeps: frozenset[str] = frozenset()
    dies: frozenset[str] = frozenset()
    hidden: set[str] = field(default_factory=set)
    breaks: bool = False
    hides: bool = True
    ids: Iterator[int] = field(default_factory=count)

    def get_queue_attributes(self, **_: Any) -> Any:
        shown = len(self.dead.keys() - self.hidden)
        names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        return {"Attributes": dict(zip(names, map(str, (shown, len(self.hidden))), strict=True))}

    def receive_message(self, **asked: Any) -> Any:
        assert asked["QueueUrl"] == "dead"
        ids = [i for i in self.dead if i not in self.hidden][: asked["MaxNumberOfMessages"]]
        self.hidden |= set(ids) if self.hides and asked.get("VisibilityTimeout") != 0 else set()
        sent = {"SentTimestamp": str(int((NOW - timedelta(days=2)).timestamp() * 1000))}
        messages = [{"MessageId": i, "ReceiptHandle": i, "Body": self.dead[i], "Attributes": sent} for i in ids]
        return {"Messages": messages} if messages else {}

    def send_message_batch(self, **asked: Any) -> Any:
        assert asked["QueueUrl"] == "live"
        done: dict[str, list[dict[str, str]]] = {"Successful": [], "Failed": []}
        for entry in asked["Entries"]:
            body, new = entry["MessageBody"], f"new-{next(self.ids)}"
            if body in self.refuses:
                done["Failed"].append({"Id": entry["Id"], "Code": "InternalError", "Message": "try again"})
                continue
            if body in self.dies:
                self.dead = {new: body, **self.dead}
            else:
                self.live[new] = body
            done["Successful"].append({"Id": entry["Id"], "MessageId": new})
        return done

    def delete_message_batch(self, **asked: Any) -> Any:
        if self.breaks:
            raise KeyboardInterrupt
        done: dict[str, list[dict[str, str]]] = {"Successful": [], "Failed": []}
        for entry in asked["Entries"]:
            handle = entry["ReceiptHandle"]
            if self.dead[handle] in self.keeps:
                done["Failed"].append({"Id": entry["Id"], "Code": "InternalError"})
                continue
            del self.dead[handle]
            self.hidden.discard(handle)
        return done


def letters(many: int, **more: Any) -> Any:
    return Letters({f"m{n}": f"event {n}" for n in range(many)}, **more)


def test_every_dead_letter_queue_of_the_template_is_known() -> None:
    template = expand(ROOT / "template.yaml", "us-east-1")
    queues = of_type(template, "AWS::SQS::Queue")
    sources = {
        queue["Properties"]["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]: name
        for name, queue in queues.items()
        if "RedrivePolicy" in queue["Properties"]
    }
    assert {kind.queue for kind in KINDS} == queues.keys() - set(sources.values())
    assert {kind.queue: kind.back for kind in KINDS if kind.back} == sources


def test_all_letters_go_back_and_none_stays() -> None:
    sqs, moved = letters(23), list[int]()
    assert redrive(sqs, "dead", "live", moved.append) == Redriven(23, left=0)
    assert (sorted(sqs.live.values()), sqs.dead) == (sorted(f"event {n}" for n in range(23)), {})
    assert moved == [10, 20, 23]


def test_break_between_send_and_delete_loses_nothing() -> None:
    sqs = letters(3, breaks=True)
    with pytest.raises(KeyboardInterrupt):
        redrive(sqs, "dead", "live")
    assert sorted(sqs.dead.values()) == sorted(sqs.live.values()) == ["event 0", "event 1", "event 2"]


def test_letter_that_is_refused_stays_and_is_told() -> None:
    sqs = letters(3, refuses=frozenset({"event 1"}))
    with pytest.raises(NotMoved, match=r"2 were moved, 1 were not: SQS refused them \(InternalError: try again\)"):
        redrive(sqs, "dead", "live")
    assert list(sqs.dead.values()) == ["event 1"]


def test_letter_that_stays_behind_is_told() -> None:
    sqs = letters(3, keeps=frozenset({"event 1"}))
    with pytest.raises(NotMoved, match=r"3 were sent back, but 1 of them could not be deleted"):
        redrive(sqs, "dead", "live")
    assert list(sqs.dead.values()) == ["event 1"]


def test_letter_that_dies_again_does_not_go_round() -> None:
    sqs = letters(12, dies=frozenset({"event 3"}))
    assert redrive(sqs, "dead", "live") == Redriven(12, left=1)
    assert (len(sqs.live), list(sqs.dead.values())) == (11, ["event 3"])


def test_letters_behind_those_that_died_again_go_back_too() -> None:
    sqs = letters(45, dies=frozenset(f"event {n}" for n in range(20)))
    assert redrive(sqs, "dead", "live") == Redriven(45, left=20)
    assert (len(sqs.live), len(sqs.dead)) == (25, 20)


def test_queue_that_gives_nothing_else_is_left_with_its_rest() -> None:
    sqs = letters(30, dies=frozenset(f"event {n}" for n in range(30)), hides=False)
    assert redrive(sqs, "dead", "live") == Redriven(10, left=30)
    assert outcome("object-created", 10, 30, dry_run=False).startswith(
        "object-created: 10 dead letters went back. 30 dead letters remain, because they failed again"
    )
    assert outcome("object-created", 1, 0, dry_run=True) == "object-created: 1 dead letter would go back."


def test_a_look_moves_nothing() -> None:
    sqs = letters(3)
    assert waiting(sqs, URLS, OBJECTS) == Waiting(OBJECTS, "dead", 3, 0, NOW - timedelta(days=2))
    assert (len(sqs.dead), sqs.hidden, sqs.live) == (3, set(), {})


def test_empty_queue_is_a_line() -> None:
    assert listed(waiting(letters(0), URLS, OBJECTS), NOW) == "object-created     no dead letters"


def test_letters_are_listed_with_what_to_do() -> None:
    assert listed(waiting(letters(3), URLS, OBJECTS), NOW).splitlines() == [
        "object-created     3 dead letters, the oldest 2 days old",
        "  what they are      uploads that were not processed; they are in landing",
        "  what to do         fix the cause, then `dropgate redrive object-created`",
    ]


def test_age_of_a_part_is_no_age_of_all() -> None:
    text = listed(Waiting(KINDS[4], "https://sqs/dead", 1200, 2, NOW - timedelta(minutes=90)), NOW)
    assert "schedule           1,200 dead letters, the oldest seen 1 hour old, 2 just received by somebody" in text
    assert "`aws sqs purge-queue --queue-url https://sqs/dead` deletes them" in text


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_nothing_of_aws_is_named_where_a_stack_runs_on_a_laptop(kind: LetterKind) -> None:
    text = listed(Waiting(kind, "http://127.0.0.1:1/dead", 3, 0, None), NOW, embedded=True)
    assert "what to do" in text
    assert not re.search(r"(?i)\baws\b|127\.0|queue-url|\blogs\b", text)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("object-create", "There is no dead-letter queue object-create. Did you mean object-created?"),
        ("ObjectCreatedDlq", "Did you mean object-created?"),
        ("zzz", "Known: object-created, batch-due, small-staged, job-state-changed, schedule, notices"),
    ],
)
def test_wrong_queue_is_told_its_nearest(name: str, message: str) -> None:
    result = CliRunner(mix_stderr=False).invoke(main, ["redrive", name])
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
