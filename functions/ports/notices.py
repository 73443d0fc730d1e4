"""Notices for people: what waits on which line and what was sent; mail and requests that leave, and their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from contracts import codec
from contracts.terms.notices import Audience, Channel, Occasion
from functions import keys


@dataclass(frozen=True, slots=True)
class Attempt:
    """The message that a line is about to send: it covers the notices up to the number `through`.

    While it is `under_way`, nobody else sends it until `until`; after a failure it is due again then. It `may_repeat`
    if nobody knows whether an earlier try has arrived.
    """

    through: int
    begun_at: str
    until: str
    tries: int = 1
    under_way: bool = True
    may_repeat: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One contract (or producer) and one channel: its notices leave in their order, one message at a time.

    Notices are numbered up to `last`, and those up to `settled` are sent or given up. `free_at` is when the next
    message may begin, `due_at` when somebody has to look; None: nothing waits. `troubles` is the number of keys whose
    trouble is not over, `incidents` are the keys of PagerDuty's that are open.
    """

    id: str
    scope: str
    channel: Channel
    last: int = 0
    settled: int = 0
    free_at: str = ""
    due_at: str | None = None
    attempt: Attempt | None = None
    troubles: int = 0
    incidents: tuple[str, ...] = ()
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Notice:
    """An event on a line: what people hear of, and in which order. `event` is the CloudEvent as JSON.

    `subject` and `sequence` are the event's: of one subject a later sequence is never followed by an earlier one.
    `topic` is what is in trouble until it recovers: a key, or a day.
    """

    line: str
    number: int
    subject: str
    sequence: str
    occasion: Occasion
    topic: str
    at: str
    event: str
    audiences: tuple[Audience, ...] = ()
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Unread:
    """A notice that this version cannot read, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message that has left, or was given up: it covers the notices from after `after` up to `through`."""

    line: str
    after: int
    through: int
    at: str
    result: Literal["sent", "failed"]
    answer: str
    tries: int = 1
    may_repeat: bool = False
    format: Literal[1] = 1

    @property
    def id(self) -> str:
        """The id that it has with receivers."""
        return message_id(self.line, self.through)


def message_id(line: str, through: int) -> str:
    """Return the id of the message of a line that covers notices up to a number: the same at each try."""
    return f"msg_{keys.digest(line, str(through))}"


MESSAGE_TAG = "message"
"""The tag of a mail at SES that has the id of its message, so that a bounce is found by it."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A notice of a drop, as `dropgate notices` shows it: `message` is None while it waits.

    `returned` is why its mail came back, None if it did not.
    """

    line: Line
    number: int
    sequence: str
    occasion: Occasion
    at: str
    message: Message | None = None
    returned: str | None = None


Trouble = Literal["begins", "ends"]
"""A change of what is in trouble, by a notice."""


class NoticeTraces(Protocol):
    """Notices with what came of them, read by the command line and the API."""

    def of_subject(self, subject: str) -> Sequence[Trace]:
        """Return the notices of a drop, or of a day of missing files, on all lines, in their order."""
        ...


class NoticeBook(NoticeTraces, Protocol):
    """Lines and their notices. A line is fenced: who writes one that has changed since gets StaleWrite."""

    def line(self, line_id: str) -> Line | None:
        """Return a line as it is now."""
        ...

    def newest(self, line_id: str, subject: str) -> str | None:
        """Return the greatest sequence of a subject that a line has, or that passed it by; None if there is none."""
        ...

    def in_trouble(self, line_id: str, topic: str) -> str | None:
        """Return the time of the newest upload in a trouble that the line has, and that is not over; None without one.

        It is empty where the trouble is of no upload.
        """
        ...

    def newest_good(self, line_id: str, topic: str) -> str:
        """Return the time of the newest upload of a topic that was accepted; empty if there was none."""
        ...

    def note_good(self, line_id: str, topic: str, upload: str) -> None:
        """Keep that an upload was accepted, so that no trouble of an older one is put on the line."""
        ...

    def put(self, line: Line, notice: Notice, trouble: Trouble | None, upload: str = "") -> None:
        """Add a notice, with the line as it is then; StaleWrite if the line is not the version before.

        The same if a trouble begins with an upload, and a newer one of the topic was accepted.
        """
        ...

    def pass_by(self, line: Line, subject: str, sequence: str) -> None:
        """Keep that a state of a subject came by of which the line does not hear, so that no older one follows it.

        StaleWrite if the line is not the version before.
        """
        ...

    def waiting(self, line_id: str, after: int, through: int) -> Sequence[Notice | Unread]:
        """Return the notices of a line after a number, up to another one, in their order."""
        ...

    def write(self, line: Line, message: Message | None = None) -> None:
        """Write a line, and a message that has ended; StaleWrite if the line is not the version before."""
        ...

    def note_returned(self, message: str, reason: str) -> None:
        """Keep why the mail of a message came back: before the message is written, too."""
        ...

    def due(self, now: str, most: int) -> Sequence[str]:
        """Return the ids of lines that are due, those first that are due for the longest."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a try: `later` may succeed if it is tried again, `refused` not; `text` is for operators.

    `after` is the seconds after which the receiver wants to be asked again. `unsure`: it may have arrived.
    `ours`: it is no answer of the channel, which may take other messages. `progress`: a part was taken, which the next
    try leaves out.
    """

    result: Literal["sent", "later", "refused"]
    text: str
    after: int | None = None
    unsure: bool = False
    ours: bool = False
    progress: bool = False


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail to one address: texts are one line each where they are headers."""

    to: str
    subject: str
    text: str
    html: str
    id: str


@dataclass(frozen=True, slots=True)
class Post:
    """A request to a web address, with its body and headers."""

    url: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict, metadata=codec.SPARSE)


class Mailer(Protocol):
    """Mail that leaves."""

    def send(self, mail: Mail) -> Answer:
        """Send a mail."""
        ...


class Web(Protocol):
    """Requests that leave, to public https addresses alone."""

    def post(self, post: Post) -> Answer:
        """Send a request, and follow no redirect."""
        ...


class Secrets(Protocol):
    """Secrets by their names, kept for minutes."""

    def secret(self, name: str) -> str | None:
        """Return a secret; None if there is none."""
        ...
