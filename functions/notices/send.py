"""Notices that wait on a line, out to its channel: claim, send, record; the line's id in, what came of it out.

No channel holds up another one: a failure is an answer, and the line is due again later. Twice comes only what was
sent by a process that died before it could record that, and the second one says that it may be a repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from contracts.errors import ServiceUnavailable, StaleWrite
from contracts.terms.notices import Channel
from functions.notices import lines
from functions.notices.addresses import Address, address_of
from functions.notices.letters import in_words, letter_of, read
from functions.notices.messages import pagerduty
from functions.notices.messages.mail import mail
from functions.notices.messages.pagerduty import Change
from functions.notices.messages.slack import slack
from functions.notices.messages.teams import teams
from functions.notices.messages.webhook import webhook
from functions.notices.messages.wording import Letter
from functions.notices.take import TRIES
from functions.ports import NoticePorts
from functions.ports.notices import Answer, Attempt, Line, Message

MOST_CHANGES, LONGEST = 20, timedelta(seconds=10)
"""Changes of incidents that one try makes, and the time after which it begins with no other one."""
Late = dict[Channel, timedelta]
"""The channels that have put a message off in a run, and for how long their other lines wait."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of a message: its line, the notices that it covers, the answer, and whether it is given up."""

    line: Line
    notices: int
    answer: Answer
    tries: int
    given_up: bool


def send(ports: NoticePorts, line_id: str, late: Late | None = None) -> Sent | None:
    """Send what waits on a line, if it may leave now; None if there is nothing to send, or somebody else sends it.

    `late` is kept over a run: a channel that did not take one message is not asked for other lines in the same run.
    """
    late = {} if late is None else late
    line, now = ports.book.line(line_id), ports.clock.now()
    claim = lines.claimed(line, now) if line else None
    if line is None or claim is None or claim.attempt is None:
        return None
    wait = late.get(line.channel)
    try:
        ports.book.write(lines.behind(line, wait, now) if wait else claim)
    except StaleWrite:
        return None
    if wait:
        return None
    answer, incidents = _deliver(ports, claim, claim.attempt)
    if answer.result == "later" and not answer.ours:
        late[line.channel] = lines.wait(1, answer)
    return _record(ports, claim, claim.attempt, answer, incidents)


def _deliver(ports: NoticePorts, line: Line, attempt: Attempt) -> tuple[Answer, tuple[str, ...]]:
    """Make the message of an attempt and send it; the answer, and the incidents that are open then."""
    if lines.is_given_up(attempt, ports.clock.now()):
        return Answer("refused", "given up: no try of a day has come to an end"), line.incidents
    try:
        readable, unread = read(ports, line, attempt)
        if unread and lines.may_be_read(attempt, ports.clock.now()):
            return Answer(
                "later", f"{in_words(unread)} cannot be read now: {unread[0].reason}", ours=True
            ), line.incidents
        if not readable:
            return Answer("refused", f"{in_words(unread)} cannot be read: {unread[0].reason}"), line.incidents
        letter = letter_of(ports, line, attempt, readable, len(unread))
    except ServiceUnavailable as error:
        return Answer("later", f"the message could not be made: {error}", ours=True), line.incidents
    answer, incidents = deliver(ports, letter)
    without = f"; left out unread: {in_words(unread)}" if unread else ""
    return replace(answer, text=f"{answer.text}{without}"), incidents


def deliver(ports: NoticePorts, letter: Letter) -> tuple[Answer, tuple[str, ...]]:
    """Send a letter to the channel of its line; the answer, and the incidents that are open then."""
    channel, incidents = letter.line.channel, letter.line.incidents
    if channel.service == "email":
        return ports.mailer.send(mail(letter, channel.to)), incidents
    address = _address(ports, letter.line)
    if isinstance(address, Answer):
        return address, incidents
    if channel.service == "pagerduty":
        return _each(ports, pagerduty.changes(letter, ports.pagerduty or address.url, address.routing_key), incidents)
    if channel.service == "teams":
        return ports.web.post(teams(letter, address.url)), incidents
    if channel.service == "slack":
        return ports.web.post(slack(letter, address.url)), incidents
    return ports.web.post(webhook(letter, address.url, address.signing_key, ports.clock.now())), incidents


def _each(ports: NoticePorts, changes: Sequence[Change], incidents: tuple[str, ...]) -> tuple[Answer, tuple[str, ...]]:
    """Send changes of incidents until one fails or a try is long enough; what was taken is not begun again.

    The exception is a crash, after which they are sent again without harm.
    """
    answer, taken, until = Answer("sent", "nothing to send: the incident is not open"), 0, ports.clock.now() + LONGEST
    for change in changes:
        if taken == MOST_CHANGES or (taken and ports.clock.now() > until):
            answer = Answer("later", f"{taken} of {len(changes)} changes are taken, the rest follows", ours=True)
            break
        answer = ports.web.post(change.post)
        if answer.result != "sent":
            break
        taken += 1
    after = pagerduty.after(incidents, changes[:taken])
    return replace(answer, progress=after != incidents), after


def _address(ports: NoticePorts, line: Line) -> Address | Answer:
    """Return the address of a line's channel, or the answer that there is none."""
    try:
        secret = ports.secrets.secret(line.channel.to)
    except ServiceUnavailable as error:
        return Answer("later", f"the secret `{line.channel.to}` could not be read: {error}")
    if secret is None:
        return Answer("refused", f"there is no parameter {ports.secrets_folder}{line.channel.to}")
    address = address_of(line.channel.service, secret)
    if isinstance(address, str):
        return Answer("refused", f"the parameter {ports.secrets_folder}{line.channel.to} must be {address}")
    return address


def _record(
    ports: NoticePorts, claim: Line, attempt: Attempt, answer: Answer, incidents: tuple[str, ...]
) -> Sent | None:
    """Record what came of a message; None if it took so long that somebody else sends it by now.

    A table that fails is asked again: the message has left, and would leave twice.
    """
    for _ in range(TRIES - 1):
        try:
            return _recorded(ports, claim, attempt, answer, incidents)
        except (StaleWrite, ServiceUnavailable):
            continue
    return _recorded(ports, claim, attempt, answer, incidents)


def _recorded(
    ports: NoticePorts, claim: Line, attempt: Attempt, answer: Answer, incidents: tuple[str, ...]
) -> Sent | None:
    line = ports.book.line(claim.id)
    if line is None or line.attempt != attempt:
        return None
    now = ports.clock.now()
    later = lines.put_off(line, attempt, answer, now) if answer.result == "later" else None
    after = replace(later or lines.ended(line, attempt, now), incidents=incidents)
    message = None if later else _message(ports, line, attempt, answer)
    ports.book.write(after, message)
    given_up = message is not None and message.result == "failed"
    return Sent(line, attempt.through - line.settled, answer, attempt.tries, given_up)


def _message(ports: NoticePorts, line: Line, attempt: Attempt, answer: Answer) -> Message:
    return Message(
        line=line.id,
        after=line.settled,
        through=attempt.through,
        at=ports.at(),
        result="sent" if answer.result == "sent" else "failed",
        answer=answer.text,
        tries=attempt.tries,
        may_repeat=attempt.may_repeat,
    )
