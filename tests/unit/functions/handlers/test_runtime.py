"""Metrics of an invocation: published if metrics are on, dropped if they are off."""

from __future__ import annotations

import json

import pytest

from functions.handlers import runtime


def invoked(times: int) -> None:
    for _ in range(times):
        with runtime.counted():
            runtime.count("DropsReceived")


def test_each_invocation_publishes_its_own(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED", raising=False)
    invoked(2)

    assert [json.loads(line)["DropsReceived"] for line in capsys.readouterr().out.splitlines()] == [[1.0], [1.0]]


def test_metrics_that_are_off_are_never_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    invoked(250)

    assert capsys.readouterr().out == ""
