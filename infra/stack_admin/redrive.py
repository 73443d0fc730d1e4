"""Dead letters: a stack's queues in; the letters of each with their age, and their way back, out.

Letters are sent back one by one. StartMessageMoveTask only takes back messages that another queue gave up ("non-SQS
queue sources of dead-letter queues ... are currently not supported", Amazon SQS API), and half of ours come from
EventBridge. A letter is sent first and deleted after: an interruption between the two repeats an event, which changes
nothing, and loses none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from contracts.errors import DropgateError
from functions.aws.answers import asking
from functions.ports.progress import ignore

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType
    from mypy_boto3_sqs.type_defs import MessageTypeDef

MOST = 10
"""Messages in one call (Amazon SQS API, ReceiveMessage and SendMessageBatch)."""
FRUITLESS = 5
"""After this many pages in a row of only letters that have died again, the work ends: others may come after them."""
LOOK_SECONDS = 2
"""A call that waits asks all of a queue's servers, one that does not asks some (developer guide, "long polling")."""


class NotMoved(DropgateError):
    """Some letters did not go back; the text gives their number, the reason, and their place."""


@dataclass(frozen=True, slots=True)
class LetterKind:
    """Letters of one kind: the logical ids of their queue and of the one that they go back to, if there is one.

    `holds` describes them, `remedy` is what to do with them (on AWS, with `{url}` of their queue), and `at_home` is
    what to do on a local machine, if that differs.
    """

    name: str
    queue: str
    back: str | None
    holds: str
    remedy: str
    at_home: str | None = None

    def what_to_do(self, url: str, *, embedded: bool) -> str:
        """Return what a person does with the letters of the queue at a URL."""
        return self.at_home if embedded and self.at_home else self.remedy.format(url=url)


NO_HARM = "the letters do no harm, and leave after 14 days"
DELETE = "`aws sqs purge-queue --queue-url {url}` deletes them"
KINDS = (
    LetterKind(
        "object-created",
        "ObjectCreatedDlq",
        "ObjectCreatedQueue",
        "uploads that were not processed; they are in landing",
        "fix the cause, then `dropgate redrive object-created`",
    ),
    LetterKind(
        "batch-due",
        "BatchDueDlq",
        "BatchDueQueue",
        "windows that have ended; the schedule starts their batches anyway",
        "fix the cause, then `dropgate redrive batch-due`",
    ),
    LetterKind(
        "small-staged",
        "SmallStagedDlq",
        "SmallStagedQueue",
        "small drops that the fast lane did not judge; the schedule leaves them to Spark anyway",
        "fix the cause, then `dropgate redrive small-staged`",
    ),
    LetterKind(
        "job-state-changed",
        "JobStateChangedDlq",
        "JobStateChangedQueue",
        "runs that have ended; the schedule settles their drops anyway",
        "fix the cause, then `dropgate redrive job-state-changed`",
    ),
    LetterKind(
        "schedule",
        "ScheduleDlq",
        None,
        "calls of the schedule that failed; the next minute's call does their work",
        f"see its logs, then {DELETE}",
        f"see the output of `dropgate up`; {NO_HARM}",
    ),
    LetterKind(
        "notices",
        "NoticesDlq",
        None,
        "events that were not sent; the states are correct, and letters name records of the stream, not events",
        f"send the events of that time's drops by `dropgate events DROP --again`, then {DELETE}",
        f"send the events of that time's drops by `dropgate events DROP --again`; {NO_HARM}",
    ),
    LetterKind(
        "notice-event",
        "NoticeEventDlq",
        "NoticeEventQueue",
        "events that people were not told of",
        "fix the cause, then `dropgate redrive notice-event`",
    ),
    LetterKind(
        "notices-due",
        "NoticesDueDlq",
        None,
        "calls of the clock of notices that failed; the next minute's call does their work",
        f"see its logs, then {DELETE}",
        f"see the output of `dropgate up`; {NO_HARM}",
    ),
)
"""Every dead-letter queue of the template."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The number of waiting letters of a kind, and when the oldest of the sampled ones was first sent.

    `hidden` are those that somebody has just received; SQS counts approximately.
    """

    kind: LetterKind
    url: str
    letters: int
    hidden: int
    oldest_seen: datetime | None


