"""The timeline of a drop: bars lie on the time of their attempt, and none is too small to see."""

from __future__ import annotations

import pytest

from functions.api.models.drops import HistoryStep, steps
from functions.pages.charts.timeline import LEAST, WIDTH, timeline
from functions.pages.words import lasting
from functions.ports.drops import Step


def history(*each: tuple[str, int, str]) -> list[HistoryStep]:
    """Return the steps of a history, each from its minute and second, its attempt and its state."""
    taken = [
        Step("d", attempt, n, state, "staged", f"2026-01-01T00:{at}.000Z")
        for n, (at, attempt, state) in enumerate(each)
    ]
    return steps(taken)


def test_bars_follow_each_other() -> None:
    received, validating, accepted = timeline(
        history(("00:00", 1, "received"), ("00:30", 1, "validating"), ("01:00", 1, "accepted"))
    )
    assert (received.x, received.width) == (0, WIDTH // 2)
    assert (validating.x, validating.width) == (WIDTH // 2, WIDTH // 2)
    assert (accepted.x, accepted.width) == (WIDTH - LEAST, LEAST)


def test_each_attempt_has_its_own_time() -> None:
    bars = timeline(
        history(("00:00", 1, "received"), ("00:10", 1, "rejected"), ("50:00", 2, "received"), ("50:10", 2, "accepted"))
    )
    assert [bar.x for bar in bars] == [0, WIDTH - LEAST, 0, WIDTH - LEAST]
    assert [bar.at for bar in bars] == ["0.0 s", "10.0 s", "0.0 s", "10.0 s"]


def test_steps_without_duration_have_marks() -> None:
    assert [bar.width for bar in timeline(history(("00:00", 1, "received")))] == [LEAST]
    assert timeline([]) == []


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.04, "0.0 s"), (119, "119.0 s"), (180, "3 min"), (9000, "2 h"), (259_200, "3 d")]
)
def test_durations_are_rough(seconds: float, words: str) -> None:
    assert lasting(seconds) == words
