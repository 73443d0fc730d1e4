"""Each service's form of a message: bounds and marks as their pages say, and nothing of a stranger's takes effect."""

from __future__ import annotations

import email
import re
from dataclasses import replace
from datetime import UTC, datetime
from email.policy import default
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from contracts import rules
from contracts.job import Count, DropResult, JobDrop, Sample
from contracts.place import Place
from contracts.plan import Check, Plan, Property
from contracts.problem import Problem
from contracts.terms.notices import Occasion
from functions import receipt_link
from functions.delivery.mime import mime
from functions.delivery.web import PublicWeb
from functions.notices.messages import pagerduty
from functions.notices.messages.webhook import signature, signing_key
from functions.notices.sample import send_samples
from functions.ports.notices import Answer, Line, Mail, Post
from tests.builders import a_plan, a_world, one_bad
from tests.hearing import (
    HOOK,
    MAIL,
    PAGER,
    SECRETS,
    SIGNING,
    SLACK,
    TEAMS,
    Hearing,
    MemoryWeb,
    a_hearing,
    a_route,
    an_absence,
    an_event,
)
from tests.receivers import Reply, web_receiver

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
HOSTILE = [
    "a\r\nBcc: everybody@example.com\r\n\r\nhello.csv",
    "a\nb\tc\x00\x1b[31m.csv",
    "<script>alert(1)</script>.csv",
    "<img src=x onerror=alert(1)>&amp;.csv",
    "<!channel> <https://evil.example.com|click> *bold* `code`.csv",
    "\u202egnp.csv\u2066\u200f",
    "{{ 7 * 7 }}{% raw %}.csv",
    "=?utf-8?q?encoded?=.csv",
    "x" * 1_000 + ".csv",
    "\u00e9\u4f60\U0001f600" * 80 + ".csv",
    "\"quoted\", 'and' \\ back.csv",
    "",
]


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def of_key(key: str) -> Any:
    """An event of a hostile key, with a hostile message."""
    event = an_event(key=f"orders/{key}")
    problem = replace(event.data.problems[0], message=f"The column {key} is not agreed.", fix=f"Remove {key}.")
    return replace(event, data=replace(event.data, problems=(problem,)))


def mails(world: Hearing) -> list[Mail]:
    return world.mailer.sent


# --- mail


@pytest.mark.parametrize("key", HOSTILE, ids=range(len(HOSTILE)))
def test_no_key_adds_a_header_or_a_tag_to_a_mail(key: str) -> None:
    world = a_hearing()
    world.hear(of_key(key), replace(of_key(key), id="2", subject="d2"))
    world.minutes(12)

    assert len(mails(world)) == 2
    for sent in mails(world):
        read: Any = email.message_from_bytes(mime(sent, "dropgate@example.com", NOW), policy=default)
        assert set(read.keys()) == {
            "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress",
            "MIME-Version", "Content-Type",
        }  # fmt: skip
        assert read["Subject"].replace("\u200b", "") == sent.subject
        assert len(sent.subject) <= 200
        assert sent.subject.isprintable()
        html, text = (read.get_body((kind,)).get_content() for kind in ("html", "plain"))
        page = Tags()
        page.feed(html)
        assert not {"script", "img", "a", "link", "iframe"} & set(page.tags)
        assert not any(name.startswith("on") for name in page.attributes)
        assert all(line.isprintable() for line in text.splitlines())


def test_every_line_of_a_mail_keeps_the_bound_of_mail() -> None:
    world = a_hearing()
    world.hear(of_key("\u4f60" * 300))
    body = mime(mails(world)[0], "dropgate@example.com", NOW)

    assert all(len(line) <= 998 for line in body.split(b"\r\n"))  # RFC 5322, section 2.1.1
    assert body.isascii()


def test_an_address_with_a_line_break_is_no_address() -> None:
    with pytest.raises(ValueError, match="linefeed"):
        mime(Mail("a@example.com\r\nBcc: b@example.com", "s", "t", "h", "msg_1"), "dropgate@example.com", NOW)