def waiting(sqs: SQSClient, urls: Mapping[str, str], kind: LetterKind) -> Waiting:
    """Count the letters of a kind without moving them."""
    url = urls[kind.queue]
    letters, hidden = _counts(sqs, url)
    sent = [int(one["Attributes"]["SentTimestamp"]) for one in (_received(sqs, url, hide_seconds=0) if letters else ())]
    oldest = datetime.fromtimestamp(min(sent) / 1000, UTC) if sent else None
    return Waiting(kind, url, letters, hidden, oldest)


@dataclass(frozen=True, slots=True)
class Redriven:
    """The number of letters that were sent back, and the number left in the queue, as far as it was read."""

    moved: int
    left: int


def redrive(sqs: SQSClient, source: str, back: str, progress: Callable[[int], None] = ignore) -> Redriven:
    """Send all letters of a queue back to their own queue; call `progress` with the number so far. Raises NotMoved.

    A letter that was sent back and is dead again stays: otherwise it would go round for ever.
    """
    moved, fruitless, ours, again = 0, 0, set[str](), set[str]()
    while fruitless < FRUITLESS and (page := _received(sqs, source)):
        fresh = [one for one in page if one["MessageId"] not in ours]
        again |= {one["MessageId"] for one in page} & ours
        if not fresh:
            fruitless += 1
            continue
        fruitless = 0
        sent, refused = _sent(sqs, back, fresh)
        ours |= set(sent.values())
        kept = _deleted(sqs, source, [one for one in fresh if one["MessageId"] in sent])
        moved += len(sent)
        progress(moved)
        if refused:
            raise NotMoved(
                f"{moved} were moved, {len(refused)} were not: SQS refused them ({refused[0]}). These and the "
                "unread letters stay in the queue; run the command again."
            )
        if kept:
            raise NotMoved(
                f"{moved} were sent back, but {len(kept)} of them could not be deleted ({kept[0]}). Run the command "
                "again; an event that comes twice changes nothing."
            )
    return Redriven(moved, len(again) if fruitless < FRUITLESS else max(len(again), sum(_counts(sqs, source))))


def _counts(sqs: SQSClient, url: str) -> tuple[int, int]:
    """Return how many letters can be received, and how many were just received; SQS counts approximately."""
    names: list[QueueAttributeNameType] = [
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
    ]
    with asking("sqs"):
        attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    return int(attributes["ApproximateNumberOfMessages"]), int(attributes["ApproximateNumberOfMessagesNotVisible"])


def _received(sqs: SQSClient, url: str, hide_seconds: int | None = None) -> Sequence[MessageTypeDef]:
    """Return some letters, hidden from other readers for the queue's time, or for so many seconds."""
    with asking("sqs"):
        if hide_seconds is None:
            answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=MOST, WaitTimeSeconds=LOOK_SECONDS)
        else:
            answer = sqs.receive_message(
                QueueUrl=url,
                MaxNumberOfMessages=MOST,
                WaitTimeSeconds=LOOK_SECONDS,
                VisibilityTimeout=hide_seconds,
                MessageSystemAttributeNames=["SentTimestamp"],
            )
    return answer.get("Messages", [])


def _sent(sqs: SQSClient, url: str, letters: Sequence[MessageTypeDef]) -> tuple[dict[str, str], list[str]]:
    """Return the new id of each sent letter by its former one, and the reasons for the others.

    Only the body is sent: the other attributes of a letter describe its failure, and no handler reads them.
    """
    with asking("sqs"):
        answer = sqs.send_message_batch(
            QueueUrl=url, Entries=[{"Id": str(n), "MessageBody": one["Body"]} for n, one in enumerate(letters)]
        )
    sent = {letters[int(one["Id"])]["MessageId"]: one["MessageId"] for one in answer.get("Successful", [])}
    return sent, [f"{one['Code']}: {one.get('Message', '')}" for one in answer.get("Failed", [])]


def _deleted(sqs: SQSClient, url: str, letters: Sequence[MessageTypeDef]) -> list[str]:
    """Delete letters; return the reasons for those that could not be deleted."""
    if not letters:
        return []
    entries = [{"Id": str(n), "ReceiptHandle": one["ReceiptHandle"]} for n, one in enumerate(letters)]
    with asking("sqs"):
        answer = sqs.delete_message_batch(QueueUrl=url, Entries=entries)  # type: ignore[arg-type]
    return [f"{one['Code']}: {one.get('Message', '')}" for one in answer.get("Failed", [])]
