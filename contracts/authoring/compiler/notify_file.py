"""notify.yaml, who hears of what in one stack: its bytes and the contracts beside it in, routes and findings out.

It stands for what a stack needs and a contract cannot know: a published version of a contract never changes, but the
people who hear of it do.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from pathlib import Path as File
from typing import Any

from jsonschema.validators import Draft201909Validator

from contracts.authoring.compiler.compile import Compiled
from contracts.authoring.document import source
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding
from contracts.authoring.drop_block import block, notices
from contracts.authoring.drop_block.block_errors import report
from contracts.problem import nearest, quoted
from contracts.terms.notices import AUDIENCES, Audience, Route, Routes

NAMES = ("notify.yaml", "notify.yml")


@dataclass(frozen=True, slots=True)
class Notify:
    """The document as it is read: channels of operators, and those in place of a contract's, by its name."""

    operators: tuple[Route, ...] = ()
    contracts: tuple[tuple[str, tuple[Audience, ...], tuple[Route, ...]], ...] = ()
    pause: tuple[Audience, ...] = ()


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document in full; editors have its file as it stands, with the short forms."""
    text = importlib.resources.files("contracts.authoring.drop_block").joinpath("notify.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text, object_hook=block.without_short_forms)
    return loaded


def read(path: File, contracts: Sequence[Compiled]) -> tuple[Notify, tuple[Finding, ...]]:
    """Return the document at a path, and what is wrong with it; `contracts` are those beside it."""
    document = Document(str(path))
    try:
        document = source.read(path.read_bytes(), str(path))
    except OSError as error:
        document.error((), "unreadable", f"The file cannot be read: {error.strerror}.", "Look at its name and rights.")
    if document.findings or document.data is None:
        return Notify(), tuple(document.findings)
    if not isinstance(document.data, dict):
        document.wrong_type((), "a mapping")
        return Notify(), tuple(document.findings)
    settings = _in_full(document.data)
    for fault in Draft201909Validator(schema()).iter_errors(settings):
        report(document, (), fault, "The file")
    notify = Notify() if document.errors() else _routes(document, settings, contracts)
    return notify, tuple(sorted(dict.fromkeys(document.findings)))


def _in_full(data: dict[str, Any]) -> dict[str, Any]:
    whole = block.notify_in_full(data)
    if isinstance(own := whole.get("contracts"), dict):
        whole["contracts"] = {
            name: block.notify_in_full(each) if isinstance(each, dict) else each for name, each in own.items()
        }
    return whole


def _routes(document: Document, settings: dict[str, Any], contracts: Sequence[Compiled]) -> Notify:
    drafts = {each.draft.contract: each for each in contracts if each.draft}
    own = []
    for name, wanted in settings.get("contracts", {}).items():
        contract = drafts.get(name)
        if contract is None:
            close = nearest(name, drafts)
            fix = f"Write `{close}`." if close else f"Leave it out; there are {quoted(drafts) or 'no contracts'}."
            message = f"There is no contract `{name:.60}` beside this file."
            document.error(("contracts", name), "unknown-contract", message, fix, on_key=True)
            continue
        entries = notices.entries(contract.document) if contract.document else ()
        routes = notices.routes(document, ("contracts", name), block.wishes(wanted), entries)
        own.append((name, tuple(audience for audience in AUDIENCES if audience in wanted), routes))
    operators = block.wishes({key: settings[key] for key in ("operator",) if key in settings})
    return Notify(notices.routes(document, (), operators, ()), tuple(own), tuple(settings.get("pause", ())))


def joined(contracts: Iterable[Compiled], notify: Notify) -> Routes:
    """Return the routes of the contracts in force, with those of a stack in place of theirs."""
    instead = {name: (audiences, routes) for name, audiences, routes in notify.contracts}
    every = []
    for own in (each.routes for each in contracts if each.plan and each.routes):
        audiences, routes = instead.get(own.contract, ((), ()))
        kept = (*(route for route in own.routes if route.audience not in audiences), *routes)
        every.append(replace(own, routes=_heard(kept, notify)))
    named = (each for each in every if each.routes or each.contact)
    return Routes(tuple(sorted(named, key=attrgetter("contract"))), _heard(notify.operators, notify))


def _heard(routes: Iterable[Route], notify: Notify) -> tuple[Route, ...]:
    return tuple(route for route in routes if route.audience not in notify.pause)
