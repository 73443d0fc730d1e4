"""The letter of a message: what waits on a line in, all that the message says out, and what of it cannot be read.

A notice that cannot be read, as of a newer version, takes no other one with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from contracts.errors import DocumentInvalid, ObjectGone, ServiceUnavailable
from contracts.problem import Problem
from contracts.terms.notices import Contact
from functions.notices.messages import wording
from functions.notices.messages.receipt_problems import problems_in
from functions.notices.messages.wording import Entry, Letter
from functions.notices.take import producer_of
from functions.ports import NoticePorts
from functions.ports.notices import Attempt, Line, Notice, Unread, message_id
from functions.receipt_link import SECRET, keys_of, token_of


def read(ports: NoticePorts, line: Line, attempt: Attempt) -> tuple[tuple[Entry, ...], tuple[Unread, ...]]:
    """Return the newest state of each drop that a message covers, and the notices that cannot be read."""
    waiting = ports.book.waiting(line.id, line.settled, attempt.through)
    notices = [each for each in waiting if isinstance(each, Notice)]
    every = [*(each for each in waiting if isinstance(each, Unread)), *map(_entry, wording.newest(notices))]
    entries = tuple(each for each in every if isinstance(each, Entry))
    return entries, tuple(each for each in every if isinstance(each, Unread))


def _entry(notice: Notice) -> Entry | Unread:
    try:
        return wording.entry_of(notice)
    except DocumentInvalid as error:
        return Unread(notice.number, str(error))


def in_words(unread: Sequence[Unread]) -> str:
    """Return how many notices cannot be read, by the number of the first."""
    more = f" and {len(unread) - 1:,} more" if len(unread) > 1 else ""
    return f"notice {unread[0].number}{more}"


def letter_of(ports: NoticePorts, line: Line, attempt: Attempt, entries: tuple[Entry, ...], unread: int) -> Letter:
    """Return what a message says: its notices, and the problems of the receipt if it is about one file."""
    return Letter(
        id=message_id(line.id, attempt.through),
        line=line,
        stack=ports.stack,
        entries=entries,
        problems=_problems(ports, entries[0]) if len(entries) == 1 else (),
        contact=_contact(ports, line),
        may_repeat=attempt.may_repeat,
        unread=unread,
        link=_link(ports, line, entries[0]) if len(entries) == 1 else None,
    )


def _link(ports: NoticePorts, line: Line, entry: Entry) -> str | None:
    """Return the link to a file's receipt, for mails; None if the stack has no API or no key, or cannot read it now."""
    data = entry.event.data
    if not ports.api or line.channel.service != "email" or not (data.receipt and data.drop and data.attempt):
        return None
    try:
        keys = keys_of(ports.link_keys.secret(SECRET))
    except ServiceUnavailable:
        return None
    token = token_of(ports.stack, keys, data.drop, data.attempt, ports.clock.now())
    return f"{ports.api}/receipts/{token}" if token else None


def _contact(ports: NoticePorts, line: Line) -> Contact | None:
    """Return whom to ask; None if the routes cannot be read, which holds up no message."""
    try:
        routes = ports.catalog.routes()
    except DocumentInvalid:
        return None
    own = routes.of_contract(line.scope)
    return own.contact if own else routes.contact_of(producer_of(line.scope))


def _problems(ports: NoticePorts, entry: Entry) -> tuple[Problem, ...]:
    """Return the problems of a file: those of its receipt, or the first ones, of its event, if it is gone."""
    receipt = entry.event.data.receipt
    if receipt:
        try:
            return problems_in(ports.documents.get(f"s3://{receipt.bucket}/{receipt.key}"))
        except (ObjectGone, DocumentInvalid):
            pass
    return tuple(map(wording.problem_of, entry.event.data.problems))
