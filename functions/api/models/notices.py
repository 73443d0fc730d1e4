"""Notices as the API shows them: traces in, models out."""

from __future__ import annotations

from typing import Literal, Self

from functions.api.models.base import Model
from functions.ports.notices import Trace


class NoticeItem(Model):
    """A notice: its occasion, its channel, and what came of it; `to` is an address, or the name of a secret.

    `about` is the drop, the day of missing files, or the promise. `may_repeat`: it may have arrived twice. `returned`
    is why a mail came back.
    """

    about: str
    occasion: str
    service: str
    to: str
    at: str
    result: Literal["waiting", "sent", "failed"]
    sent_at: str | None
    answer: str | None
    tries: int | None
    may_repeat: bool
    returned: str | None

    @classmethod
    def of(cls, about: str, trace: Trace) -> Self:
        """Return a notice."""
        message, channel = trace.message, trace.line.channel
        return cls(
            about=about,
            occasion=trace.occasion,
            service=channel.service,
            to=channel.to,
            at=trace.at,
            result=message.result if message else "waiting",
            sent_at=message.at if message else None,
            answer=message.answer if message else None,
            tries=message.tries if message else None,
            may_repeat=bool(message and message.may_repeat),
            returned=trace.returned,
        )


class NoticeList(Model):
    """Notices in the order of their occasions; they are kept for 90 days."""

    notices: list[NoticeItem]
