"""docs/reference/events.md and docs/how-to/events.md: the example is an event, rules choose it, the worker reads it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from samtranslator.yaml_helper import yaml_parse

from infra.local.events.pipe import matches
from infra.packaging.bundles import ROOT

PAGE = (ROOT / "docs" / "how-to" / "events.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "reference" / "events.md").read_text(encoding="utf-8")
SCHEMA = json.loads((ROOT / "functions" / "events" / "drop_event.v1.schema.json").read_text(encoding="utf-8"))


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a language on a page."""
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def worker() -> Callable[[Mapping[str, Any], set[str]], str | None]:
    """Return the function of the page."""
    names: dict[str, Any] = {}
    exec(blocks(PAGE, "python")[0], names)  # noqa: S102 - our own page
    work: Callable[[Mapping[str, Any], set[str]], str | None] = names["work"]
    return work


TEMPLATE, MACHINE = (yaml_parse(text) for text in blocks(PAGE, "yaml"))
EXAMPLE = json.loads(*blocks(REFERENCE, "json"))
RULES = [
    json.loads(blocks(PAGE, "json")[0]),
    TEMPLATE["Resources"]["OrdersPromoted"]["Properties"]["EventPattern"],
    MACHINE["LoadOrders"]["Properties"]["EventPattern"],
]


def test_example_is_an_event() -> None:
    assert [error.message for error in Draft202012Validator(SCHEMA).iter_errors(EXAMPLE["detail"])] == []


@pytest.mark.parametrize("rule", RULES)
def test_rules_choose_what_is_promoted_of_one_contract(rule: dict[str, Any]) -> None:
    data = EXAMPLE["detail"]["data"]
    other = {**EXAMPLE, "detail": {"data": {**data, "contract": {"name": "weather.v1"}}}}

    assert matches(rule, EXAMPLE)
    assert not matches(rule, other)
    assert not matches(rule, {**EXAMPLE, "detail-type": "Drop Rejected"})


def test_worker_handles_each_event_once() -> None:
    done: set[str] = set()
    uris = [worker()({"Body": json.dumps(EXAMPLE)}, done) for _ in range(2)]

    assert uris == ["s3://acme-drops-promoted/orders.v1/orders/2026-01-31.csv", None]
    assert done == {EXAMPLE["detail"]["id"]}


def test_template_of_the_queue_has_no_fault(tmp_path: Path) -> None:
    (tmp_path / "queue.yaml").write_text(blocks(PAGE, "yaml")[0], encoding="utf-8")
    done = subprocess.run(
        [Path(sys.executable).with_name("cfn-lint"), tmp_path / "queue.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "")


def test_reference_names_every_field() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", REFERENCE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    assert {*SCHEMA["properties"], *SCHEMA["$defs"]["EventData"]["properties"]} <= named
