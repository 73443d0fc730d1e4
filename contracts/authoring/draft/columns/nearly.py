"""Text columns most of whose values have one form: counted texts in; the form, and the texts without it, out. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from contracts.authoring.draft.columns import dates
from contracts.authoring.draft.columns.forms import LIKE
from contracts.authoring.draft.columns.kinds import NINES, Kinds, Notation, is_written
from contracts.values.date_formats import DateFormats

MOST_SHAPES = 300
TRIED = 20
"""Frequent texts whose notations are tried on all others."""


@dataclass(frozen=True, slots=True)
class Nearly:
    """The form of most values of a text column: how many are dates or numbers, one of them, and all other texts."""

    count: int
    example: str
    others: tuple[str, ...]
    is_dated: bool = False


def nearly(texts: Mapping[str, int]) -> Nearly | None:
    """Return what at least half of some values are, but not all of them; None if they have no such form."""
    by_shape: dict[str, list[str]] = {}
    for text in texts:
        by_shape.setdefault(text.translate(NINES), []).append(text)
        if len(by_shape) > MOST_SHAPES:
            return None
    numbers = [text for shape, some in by_shape.items() if LIKE.fullmatch(shape) for text in some]
    kinds = Kinds()
    kinds.fold(numbers)
    is_number = kinds.any and (kinds.numbers or next(kinds.written.forms(), None) is not None)
    moments = _moments(texts, by_shape)
    is_dated = not is_number or _weight(texts, moments) > _weight(texts, numbers)
    some = moments if is_dated else numbers
    count, total = _weight(texts, some), sum(texts.values())
    if 2 * count < total or count == total:
        return None
    fitting = {*some}
    others = sorted((text for text in texts if text not in fitting), key=lambda text: -texts[text])
    example = max(some, key=lambda text: texts[text])
    return Nearly(count, example, tuple(others), is_dated)


def _moments(texts: Mapping[str, int], by_shape: Mapping[str, Collection[str]]) -> list[str]:
    """Return the texts in the notation of dates or times that most values have."""
    votes = Counter[Notation | DateFormats]()
    for text in sorted(texts, key=lambda text: -texts[text])[:TRIED]:
        kinds = Kinds()
        kinds.fold([text])
        votes.update(dict.fromkeys((*kinds.notations, *kinds.of_files), texts[text]))
    ways = [way for way, _ in votes.most_common(3)]
    return max(([*_fitting(way, by_shape)] for way in ways), key=lambda some: _weight(texts, some), default=[])


def _fitting(way: Notation | DateFormats, by_shape: Mapping[str, Collection[str]]) -> list[str]:
    fits: Callable[[str, str], bool] = (
        (lambda shape, text: is_written(way, {shape}, [text]))
        if isinstance(way, Notation)
        else (lambda shape, text: bool(dates.fitting((way,), {shape}, [text])))
    )
    return [text for shape, some in by_shape.items() for text in some if fits(shape, text)]


def _weight(texts: Mapping[str, int], some: Collection[str]) -> int:
    return sum(texts[text] for text in some)
