"""The catalog as published: a plan that lint never saw reaches no other folder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts import codec
from contracts.errors import DocumentInvalid
from functions.catalog import Published
from tests.builders import ZONES, a_plan, publish
from tests.fakes import MemoryStore

NAMES = (
    "*",
    "a/b",
    "../x.v1",
    "",
    ".",
    "orders.v1/",
    "-a",
    "a b",
    "a\nb",
    "orders.v1\n",
    "ö.v1",
    "a" * 101,
    "${aws:x}",
)


@pytest.mark.parametrize("part", ["contract", "producer"])
@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_plan_written_by_hand_names_no_other_folder(part: str, name: str) -> None:
    store = MemoryStore()
    plan = replace(a_plan(), **{part: name})  # type: ignore[arg-type]
    publish(store, ZONES.catalog, [plan])

    with pytest.raises(DocumentInvalid, match="is no name of a folder"):
        Published(store, ZONES.catalog).plan(plan.sha)


def test_plan_of_lint_is_read() -> None:
    store, plan = MemoryStore(), a_plan()
    publish(store, ZONES.catalog, [plan])

    assert codec.canonical(Published(store, ZONES.catalog).plan(plan.sha)) == codec.canonical(plan)
