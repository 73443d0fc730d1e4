"""docs/reference/notify.md: its examples compile, and its occasions are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

from jsonschema import Draft201909Validator

from contracts.authoring.compiler.lint import lint
from contracts.authoring.document import source
from contracts.terms.notices import AUDIENCES, DEFAULTS, OCCASIONS, Channel
from infra.packaging.bundles import ROOT

PAGE = (ROOT / "docs" / "reference" / "notify.md").read_text(encoding="utf-8")
CONTRACT, NOTIFY = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
HEAD = """\
apiVersion: v3.2.0
kind: DataContract
id: orders
version: "1.0.0"
status: active
schema: [{name: orders, properties: [{name: id, logicalType: integer}]}]
"""


def test_examples_name_channels(tmp_path: Path) -> None:
    arrival = '      arrival: {by: "06:00"}\n'
    (tmp_path / "orders.v1.yaml").write_text(HEAD + CONTRACT + arrival, encoding="utf-8")
    alone = lint((tmp_path,))
    assert [f.message for f in alone.findings if f.level != "note"] == []
    (tmp_path / "notify.yaml").write_text(NOTIFY, encoding="utf-8")
    result = lint((tmp_path,))
    assert [f.message for f in result.findings if f.level != "note"] == []

    (own,), (heard,) = alone.routes.contracts, result.routes.contracts
    assert [(r.audience, r.channel.to) for r in own.routes] == [
        ("producer", "orders-help@example.org"),
        ("producer", "ana@example.org"),
        ("consumer", "orders-alerts"),
        ("operator", "data-oncall"),
    ]
    assert own.contact
    assert [(r.audience, r.channel) for r in heard.routes] == [
        ("operator", Channel("pagerduty", "data-oncall")),
        ("consumer", Channel("slack", "finance")),
    ]
    assert [r.channel.service for r in result.routes.operators] == ["email", "pagerduty"]


def test_editors_need_the_schema_of_notify_yaml_alone() -> None:
    folder = ROOT / "contracts" / "authoring" / "drop_block"
    alone, drop = (json.loads((folder / f"{name}.schema.json").read_text("utf-8")) for name in ("notify", "drop"))
    editors = Draft201909Validator(alone)

    assert {name: drop["$defs"][name] for name in alone["$defs"]} == alone["$defs"]
    assert [error.message for error in editors.iter_errors(source.read(NOTIFY.encode(), "notify.yaml").data)] == []
    wrong = ({"operator": 1}, {"operator": {"on": ["late"]}}, {"contracts": {"orders.v1": {"consumer": [""]}}})
    assert [len(list(editors.iter_errors(document))) > 0 for document in wrong] == [True, True, True]


def test_occasions_are_those_of_the_code() -> None:
    rows = [row.split("|") for row in re.findall(r"^\| `[a-z]+` \|.*$", PAGE, re.MULTILINE)]
    hear = {cells[1].strip(" `"): cells[3] for cells in rows}
    del hear["on"]  # the head of the table
    assert tuple(hear) == OCCASIONS
    for occasion, who in hear.items():
        for audience in AUDIENCES:
            assert (f"{audience}s" in who) == (occasion in DEFAULTS[audience]), occasion
