"""Notices with what came of them: a drop, or a contract's days and promises, in; notices out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from functions.ports.notices import NoticeTraces, Trace


def of_subject(book: NoticeTraces, subject: str) -> Sequence[Trace]:
    """Return the notices of a drop on all channels, or of a day of missing files (`<contract>/<day>`)."""
    return sorted(book.of_subject(subject), key=lambda trace: (trace.sequence, trace.line.channel.service, trace.at))


def of_contract(
    book: NoticeTraces, contract: str, days: Iterable[str], promises: Iterable[str], months: Collection[str]
) -> Sequence[tuple[str, Trace]]:
    """Return the notices of days of missing files and, of some months, of promises: with the day or the promise."""
    of_days = [(day, trace) for day in days for trace in of_subject(book, f"{contract}/{day}")]
    of_promises = [
        (promise, trace)
        for promise in promises
        for trace in of_subject(book, f"{contract}/{promise}")
        if trace.at[:7] in months
    ]
    return sorted((*of_days, *of_promises), key=lambda each: each[1].at)
