"""Secrets of channels: lint and publish warn of those that a stack lacks, and never ask for a value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from contracts.authoring.compiler.lint import Linted, lint
from infra.stack_admin.secrets import lacking, stored, wanted
from tests.unit.contracts.authoring.documents import a_document

FOLDER = "/dropgate/notify/"
NOTIFY = "notify: {producer: 'mailto:a@example.org', consumer: ['slack:orders', 'webhook:lake', 'pagerduty:desk']}\n"


@pytest.fixture
def ssm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A Parameter Store with secrets of several stacks."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    with mock_aws():
        client = boto3.client("ssm", region_name="us-east-1")
        for name, kind in {
            "/dropgate/notify/orders": "SecureString",
            "/dropgate/notify/lake": "String",
            "/other/notify/desk": "SecureString",
            "/dropgate/notify/deep/desk": "SecureString",
            **{f"/dropgate/notify/more{n}": "SecureString" for n in range(60)},
        }.items():
            client.put_parameter(Name=name, Value="hidden", Type=kind)
        yield client


def linted(folder: Path, notify: str = NOTIFY, stack: str = "") -> Linted:
    (folder / "orders.v1.yaml").write_text(a_document(more_drop=notify), encoding="utf-8")
    if stack:
        (folder / "notify.yaml").write_text(stack, encoding="utf-8")
    return lint((folder,))


def test_names_of_the_stack_s_own_folder_are_listed(ssm: Any) -> None:
    there = stored(ssm, FOLDER)
    assert there.keys() == {"orders", "lake", *(f"more{n}" for n in range(60))}
    assert (there["orders"], there["lake"]) == ("SecureString", "String")


def test_missing_and_plain_secrets_are_warnings_at_their_contract(ssm: Any, tmp_path: Path) -> None:
    result = linted(tmp_path, stack="operator: ['pagerduty:oncall', 'slack:orders']\n")
    findings = lacking(result, FOLDER, stored(ssm, FOLDER))
    assert [(Path(f.file).name, f.line, f.level, f.code) for f in findings] == [
        ("notify.yaml", 1, "warning", "missing-secret"),
        ("orders.v1.yaml", 18, "warning", "missing-secret"),
        ("orders.v1.yaml", 18, "warning", "plain-secret"),
    ]
    assert "`/dropgate/notify/oncall`" in findings[0].message
    assert "`/dropgate/notify/desk`" in findings[1].message
    assert "hidden" not in str(findings)


def test_mail_needs_no_secret(tmp_path: Path) -> None:
    assert not wanted(linted(tmp_path, "notify: {producer: 'mailto:a@example.org'}\n"))
    assert wanted(linted(tmp_path))
    assert wanted(linted(tmp_path, "", "operator: 'slack:orders'\n"))


def test_paused_people_need_no_secret(tmp_path: Path) -> None:
    assert not wanted(linted(tmp_path, stack="pause: [consumer]\n"))


def test_channel_of_notify_yaml_for_a_contract_without_the_key_has_a_place(tmp_path: Path) -> None:
    result = linted(tmp_path, "", "contracts: {orders.v1: {producer: 'slack:x'}}\n")
    (finding,) = lacking(result, FOLDER, {})
    assert Path(finding.file).name == "orders.v1.yaml"
