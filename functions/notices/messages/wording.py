"""The words of a message: notices in, its subject, sentences and how to get the rest out. Pure.

Texts of events are those of receipts, which mask the values of classified properties. Keys and texts of strangers are
made visible here: no line break and no other control character is left in them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts import codec
from contracts.problem import Problem, visible
from contracts.terms.notices import Contact, Occasion
from functions.events.drop_event import DropEvent
from functions.ports.notices import Line, Notice

if TYPE_CHECKING:
    from functions.events.drop_event import EventData, EventProblem

MOST_SUBJECT = 200
"""Characters of a subject; mail programs show fewer."""
MOST_NAME = 100
"""Characters of a key in a subject: its end is what tells files apart, and what is wrong stands behind it."""
MOST_KEY = 1_024
"""Characters of a key at most (Amazon S3 user guide, "Naming objects": bytes)."""
MOST_KEYS = 50
"""Keys that a digest lists."""
MOST_PROBLEMS = 20
"""Problems that a message lists; the receipt has all."""
MOST_TEXT = 600
SHARE = re.compile(r" in (?:the only|all|[\d,]+ of [\d,]+) (?:record|row|line)s?\b.*$")
"""The end of a message that tells how many records have a problem."""
ORDER: tuple[Occasion, ...] = (
    "failed", "rejected", "missing", "unmatched", "late", "stale", "warning", "recovered", "accepted",
)  # fmt: skip
"""Occasions in the order in which a digest names them."""
MEANINGS: dict[Occasion, str] = {
    "rejected": "The file breaks its contract. Consumers did not get it.",
    "failed": "dropgate could not judge the file. That is no fault of the file, and nothing is lost.",
    "warning": "Consumers have the file. It breaks its contract in ways that are only warned about.",
    "missing": "Files that the contract expects have not come by the end of their window.",
    "late": "The file came outside of the window of its contract.",
    "stale": "Data are older, or come less often, than the contract promises.",
    "unmatched": "No contract covers the key of this upload. Nobody gets the file as it is.",
    "accepted": "The file meets its contract. Consumers have it.",
    "recovered": "What you heard of before is over.",
}
"""The sentence under the subject."""
SAMPLE = "No file is wrong: somebody tries whether this channel works."
REPEAT = "You may have got this message before: dropgate does not know whether it arrived."


@dataclass(frozen=True, slots=True)
class Entry:
    """A notice of a message, with its event read."""

    notice: Notice
    event: DropEvent

    @property
    def name(self) -> str:
        """The key of the file, the day of files that are missing, or the promise, for any screen."""
        data = self.event.data
        if data.promise:
            return visible(data.promise.name)
        return data.missing.day if data.missing else ending(visible(data.key or self.event.subject, MOST_KEY), 300)


@dataclass(frozen=True, slots=True)
class Letter:
    """All that a message says, for each service to lay out.

    `entries` are its notices, the newest state of each drop alone; `problems` those of its file, if it is about one.
    `unread` notices are left out, because no version of a day could read them. `link` opens the file's receipt.
    """

    id: str
    line: Line
    stack: str
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()
    contact: Contact | None = None
    may_repeat: bool = False
    is_sample: bool = False
    unread: int = 0
    link: str | None = None

    @property
    def only(self) -> Entry | None:
        """The one notice of a message that is no digest."""
        return self.entries[0] if len(self.entries) == 1 else None

    @property
    def occasion(self) -> Occasion:
        """The gravest occasion of a message."""
        return min((entry.notice.occasion for entry in self.entries), key=ORDER.index)


def ending(text: str, most: int) -> str:
    """Return a text of at most so many characters, which begins with `…` if it was longer."""
    return text if len(text) <= most else f"\u2026{text[len(text) + 1 - most :]}"


def entry_of(notice: Notice) -> Entry:
    """Return a notice with its event; DocumentInvalid if this version cannot read it."""
    return Entry(notice, codec.loads(DropEvent, notice.event, f"event of notice {notice.number}"))


def newest(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Return the newest notice of each drop, in their order: of a drop's states only the last one is told."""
    last = {notice.subject: notice for notice in notices}
    return tuple(notice for notice in notices if last[notice.subject] is notice)


def subject(letter: Letter) -> str:
    """Return the first line, which says which file, what is wrong, and how much of it."""
    if entry := letter.only:
        text = f"[{'test' if letter.is_sample else entry.notice.occasion}] {_place(entry)}: {_in_short(entry, letter)}"
    else:
        counts = Counter(entry.notice.occasion for entry in letter.entries)
        occasions = sorted(counts, key=ORDER.index)
        figures = ", ".join(f"{counts[each]:,} {each}" for each in occasions)
        how_many = f"{len(letter.entries):,} files" if len(counts) == 1 else figures
        text = f"[{', '.join(occasions)}] {visible(letter.line.scope, 100)}: {how_many}"
    return visible(text.replace("`", ""), MOST_SUBJECT)


def lead(letter: Letter) -> str:
    """Return the sentences under the subject."""
    more = f" {letter.unread:,} more could not be read, and {'is' if letter.unread == 1 else 'are'} left out."
    return f"{_lead(letter)}{more if letter.unread else ''}"


