"""Mails that came back, in the forms of SES's own pages."""

from __future__ import annotations

from typing import Any

import pytest

from functions.notices.returned import MOST_TEXT, Returned, returned

MAIL = {"messageId": "0100-1", "source": "drops@example.com", "destination": ["ann@example.com"]}
GONE = {"emailAddress": "ann@example.com", "status": "5.1.1", "diagnosticCode": "smtp; 550 5.1.1 user unknown"}
BOUNCE = {"bounceType": "Permanent", "bounceSubType": "General", "bouncedRecipients": [GONE]}


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ({"bounce": BOUNCE}, "bounced: smtp; 550 5.1.1 user unknown (Permanent)"),
        (
            {"bounce": {**BOUNCE, "bouncedRecipients": [{"emailAddress": "ann@example.com"}]}},
            "bounced: General (Permanent)",
        ),
        (
            {
                "complaint": {
                    "complainedRecipients": [{"emailAddress": "ann@example.com"}],
                    "complaintFeedbackType": "abuse",
                }
            },
            "called spam by the receiver: abuse",
        ),
        (
            {"complaint": {"complainedRecipients": [{"emailAddress": "ann@example.com"}]}},
            "called spam by the receiver: no reason given",
        ),
        ({"reject": {"reason": "Bad content"}}, "refused by SES: Bad content"),
    ],
)
def test_mail_that_came_back_names_address_and_reason(about: dict[str, Any], reason: str) -> None:
    tagged = {**MAIL, "tags": {"ses:configuration-set": ["dropgate-mails"], "message": ["msg_1"]}}

    assert returned({"mail": MAIL, **about}) == Returned(("ann@example.com",), reason, "0100-1")
    assert returned({"mail": tagged, **about}).message == "msg_1"


def test_answers_of_strange_servers_are_cut() -> None:
    long = {**BOUNCE, "bouncedRecipients": [{**GONE, "diagnosticCode": "x" * 5000}]}

    assert len(returned({"mail": MAIL, "bounce": long}).reason) == MOST_TEXT