def test_a_repeat_has_the_id_of_the_first() -> None:
    world = a_hearing()
    world.mailer.answers = [Answer("later", "", unsure=True)]
    world.hear(an_event())
    world.minutes(5)
    ids = {re.search(rb"Message-ID: (\S+)", mime(each, "Us <us@example.com>", NOW)).group(1) for each in mails(world)}  # type: ignore[union-attr]

    assert len(mails(world)) == 2
    assert len(ids) == 1
    assert ids.pop().endswith(b"@example.com>")


def test_a_mail_shows_the_problems_of_the_receipt() -> None:
    world = a_hearing()
    event = an_event()
    problems = [Problem(f"p{n}", f"Problem number {n}.", f"Mend {n}.", place=Place(n, n + 1)) for n in range(1, 31)]
    world.file(event.data.receipt, *problems)
    world.hear(event)
    (sent,) = mails(world)

    assert "Problem number 20." in sent.text
    assert "Problem number 21." not in sent.text
    assert "and 10 more, in the receipt" in sent.text
    assert "(record 3, line 4)" in sent.text
    assert sent.text.count("Problem number 20.") == sent.html.count("Problem number 20.")


def test_a_receipt_that_is_gone_or_unreadable_leaves_the_first_problems() -> None:
    for receipt in (None, b"no json", b"[]", b'{"problems": [1]}'):
        world = a_hearing()
        event = an_event()
        if receipt:
            world.store.put(f"s3://internal/{event.data.receipt.key}", receipt, "application/json")  # type: ignore[union-attr]
        world.hear(event)

        assert "Correct amount in these records." in mails(world)[0].text


def test_a_mail_has_a_link_to_its_receipt_alone() -> None:
    world, key = a_hearing(), f"first {'a' * 43} 7"
    world.secrets.secrets["keys"] = key
    world.ports = replace(world.ports, link_keys=world.secrets, api="https://api.example.com")
    world.hear(an_event(drop="a" * 32))
    (sent,) = mails(world)
    token = sent.text.partition("https://api.example.com/receipts/")[2].splitlines()[0]

    link = receipt_link.opened("dropgate", receipt_link.keys_of(key), token, world.clock.now())
    assert link
    assert (link.drop, link.attempt) == ("a" * 32, an_event().data.attempt)
    assert f'<a href="https://api.example.com/receipts/{token}">' in sent.html


def test_text_and_page_say_the_same() -> None:
    world = a_hearing()
    world.hear(an_event())
    (sent,) = mails(world)
    lines = [line.strip(" -") for line in sent.text.splitlines()]
    facts = ("File", "Contract", "Producer", "Records", "Received", "Drop")
    for line in filter(None, lines):
        name, _, value = line.partition(": ")
        assert (value if name in facts else line) in sent.html, line


SECRET = "4111-2222"
"""The value of a classified property."""


def one_secret(plan: Plan, drop: JobDrop) -> DropResult:
    """Three records; in one the classified value is below the minimum."""
    counts = (*one_bad(plan, drop).counts[:-1], Count(3, 1, observed=SECRET, samples=(Sample(Place(2), SECRET),)))
    return replace(one_bad(plan, drop), counts=counts)


def test_no_classified_value_is_in_any_message() -> None:
    below = Check("id.minimum", rules.Minimum("5000-0000"), "row", "error", "conformity", "at least", "id")
    plan = a_plan(properties=(Property("id", "string", classification="confidential"),), checks=(below,))
    flow, world = a_world([plan]), a_hearing(*(a_route(channel) for channel in (MAIL, SLACK, PAGER, HOOK)))
    flow.upload("orders/1.csv", b"id\n4111-2222\n")
    flow.deliver_events()
    flow.deliver_windows()
    flow.end_jobs(one_secret)
    flow.deliver_jobs()
    (drop,) = flow.drops().values()
    assert drop.receipt
    receipt = flow.store.get(drop.receipt)
    world.store.put(drop.receipt, receipt, "application/json")
    world.hear(*flow.ledger.events)

    messages = [*world.mailer.sent, *world.web.sent]
    assert len(messages) == 4
    assert b"id.minimum" in receipt
    assert "below the minimum" in mails(world)[0].text
    for shown in (receipt, messages):
        assert SECRET not in str(shown)


