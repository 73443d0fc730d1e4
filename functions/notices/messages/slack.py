"""A letter as a message of Slack: blocks, and a text for notifications; a strange text in it marks nothing up. Pure.

Of a text `&`, `<` and `>` are escaped, with which links and mentions begin (Slack, "Formatting text for app surfaces").
A header has 150 characters at most, the text of a section 3,000 (Slack, "Block Kit: blocks").
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from contracts.problem import visible
from functions.notices.messages import wording
from functions.ports.notices import Post

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.notices.messages.wording import Letter

MOST_HEADER, MOST_SECTION = 150, 3_000
MOST_SHOWN = 10
"""Problems or files that one message shows, which people read on a phone."""


def slack(letter: Letter, url: str) -> Post:
    """Return the request that puts a letter into a channel of Slack."""
    title = wording.subject(letter)
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": visible(title, MOST_HEADER), "emoji": False}},
        _section([escaped(line) for line in (wording.lead(letter), *([wording.REPEAT] if letter.may_repeat else []))]),
    ]
    if lines := _lines(letter):
        blocks.append(_section(lines))
    rest = [f"`{escaped(line.replace('`', ''))}`" for line in wording.rest(letter)]
    if more := [*rest, *([escaped(contact)] if (contact := wording.contact_line(letter)) else [])]:
        blocks.append(_section(more))
    blocks.append({"type": "context", "elements": [_markdown(escaped(wording.why(letter)))]})
    body = {"text": escaped(title), "blocks": blocks, "unfurl_links": False, "unfurl_media": False}
    return Post(url, json.dumps(body).encode(), {"Content-Type": "application/json"})


def escaped(text: str) -> str:
    """Return a text that Slack shows as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain(text: str) -> str:
    """Return a text of a stranger without the marks by which Slack sets text apart."""
    return escaped(visible(text.replace("`", ""), wording.MOST_TEXT)).translate(MARKS)


MARKS = {ord(mark): f"{mark}\u200b" for mark in "*_~"}
"""Marks of bold, italic and struck text: with a blank of no width behind them they begin nothing."""


def _lines(letter: Letter) -> list[str]:
    if letter.only:
        shown = [(plain(each.message or each.code), plain(each.fix)) for each in letter.problems[:MOST_SHOWN]]
        lines = [f"\u2022 {text}" + (f"\n   {fix}" if fix else "") for text, fix in shown]
        more = len(letter.problems) - len(lines)
    else:
        rows, _ = wording.listed(letter)
        lines = [f"\u2022 [{occasion}] {plain(key)}: {plain(words)}" for occasion, key, words in rows[:MOST_SHOWN]]
        more = len(letter.entries) - len(lines)
    return [*lines, *([f"and {more:,} more"] if more > 0 else [])]


def _section(lines: Sequence[str]) -> dict[str, Any]:
    """Return a section of whole lines, as many as it may have."""
    text = ""
    for line in lines:
        longer = f"{text}\n{line}" if text else line[:MOST_SECTION]
        if len(longer) > MOST_SECTION:
            break
        text = longer
    return {"type": "section", "text": _markdown(text)}


def _markdown(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text}
