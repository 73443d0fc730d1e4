"""Who hears of what: `notify` and the sections `support` and `team` in; routes, a contact and findings out.

The sections are ODCS's (support-communication-channels.md, team.md). They name places for people; the address that
notices go to is the entry's custom property `notify`, or else its `url` or name where that is a mail address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import channels
from contracts.authoring.drop_block.block import DropBlock, Wanted
from contracts.authoring.drop_block.channels import Refused
from contracts.problem import nearest, quoted
from contracts.terms.notices import DEFAULTS, Audience, Channel, Contact, Occasion, Route

VENDOR = "dropgate"
OWN_ADDRESS = "notify"
"""The custom property of an entry with the address that notices go to."""
LONGEST = 200
"""Characters of a contact's name and of its address."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of `support` or `team`: its names, the texts that may be its address, best first, and its place."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    path: Path
    tool: str = ""
    left: str = ""


Wishes = Mapping[Audience, tuple[Wanted, ...]]


def entries(document: Document) -> tuple[Entry, ...]:
    """Return what the sections of a contract name, in the order of the document."""
    return (*_channels(document), *_people(document))


def routes(document: Document, at: Path, wishes: Wishes, named: tuple[Entry, ...]) -> tuple[Route, ...]:
    """Return the routes of the wishes at a path; report each that names no channel, or one twice."""
    every = []
    for audience, several in wishes.items():
        seen: dict[Channel, str] = {}
        for n, wanted in enumerate(several):
            place: Path = (*at, audience, n)
            channel = _channel(document, (*place, "to"), wanted.to, named)
            if isinstance(channel, Channel) and channel in seen:
                two = f"`{wanted.to:.60}` and `{seen[channel]:.60}` are one channel."
                message = two if seen[channel] != wanted.to else f"`{wanted.to:.60}` is there twice."
                document.error(place, "bad-value", message, "Keep one of them, with all its occasions in `on`.")
            elif channel:
                seen[channel] = wanted.to
                every.append(Route(audience, channel, wanted.on or DEFAULTS[audience]))
    return tuple(every)


def read(document: Document, path: Path, block: DropBlock) -> tuple[Route, ...]:
    """Return the routes of a contract; report what is wrong with them, and secrets in `support`."""
    named = entries(document)
    for entry in named:
        _secrets(document, entry, is_error=bool(block.notify))
    at: Path = (*path, "notify")
    _never(document, at, block)
    return routes(document, at, block.notify, named)


def contact(document: Document) -> Contact | None:
    """Return whom to ask about a contract: its first channel for people, else the owner or steward in its team."""
    for entry in _channels(document):
        url = next((text for text in entry.texts if _is_place(text)), None)
        if url and len(url) <= LONGEST:
            return Contact(entry.names[0][:LONGEST], url)
    for member in _members(document):
        role = str(member.get("role") or "").casefold()
        if ("owner" in role or "steward" in role) and not member.get("dateOut"):
            username = str(member["username"])
            name = member["name"] if isinstance(member.get("name"), str) else username
            return Contact(name[:LONGEST], f"mailto:{username}" if channels.MAIL.fullmatch(username) else None)
    return None


def _channels(document: Document) -> Iterator[Entry]:
    for n, item in enumerate(_list(document.value(("support",)))):
        if isinstance(item, dict) and isinstance(name := item.get("channel"), str):
            texts = (*_own(item), item.get("url"), _as_mail(name))
            yield Entry(_texts(name, item.get("id")), _texts(*texts), ("support", n), str(item.get("tool") or ""))


def _people(document: Document) -> Iterator[Entry]:
    """Yield the members of the team, and the team itself, which has an address only by its custom property."""
    team = document.value(("team",))
    under: Path = ("team", "members") if isinstance(team, dict) else ("team",)
    for n, member in enumerate(_members(document)):
        username = str(member["username"])
        names = _texts(username, member.get("name"), member.get("id"))
        yield Entry(
            names, _texts(*_own(member), _as_mail(username)), (*under, n), left=str(member.get("dateOut") or "")
        )
    if isinstance(team, dict) and isinstance(name := team.get("name"), str):
        yield Entry(_texts(name, team.get("id")), _texts(*_own(team)), ("team",))


def _members(document: Document) -> list[dict[str, Any]]:
    team = document.value(("team",))
    several = _list(team.get("members") if isinstance(team, dict) else team)
    return [member for member in several if isinstance(member, dict) and isinstance(member.get("username"), str)]


def _own(item: Mapping[str, Any]) -> list[Any]:
    """Return the addresses for notices among the custom properties of an entry."""
    several = [one for one in _list(item.get("customProperties")) if isinstance(one, dict)]
    ours = [one for one in several if one.get("vendor", VENDOR) == VENDOR and one.get("property") == OWN_ADDRESS]
    return [one.get("value") for one in ours]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(*values: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str) and value))


def _as_mail(name: str) -> str | None:
    return f"mailto:{name}" if channels.MAIL.fullmatch(name) else None


