"""One event in, one mail out, through a real mail server on loopback."""

from __future__ import annotations

from dataclasses import replace

from contracts import codec
from functions.delivery.smtp import SmtpMailer
from functions.notices.send import send
from functions.notices.take import take
from tests.hearing import a_hearing, an_event
from tests.receivers import Inbox, mail_server


def test_a_rejected_file_is_a_mail() -> None:
    world, inbox = a_hearing(), Inbox()

    with mail_server(inbox) as server:
        ports = replace(world.ports, mailer=SmtpMailer(server, "dropgate@example.com", world.clock))
        (line,) = take(ports, codec.encode(an_event()))
        sent = send(ports, line)

    assert sent
    assert sent.answer.result == "sent"
    (mail,) = inbox.mails
    assert mail["Subject"] == "[rejected] orders/1.csv: 20 of 410 rows, amount is below the minimum of 0"
    assert mail["To"] == "shop@example.com"
    assert "Correct amount in these records." in mail.get_body(("plain",)).get_content()
    assert "Correct amount in these records." in mail.get_body(("html",)).get_content()
