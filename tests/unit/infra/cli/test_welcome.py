"""The text that `dropgate up` prints when it is ready: an upload that one of its contracts accepts."""

from __future__ import annotations

import shlex
from urllib.parse import unquote, urlsplit

import pytest

from contracts.authoring.compiler.lint import index_of
from contracts.catalog import Matched, match
from infra.cli.up import welcome
from tests.builders import a_plan


@pytest.mark.parametrize("pattern", ["orders/*.csv", "a b/{shop}/{date:%Y-%m-%d}*.csv", "x/it's/?.csv"])
def test_printed_upload_is_of_a_file_that_a_contract_takes(pattern: str) -> None:
    plan = a_plan(files=(pattern,))
    text = welcome("http://127.0.0.1:1", "landing", "/dropgate1/notify/", [plan, a_plan("others.v1")])
    command = shlex.split(text[text.index("  curl ") : text.index("Then list")].replace("\\\n", ""))
    key = unquote(urlsplit(command[-1]).path).removeprefix("/landing/")
    assert isinstance(match(index_of([plan]), key), Matched)
    assert key.endswith(f"/{command[-2]}")
    assert "orders.v1, others.v1" in text


def test_stack_without_contracts_is_welcome() -> None:
    text = welcome("http://127.0.0.1:1", "landing", "/dropgate1/notify/", [])

    assert "http://127.0.0.1:1/landing/file.csv" in text
    assert "Mails      .dropgate/mails/\nSecrets    /dropgate1/notify/ " in text
