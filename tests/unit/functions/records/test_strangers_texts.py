"""Texts of strangers in names and logs: ids in policies, names of staged objects, lines of a log."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from aws_lambda_powertools import Logger

from functions.keys import stage_uri
from tests.builders import ZONES, a_plan
from tests.unit.contracts.authoring.documents import a_document, compiled

HOSTILE = (
    "a\n::error::b",
    "a\r\nb",
    "*",
    "a?b",
    "${aws:username}",
    "{a,b}",
    "[a-z]",
    "../x",
    '","Effect":"Allow"',
    "\x1b[2J",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_stranger_begins_no_line_of_a_log(text: str) -> None:
    written = io.StringIO()
    logger = Logger(service=f"test-{text}", stream=written)
    logger.append_keys(drop=text)
    logger.info("object taken", key=text, contract=text)

    (line,) = written.getvalue().splitlines()
    assert (json.loads(line)["key"], json.loads(line)["drop"]) == (text, text)


@pytest.mark.parametrize("text", HOSTILE)
def test_ids_of_contracts_mean_nothing_to_policies(text: str) -> None:
    outcome = compiled(a_document().replace("id: orders", f"id: {json.dumps(text)}", 1))

    assert outcome.plan is None
    assert "bad-id" in {f.code for f in outcome.findings}


@pytest.mark.parametrize("text", HOSTILE)
def test_stage_keys_hold_nothing_of_a_producers_name(text: str) -> None:
    plan = replace(a_plan(), files=(f"shop/orders/{text}.csv",))

    folder = f"{ZONES.stage}{plan.contract}/20260131T1000/"
    assert stage_uri(ZONES, plan, "d" * 32, 1, "2026-01-31T10:00:00Z") == f"{folder}{'d' * 32}/1.csv"
