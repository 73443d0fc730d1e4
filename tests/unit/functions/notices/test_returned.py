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
        ({"bounce": BOUNCE}, "Permanent bounce: smtp; 550 5.1.1 user unknown"),
        (
            {"bounce": {**BOUNCE, "bouncedRecipients": [{"emailAddress": "ann@example.com"}]}},
            "Permanent bounce: General",
        ),
        (
            {
                "complaint": {
                    "complainedRecipients": [{"emailAddress": "ann@example.com"}],
                    "complaintFeedbackType": "abuse",
                }
            },
            "the receiver complained: abuse",
        ),
        (
            {"complaint": {"complainedRecipients": [{"emailAddress": "ann@example.com"}]}},
            "the receiver complained: no reason given",
        ),
        ({"reject": {"reason": "Bad content"}}, "SES refused it: Bad content"),
    ],
)
def test_mail_that_came_back_names_address_and_reason(about: dict[str, Any], reason: str) -> None:
    assert returned({"mail": MAIL, **about}) == Returned(("ann@example.com",), reason, "0100-1")


def test_answers_of_strange_servers_are_cut() -> None:
    long = {**BOUNCE, "bouncedRecipients": [{**GONE, "diagnosticCode": "x" * 5000}]}

    assert len(returned({"mail": MAIL, "bounce": long}).reason) == MOST_TEXT