# --- Slack


def blocks(world: Hearing) -> list[Any]:
    return [block for body in world.web.bodies for block in body["blocks"]]


@pytest.mark.parametrize("key", HOSTILE, ids=range(len(HOSTILE)))
def test_no_key_marks_anything_up_in_slack(key: str) -> None:
    world = a_hearing(a_route(SLACK))
    world.hear(of_key(key), replace(of_key(key), id="2", subject="d2"), replace(of_key(key), id="3", subject="d3"))
    world.minutes(12)

    for body in world.web.bodies:
        assert "<" not in body["text"]
    for block in blocks(world):
        texts = [block["text"]] if "text" in block else block["elements"]
        for text in texts:
            assert len(text["text"]) <= (150 if text["type"] == "plain_text" else 3_000)
            if text["type"] == "mrkdwn":
                assert "<" not in text["text"]
                assert ">" not in text["text"]
    assert len(blocks(world)) <= 50 * len(world.web.sent)


def test_slack_shows_what_is_wrong_and_whom_to_ask() -> None:
    world = a_hearing(a_route(SLACK))
    world.hear(an_event())
    (body,) = world.web.bodies
    text = str(body)

    assert world.web.sent[0].url == SECRETS["data-team"]
    assert body["text"].startswith("[rejected] orders/1.csv: 20 of 410 rows")
    assert "Correct amount in these records." in text
    assert "Questions: Data team" in text


# --- Teams


def runs(body: Any) -> list[str]:
    """The texts of the one card of a message, in the form that a workflow takes."""
    (attachment,) = body["attachments"]
    card = attachment["content"]
    assert (body["type"], attachment["contentType"]) == ("message", "application/vnd.microsoft.card.adaptive")
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.2")
    assert {block["type"] for block in card["body"]} == {"RichTextBlock"}
    every = [run for block in card["body"] for run in block["inlines"]]
    assert {run["type"] for run in every} == {"TextRun"}
    return [run["text"] for run in every]


def test_teams_shows_what_is_wrong_and_whom_to_ask() -> None:
    world = a_hearing(a_route(TEAMS))
    world.hear(an_event())
    (body,) = world.web.bodies
    title, *lines = runs(body)

    assert world.web.sent[0].url == SECRETS["data-room"]
    assert title.startswith("[rejected] orders/1.csv: 20 of 410 rows")
    assert any("Correct amount in these records." in line for line in lines)
    assert any(line.startswith("Questions: Data team") for line in lines)


@pytest.mark.parametrize("key", HOSTILE, ids=range(len(HOSTILE)))
def test_no_key_marks_anything_up_in_teams_or_makes_a_card_too_large(key: str) -> None:
    world = a_hearing(a_route(TEAMS))
    world.hear(of_key(key), *(replace(of_key(key), id=f"{n}", subject=f"d{n}") for n in range(2, 30)))
    world.minutes(12)

    assert len(world.web.sent) == 2
    for post, body in zip(world.web.sent, world.web.bodies, strict=True):
        assert len(post.body) <= 20_000
        assert all(text.isprintable() for text in runs(body))


# Power Automate, "Microsoft Teams" connector: a workflow that takes a request answers 202 with no body; one that was
# deleted or switched off answers 404, one whose limits are used up 429.
@pytest.mark.parametrize(
    ("status", "result"), [(202, "sent"), (429, "later"), (500, "later"), (404, "failed")], ids=str
)
def test_each_answer_of_a_workflow_means_what_it_says(status: int, result: str) -> None:
    with web_receiver() as receiver:
        receiver.replies = [Reply(status, "")]
        world = a_hearing(a_route(TEAMS))
        world.secrets.secrets = {TEAMS.to: f"{receiver.origin}/workflows/a?sig=x"}
        world.ports = replace(world.ports, web=PublicWeb(world.clock, receiver.origin))
        (sent,) = world.hear(an_event())

    assert ("failed" if sent.given_up else sent.answer.result) == result
    assert [request.path for request in receiver.received] == ["/workflows/a?sig=x"]


