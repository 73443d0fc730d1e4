"""The states of a line: a line and the time in, the line as it is next out. Pure.

A message is claimed, sent, and recorded: a crash between is a claim that has run out, and the next try says so.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from contracts.terms.notices import Channel
from functions import keys
from functions.ports.clock import moment, stamp
from functions.ports.notices import Answer, Attempt, Line

GAP = timedelta(minutes=10)
"""The time between two messages of a line: what comes in it waits for the next one."""
LEASE = timedelta(minutes=2)
"""The time for which a claim keeps others from sending: longer than the function runs."""
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=1)
PATIENCE = timedelta(days=1)
"""The time after which a message that cannot be sent is given up."""
UNREAD_FOR = timedelta(hours=20)
"""The time for which a message waits for a version that reads all its notices; the rest of its day is for sending."""
MOST_COVERED = 2_000
"""Notices that one message covers; more wait for the next."""


def line_id(scope: str, channel: Channel) -> str:
    """Return the id of the line of a contract or a producer to a channel."""
    return keys.digest("line", scope, channel.service, channel.to)


def new(scope: str, channel: Channel) -> Line:
    """Return a line on which nothing ever was."""
    return Line(line_id(scope, channel), scope, channel)


def joined(line: Line, now: datetime) -> Line:
    """Return a line with one notice more."""
    due = line.due_at or max(line.free_at, stamp(now))
    return replace(line, last=line.last + 1, due_at=due)


def claimed(line: Line, now: datetime) -> Line | None:
    """Return a line whose message is about to be sent; None if nothing is to be sent now."""
    at, until = stamp(now), stamp(now + LEASE)
    if line.attempt is None:
        if line.settled == line.last or line.free_at > at:
            return None
        mine = Attempt(min(line.last, line.settled + MOST_COVERED), at, until)
    elif line.attempt.until > at:
        return None
    else:
        before = line.attempt
        unknown = before.may_repeat or before.under_way
        mine = replace(before, until=until, tries=before.tries + 1, under_way=True, may_repeat=unknown)
    return replace(line, attempt=mine, due_at=until)


def is_given_up(attempt: Attempt, now: datetime) -> bool:
    """Return True if a message has been tried for long enough: without an answer, too, because each try crashed."""
    return now > moment(attempt.begun_at) + PATIENCE


def may_be_read(attempt: Attempt, now: datetime) -> bool:
    """Return True if what cannot be read of a message is waited for: another version may read it."""
    return now <= moment(attempt.begun_at) + UNREAD_FOR


def ended(line: Line, attempt: Attempt, now: datetime) -> Line:
    """Return a line whose message has left, or is given up."""
    free = stamp(now + GAP)
    due = free if line.last > attempt.through else None
    return replace(line, settled=attempt.through, attempt=None, free_at=free, due_at=due)


def put_off(line: Line, attempt: Attempt, answer: Answer, now: datetime) -> Line | None:
    """Return a line whose message is tried again later; None once it has been tried for long enough."""
    tries = 0 if answer.progress else attempt.tries
    at = now + wait(tries, answer)
    if at > moment(attempt.begun_at) + PATIENCE:
        return None
    until = stamp(at)
    unknown = attempt.may_repeat or answer.unsure
    later = replace(attempt, until=until, tries=tries, under_way=False, may_repeat=unknown)
    return replace(line, attempt=later, due_at=until)


def wait(tries: int, answer: Answer) -> timedelta:
    """Return the time until the next try after so many: longer each time, and what the receiver asks for."""
    longer: timedelta = min(FIRST_WAIT * 2 ** min(max(tries - 1, 0), 10), LONGEST_WAIT)
    return max(longer, timedelta(seconds=answer.after or 0))


def behind(line: Line, wait: timedelta, now: datetime) -> Line:
    """Return a line that is not tried now, because its channel is out of order: others are due before it."""
    return replace(line, due_at=stamp(now + min(wait, LONGEST_WAIT)))
