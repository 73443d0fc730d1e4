"""A letter as an adaptive card for a workflow of Microsoft Teams, in runs of text that have no markup. Pure.

A workflow takes a message with one card as its attachment (Microsoft Learn, "Create and send messages", "Workflows
support Adaptive Cards only"), of some 28 KB at most ("Microsoft Teams" connector, "Known issues and limitations"). The
text of a TextBlock is Markdown, that of a TextRun is not (adaptivecards.io, "TextRun").
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from contracts.problem import visible
from functions.notices.messages import wording
from functions.ports.notices import Post

if TYPE_CHECKING:
    from functions.notices.messages.wording import Letter

MOST_BYTES = 20_000
"""Bytes of a card: what Teams makes of it is larger."""
MOST_SHOWN = 10
"""Problems or files that one card shows, as in Slack."""


def teams(letter: Letter, url: str) -> Post:
    """Return the request that has a workflow post a letter; the last lines are left out of a long one."""
    ends = [
        *wording.rest(letter),
        *([contact] if (contact := wording.contact_line(letter)) else []),
        wording.why(letter),
    ]
    lead = [wording.lead(letter), *([wording.REPEAT] if letter.may_repeat else [])]
    lines = _lines(letter)
    while lines and len(_body(letter, [*lead, *lines, *ends])) > MOST_BYTES:
        lines.pop()
    body = _body(letter, [*lead, *lines, *ends])
    return Post(url, body, {"Content-Type": "application/json"})


def _lines(letter: Letter) -> list[str]:
    if letter.only:
        shown = [f"{each.message or each.code} {each.fix}" for each in letter.problems[:MOST_SHOWN]]
        more = len(letter.problems) - len(shown)
    else:
        rows, _ = wording.listed(letter)
        shown = [f"[{occasion}] {key}: {words}" for occasion, key, words in rows[:MOST_SHOWN]]
        more = len(letter.entries) - len(shown)
    texts = [f"\u2022 {visible(text.replace('`', ''), wording.MOST_TEXT)}" for text in shown]
    return [*texts, *([f"and {more:,} more"] if more > 0 else [])]


def _body(letter: Letter, lines: list[str]) -> bytes:
    title = {"type": "TextRun", "text": wording.subject(letter), "weight": "bolder", "size": "medium"}
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "body": [_block(title), *(_block({"type": "TextRun", "text": line}) for line in lines)],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return json.dumps({"type": "message", "attachments": [attachment]}, ensure_ascii=False).encode()


def _block(run: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [run]}
