"""Invocations of the embedded functions: how long the longest of each took."""

from __future__ import annotations

import time
from typing import Any

import pytest

from infra.local.events.invocation import Handler, Invoker
from infra.local.template.stack import Function

FUNCTION = Function("f", "any.handler", 128, 30, {}, ())


def slow(event: Any, _context: Any) -> None:
    time.sleep(event["seconds"])
    if event["seconds"] > 0.05:
        raise ValueError("the longest fails")


def test_longest_invocation_counts_whether_it_succeeds_or_fails() -> None:
    handler: Handler = slow
    invoke = Invoker({"F": FUNCTION}, {"F": handler}, "us-east-1")
    assert invoke.longest == {}

    with pytest.raises(ValueError, match="the longest fails"):
        invoke("F", {"seconds": 0.1})
    invoke("F", {"seconds": 0})

    assert 0.1 <= invoke.longest["F"] < 30
