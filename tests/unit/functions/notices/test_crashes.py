"""A crash, or somebody faster, at any call of a send: nothing is lost, and twice comes only what says so.

The way is walked once undisturbed, to count its calls; then once for each call and each side of it. What crashed is
delivered again, as the queue and the schedule do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from contracts.errors import ServiceUnavailable
from functions.notices.messages import wording
from functions.ports import NoticePorts
from functions.ports.notices import Answer
from tests.faults import NEVER, Crash, Fuse, Watched, every_call
from tests.hearing import HOOK, MAIL, PAGER, Hearing, a_hearing, a_route, an_event

SIDES = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
WATCHED = ("book", "documents", "mailer", "web", "secrets")
NEWEST = {
    "orders/1.csv": ["rejected", "recovered"],
    "orders/2.csv": ["rejected"],
    "orders/3.csv": ["rejected"],
}
"""What people hear of each key, in order."""


def way(world: Hearing) -> Iterator[Callable[[], Any]]:
    """A file is rejected, others with it; the first one is sent again, and accepted."""
    yield partial(world.hear, an_event(drop="d1"))
    yield partial(world.hear, an_event(drop="d2", key="orders/2.csv"), an_event(drop="d3", key="orders/3.csv"))
    yield partial(world.minutes, 11)
    yield partial(world.hear, an_event("accepted", "d4", "orders/1.csv"))
    yield partial(world.minutes, 11)


def watched(ports: NoticePorts, fuse: Fuse) -> NoticePorts:
    """Ports whose calls a fuse counts."""
    wrapped: Any = {name: Watched(getattr(ports, name), fuse) for name in WATCHED}
    return replace(ports, **wrapped)


def walk(fuse: Fuse) -> Hearing:
    """Go the way under a fuse; a step that dies is delivered again."""
    world = a_hearing(*(a_route(channel, on=("rejected", "recovered")) for channel in (MAIL, HOOK, PAGER)))
    plain, world.ports = world.ports, watched(world.ports, fuse)
    for step in way(world):
        try:
            step()
        except (Crash, ServiceUnavailable):
            fuse.at, fuse.for_good, world.ports = NEVER, False, plain
            step()
    fuse.at, world.ports = NEVER, plain
    world.minutes(30)
    return world


def told(world: Hearing) -> dict[str, list[str]]:
    """What the mails tell of each key, in order, without repeats."""
    every: dict[str, list[str]] = {}
    for mail in {mail.id: mail for mail in world.mailer.sent}.values():
        for key in NEWEST:
            if key in mail.text:
                every.setdefault(key, []).append(wording_of(mail.text, key))
    return every


def wording_of(text: str, key: str) -> str:
    """The occasion that a mail names a key with."""
    before = text.partition(f"] {key}")[0]
    return before.rpartition("[")[2]


def test_undisturbed_everybody_hears_once() -> None:
    world = walk(Fuse())

    assert told(world) == NEWEST
    assert len(world.mailer.sent) == 3


@SIDES
def test_a_crash_at_any_call_loses_nothing(after: bool) -> None:
    for fuse in every_call(after):
        at = fuse.at
        world = walk(fuse)

        assert told(world) == NEWEST, at
        hold_repeats(world)
        hold_end(world)


def hold_repeats(world: Hearing) -> None:
    """Hold that what came twice says so from the second time on, and that no more than one message did."""
    mails = Counter(mail.id for mail in world.mailer.sent)
    firsts: set[str] = set()
    for mail in world.mailer.sent:
        if mail.id in firsts:
            assert wording.REPEAT in mail.text
            assert wording.REPEAT in mail.html
        firsts.add(mail.id)
    hooks = [body for body in world.web.bodies if "specversion" in body]
    twice = len(hooks) - len({post.headers["webhook-id"] for post in world.web.sent if "webhook-id" in post.headers})
    assert twice <= sum(bool(body.get("mayrepeat")) for body in hooks)
    assert sum(number - 1 for number in mails.values()) + twice <= 1


def hold_end(world: Hearing) -> None:
    """Hold that nothing waits, all messages are recorded, and PagerDuty has the incidents that are open."""
    for line in world.book.lines.values():
        assert (line.settled, line.attempt, line.due_at, line.troubles) == (4, None, None, 2)
        messages = world.book.messages[line.id]
        assert {m.result for m in messages} == {"sent"}
        assert [m.after for m in messages] + [4] == [0, *(m.through for m in messages)]
    opened: set[str] = set()
    for body in world.web.bodies:
        if body.get("event_action") == "trigger":
            opened.add(body["dedup_key"])
        if body.get("event_action") == "resolve":
            opened.discard(body["dedup_key"])
    pager = next(line for line in world.book.lines.values() if line.channel == PAGER)
    assert opened == set(pager.incidents)
    assert len(opened) == 1


@SIDES
def test_somebody_faster_at_any_call_sends_nothing_twice(after: bool) -> None:
    whole = Fuse()
    walk(whole)
    for at in range(1, whole.calls + 1):
        world = a_hearing(*(a_route(channel, on=("rejected", "recovered")) for channel in (MAIL, HOOK, PAGER)))
        plain = world.ports
        fuse = Fuse(at, after, act=partial(somebody_else, world, plain))
        world.ports = watched(plain, fuse)
        for step in way(world):
            step()
        world.ports = plain
        world.minutes(30)

        assert told(world) == NEWEST, at
        assert len(world.mailer.sent) == len({mail.id for mail in world.mailer.sent}), at
        hold_end_of(world)


def somebody_else(world: Hearing, plain: NoticePorts) -> None:
    """Another process that gets the same events, and does all that is due."""
    mine, world.ports = world.ports, plain
    world.hear(an_event(drop="d1"))
    world.minutes(0)
    world.ports = mine


def hold_end_of(world: Hearing) -> None:
    """Hold that nothing waits."""
    assert all(line.settled == line.last and line.attempt is None for line in world.book.lines.values())


@SIDES
def test_a_crash_at_any_call_lets_no_older_state_follow_one_that_is_not_heard_of(after: bool) -> None:
    for fuse in every_call(after):
        world = a_hearing(*(a_route(channel, on=("rejected",)) for channel in (MAIL, HOOK, PAGER)))
        plain, world.ports = world.ports, watched(world.ports, fuse)
        for event in (an_event("accepted", attempt=2), an_event("rejected", attempt=1)):
            try:
                world.hear(event)
            except Crash:
                fuse.at, fuse.for_good, world.ports = NEVER, False, plain
                world.hear(event)
        world.ports = plain
        world.minutes(30)

        assert (world.mailer.sent, world.web.sent) == ([], [])
        assert all(line.troubles == 0 and line.due_at is None for line in world.book.lines.values())


def test_a_reply_that_is_lost_may_repeat_and_says_so() -> None:
    world = a_hearing()
    world.mailer.answers = [Answer("later", "no answer", unsure=True)]
    world.hear(an_event())
    world.minutes(5)
    first, second = world.mailer.sent

    assert first.id == second.id
    assert (wording.REPEAT in first.text, wording.REPEAT in second.text) == (False, True)


def test_a_refusal_for_now_is_no_repeat() -> None:
    world = a_hearing()
    world.mailer.answers = [Answer("later", "503")]
    world.hear(an_event())
    world.minutes(5)

    assert wording.REPEAT not in world.mailer.sent[0].text
