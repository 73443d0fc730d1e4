"""Mails that came back: an event of Amazon SES in, who did not take a mail and why out. Pure.

docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html, which is what comes in `detail` too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from functions.ports.notices import MESSAGE_TAG

SOURCE = "aws.ses"
MOST_TEXT = 300


@dataclass(frozen=True, slots=True)
class Returned:
    """The addresses that a mail did not reach, the reason, SES's id of it, and the id of our message in its tag.

    Mails of former versions have no tag.
    """

    addresses: tuple[str, ...]
    reason: str
    mail: str
    message: str | None = None


def returned(detail: Mapping[str, Any]) -> Returned:
    """Return what a bounce, a complaint or a refusal says; KeyError if it is none of them."""
    mail = detail["mail"]
    if bounce := detail.get("bounce"):
        recipients = bounce["bouncedRecipients"]
        codes = (each.get("diagnosticCode") for each in recipients)
        reason = f"bounced: {next(filter(None, codes), bounce['bounceSubType'])} ({bounce['bounceType']})"
    elif complaint := detail.get("complaint"):
        recipients = complaint["complainedRecipients"]
        reason = f"called spam by the receiver: {complaint.get('complaintFeedbackType', 'no reason given')}"
    else:
        recipients = [{"emailAddress": address} for address in mail["destination"]]
        reason = f"refused by SES: {detail['reject']['reason']}"
    addresses = tuple(each["emailAddress"] for each in recipients)
    message = next(iter(mail.get("tags", {}).get(MESSAGE_TAG, ())), None)
    return Returned(addresses, reason[:MOST_TEXT], mail["messageId"], message)
