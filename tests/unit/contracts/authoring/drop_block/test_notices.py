"""`notify` with `support` and `team`: who hears of what, whom to ask, and every wrong way to write it."""

from __future__ import annotations

import pytest

from contracts.authoring.compiler.compile import Compiled
from contracts.authoring.drop_block import channels
from contracts.terms.notices import DEFAULTS, OCCASIONS, SERVICES, Channel, Contact, Route
from tests.unit.contracts.authoring.documents import HEAD, a_document, compiled

SECTIONS = """\
support:
  - {channel: orders-help, tool: email, url: "mailto:help@example.org"}
  - {channel: chat, tool: slack, url: "https://example.slack.com/archives/C1"}
  - channel: alerts
    tool: slack
    url: https://example.slack.com/archives/C2
    customProperties: [{property: notify, value: "slack:orders-alerts"}]
  - {channel: forum, tool: discord, url: "https://discord.com/channels/1"}
team:
  name: Orders
  members:
    - {username: ana@example.org, name: Ana, role: Data Owner}
    - {username: bo, name: Bo, customProperties: [{property: notify, value: "pagerduty:bo"}]}
    - {username: cid@example.org, dateOut: "2025-12-31"}
"""
HELP = Channel("email", "help@example.org")


def a_contract(notify: str, sections: str = SECTIONS, more: str = "") -> Compiled:
    return compiled(a_document(head=HEAD + sections, more_drop=f"notify: {notify}\n{more}"))


def routes_of(notify: str, sections: str = SECTIONS) -> tuple[Route, ...]:
    result = a_contract(notify, sections)
    assert result.routes, [f for f in result.findings if f.level == "error"]
    return result.routes.routes


def channel_of(to: str) -> Channel:
    (route,) = routes_of(f"{{producer: [{to}]}}")
    return route.channel


def fault(notify: str, sections: str = SECTIONS, level: str = "error") -> tuple[str, str, str]:
    (finding,) = [f for f in a_contract(notify, sections).findings if f.level == level]
    return finding.code, finding.message, finding.fix


@pytest.mark.parametrize(
    ("to", "channel"),
    [
        ("orders-help", HELP),
        ("alerts", Channel("slack", "orders-alerts")),
        ("Ana", Channel("email", "ana@example.org")),
        ("ana@example.org", Channel("email", "ana@example.org")),
        ("bo", Channel("pagerduty", "bo")),
        ("mailto:a.b+c@mail.example.org", Channel("email", "a.b+c@mail.example.org")),
        ("mailto:a%2Bb@example.org", Channel("email", "a+b@example.org")),
        ("slack:orders", Channel("slack", "orders")),
        ("teams:orders", Channel("teams", "orders")),
        ("pagerduty:data_oncall", Channel("pagerduty", "data_oncall")),
        ("webhook:v1.orders", Channel("webhook", "v1.orders")),
    ],
)
def test_channel_is_an_entry_or_an_address(to: str, channel: Channel) -> None:
    assert channel_of(f'"{to}"') == channel


def test_nobody_hears_of_a_contract_without_the_key() -> None:
    result = compiled(a_document(head=HEAD + SECTIONS))
    assert result.routes
    assert result.routes.routes == ()


def test_usual_occasions_are_those_of_the_audience() -> None:
    for audience, usual in DEFAULTS.items():
        assert routes_of(f"{{{audience}: orders-help}}") == (Route(audience, HELP, usual),)


def test_every_occasion_can_be_named() -> None:
    for occasion in OCCASIONS:
        assert routes_of(f"{{producer: {{to: orders-help, on: [{occasion}]}}}}") == (
            Route("producer", HELP, (occasion,)),
        )


def test_plan_stays_the_same_whoever_hears() -> None:
    plain, heard = compiled(a_document()).plan, a_contract("{producer: alerts}").plan
    assert plain
    assert heard
    assert plain.sha == heard.sha


@pytest.mark.parametrize("name", ["orders-help", "alerts", "Ana", "ana@example.org"])
def test_misspelt_name_is_answered_with_the_nearest(name: str) -> None:
    for wrong in (name[:-1], name.upper(), name + "x", name[1] + name[0] + name[2:]):
        code, message, fix = fault(f'{{producer: "{wrong}"}}')
        assert (code, fix) == ("unknown-channel", f"Write `{name}`.")
        assert f"`{wrong}`" in message


@pytest.mark.parametrize("scheme", [*channels.SCHEMES])
def test_misspelt_service_is_answered_with_the_nearest(scheme: str) -> None:
    rest = "a@example.org" if scheme == "mailto" else "orders"
    for wrong in (scheme[:-1], scheme.upper(), scheme + "x", scheme[1] + scheme[0] + scheme[2:]):
        code, _, fix = fault(f'{{producer: "{wrong}:{rest}"}}')
        assert (code, fix) == ("unknown-value", f"Write `{scheme}:{rest}`.")


