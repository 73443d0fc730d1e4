"""A mail as bytes (RFC 5322, MIME): text and HTML, and headers in which nobody can put others. Pure."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from functions.ports.notices import Mail


def mime(mail: Mail, sender: str, now: datetime) -> bytes:
    """Return a mail as it is sent; ValueError if an address has a line break.

    `Auto-Submitted` keeps programs from answering (RFC 3834, section 5). The id is the message's, so that programs can
    leave out one that comes twice.
    """
    message = EmailMessage(SMTP.clone(max_line_length=998))
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = mail.subject.replace("=?", "=\u200b?")  # else a text of a stranger could be an encoded word
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{mail.id}@{parseaddr(sender)[1].rpartition('@')[2] or 'localhost'}>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message.set_content(mail.text, cte="quoted-printable")
    message.add_alternative(mail.html, subtype="html", cte="quoted-printable")
    return message.as_bytes()
