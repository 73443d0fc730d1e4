"""Mail by SMTP, for a laptop and for tests: the Mailer port on the standard library, without a password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.delivery.mime import mime
from functions.ports.notices import Answer

if TYPE_CHECKING:
    from functions.ports.clock import Clock
    from functions.ports.notices import Mail

TIMEOUT = 10
"""Seconds that each answer may take."""


class SmtpMailer:
    """Mail to a server at `host:port`."""

    def __init__(self, server: str, sender: str, clock: Clock) -> None:
        self._host, _, port = server.rpartition(":")
        self._port = int(port)
        self._sender = sender
        self._clock = clock

    def send(self, mail: Mail) -> Answer:
        """Send a mail. 4yz is for now, 5yz for good (RFC 5321, section 4.2.1)."""
        import smtplib  # noqa: PLC0415 - a function on Lambda never needs it

        began = False
        try:
            body = mime(mail, self._sender, self._clock.now())
            with smtplib.SMTP(self._host, self._port, timeout=TIMEOUT) as server:
                began = True
                server.sendmail(self._sender, [mail.to], body)
        except smtplib.SMTPRecipientsRefused as error:
            code, text = next(iter(error.recipients.values()))
            return _refusal(code, text)
        except smtplib.SMTPResponseException as error:
            return _refusal(error.smtp_code, error.smtp_error)
        except ValueError:
            return Answer("refused", "the address is no mail address")
        except (OSError, smtplib.SMTPException) as error:
            return Answer("later", f"the mail server did not answer: {type(error).__name__}", unsure=began)
        return Answer("sent", "the mail server took it")


def _refusal(code: int, text: bytes | str) -> Answer:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return Answer("later" if 400 <= code < 500 else "refused", f"the mail server answered {code}: {words:.200}")
