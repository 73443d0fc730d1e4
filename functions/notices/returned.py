"""Mails that came back: an event of Amazon SES in, who did not take a mail and why out. Pure.

docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html, which is what comes in `detail` too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SOURCE = "aws.ses"
MOST_TEXT = 300


@dataclass(frozen=True, slots=True)
class Returned:
    """The addresses that a mail did not reach, the reason, and SES's id of it, which the answer to it had."""

    addresses: tuple[str, ...]
    reason: str
    mail: str


def returned(detail: Mapping[str, Any]) -> Returned:
    """Return what a bounce, a complaint or a refusal says; KeyError if it is none of them."""
    mail = detail["mail"]
    if bounce := detail.get("bounce"):
        recipients = bounce["bouncedRecipients"]
        codes = (each.get("diagnosticCode") for each in recipients)
        reason = f"{bounce['bounceType']} bounce: {next(filter(None, codes), bounce['bounceSubType'])}"
    elif complaint := detail.get("complaint"):
        recipients = complaint["complainedRecipients"]
        reason = f"the receiver complained: {complaint.get('complaintFeedbackType', 'no reason given')}"
    else:
        recipients = [{"emailAddress": address} for address in mail["destination"]]
        reason = f"SES refused it: {detail['reject']['reason']}"
    addresses = tuple(each["emailAddress"] for each in recipients)
    return Returned(addresses, reason[:MOST_TEXT], mail["messageId"])
