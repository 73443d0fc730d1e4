"""The mailbox of the embedded stack: mails of the standard library's client, and of none that talks otherwise."""

from __future__ import annotations

import smtplib
import socket
from email.message import EmailMessage

import pytest

from infra.local.mailbox import MOST_BYTES, Mailbox, Received


def client(mailbox: Mailbox) -> smtplib.SMTP:
    host, _, port = mailbox.address.partition(":")
    return smtplib.SMTP(host, int(port), timeout=10)


def mail(subject: str, text: str = "Hello\n.\n..dots\n") -> EmailMessage:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, "drops@example.com", "ann@example.com"
    message.set_content(text)
    return message


def test_mails_are_kept_as_they_were_sent() -> None:
    kept: list[Received] = []
    with Mailbox(kept.append) as mailbox:
        with client(mailbox) as server:
            server.send_message(mail("[rejected] orders/ü.csv: 2 rows"))
            server.send_message(mail("second"))

        assert [each.subject for each in kept] == ["[rejected] orders/ü.csv: 2 rows", "second"]
        assert [each.name[16:] for each in kept] == ["001-rejected-orders-.csv-2-rows.eml", "002-second.eml"]
        assert b"\r\n.\r\n..dots\r\n" in kept[0].body


@pytest.mark.parametrize("subject", ["../../etc/passwd", "a/b\\c", "", "x" * 500, "$(id);`id`"])
def test_no_subject_leads_out_of_a_folder(subject: str) -> None:
    kept: list[Received] = []
    with Mailbox(kept.append) as mailbox, client(mailbox) as server:
        server.send_message(mail(subject))

    assert "/" not in kept[0].name
    assert not kept[0].name.startswith(".")
    assert len(kept[0].name) < 150


def test_mail_that_is_too_large_is_refused_and_the_next_is_taken() -> None:
    kept: list[Received] = []
    with Mailbox(kept.append) as mailbox, client(mailbox) as server:
        with pytest.raises(smtplib.SMTPDataError, match="552"):
            server.sendmail("a@example.com", ["b@example.com"], (b"x" * 998 + b"\r\n") * (MOST_BYTES // 1000 + 1))
        server.send_message(mail("small"))

    assert [each.subject for each in kept] == ["small"]


def test_client_that_leaves_in_the_middle_leaves_no_mail() -> None:
    kept: list[Received] = []
    with Mailbox(kept.append) as mailbox:
        host, _, port = mailbox.address.partition(":")
        with socket.create_connection((host, int(port)), timeout=10) as line:
            line.sendall(b"EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\nSubject: half\r\n")
            line.shutdown(socket.SHUT_WR)
            while line.recv(1000):
                pass
        with client(mailbox) as server:
            assert server.docmd("VRFY", "ann")[0] == 502
            assert server.noop()[0] == 250

    assert kept == []
