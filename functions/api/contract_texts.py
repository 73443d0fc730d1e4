"""Published contracts for the routes: a name and a version in; the entry in force, titles of versions and texts out.

The texts are those of `dropgate publish`, which never change; a contract that is not in force has no versions here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.catalog import Entry
from contracts.errors import ObjectGone
from contracts.plan import Plan
from functions.api.asked import Asked
from functions.api.identity.access import Operation
from functions.api.problems import RequestRefused

if TYPE_CHECKING:
    from contracts.authoring.store import Title

MOST_TEXTS = 100_000
"""Texts in a catalog that are looked through for versions."""


def entry_of(here: Asked, contract: str, operation: Operation) -> Entry:
    """Return a contract in force within reach; RequestRefused with 404 if there is none."""
    reach = here.reach(operation)
    entry = next((each for each in here.entries() if each.contract == contract), None)
    if entry is None or not reach.covers(entry.producer):
        raise RequestRefused(404, f"No contract {contract} is in force.")
    return entry


def document_of(here: Asked, plan: Plan) -> bytes | None:
    """Return the published text of a plan's contract, which may be one of several in its document; None if gone."""
    from contracts.authoring.document import versions
    from contracts.authoring.store import Title

    for product in dict.fromkeys((plan.id, plan.id.removesuffix(f".{plan.object}"))):
        try:
            return _text(here, Title(product, versions.plain(plan.version), plan.object))
        except ObjectGone:
            continue
    return None


def titles_of(here: Asked, plan: Plan) -> list[Title]:
    """Return the published versions of a plan's id, of every major version, the oldest first."""
    from contracts.authoring.store import FOLDER, title_of_key, versions_of

    zone = here.ports.zones.catalog
    keys = (uri.removeprefix(zone) for uri in here.ports.store.listed(f"{zone}{FOLDER}", MOST_TEXTS))
    return versions_of([title for key in keys if (title := title_of_key(key))], plan)


def version_of(here: Asked, plan: Plan, version: str | None) -> tuple[str, bytes]:
    """Return a published version (None: the one in force) with its text; RequestRefused with 404 if there is none."""
    from contracts.authoring.document.versions import plain
    from contracts.authoring.store import of_version

    if version in (None, plan.version, plain(plan.version)) and (text := document_of(here, plan)) is not None:
        return plain(plan.version), text
    title = of_version(titles_of(here, plan), version) if version else None
    if title is None:
        raise RequestRefused(404, f"No text of {plan.contract} {version or plan.version} was published.")
    try:
        return title.version, _text(here, title)
    except ObjectGone as error:
        raise RequestRefused(404, f"The text of {plan.contract} {title.version} is gone.") from error


def _text(here: Asked, title: Title) -> bytes:
    return here.ports.store.get(f"{here.ports.zones.catalog}{title.key}")
