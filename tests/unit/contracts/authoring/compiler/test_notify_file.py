"""notify.yaml: who hears of what in one stack, in place of what its contracts say."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.authoring.compiler.lint import Linted, contract_files, lint
from contracts.authoring.compiler.notify_file import schema
from contracts.terms.notices import Channel, ContractRoutes, Route, Routes
from tests.unit.contracts.authoring.documents import HEAD, a_document, compiled

SUPPORT = "support: [{channel: help, url: 'mailto:help@example.org'}, {channel: alerts, url: 'mailto:a@example.org'}]\n"
HELP, PAGER, CRM = Channel("email", "help@example.org"), Channel("pagerduty", "oncall"), Channel("webhook", "crm")
PRODUCER = Route("producer", HELP, ("rejected", "missing", "unmatched", "recovered"))
CONSUMER = Route("consumer", CRM, ("missing", "late", "stale", "recovered"))
OPERATOR = Route("operator", PAGER, ("failed", "unmatched"))


def linted(folder: Path, notify: str | None, name: str = "notify.yaml") -> Linted:
    drop = "notify: {producer: help, consumer: 'webhook:crm'}\n"
    text = a_document(head=HEAD + SUPPORT, more_drop=drop)
    (folder / "orders.v1.yaml").write_text(text, encoding="utf-8")
    if notify is not None:
        (folder / name).write_text(notify, encoding="utf-8")
    return lint((folder,))


def routes(folder: Path, notify: str | None) -> Routes:
    result = linted(folder, notify)
    assert not result.failed, result.findings
    return result.routes


def of_orders(folder: Path, notify: str | None) -> tuple[Route, ...]:
    (only,) = routes(folder, notify).contracts
    return only.routes


def fault(folder: Path, notify: str) -> tuple[str, str, str]:
    (finding,) = [f for f in linted(folder, notify).findings if f.level == "error"]
    assert finding.file.endswith("notify.yaml")
    return finding.code, finding.message, finding.fix


def test_contracts_alone_say_who_hears(tmp_path: Path) -> None:
    assert routes(tmp_path, None).operators == ()
    assert of_orders(tmp_path, None) == (PRODUCER, CONSUMER)


def test_contract_of_nobody_has_no_routes(tmp_path: Path) -> None:
    (tmp_path / "orders.v1.yaml").write_text(a_document(), encoding="utf-8")
    assert lint((tmp_path,)).routes == Routes()


def test_contact_alone_is_published_as_well(tmp_path: Path) -> None:
    (tmp_path / "orders.v1.yaml").write_text(a_document(head=HEAD + SUPPORT), encoding="utf-8")
    (only,) = lint((tmp_path,)).routes.contracts
    assert isinstance(only, ContractRoutes)
    assert (only.routes, only.contact and only.contact.url) == ((), "mailto:help@example.org")


def test_operators_are_those_of_the_stack(tmp_path: Path) -> None:
    assert routes(tmp_path, "operator: pagerduty:oncall\n").operators == (OPERATOR,)
    assert of_orders(tmp_path, "operator: pagerduty:oncall\n") == (PRODUCER, CONSUMER)


def test_file_is_no_contract(tmp_path: Path) -> None:
    result = linted(tmp_path, "operator: pagerduty:oncall\n")
    assert [c.file for c in result.contracts] == [str(tmp_path / "orders.v1.yaml")]
    assert contract_files((tmp_path,)) == [tmp_path / "orders.v1.yaml"]


def test_channels_of_an_audience_stand_in_place_of_the_contract_s(tmp_path: Path) -> None:
    notify = "contracts: {orders.v1: {producer: ['pagerduty:oncall']}}\n"
    assert of_orders(tmp_path, notify) == (
        CONSUMER,
        Route("producer", PAGER, ("rejected", "missing", "unmatched", "recovered")),
    )


def test_entries_of_the_contract_are_known_by_name(tmp_path: Path) -> None:
    (_, route) = of_orders(tmp_path, "contracts: {orders.v1: {producer: {to: alerts, on: [rejected]}}}\n")
    assert route == Route("producer", Channel("email", "a@example.org"), ("rejected",))


def test_empty_list_is_nobody(tmp_path: Path) -> None:
    assert of_orders(tmp_path, "contracts: {orders.v1: {producer: []}}\n") == (CONSUMER,)


def test_paused_audience_hears_of_nothing(tmp_path: Path) -> None:
    assert of_orders(tmp_path, "pause: [producer]\n") == (CONSUMER,)
    assert of_orders(tmp_path, "pause: [producer]\ncontracts: {orders.v1: {producer: alerts}}\n") == (CONSUMER,)
    assert routes(tmp_path, "operator: pagerduty:oncall\npause: [operator]\n").operators == ()


@pytest.mark.parametrize(
    ("notify", "code", "fix"),
    [
        ("operators: [pagerduty:x]\n", "unknown-key", "Write `operator`."),
        ("contract: {}\n", "unknown-key", "Write `contracts`."),
        ("contracts: {order.v1: {producer: []}}\n", "unknown-contract", "Write `orders.v1`."),
        ("contracts: {orders: {producer: []}}\n", "unknown-contract", "Write `orders.v1`."),
        ("contracts: {x: {producer: []}}\n", "unknown-contract", "Leave it out; there are `orders.v1`."),
        ("contracts: {orders.v1: {producers: []}}\n", "unknown-key", "Write `producer`."),
        ("contracts: {orders.v1: {producer: alert}}\n", "unknown-channel", "Write `alerts`."),
        ("contracts: [orders.v1]\n", "wrong-type", "Write a mapping here."),
        ("contracts: {orders.v1: [alerts]}\n", "wrong-type", "Write a mapping here."),
        ("pause: [producers]\n", "unknown-value", "Write `producer`."),
        ("pause: producer\n", "wrong-type", "Write a list, without quotes."),
        ("pause: [producer, producer]\n", "bad-value", "Write it once, as `pause: [producer]`."),
        ("operator: {to: 'pagerduty:x', on: [fail]}\n", "unknown-value", "Write `failed`."),
        ("- a\n", "wrong-type", "Write a mapping here."),
        ("operator: [\n", "yaml-syntax", None),
        ("", "empty-file", None),
        ("operator: [pagerduty:x]\noperator: []\n", "duplicate-key", "Keep one of them."),
    ],
)
def test_wrong_document_is_a_finding_with_a_fix(tmp_path: Path, notify: str, code: str, fix: str | None) -> None:
    finding = fault(tmp_path, notify)
    assert finding[0] == code
    assert fix is None or finding[2].replace(", without quotes", "") == fix.replace(", without quotes", "")


def test_secret_is_refused_here_as_well(tmp_path: Path) -> None:
    assert fault(tmp_path, "operator: 'https://hooks.slack.com/services/T0/B0/abc'\n")[0] == "secret-in-contract"


def test_name_of_an_entry_means_nothing_for_operators(tmp_path: Path) -> None:
    assert fault(tmp_path, "operator: alerts\n")[0] == "unknown-channel"


def test_second_file_is_refused(tmp_path: Path) -> None:
    linted(tmp_path, "operator: pagerduty:oncall\n")
    result = linted(tmp_path, "operator: []\n", name="notify.yml")
    assert [f.code for f in result.findings if f.level == "error"] == ["two-files"]


ODD = (
    *("~", "3", "''", "yes", "[]", "{}", "[~]", "[3]", "[[]]", "[{}]", "[{to: 3}]", "[{to: ''}]", "[{to: [a]}]"),
    *("{to: a}", "[{to: help, on: ~}]", "[{to: help, on: 3}]", "[{to: help, on: [3]}]", "[{to: help, on: [[a]]}]"),
    *(f"['mailto:{'a' * 300}@example.org']", f"[{', '.join(f'slack:a{n}' for n in range(21))}]", "{a: b}"),
    *("[slack:a, slack:a]", "[{to: slack:a, on: [late, late]}]", "['\\u0000']", '["a\\nb"]'),
)


@pytest.mark.parametrize("odd", ODD)
def test_odd_value_anywhere_is_a_finding_at_most(tmp_path: Path, odd: str) -> None:
    for place in ("operator: {}\n", "pause: {}\n", "contracts: {}\n", "contracts: {{orders.v1: {}}}\n"):
        linted(tmp_path, place.format(odd))
    for audience in ("producer", "consumer", "operator"):
        linted(tmp_path, f"contracts: {{orders.v1: {{{audience}: {odd}}}}}\n")
        text = a_document(head=HEAD + SUPPORT, more_drop=f"notify: {{{audience}: {odd}}}\n")
        assert all(finding.fix for finding in compiled(text).findings)


def test_schema_has_the_channels_of_the_drop_block() -> None:
    defined = schema()["$defs"]
    assert defined["channels"]["items"] == {"$ref": "#/$defs/channel"}
    assert defined["channel"]["required"] == ["to"]
