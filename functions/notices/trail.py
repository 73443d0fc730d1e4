"""What was sent of a drop, to whom, when, and what came of it, for the command line: a drop in, its notices out."""

from __future__ import annotations

from collections.abc import Sequence

from functions.ports.notices import NoticeBook, Trace


def of_subject(book: NoticeBook, subject: str) -> Sequence[Trace]:
    """Return the notices of a drop on all channels, or of a day of missing files (`<contract>/<day>`)."""
    return sorted(book.of_subject(subject), key=lambda trace: (trace.sequence, trace.line.channel.service, trace.at))
