"""The one table of states and events: total, and every write of it fenced."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from contracts.problem import Problem
from functions.drop import (
    EVENTS,
    MOST_PROBLEMS,
    MOST_TEXT,
    OPEN,
    STATES,
    TRANSITIONS,
    TRIAL_TRANSITIONS,
    NoChange,
    State,
    Transition,
    advance,
    brief,
    is_later,
    rank,
)
from tests.builders import a_drop

AT = "2026-01-31T12:00:01.000000Z"


def test_every_state_answers_every_event() -> None:
    for state, event in product(STATES, EVENTS):
        drop = a_drop(state=state)
        answer = advance(drop, event, AT)

        if event in TRANSITIONS[state]:
            assert isinstance(answer, Transition)
            assert answer.drop.state == TRANSITIONS[state][event]
            assert (answer.drop.version, answer.drop.changed_at) == (2, AT)
        else:
            assert isinstance(answer, NoChange)
            assert answer.drop is drop
            assert answer.reason


def test_every_event_leads_somewhere() -> None:
    tables = (TRANSITIONS, TRIAL_TRANSITIONS)
    assert {e for table in tables for events in table.values() for e in events} == set(EVENTS)


def test_every_open_state_can_be_left() -> None:
    assert all(set(TRANSITIONS[state].values()) - {state} for state in OPEN)
    assert all(set(TRIAL_TRANSITIONS[state].values()) - {state} for state in OPEN & TRIAL_TRANSITIONS.keys())


def test_every_state_is_reached_from_the_first() -> None:
    reached: set[State] = {"received"}
    for _ in STATES:
        reached |= {to for state in reached for to in TRANSITIONS[state].values()}

    assert reached | {"tried"} == set(STATES)


def test_promoted_data_is_not_judged_again() -> None:
    answer = advance(a_drop(state="accepted"), "replayed", AT)

    assert isinstance(answer, NoChange)
    assert "promoted" in answer.reason


def test_replay_begins_a_new_history() -> None:
    answer = advance(a_drop(state="failed", step=7), "replayed", AT, attempt=2)

    assert isinstance(answer, Transition)
    assert (answer.drop.attempt, answer.drop.step) == (2, 1)


def test_failed_drop_is_open_until_its_producer_knows() -> None:
    failed = a_drop(state="failed")

    assert failed.in_flight
    assert not replace(failed, receipt="s3://r").in_flight
    assert not replace(failed, producer=None).in_flight


def test_ledger_keeps_the_first_problems_cut() -> None:
    kept = brief([Problem("code", "m" * 9999, "f" * 9999, property="p" * 9999)] * 99)

    assert len(kept) == MOST_PROBLEMS
    assert {len(t.encode()) for t in (kept[0].message, kept[0].fix, kept[0].property or "")} == {MOST_TEXT}


def test_uploads_go_by_sequencers_or_by_the_clock_where_one_has_none() -> None:
    first, second = a_drop(sequencer="0B", uploaded_at="2"), a_drop(sequencer="0A", uploaded_at="3")
    unannounced = replace(second, sequencer="")

    assert (is_later(first, second), is_later(second, first)) == (True, False)
    assert (is_later(first, unannounced), is_later(unannounced, first)) == (False, True)
    assert not is_later(unannounced, unannounced)


@pytest.mark.parametrize(
    ("later", "earlier", "newer"),
    [
        ("0B", "0A", True),
        ("0A", "0B", False),
        ("0A", "0A", False),
        ("617F0829A0", "617F08299329D18901", True),
        ("617F08299329D18901", "617F08299329D189", True),
        ("617F08299329D18900", "617F08299329D189", False),
        ("617f08299329d18a", "617F08299329D189F", True),
        ("0", "", False),
    ],
)
def test_sequencers_compare_as_padded_hexadecimal(later: str, earlier: str, newer: bool) -> None:
    assert (rank(later) > rank(earlier)) is newer
