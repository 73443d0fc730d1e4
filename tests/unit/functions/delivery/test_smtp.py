"""Mail to a real server on loopback: what its answers mean (RFC 5321, section 4.2)."""

from __future__ import annotations

import socket

import pytest

from functions.delivery.smtp import SmtpMailer
from functions.ports.notices import Answer, Mail
from tests.fakes import TestClock
from tests.receivers import Inbox, mail_server

MAIL = Mail("shop@example.com", "[rejected] a.csv: wrong", "text\n.\nafter a lone dot\n", "<p>\u00e9</p>\n", "msg_1")


def sent(inbox: Inbox) -> Answer:
    with mail_server(inbox) as server:
        return SmtpMailer(server, "dropgate@example.com", TestClock()).send(MAIL)


def test_a_mail_arrives_whole() -> None:
    inbox = Inbox()

    assert sent(inbox).result == "sent"
    (mail,) = inbox.mails
    assert (mail["From"], mail["To"], mail["Message-ID"]) == (
        "dropgate@example.com",
        "shop@example.com",
        "<msg_1@example.com>",
    )
    assert mail.get_body(("plain",)).get_content().replace("\r\n", "\n") == MAIL.text
    assert mail.get_body(("html",)).get_content().replace("\r\n", "\n") == MAIL.html


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("451 Requested action aborted: local error in processing", "later"),
        ("452 Requested action not taken: insufficient system storage", "later"),
        ("550 Requested action not taken: mailbox unavailable", "refused"),
        ("554 Transaction failed", "refused"),
    ],
)
def test_a_refusal_is_for_now_or_for_good(answer: str, result: str) -> None:
    for inbox in (Inbox(answers=[answer]), Inbox(recipient=answer)):
        got = sent(inbox)
        assert (got.result, got.unsure, inbox.mails) == (result, False, [])
        assert answer[:3] in got.text


def test_a_server_that_is_away_is_asked_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    answer = SmtpMailer(f"127.0.0.1:{port}", "dropgate@example.com", TestClock()).send(MAIL)

    assert (answer.result, answer.unsure) == ("later", False)