# --- webhooks


def test_signature_is_that_of_the_reference() -> None:
    # The example in the tests of the libraries of standard-webhooks/standard-webhooks.
    key = signing_key(SIGNING)
    assert key
    assert (
        signature("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}', key)
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


def test_a_webhook_gets_the_event_signed() -> None:
    world = a_hearing(a_route(HOOK))
    world.hear(an_event())
    (post,), (body,) = world.web.sent, world.web.bodies
    key = signing_key(SIGNING)
    assert key

    assert post.headers["webhook-signature"] == signature(
        post.headers["webhook-id"], post.headers["webhook-timestamp"], post.body, key
    )
    assert (body["id"], body["type"], body["occasion"]) == ("d1-0001-0005", "dropgate.drop.rejected.v1", "rejected")


def test_a_webhook_gets_a_digest_as_one_event() -> None:
    world = a_hearing(a_route(HOOK))
    world.hear(*(an_event(drop=f"d{n}", key=f"orders/{n}.csv") for n in range(101)))
    world.minutes(12)
    _, digest = world.web.bodies

    assert (digest["type"], digest["subject"]) == ("dropgate.notices.digest.v1", "orders.v1")
    assert (digest["data"]["files"], len(digest["data"]["listed"]), digest["data"]["left_out"]) == (100, 50, 50)


# --- PagerDuty


def actions(world: Hearing) -> list[tuple[str, str]]:
    return [(body["event_action"], body["dedup_key"]) for body in world.web.bodies]


ALL: tuple[Occasion, ...] = ("rejected", "failed", "missing")


def test_an_incident_is_resolved_when_the_corrected_file_is_accepted() -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    world.hear(an_event(drop="d1"))
    world.minutes(12)
    world.hear(an_event("accepted", drop="d2"))
    key = pagerduty.incident("orders.v1", "orders/1.csv")

    assert actions(world) == [("trigger", key), ("resolve", key)]
    assert all(body["routing_key"] == SECRETS["on-call"] for body in world.web.bodies)


def test_another_file_resolves_nothing() -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    world.hear(an_event(drop="d1"))
    world.minutes(12)
    world.hear(an_event("accepted", drop="d2", key="orders/2.csv"))
    world.minutes(12)

    assert [action for action, _ in actions(world)] == ["trigger"]


def test_a_burst_is_one_incident_which_ends_with_the_last_trouble() -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    for n in range(4):
        world.hear(an_event(drop=f"d{n}", key=f"orders/{n}.csv"))
    world.minutes(12)
    first, burst = pagerduty.incident("orders.v1", "orders/0.csv"), pagerduty.incident("orders.v1")
    assert actions(world) == [("trigger", first), ("trigger", burst)]
    for n in range(4):
        world.hear(an_event("accepted", drop=f"e{n}", key=f"orders/{n}.csv"))
        world.minutes(12)

    assert actions(world)[2:] == [("resolve", first), ("resolve", burst)]
    assert next(iter(world.book.lines.values())).incidents == ()


def test_missing_files_are_an_incident_until_they_come() -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    world.hear(an_absence())
    world.minutes(12)
    world.hear(an_absence("arrived", 2))

    assert [action for action, _ in actions(world)] == ["trigger", "resolve"]


@pytest.mark.parametrize("key", HOSTILE, ids=range(len(HOSTILE)))
def test_an_event_of_pagerduty_keeps_its_bounds(key: str) -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    world.hear(of_key(key))
    (body,) = world.web.bodies

    assert len(body["payload"]["summary"]) <= 1_024
    assert len(body["dedup_key"]) <= 255
    assert body["payload"]["severity"] == "error"
    assert len(world.web.sent[0].body) < 512 * 1024  # PagerDuty, "Events API v2 overview": 512 KB


def opened(world: Hearing, number: int) -> Line:
    """Let incidents of files be open, and all of the files be accepted since; the line."""
    for n in range(number):
        world.hear(an_event(drop=f"d{n}", key=f"orders/{n}.csv"))
        world.minutes(11)
    (line,) = world.book.lines.values()
    world.web.sent.clear()
    world.web.answers = [Answer("later", "503")]
    for n in range(number):
        world.hear(an_event("accepted", f"e{n}", f"orders/{n}.csv"))
    return line


def resolved(world: Hearing) -> list[str]:
    return [key for action, key in actions(world) if action == "resolve"]


@pytest.mark.parametrize("answer", [Answer("later", "429", after=30), Answer("later", "500", unsure=True)])
def test_what_pagerduty_has_taken_is_not_begun_again(answer: Answer) -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    line = opened(world, 12)
    world.web.answers = [Answer("later", "503"), *[Answer("sent", "202")] * 5, replace(answer, unsure=False)]
    world.web.answers += world.web.answers[1:] * 20
    world.minutes(120)

    assert sorted(resolved(world)) == sorted(set(line.incidents))
    (after,) = world.book.lines.values()
    assert (after.incidents, after.attempt, after.troubles) == ((), None, 0)
    assert {message.result for message in world.book.messages[line.id]} == {"sent"}


def test_many_incidents_are_resolved_in_several_tries_within_the_hour() -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    line = opened(world, 130)
    sent = world.minutes(60)

    assert len(resolved(world)) == len(set(resolved(world))) == len(line.incidents) == 130
    texts = [each.answer.text for each in sent]
    assert "20 of 129 changes are taken, the rest follows" in str(texts)
    assert next(iter(world.book.lines.values())).incidents == ()


def test_a_try_of_slow_changes_ends_in_time() -> None:
    class Slow(MemoryWeb):
        def post(self, post: Post) -> Answer:
            world.clock.pass_seconds(6)
            return super().post(post)

    world = a_hearing(a_route(PAGER, on=ALL))
    opened(world, 8)
    world.web = Slow()
    world.ports = replace(world.ports, web=world.web)
    counts = [len(resolved(world)) for _ in range(20) if world.minutes(1) is not None]

    assert max(now - before for before, now in pairwise(counts)) == 2
    assert counts[-1] == 8


def test_a_refusal_midway_keeps_what_was_resolved() -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    line = opened(world, 4)
    world.minutes(1)
    world.web.answers = [Answer("sent", "202"), Answer("sent", "202"), Answer("refused", "400")]
    world.minutes(20)

    assert next(iter(world.book.lines.values())).incidents == line.incidents[-1:]


def test_a_new_incident_waits_for_no_other_one_to_be_resolved() -> None:
    world = a_hearing(a_route(PAGER, on=ALL))
    opened(world, 3)
    world.hear(an_event(drop="n", key="orders/new.csv"))
    world.minutes(30)

    assert [action for action, _ in actions(world)] == ["resolve", "trigger", "resolve", "resolve"]


# --- samples


def test_a_sample_goes_to_each_channel_and_stays_no_incident() -> None:
    world = a_hearing(*(a_route(channel) for channel in (MAIL, SLACK, PAGER, HOOK)))
    sent = list(send_samples(world.ports, "orders.v1"))

    assert [(each.channel, each.answer.result) for each in sent] == [(c, "sent") for c in (MAIL, SLACK, PAGER, HOOK)]
    assert mails(world)[0].subject.startswith("[test] sample: ")
    assert [body["event_action"] for body in world.web.bodies if "event_action" in body] == ["trigger", "resolve"]
    assert world.web.bodies[-1]["type"] == "dropgate.notices.sample.v1"
    assert world.book.lines == {}


def test_a_sample_says_what_is_wrong_with_a_channel() -> None:
    world = a_hearing(a_route(SLACK))
    world.secrets.secrets = {}
    (sent,) = send_samples(world.ports, "orders.v1")

    assert (sent.answer.result, sent.answer.text) == ("refused", "there is no parameter /dropgate/notify/data-team")