def test_mail_by_another_word_is_mailto() -> None:
    for word in ("email", "mail", "e-mail", "SMTP"):
        assert fault(f'{{producer: "{word}:a@example.org"}}')[2] == "Write `mailto:a@example.org`."


def test_bare_mail_address_of_nobody_is_answered_with_mailto() -> None:
    code, _, fix = fault('{producer: "someone@example.net"}')
    assert (code, fix) == ("unknown-channel", "Write `mailto:someone@example.net`.")


@pytest.mark.parametrize(
    "secret",
    [
        "https://hooks.slack.com/services/T0/B0/abc",
        "slack:https://hooks.slack.com/services/T0/B0/abc",
        "teams:https://example.webhook.office.com/webhookb2/abc",
        "webhook:https://example.org/hooks/1",
        "webhook:http://10.0.0.1/x",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "webhook:whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "xoxb-123456789012-abcdef",
        "slack:xoxb-123456789012-abcdef",
        "pagerduty:0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef",
        "R02ABCDEFGHIJKLMNOPQRSTUVWXYZ0123",
        "Bearer 0123456789abcdef0123456789abcdef",
    ],
)
def test_secret_is_refused_and_not_repeated(secret: str) -> None:
    code, message, fix = fault(f'{{producer: "{secret}"}}')
    assert code == "secret-in-contract"
    assert "/<stack>/notify/NAME" in fix
    assert not any(part in message + fix for part in secret.split(":") if len(part) > 12)


def test_webhook_among_support_is_a_secret_only_where_notices_go() -> None:
    sections = "support: [{channel: chat, url: 'https://hooks.slack.com/services/T0/B0/abc'}]\n"
    assert fault("{producer: 'slack:orders'}", sections)[0] == "secret-in-contract"

    silent = compiled(a_document(head=HEAD + sections))
    assert [f.code for f in silent.findings if f.level == "warning"] == ["secret-in-contract"]
    assert silent.routes
    assert silent.routes.contact is None


@pytest.mark.parametrize(
    "address",
    [
        *("a", "a@", "@example.org", "a@example", "a b@example.org", "a@example.org,b@example.org", "a@exa mple.org"),
        *("a@example.org?subject=x", "a@-example.org", "a..b@example.org", "a@example.org%0aBcc:b@example.org"),
        *("ä@example.org", "a@[10.0.0.1]", "a@1.2.3.4", "<a@example.org>", f"{'a' * 65}@example.org"),
        f"a@{'b' * 60}.{'c' * 60}.{'d' * 60}.{'e' * 60}.{'f' * 60}.org",
    ],
)
def test_mail_address_that_no_service_takes_is_refused(address: str) -> None:
    assert fault(f'{{producer: "mailto:{address}"}}')[0] == "bad-value"


@pytest.mark.parametrize("name", ["", " a", "a/b", "../a", "a b", "ä", "-a", "a" * 64, "a:b"])
def test_name_of_a_secret_is_the_name_of_a_parameter(name: str) -> None:
    for service in SERVICES[1:]:
        assert fault(f'{{producer: "{service}:{name}"}}')[0] == "bad-value"


@pytest.mark.parametrize("to", ["chat", "forum", "Orders"])
def test_entry_without_an_address_for_notices_is_refused(to: str) -> None:
    assert fault(f"{{producer: {to}}}")[0] == "no-address"


def test_person_who_leaves_is_a_warning() -> None:
    code, message, _ = fault("{producer: cid@example.org}", level="warning")
    assert (code, message) == ("has-left", "`cid@example.org` leaves the team on 2025-12-31.")


@pytest.mark.parametrize("second", ["alerts", "slack:orders-alerts", "{to: alerts, on: [missing]}"])
def test_channel_is_named_once_for_an_audience(second: str) -> None:
    assert fault(f"{{producer: [alerts, {second}]}}")[0] == "bad-value"


def test_two_audiences_may_share_a_channel() -> None:
    assert {route.audience for route in routes_of("{producer: alerts, consumer: alerts}")} == {"producer", "consumer"}


def test_name_of_two_entries_is_not_guessed() -> None:
    sections = (
        "support: [{channel: a, url: 'mailto:a@example.org'}, {channel: a, id: b, url: 'mailto:b@example.org'}]\n"
    )
    assert fault("{producer: a}", sections)[0] == "bad-value"
    (route,) = routes_of("{producer: b}", sections)
    assert route.channel == Channel("email", "b@example.org")