def _lead(letter: Letter) -> str:
    if letter.is_sample:
        return SAMPLE
    if entry := letter.only:
        if entry.notice.occasion == "recovered":
            return _recovery(entry.event.data)
        if entry.event.data.withdrawn:
            return "The file breaks its contract. Consumers had it, and no longer have it."
        return MEANINGS[entry.notice.occasion]
    return (
        f"This message covers {len(letter.entries):,} files: notices of one contract leave every ten minutes at most."
    )


def facts(letter: Letter) -> dict[str, str]:
    """Return what else there is to know about the one file of a message, by its name for people."""
    entry = letter.only
    if entry is None:
        return {}
    data = entry.event.data
    contract = data.contract
    named = {
        "File": visible(data.key, 1024) if data.key else None,
        "Contract": f"{contract.name}{f', version {visible(contract.version)}' if contract.version else ''}"
        if contract
        else None,
        "Producer": visible(data.producer) if data.producer else None,
        "Records": f"{data.rows.read:,} read, {data.rows.rejected:,} rejected" if data.rows else None,
        "Received": data.received_at[:19].replace("T", " ") + " UTC" if data.received_at else None,
        "Missing": _missing(data),
        "Promise": visible(data.promise.promised, 300) if data.promise else None,
        "Seen": visible(data.promise.figure, 300) if data.promise else None,
        "Drop": data.drop,
    }
    return {name: value for name, value in named.items() if value}


def listed(letter: Letter) -> tuple[list[tuple[Occasion, str, str]], int]:
    """Return the files of a digest (occasion, key, what is wrong), and how many more there are."""
    gravest = sorted(letter.entries, key=lambda entry: ORDER.index(entry.notice.occasion))
    rows = [(entry.notice.occasion, entry.name, _in_short(entry, letter)) for entry in gravest[:MOST_KEYS]]
    return rows, len(letter.entries) - len(rows)


def rest(letter: Letter) -> list[str]:
    """Return how to get the rest: commands, and where the receipt is."""
    entry = letter.only
    if entry is None:
        contract = any(each.event.data.contract for each in letter.entries)
        which = f"--contract {visible(letter.line.scope)}" if contract else "--state unmatched"
        return [f"dropgate drops {which} --stack {letter.stack}"]
    data = entry.event.data
    if data.drop is None:
        of = visible(letter.line.scope)
        return [f"dropgate slo {of} --stack {letter.stack}"] if data.promise else []
    lines = [f"dropgate show {data.drop} --stack {letter.stack}"]
    if data.receipt:
        receipt = data.receipt.key.removesuffix(".json")
        lines.append(f"s3://{data.receipt.bucket}/{visible(receipt, 500)}.html")
    return lines + ([letter.link] if letter.link else [])


def contact_line(letter: Letter) -> str | None:
    """Return whom to ask."""
    contact = letter.contact
    if contact is None:
        return None
    address = visible(contact.url, 300) if contact.url else ""
    return f"Questions: {visible(contact.name)}{f', {address}' if address else ''}"


def why(letter: Letter) -> str:
    """Return why this channel hears of it."""
    audiences = sorted({audience for entry in letter.entries for audience in entry.notice.audiences})
    people = " and ".join(audiences) or "operator"
    return f"Sent by dropgate ({letter.stack}), because this channel is named for the {people} of {letter.line.scope}."


def problem_of(problem: EventProblem) -> Problem:
    """Return a problem of an event; texts that were erased since are empty."""
    return Problem(
        code=problem.code,
        message=problem.message or "",
        fix=problem.fix or "",
        level=problem.level or "error",
        place=problem.place,
        property=problem.property,
        check=problem.check,
    )


def _place(entry: Entry) -> str:
    contract = entry.event.data.contract
    if entry.event.data.missing or entry.event.data.promise:
        return visible(contract.name if contract else entry.event.subject)
    return ending(entry.name, MOST_NAME)


def _in_short(entry: Entry, letter: Letter) -> str:
    """Return what is wrong in few words."""
    data, occasion = entry.event.data, entry.notice.occasion
    if data.missing:
        return _missing(data) or data.missing.day
    if data.promise:
        return f"{data.promise.promised}: {data.promise.figure if occasion == 'stale' else 'it is again'}"
    if occasion in ("recovered", "accepted"):
        return "accepted" if data.verdict != "rejected" else "accepted by a person"
    first = next(iter(letter.problems if letter.only else map(problem_of, data.problems)), None)
    words = _few_words(first) if first else MEANINGS[occasion]
    rows = f"{data.rows.rejected:,} of {data.rows.read:,} rows, " if data.rows and data.rows.rejected else ""
    return f"{rows}{words}"


def _few_words(problem: Problem) -> str:
    """Return the first sentence of a problem, without the number of records, which stands before it."""
    text = problem.message.split(". ", 1)[0].rstrip(".") or problem.code
    return visible(SHARE.sub("", text), MOST_SUBJECT)


def _recovery(data: EventData) -> str:
    """Return what is over."""
    if data.promise:
        return "The promise is kept again."
    return "All files of the day have come." if data.missing else "A file under this key is accepted."


def _missing(data: EventData) -> str | None:
    missing = data.missing
    if missing is None:
        return None
    if data.state == "arrived":
        return f"all files of {missing.day} have come"
    if missing.files is None or missing.came is None:
        return f"files of {missing.day} have not come"
    due = f" by {missing.due_at[:16].replace('T', ' ')} UTC" if missing.due_at else ""
    return f"{missing.files - missing.came} of {missing.files} files of {missing.day} have not come{due}"