def _is_place(text: str) -> bool:
    """Return True if a text is an address that people can go or write to."""
    if text.startswith("mailto:"):
        return text.isprintable() and isinstance(channels.read(text.partition("?")[0]), Channel)
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    is_web = parts.scheme == "https" and bool(parts.hostname) and text.isprintable() and " " not in text
    return is_web and not channels.OF_WEBHOOKS.match(text)


def _channel(document: Document, at: Path, to: str, named: tuple[Entry, ...]) -> Channel | None:
    """Return the channel that a wish names: an entry's by its name, or an address; None, and a finding, for another."""
    of_name = [entry for entry in named if to in entry.names]
    if not of_name:
        channel = channels.read(to) if channels.is_address(to) else _unknown(to, named)
        if isinstance(channel, Channel):
            return channel
        document.error(at, channel.code, channel.message, channel.fix)
        return None
    every = [_address(entry) for entry in of_name]
    if len(set(every)) > 1:
        message = f"`{to:.60}` is the name of several entries of `support` and `team`."
        document.error(at, "bad-value", message, "Give one of them an `id`, and write it here.")
        return None
    if of_name[0].left:
        message = f"`{to:.60}` leaves the team on {of_name[0].left:.20}."
        document.warning(at, "has-left", message, "Name who takes over.")
    if isinstance(every[0], Refused):
        document.error(at, every[0].code, every[0].message, every[0].fix)
        return None
    return every[0]


def _address(entry: Entry) -> Channel | Refused:
    """Return the channel of an entry: of the first text that is an address for notices."""
    several = [channels.read(text) for text in entry.texts if channels.scheme_of(text) in channels.SCHEMES]
    if several:
        return next((one for one in several if isinstance(one, Channel)), several[0])
    if entry.tool == "slack" or any("slack.com" in text for text in entry.texts):
        fix = (
            "Put the address of its webhook into Parameter Store as `/<stack>/notify/NAME`, and add "
            f"`customProperties: [{{property: {OWN_ADDRESS}, value: slack:NAME}}]` to the entry."
        )
    elif entry.path[:1] == ("team",):
        fix = f"Add `customProperties: [{{property: {OWN_ADDRESS}, value: mailto:orders@example.org}}]` to it."
    elif entry.tool not in ("", "email"):
        fix = "Name another channel: notices go by mail, Slack, Teams, PagerDuty and webhook."
    else:
        fix = "Add `url: mailto:orders@example.org` to it."
    return Refused("no-address", f"`{entry.names[0]:.60}` has no address that notices can go to.", fix)


def _unknown(to: str, named: tuple[Entry, ...]) -> Refused:
    names = [name for entry in named for name in entry.names]
    close = nearest(to, names)
    if channels.MAIL.fullmatch(to) and not close:
        return Refused("unknown-channel", f"`{to:.60}` names no entry of `support` or `team`.", f"Write `mailto:{to}`.")
    fix = f"Write `{close}`." if close else "Write an address, as `mailto:orders@example.org` or `slack:orders-team`."
    listed = f"; there are {quoted(names, most=5)}" if names and not close else ""
    return Refused("unknown-channel", f"`{to:.60}` names no entry of `support` or `team`{listed}.", fix)


def _secrets(document: Document, entry: Entry, *, is_error: bool) -> None:
    """Report an entry with the address of a webhook; only as a warning where nobody asks for notices."""
    for text in entry.texts:
        own = channels.read(text) if channels.scheme_of(text) in channels.SCHEMES else None
        is_secret = channels.OF_WEBHOOKS.match(text) or (isinstance(own, Refused) and own.code == "secret-in-contract")
        if is_secret:
            message = "An address that whoever has it can send to is a secret, and must not be written here."
            report = document.error if is_error else document.warning
            report(entry.path, "secret-in-contract", message, channels.keep_secret("slack"))


def _never(document: Document, at: Path, block: DropBlock) -> None:
    """Warn of occasions that cannot come."""
    for audience, several in block.notify.items():
        for n, wanted in enumerate(several):
            for k, occasion in enumerate(wanted.on or ()):
                if why := _why_never(audience, occasion, block):
                    place: Path = (*at, audience, n, "on", k)
                    document.warning(place, "never-happens", f"Nobody will hear of `{occasion}`: {why[0]}.", why[1])


def _why_never(audience: Audience, occasion: Occasion, block: DropBlock) -> tuple[str, str] | None:
    """Return why an occasion never comes, and the fix; None if it may come."""
    if occasion in ("missing", "late") and not block.arrival:
        return "the contract does not state when files come", 'Add `arrival`, as `arrival: {by: "06:00"}`.'
    if occasion == "stale" and block.slo != "enforce":
        return "no promise of the contract is held", "Write `slo: enforce` and `slaProperties`."
    if occasion == "unmatched" and audience == "consumer":
        return "consumers have nothing to do with files that no contract claims", "Leave it out."
    if occasion == "unmatched" and audience == "operator":
        return "only operators of the stack hear of it", "Name the channel under `operator` in notify.yaml."
    return None