@pytest.mark.parametrize(
    ("notify", "code", "fix"),
    [
        ("{producers: [alerts]}", "unknown-key", "Write `producer`."),
        ("{consumers: [alerts]}", "unknown-key", "Write `consumer`."),
        ("{Operator: [alerts]}", "unknown-key", "Write `operator`."),
        ("{producer: {too: alerts}}", "unknown-key", "Write `to`."),
        ("{producer: [{to: alerts, on: [reject]}]}", "unknown-value", "Write `rejected`."),
        ("{producer: [{to: alerts, on: [fail]}]}", "unknown-value", "Write `failed`."),
        ("{producer: [{to: alerts, on: [Missing]}]}", "unknown-value", "Write `missing`."),
        ("{producer: [{to: alerts, on: []}]}", "bad-value", "Write them as `on: [rejected, missing]`."),
        ("{producer: [{to: alerts, on: [late, late]}]}", "bad-value", "Write them as `on: [rejected, missing]`."),
        ("{producer: [{to: alerts, on: rejected}]}", "wrong-type", "Write a list, without quotes."),
        ("{producer: 3}", "wrong-type", "Write a list."),
        ("{producer: [3]}", "wrong-type", 'Write "3" in quotes.'),
        ("{producer: ''}", "bad-value", "Write it, as `mailto:orders@example.org`."),
        ("[alerts]", "wrong-type", "Write a mapping here."),
        (
            f"{{producer: [{', '.join(f'slack:a{n}' for n in range(21))}]}}",
            "bad-value",
            "Keep those that are read, or name one of a team.",
        ),
    ],
)
def test_wrong_shape_is_a_finding_with_a_fix(notify: str, code: str, fix: str) -> None:
    findings = [f for f in a_contract(notify).findings if f.level == "error" and f.code != "missing-key"]
    assert (findings[0].code, findings[0].fix.replace(", without quotes", "")) == (
        code,
        fix.replace(", without quotes", ""),
    )


@pytest.mark.parametrize(
    ("audience", "occasion", "never"),
    [
        ("producer", "missing", True),
        ("producer", "late", True),
        ("consumer", "stale", True),
        ("consumer", "unmatched", True),
        ("operator", "unmatched", True),
        ("operator", "failed", False),
        ("producer", "unmatched", False),
        ("producer", "warning", False),
    ],
)
def test_occasion_that_cannot_come_is_a_warning(audience: str, occasion: str, *, never: bool) -> None:
    findings = a_contract(f"{{{audience}: {{to: alerts, on: [{occasion}]}}}}").findings
    assert [f.code for f in findings if f.level == "warning"] == ["never-happens"] * never


def test_promise_that_is_held_may_be_missed() -> None:
    sections = SECTIONS + "slaProperties: [{property: freshness, value: 2, unit: d, driver: loadDate}]\n"
    findings = a_contract("{consumer: {to: alerts, on: [stale]}}", sections, "slo: enforce\n").findings
    assert [f.code for f in findings if f.level == "warning" and f.code == "never-happens"] == []


def test_files_that_are_expected_may_be_missing() -> None:
    findings = a_contract("{producer: {to: alerts, on: [missing, late]}}", more='arrival: {by: "06:00"}\n').findings
    assert [f for f in findings if f.level != "note"] == []


@pytest.mark.parametrize(
    ("sections", "contact"),
    [
        ("", None),
        (SECTIONS, Contact("orders-help", "mailto:help@example.org")),
        ("support: [{channel: chat, url: 'https://example.org/chat'}]\n", Contact("chat", "https://example.org/chat")),
        ("support: [{channel: help@example.org}]\n", Contact("help@example.org", "mailto:help@example.org")),
        (
            "support: [{channel: a, url: 'mailto:a@example.org?subject=x'}]\n",
            Contact("a", "mailto:a@example.org?subject=x"),
        ),
        ("support: [{channel: chat, url: 'http://example.org/'}]\n", None),
        ("support: [{channel: chat, url: 'javascript:alert(1)'}]\n", None),
        ("support: [{channel: chat, url: 'https://user:secret@example.org/'}]\n", None),
        ("support: [{channel: chat}]\n", None),
        ("team: {members: [{username: ana, role: Owner}]}\n", Contact("ana")),
        ("team: [{username: a@example.org, name: Ana, role: data steward}]\n", Contact("Ana", "mailto:a@example.org")),
        ("team: {members: [{username: ana, role: Analyst}]}\n", None),
        ("team: {members: [{username: ana, role: Owner, dateOut: '2025-12-31'}]}\n", None),
    ],
)
def test_contact_is_a_place_for_people(sections: str, contact: Contact | None) -> None:
    result = compiled(a_document(head=HEAD + sections))
    assert result.routes, result.findings
    assert result.routes.contact == contact
