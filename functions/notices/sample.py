"""A sample to each channel of a contract, for `dropgate notify --test`: a contract in, what each answered out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from contracts import codec
from contracts.terms.notices import Audience, Channel, Occasion
from functions import keys
from functions.events.drop_event import DropEvent, EventContract, EventData, EventProblem
from functions.notices import lines
from functions.notices.messages.wording import Entry, Letter, problem_of
from functions.notices.send import deliver
from functions.notices.take import wishes_of
from functions.ports import NoticePorts
from functions.ports.notices import Answer, Notice

PROBLEM = EventProblem("sample", "warning", "this is a sample by `dropgate notify --test`", "Nothing is to be done.")
TYPE = "dropgate.notices.sample.v1"
"""The type of the event of a sample, so that no machine takes it for one of a file."""


@dataclass(frozen=True, slots=True)
class SampleSent:
    """A channel, who is reached by it, on what it hears, and what it answered."""

    channel: Channel
    audiences: tuple[Audience, ...]
    on: tuple[Occasion, ...]
    answer: Answer


def send_samples(ports: NoticePorts, contract: str) -> Iterator[SampleSent]:
    """Send a sample to each channel of a contract, the operators' among them; yield what each answered."""
    routes = ports.catalog.routes()
    own = routes.of_contract(contract)
    for channel, wish in wishes_of(iter((*(own.routes if own else ()), *routes.operators))).items():
        audiences = tuple(wish.audiences)
        letter = _letter(ports, contract, channel, audiences)
        yield SampleSent(channel, audiences, tuple(sorted(wish.on)), _answer(ports, letter))


def _answer(ports: NoticePorts, letter: Letter) -> Answer:
    """Send a sample; an incident that it opens at PagerDuty is resolved at once."""
    answer, opened = deliver(ports, letter)
    if opened:
        entry = letter.entries[0]
        over = replace(entry, notice=replace(entry.notice, occasion="recovered"))
        answer, _ = deliver(ports, replace(letter, line=replace(letter.line, incidents=opened), entries=(over,)))
    return answer


def _letter(ports: NoticePorts, contract: str, channel: Channel, audiences: tuple[Audience, ...]) -> Letter:
    """Return the letter of a sample, which is a warning to PagerDuty."""
    at = ports.at()
    data = EventData(state="noted", contract=EventContract(contract), key="sample", problems=(PROBLEM,))
    event = DropEvent(
        id=keys.digest("sample", contract, at),
        source=f"/dropgate/{ports.stack}",
        type=TYPE,
        subject="sample",
        time=at,
        sequence="0001",
        data=data,
    )
    line = lines.new(contract, channel)
    text = codec.canonical(event)
    notice = Notice(line.id, 1, event.subject, event.sequence, "warning", "sample", at, text, audiences)
    routes = ports.catalog.routes().of_contract(contract)
    return Letter(
        id=f"msg_{event.id}",
        line=line,
        stack=ports.stack,
        entries=(Entry(notice, event),),
        problems=(problem_of(PROBLEM),),
        contact=routes.contact if routes else None,
        is_sample=True,
    )
