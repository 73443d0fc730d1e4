"""Events onto lines and out: once, in order, the first at once, a burst as a digest, in nobody else's way."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice, permutations
from typing import Any

import pytest

from contracts import catalog, codec
from contracts.errors import ServiceUnavailable
from contracts.terms.notices import Channel, Routes
from functions.catalog import Published
from functions.events.drop_event import EventContract, EventProblem
from functions.notices import trail
from functions.notices.due import Unsent, send_due
from functions.notices.send import Late, Sent, send
from functions.notices.take import take
from functions.ports.notices import Answer, Line, Mail, Notice, Post, Trouble, Unread
from tests.builders import ZONES
from tests.fakes import TestClock
from tests.hearing import (
    HOOK,
    MAIL,
    PAGER,
    SLACK,
    Hearing,
    MemoryNotices,
    MemoryWeb,
    a_hearing,
    a_promise,
    a_route,
    an_absence,
    an_event,
    some_routes,
)

OUT_OF_ORDER = Answer("later", "503")
GONE = Answer("refused", "410 Gone")


def subjects(world: Hearing) -> list[str]:
    return [mail.subject for mail in world.mailer.sent]


# --- what is heard of


@pytest.mark.parametrize(
    ("event", "first"),
    [
        (an_event(), "[rejected] orders/1.csv: 20 of 410 rows, amount is below the minimum of 0"),
        (an_event("failed"), "[failed] orders/1.csv: dropgate could not judge the file."),
        (an_event("accepted_with_warnings"), "[warning] orders/1.csv"),
        (an_event("observed"), "[warning] orders/1.csv"),
        (an_event("accepted"), "[accepted] orders/1.csv: accepted"),
        (an_event("unmatched", contract=None), "[unmatched] orders/1.csv: "),
        (an_absence(), "[missing] orders.v1: 1 of 2 files of 2026-01-31 have not come by 2026-01-31 13:00 UTC"),
        (an_absence("arrived"), "[recovered] orders.v1: all files of 2026-01-31 have come"),
    ],
    ids=["rejected", "failed", "warning", "observed", "accepted", "unmatched", "missing", "arrived"],
)
def test_first_line_says_which_file_and_what_is_wrong(event: Any, first: str) -> None:
    every = a_route(
        on=("rejected", "failed", "warning", "missing", "late", "unmatched", "accepted", "recovered"),
    )
    world = a_hearing(every)
    world.hear(event)

    (subject,) = subjects(world)
    assert subject.startswith(first)


@pytest.mark.parametrize("state", ["received", "staged", "validating", "promoting", "rejecting", "superseded", "noted"])
def test_states_on_the_way_are_heard_of_by_nobody(state: str) -> None:
    every = a_route(on=("rejected", "failed", "warning", "accepted", "recovered", "unmatched"))

    assert a_hearing(every).hear(an_event(state)) == []


def test_a_channel_hears_only_of_what_it_asks_for() -> None:
    world = a_hearing(a_route(on=("missing",)))
    world.hear(an_event(), an_absence())

    assert len(subjects(world)) == 1


def test_a_trial_is_heard_of_by_nobody() -> None:
    assert a_hearing().hear(an_event(trial=True)) == []


def test_the_receipt_of_a_failed_drop_is_no_second_failure() -> None:
    world = a_hearing(operators=[a_route(audience="operator", on=("failed",))])
    world.hear(an_event("failed"), an_event("failed", event="receipt_written", step=6))
    world.minutes(30)

    assert len(subjects(world)) == 1


def test_a_channel_of_two_routes_hears_once() -> None:
    world = a_hearing(a_route(), a_route(audience="operator", on=("rejected", "failed")))
    world.hear(an_event())
    world.minutes(30)

    (mail,) = world.mailer.sent
    assert "named for the operator and producer of orders.v1" in mail.text


def test_without_routes_nobody_hears() -> None:
    assert Hearing(Routes()).hear(an_event()) == []


def test_an_unmatched_key_is_heard_of_by_the_producer_of_its_folder() -> None:
    world = a_hearing(a_route(), operators=[a_route(SLACK, "operator")])
    entries = (catalog.Entry("orders.v1", "p", "shop", ("orders/*.csv",)),)
    world.publish(world.routes, catalog.Index(entries))
    event = an_event("unmatched", contract=None, producer=None, key="orders/1.txt")
    world.hear(event)

    assert ([mail.to for mail in world.mailer.sent], world.web.sent) == ([MAIL.to], [])


def test_marker_of_a_folder_is_nothing_for_people() -> None:
    world = a_hearing(a_route(), operators=[a_route(SLACK, "operator")])
    marker = EventProblem("folder-marker")
    world.hear(an_event("unmatched", contract=None, producer=None, key="other/", problems=(marker,)))

    assert (world.mailer.sent, world.web.sent) == ([], [])


def test_an_unmatched_key_outside_of_any_folder_is_heard_of_by_operators() -> None:
    world = a_hearing(a_route(), operators=[a_route(SLACK, "operator")])
    entries = (catalog.Entry("orders.v1", "p", "shop", ("orders/*.csv",)),)
    world.publish(world.routes, catalog.Index(entries))
    world.hear(an_event("unmatched", contract=None, producer=None, key="other/1.txt"))

    assert (world.mailer.sent, len(world.web.sent)) == ([], 1)


def test_a_late_file_is_heard_of_by_those_who_ask_for_late() -> None:
    late = EventProblem("arrived-late", "warning", "The file came late.", "Send it earlier.")
    world = a_hearing(a_route(audience="consumer"))
    world.hear(an_event("accepted_with_warnings", problems=(late,)), an_event("accepted_with_warnings", "d2"))
    world.minutes(20)

    assert subjects(world) == ["[late] orders/1.csv: The file came late"]


# --- recoveries


def test_a_corrected_file_is_a_recovery() -> None:
    world = a_hearing()
    world.hear(an_event(drop="d1"))
    world.minutes(20)
    world.hear(an_event("accepted", drop="d2"))

    assert subjects(world)[1:] == ["[recovered] orders/1.csv: accepted"]


def test_a_good_file_that_was_never_bad_is_no_recovery() -> None:
    world = a_hearing()
    world.hear(an_event("accepted"), an_event(drop="d2", key="orders/2.csv"))
    world.minutes(20)
    world.hear(an_event("accepted", drop="d3", key="orders/3.csv"))

    assert len(subjects(world)) == 1


def test_files_that_came_after_all_are_a_recovery() -> None:
    world = a_hearing()
    world.hear(an_absence())
    world.minutes(20)
    world.hear(an_absence("arrived", 2))

    assert subjects(world)[1:] == ["[recovered] orders.v1: all files of 2026-01-31 have come"]


def test_a_promise_that_is_missed_is_stale_until_it_is_met() -> None:
    world = a_hearing(a_route(audience="consumer"))
    world.hear(a_promise())
    world.minutes(20)
    world.hear(a_promise("met", 2))

    assert subjects(world) == [
        "[stale] orders.v1: the newest accepted file is at most 26 h old: the newest file is of 2026-01-29T05:12:09Z",
        "[recovered] orders.v1: the newest accepted file is at most 26 h old: it is again",
    ]
    assert "dropgate slo orders.v1 --stack dropgate" in world.mailer.sent[0].text


def test_a_promise_that_was_never_missed_is_no_recovery() -> None:
    world = a_hearing(a_route(audience="consumer"))
    world.hear(a_promise("at_risk"), a_promise("met", 2))
    world.minutes(20)

    assert subjects(world) == []


# --- two drops of one key: the newer upload decides

EARLY, LATE = "2026-01-31T11:00:00Z", "2026-01-31T11:00:01Z"


def triggers(world: Hearing) -> list[str]:
    return [body["event_action"] for body in world.web.bodies]


@pytest.mark.parametrize("good", ["accepted", "accepted_with_warnings", "observed"])
@pytest.mark.parametrize("bad", ["rejected", "failed"])
@pytest.mark.parametrize("channel", [MAIL, PAGER], ids=lambda channel: channel.service)
def test_a_trouble_that_a_newer_upload_has_ended_is_not_told(channel: Channel, bad: str, good: str) -> None:
    world = a_hearing(a_route(channel, on=("rejected", "failed", "recovered")))
    for _ in range(2):
        world.hear(an_event(good, "d2", uploaded_at=LATE))
        world.hear(an_event(bad, "d1", uploaded_at=EARLY))
        world.minutes(20)

    assert (subjects(world), triggers(world)) == ([], [])
    world.hear(an_event("rejected", "d3", uploaded_at="2026-01-31T12:00:00Z"))
    assert len(subjects(world)) + len(triggers(world)) == 1


def test_a_recovery_is_none_if_a_newer_upload_is_in_trouble() -> None:
    for channel in (MAIL, PAGER):
        world = a_hearing(a_route(channel, on=("rejected", "accepted", "recovered")))
        world.hear(an_event("rejected", "d2", uploaded_at=LATE))
        world.hear(an_event("accepted", "d1", uploaded_at=EARLY))
        world.minutes(20)
        assert ([s[:10] for s in subjects(world)], triggers(world)) in ((["[rejected]"], []), ([], ["trigger"]))

        world.hear(an_event("accepted", "d3", uploaded_at="2026-01-31T12:00:00Z"))
        world.minutes(20)
        assert ([s[:11] for s in subjects(world)[1:]], triggers(world)[1:]) in (
            (["[recovered]"], []),
            ([], ["resolve"]),
        )


def test_an_older_trouble_beside_a_newer_one_ends_with_that() -> None:
    world = a_hearing(a_route(PAGER))
    world.hear(an_event("rejected", "d2", uploaded_at=LATE))
    world.minutes(20)
    world.hear(an_event("rejected", "d1", uploaded_at=EARLY))
    world.minutes(20)
    world.hear(an_event("accepted", "d1", uploaded_at=EARLY, attempt=2))
    world.minutes(20)
    assert set(triggers(world)) == {"trigger"}
    world.hear(an_event("accepted", "d2", uploaded_at=LATE, attempt=2))
    world.minutes(20)

    assert triggers(world)[-1] == "resolve"
    assert [(line.troubles, line.incidents) for line in world.book.lines.values()] == [(0, ())]


@pytest.mark.parametrize("second", [EARLY, None, LATE], ids=["same", "unknown", "newer"])
def test_a_trouble_of_an_upload_that_is_not_older_is_told(second: str | None) -> None:
    world = a_hearing()
    world.hear(an_event("accepted", "d1", uploaded_at=EARLY), an_event("rejected", "d2", uploaded_at=second))

    assert len(subjects(world)) == 1


def test_another_key_is_decided_by_its_own_uploads() -> None:
    world = a_hearing()
    world.hear(an_event("accepted", "d1", uploaded_at=LATE))
    world.hear(an_event("rejected", "d2", key="orders/2.csv", uploaded_at=EARLY))

    assert len(subjects(world)) == 1


def test_a_newer_upload_that_is_accepted_while_an_older_trouble_is_put_goes_first() -> None:
    class Between(MemoryNotices):
        """A book in which the newer upload is accepted between the look and the write."""

        def put(self, line: Line, notice: Notice, trouble: Trouble | None, upload: str = "") -> None:
            if notice.subject == "d1" and not self.good:
                world.hear(an_event("accepted", "d2", uploaded_at=LATE))
            super().put(line, notice, trouble, upload)

    world = a_hearing()
    world.book = Between()
    world.ports = replace(world.ports, book=world.book)
    world.hear(an_event("rejected", "d1", uploaded_at=EARLY))
    world.minutes(20)

    assert subjects(world) == []


def test_two_uploads_in_any_order_of_their_events_end_alike() -> None:
    events = [
        an_event("rejected", "d1", uploaded_at=EARLY),
        an_event("accepted", "d2", uploaded_at=LATE),
        an_event("rejected", "d3", uploaded_at="2026-01-31T11:00:02Z"),
        an_event("accepted", "d4", uploaded_at="2026-01-31T11:00:03Z"),
    ]
    for order in permutations(events):
        world = a_hearing(a_route(PAGER))
        for event in order:
            world.hear(event)
            world.minutes(12)
        assert [(line.troubles, line.incidents) for line in world.book.lines.values()] in ([], [(0, ())])


# --- once, and in order


def test_a_repeated_event_changes_nothing() -> None:
    world = a_hearing()
    world.hear(*[an_event()] * 3)
    world.minutes(30)

    assert len(subjects(world)) == 1


def test_an_older_state_never_follows_a_newer_one() -> None:
    world = a_hearing(a_route(on=("rejected", "accepted", "recovered")))
    world.hear(an_event("accepted", attempt=2))
    world.minutes(20)
    world.hear(an_event("rejected", attempt=1))
    world.minutes(20)

    assert subjects(world) == ["[accepted] orders/1.csv: accepted"]


@pytest.mark.parametrize("channel", [MAIL, PAGER], ids=lambda channel: channel.service)
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (an_event("rejected"), an_event("accepted", attempt=2)),
        (an_event("failed"), an_event("accepted", attempt=3)),
        (an_event("rejected"), an_event("accepted_with_warnings", attempt=2)),
        (an_event("rejected"), an_event("observed", attempt=2)),
        (a_promise(), a_promise("met", 2)),
        (an_absence(), an_absence("arrived", 2)),
    ],
    ids=["rejected", "failed", "warning", "observed", "promise", "absence"],
)
def test_an_older_state_never_follows_a_newer_one_that_the_channel_does_not_hear_of(
    channel: Channel, older: Any, newer: Any
) -> None:
    world = a_hearing(a_route(channel, on=("rejected", "failed", "missing", "stale")))
    for event in (newer, older, newer, older):
        world.hear(event)
        world.minutes(20)

    assert (world.mailer.sent, [body for body in world.web.bodies if body["event_action"] == "trigger"]) == ([], [])
    assert [line.troubles for line in world.book.lines.values()] == [0]
    world.hear(an_event(drop="d2", key="orders/2.csv"))
    assert len(world.mailer.sent) + len(world.web.sent) == 1


def test_a_rejection_that_passes_by_is_followed_by_no_older_failure() -> None:
    world = a_hearing(a_route(audience="operator", on=("failed",)))
    world.hear(an_event("rejected", attempt=2), an_event("failed", attempt=1))
    world.minutes(20)

    assert subjects(world) == []


def test_a_good_file_of_which_nobody_hears_writes_nothing() -> None:
    world = a_hearing(a_route(), a_route(SLACK, on=("missing",)))
    world.hear(an_event("accepted"), an_event("accepted_with_warnings", "d2"))

    assert world.book.lines == {}


def test_a_state_that_passes_by_while_an_older_one_is_put_ends_its_trouble() -> None:
    class Between(MemoryNotices):
        """A book in which an older state comes first, between the look and the write."""

        def pass_by(self, line: Line, subject: str, sequence: str) -> None:
            if not self.notices:
                world.hear(an_event())
            super().pass_by(line, subject, sequence)

    world = a_hearing()
    world.book = Between()
    world.ports = replace(world.ports, book=world.book)
    world.hear(an_event("accepted", attempt=2))
    world.minutes(20)

    assert [subject[:11] for subject in subjects(world)] == ["[rejected] ", "[recovered]"]


def test_of_a_drop_in_a_digest_only_the_newest_state_is_told() -> None:
    world = a_hearing(a_route(on=("rejected", "accepted", "recovered")))
    world.hear(an_event(drop="d0", key="orders/0.csv"))
    world.hear(an_event("rejected", "d1"), an_event("accepted", "d1", attempt=2))
    world.minutes(20)

    assert subjects(world)[1:] == ["[recovered] orders/1.csv: accepted"]


def test_events_in_any_order_end_with_the_newest() -> None:
    events = [an_event("rejected" if n % 2 else "accepted", attempt=n) for n in range(1, 7)]
    for seed in range(20):
        world = a_hearing(a_route(on=("rejected", "accepted", "recovered")))
        for event in random.Random(seed).sample(events, 6):
            world.hear(event)
            world.minutes(4)
        world.minutes(20)
        sequences = [notice.sequence for notices in world.book.notices.values() for notice in notices]
        assert sequences == sorted(sequences)
        assert sequences[-1].startswith("0006")


# --- bursts


def test_the_first_leaves_at_once_and_the_rest_as_one_digest() -> None:
    world = a_hearing()
    world.hear(*(an_event(drop=f"d{n}", key=f"orders/{n}.csv") for n in range(38)))
    assert subjects(world) == ["[rejected] orders/0.csv: 20 of 410 rows, amount is below the minimum of 0"]
    world.minutes(9)
    assert len(subjects(world)) == 1
    world.minutes(3)

    assert subjects(world)[1:] == ["[rejected] orders.v1: 37 files"]
    assert "orders/37.csv" in world.mailer.sent[1].text


def test_ten_thousand_rejections_in_an_hour_are_six_messages_a_channel() -> None:
    world = a_hearing()
    numbers = iter(range(10_000))

    def arrive() -> None:
        for n in islice(numbers, 167):
            world.hear(an_event(drop=f"d{n}", key=f"orders/{n}.csv"))

    world.minutes(60, arrive)
    assert len(world.mailer.sent) <= 6
    world.minutes(30)

    assert next(numbers, None) is None
    (messages,) = world.book.messages.values()
    assert [m.after for m in messages] == [0, *(m.through for m in messages[:-1])]
    assert messages[-1].through == 10_000


def test_a_digest_counts_all_and_lists_some() -> None:
    world = a_hearing()
    world.hear(*(an_event(drop=f"d{n}", key=f"orders/{n}.csv") for n in range(201)))
    world.minutes(12)
    mail = world.mailer.sent[1]

    assert mail.subject == "[rejected] orders.v1: 200 files"
    assert (mail.text.count("[rejected] orders/"), "and 150 more" in mail.text, "and 150 more" in mail.html) == (
        50,
        True,
        True,
    )


# --- failures


def test_a_channel_that_fails_for_now_is_asked_again_later_and_later() -> None:
    world = a_hearing()
    world.mailer.answers = [OUT_OF_ORDER] * 4
    world.hear(an_event())
    sent = world.minutes(40)

    assert [(each.answer.result, each.tries) for each in sent] == [
        ("later", 2),
        ("later", 3),
        ("later", 4),
        ("sent", 5),
    ]
    assert len(subjects(world)) == 1


def test_the_receiver_says_when_to_come_again() -> None:
    world = a_hearing(a_route(SLACK))
    world.web.answers = [Answer("later", "429", after=600)]
    world.hear(an_event())
    assert world.minutes(9) == []
    world.minutes(3)

    assert len(world.web.sent) == 1


def test_after_a_day_a_message_is_given_up_and_the_next_is_tried() -> None:
    world = a_hearing()
    world.mailer.answers = [OUT_OF_ORDER] * 1000
    world.hear(an_event(), an_event(drop="d2", key="orders/2.csv"))
    sent = world.minutes(25 * 60)
    assert sum(each.given_up for each in sent) == 1
    world.mailer.answers = []
    world.minutes(120)

    assert subjects(world) == ["[rejected] orders/2.csv: 20 of 410 rows, amount is below the minimum of 0"]


def test_a_channel_that_refuses_is_recorded_with_its_reason() -> None:
    world = a_hearing(a_route(HOOK))
    world.web.answers = [GONE]
    (sent,) = world.hear(an_event())

    (trace,) = trail.of_subject(world.book, "d1")
    assert sent.given_up
    assert trace.message
    assert (trace.message.result, trace.message.answer) == ("failed", "410 Gone")


def test_a_secret_that_is_not_there_is_named() -> None:
    world = a_hearing(a_route(SLACK))
    world.secrets.secrets = {}
    (sent,) = world.hear(an_event())

    assert (sent.given_up, sent.answer.text) == (True, "there is no parameter /dropgate/notify/data-team")


@pytest.mark.parametrize(
    ("channel", "secret"),
    [
        (HOOK, "https://lake.example.com/hooks"),
        (HOOK, "https://lake.example.com/hooks whsec_c2hvcnQ="),
        (HOOK, "https://lake.example.com/hooks whsec_!"),
        (PAGER, "short"),
        (PAGER, "0123456789abcdef0123456789abcdef us"),
        (SLACK, "https://hooks.slack.com/a b"),
        (SLACK, ""),
    ],
)
def test_a_secret_of_another_form_is_refused_and_never_shown(channel: Any, secret: str) -> None:
    world = a_hearing(a_route(channel))
    world.secrets.secrets = {channel.to: secret}
    (sent,) = world.hear(an_event())

    assert sent.given_up
    assert sent.answer.text.startswith(f"the parameter /dropgate/notify/{channel.to} must be ")
    assert not secret or secret not in sent.answer.text


def test_one_channel_never_holds_up_another() -> None:
    world = a_hearing(a_route(HOOK), a_route(SLACK), a_route())
    world.web.answers = [OUT_OF_ORDER, GONE]
    world.hear(an_event())

    assert len(subjects(world)) == 1


def test_a_service_that_gives_no_secret_is_asked_again() -> None:
    class Away:
        def secret(self, name: str) -> str | None:
            raise ServiceUnavailable(f"ssm: {name}")

    world = a_hearing(a_route(SLACK))
    ports, world.ports = world.ports, replace(world.ports, secrets=Away())
    (sent,) = world.hear(an_event())
    assert sent.answer.result == "later"
    world.ports = ports
    world.minutes(5)

    assert len(world.web.sent) == 1


@dataclass
class SlowWeb(MemoryWeb):
    """Receivers of which one takes all the time of a request, and answers nothing."""

    clock: TestClock = field(default_factory=TestClock)
    asked: int = 0

    def post(self, post: Post) -> Answer:
        if "slack" in post.url:
            self.asked += 1
            self.clock.pass_seconds(15)
            return Answer("later", "the answer did not come", unsure=True)
        return super().post(post)


def many_contracts(number: int) -> Hearing:
    """Contracts with a channel that is slow, and a last one with another channel; all have a notice that is due."""
    slow = [some_routes(a_route(SLACK), contract=f"c{n}").contracts[0] for n in range(number)]
    world = Hearing(Routes((*slow, *some_routes(a_route(HOOK), contract="last").contracts)))
    world.web = SlowWeb(clock=world.clock)
    world.ports = replace(world.ports, web=world.web)
    for n, name in enumerate([*(each.contract for each in slow), "last"]):
        take(world.ports, codec.encode(an_event(drop=f"d{n}", contract=EventContract(name))))
    return world


def a_minute(world: Hearing) -> list[Sent | Unsent]:
    """Do what the function of the clock does, which has half a minute to begin with."""
    world.clock.pass_seconds(60)
    until = world.clock.now() + timedelta(seconds=30)
    return list(send_due(world.ports, lambda: world.clock.now() < until))


@pytest.mark.parametrize("number", [5, 250])
def test_a_slow_receiver_leaves_time_for_the_others(number: int) -> None:
    world = many_contracts(number)
    web: Any = world.web
    minutes = 0
    while not web.sent and minutes < 5:
        a_minute(world)
        minutes += 1

    assert web.sent
    assert web.asked <= minutes <= 2


def test_lines_behind_a_slow_receiver_leave_once_it_is_well() -> None:
    world = many_contracts(30)
    for _ in range(10):
        a_minute(world)
    world.web = MemoryWeb()
    world.ports = replace(world.ports, web=world.web)
    world.minutes(90)

    assert len(world.web.sent) == 30
    assert all(line.settled == line.last and line.due_at is None for line in world.book.lines.values())


def test_within_a_batch_a_slow_receiver_is_asked_once() -> None:
    world = many_contracts(6)
    web: Any = world.web
    late: Late = {}
    for line in tuple(world.book.lines):
        send(world.ports, line, late)

    assert (web.asked, len(web.sent), set(late)) == (1, 1, {SLACK})
    assert all(line.due_at for line in world.book.lines.values() if line.channel == SLACK)


def test_a_message_that_cannot_be_made_holds_up_no_other_line_of_its_channel() -> None:
    both = Routes((*some_routes(a_route()).contracts, *some_routes(a_route(), contract="returns.v1").contracts))
    world = Hearing(both)
    world.hear(an_event(), an_event(drop="d2", key="orders/2.csv"))
    spoil(world, 2, item=False)
    world.clock.pass_seconds(660)
    take(world.ports, codec.encode(an_event(drop="d3", contract=EventContract("returns.v1"))))
    list(send_due(world.ports))

    assert len(subjects(world)) == 2


# --- notices that this version cannot read


def spoil(world: Hearing, number: int, *, item: bool) -> None:
    """Let a notice, or its event alone, be one that this version cannot read."""
    if item:
        world.book.unread[number] = Unread(number, "item W#2 of notices: `format` is 2")
        return
    for notices in world.book.notices.values():
        notices[number - 1] = replace(notices[number - 1], event='{"format": 2}')


@pytest.mark.parametrize("item", [True, False], ids=["item", "event"])
@pytest.mark.parametrize("channel", [MAIL, SLACK, HOOK, PAGER], ids=lambda channel: channel.service)
def test_a_notice_that_cannot_be_read_takes_no_other_one_with_it(channel: Channel, item: bool) -> None:
    world = a_hearing(a_route(channel))
    world.hear(*(an_event(drop=f"d{n}", key=f"orders/{n}.csv") for n in range(4)))
    spoil(world, 3, item=item)
    put_off = world.minutes(60)
    assert {each.answer.result for each in put_off} == {"later"}
    assert put_off[0].answer.text.startswith("notice 3 cannot be read now: ")
    *_, sent = world.minutes(22 * 60)

    assert (sent.answer.result, sent.given_up, sent.notices) == ("sent", False, 3)
    assert sent.answer.text.endswith("; left out unread: notice 3")
    text = world.mailer.sent[1].text if channel == MAIL else str(world.web.bodies[1])
    assert ("orders/1.csv" in text, "orders/2.csv" in text, "orders/3.csv" in text) == (True, False, True)
    assert "'unread': 1" in text if channel == HOOK else "1 more could not be read, and is left out." in text


@pytest.mark.parametrize("item", [True, False], ids=["item", "event"])
def test_a_notice_that_a_later_version_reads_is_told_whole(item: bool) -> None:
    world = a_hearing()
    world.hear(an_event(), an_event(drop="d2", key="orders/2.csv"))
    (notices,) = world.book.notices.values()
    whole = list(notices)
    spoil(world, 2, item=item)
    world.minutes(60)
    world.book.unread, notices[:] = {}, whole
    world.minutes(60)

    assert [subject[:23] for subject in subjects(world)] == ["[rejected] orders/1.csv", "[rejected] orders/2.csv"]
    assert "left out" not in world.mailer.sent[1].text


def test_notices_of_which_none_can_be_read_are_given_up_after_a_day() -> None:
    world = a_hearing()
    world.hear(an_event(), an_event(drop="d2"), an_event(drop="d3"))
    spoil(world, 2, item=True)
    spoil(world, 3, item=False)
    sent = world.minutes(24 * 60)
    assert [each.given_up for each in sent].count(True) == 1
    assert sent[-1].answer.text.startswith("notice 2 and 1 more cannot be read: ")
    world.hear(an_event(drop="d4"))
    world.minutes(20)

    assert len(subjects(world)) == 2


def test_a_channel_that_fails_has_hours_for_what_can_be_read() -> None:
    world = a_hearing()
    world.hear(*(an_event(drop=f"d{n}", key=f"orders/{n}.csv") for n in range(3)))
    spoil(world, 2, item=True)
    world.minutes(20 * 60)
    world.mailer.answers = [OUT_OF_ORDER] * 2
    world.minutes(4 * 60)

    assert len(subjects(world)) == 2


def test_routes_that_cannot_be_read_hold_up_no_message() -> None:
    world = a_hearing()
    (line,) = take(world.ports, codec.encode(an_event()))
    pointer = world.store.get(f"{ZONES.catalog}current.json")
    routes = f"{ZONES.catalog}routes/{codec.loads(catalog.Pointer, pointer, 'pointer').routes}.json"
    world.store.put(routes, b'{"format": 2}', "application/json")
    world.ports = replace(world.ports, catalog=Published(world.store, ZONES.catalog))
    sent = send(world.ports, line)

    assert sent
    assert sent.answer.result == "sent"
    assert "Questions: " not in world.mailer.sent[0].text


# --- what is shown of it


def test_the_trail_of_a_drop_shows_who_heard_when_and_what_answered() -> None:
    world = a_hearing(a_route(), a_route(SLACK))
    world.mailer.answers = [OUT_OF_ORDER]
    world.hear(an_event())
    waiting, told = trail.of_subject(world.book, "d1")

    assert (waiting.line.channel, waiting.message) == (MAIL, None)
    assert waiting.line.attempt
    assert (told.line.channel, told.message and told.message.answer) == (SLACK, "200 ok")


def test_two_contracts_have_two_lines() -> None:
    both = Routes((*some_routes(a_route()).contracts, *some_routes(a_route(), contract="returns.v1").contracts))
    world = Hearing(both)
    of_returns = an_event(drop="d2", key="returns/1.csv", contract=EventContract("returns.v1"))
    world.hear(an_event(), of_returns)

    assert len(subjects(world)) == 2


def test_a_line_that_crashes_each_time_holds_up_no_other_and_is_given_up() -> None:
    class Crashing:
        def send(self, mail: Mail) -> Answer:
            raise RuntimeError(mail.id)

    world = a_hearing(a_route(), a_route(SLACK))
    ports, world.ports = world.ports, replace(world.ports, mailer=Crashing())
    world.web.answers = [OUT_OF_ORDER]
    with pytest.raises(RuntimeError):
        world.hear(an_event())
    world.hear(an_event(drop="d2", key="orders/2.csv"))
    each = []
    for _ in range(5):
        world.clock.pass_seconds(60)
        each += list(send_due(world.ports, caught=Exception))
    assert {type(one) for one in each} == {Sent, Unsent}
    assert len(world.web.sent) == 1
    world.minutes(0)
    for _ in range(25 * 60):
        world.clock.pass_seconds(60)
        list(send_due(world.ports, caught=Exception))
    (line,) = (line for line in world.book.lines.values() if line.channel == MAIL)
    assert world.book.messages[line.id][0].answer == "given up: no try of a day has come to an end"
    world.ports = ports
    world.minutes(10)

    assert [mail.subject.partition(":")[0] for mail in world.mailer.sent] == ["[rejected] orders/2.csv"]


def test_the_contact_of_a_producer_stands_under_an_unmatched_key() -> None:
    world = a_hearing()
    world.hear(an_event("unmatched", contract=None, producer="shop"))

    assert "Questions: Data team, mailto:data@example.com" in world.mailer.sent[0].text


@pytest.mark.parametrize("channel", [PAGER, HOOK, SLACK], ids=lambda channel: channel.service)
def test_all_of_a_burst_in_a_minute_are_six_messages_in_the_hour(channel: Channel) -> None:
    world = a_hearing(a_route(channel))
    for n in range(3_000):
        world.hear(an_event(drop=f"d{n}", key=f"orders/{n}.csv"))
    world.minutes(59)

    (messages,) = world.book.messages.values()
    assert [m.through - m.after for m in messages] == [1, 2_000, 999]
    assert len(world.web.sent) == 3


def test_a_long_key_leaves_room_for_what_is_wrong() -> None:
    world = a_hearing()
    world.hear(an_event(key=f"orders/{'x' * 900}/2026-01-31.csv"))

    (subject,) = subjects(world)
    assert subject.startswith("[rejected] \u2026xxx")
    assert subject.endswith("x/2026-01-31.csv: 20 of 410 rows, amount is below the minimum of 0")


def test_a_digest_of_unmatched_keys_says_how_to_list_them() -> None:
    world = a_hearing()
    for n in range(3):
        world.hear(an_event("unmatched", f"d{n}", f"orders/{n}", contract=None, producer="shop"))
    world.minutes(12)

    assert "dropgate drops --state unmatched --stack dropgate" in world.mailer.sent[1].text
