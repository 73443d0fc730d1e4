"""A use case's calls in, the outside world's answers out: a Protocol for each role; imports catalog, drop and keys.

Each port has a real implementation under `aws/` and one in memory in `tests/fakes.py`, and one test that holds both.
A call that may succeed later raises ServiceUnavailable.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from functions.catalog import Documents, Published
from functions.keys import Zones
from functions.ports.clock import Clock, stamp
from functions.ports.drops import Drops
from functions.ports.jobs import Jobs
from functions.ports.ledger import Ledger
from functions.ports.messages import Delays, Lane, Queues
from functions.ports.notices import Mailer, NoticeBook, NoticeTraces, Secrets, Web
from functions.ports.store import LARGEST_COPY, ObjectStore
from functions.ports.tables import Tables
from functions.ports.web.links import Links, UploadLinks
from functions.ports.web.web_documents import WebDocuments

MOST_DROPS, MOST_BATCHES = 500, 15
"""The template's defaults of how many drops go into one batch, and how many batches are under way."""
TRIALS_IN = 4
"""Trials take one in so many slots: the others are for deliveries alone."""


@dataclass(frozen=True, slots=True)
class Ports:
    """All ports, handed to every use case.

    `window_seconds` is the time in which drops gather; `patience_seconds` is the time for which the reconciler leaves
    an item to its event; `most_drops` is the size of a batch, `most_batches` the number of batches that may be under
    way; `seen` has the time when this process last staged a drop of a plan: it only guesses the cheapest call. Objects
    of more bytes than `largest_copy` are copied in parts. `masks_evidence` keeps values of classified properties out of
    the evidence. Drops of up to `lane_bytes` may go to the function of the fast `lane`, if there is one.
    """

    zones: Zones
    store: ObjectStore
    ledger: Ledger
    jobs: Jobs
    delays: Delays
    clock: Clock
    catalog: Published
    tables: Tables
    window_seconds: int = 60
    patience_seconds: int = 60
    most_drops: int = MOST_DROPS
    most_batches: int = MOST_BATCHES
    largest_copy: int = LARGEST_COPY
    masks_evidence: bool = False
    lane: Lane | None = None
    lane_bytes: int = 0
    seen: dict[str, datetime] = field(default_factory=dict)

    def of(self, *, trial: bool) -> Ports:
        """Return the ports with the zones of trials if asked for them, else as they are."""
        return replace(self, zones=self.zones.of(trial=True)) if trial else self

    @property
    def slots(self) -> range:
        """Return the slots that batches may take: those of trials have the first quarter, and one at least."""
        return range(max(1, self.most_batches // TRIALS_IN) if self.zones.trial else self.most_batches)

    def at(self) -> str:
        """Return the time as a stamp."""
        return stamp(self.clock.now())


@dataclass(frozen=True, slots=True)
class EventSources:
    """The ports that events are made from, which read alone."""

    zones: Zones
    ledger: Drops
    catalog: Published


class NoSecrets:
    """No secret at all."""

    def secret(self, name: str) -> str | None:  # noqa: ARG002
        """Return nothing."""
        return None


NO_SECRETS = NoSecrets()


@dataclass(frozen=True, slots=True)
class ReadPorts:
    """The ports of the API's reads: of the store and the ledger it only reads; others upload by `uploads`.

    `link_keys` are those that sign links to receipts, each for its `stack` alone.
    """

    zones: Zones
    store: ObjectStore
    ledger: Ledger
    catalog: Published
    clock: Clock
    web: WebDocuments
    links: Links
    uploads: UploadLinks
    notices: NoticeTraces
    queues: Queues
    link_keys: Secrets = NO_SECRETS
    stack: str = "dropgate"

    def at(self) -> str:
        """Return the time as a stamp."""
        return stamp(self.clock.now())


@dataclass(frozen=True, slots=True)
class NoticePorts:
    """The ports of notices for people: of the ledger they know nothing.

    `stack` is the name that messages give, `secrets_folder` the beginning of the parameters' names. `pagerduty` is
    where PagerDuty's events go, if not to PagerDuty. `api` is the address of the API, empty without one; `link_keys`
    sign links to receipts there.
    """

    stack: str
    book: NoticeBook
    catalog: Published
    documents: Documents
    mailer: Mailer
    web: Web
    secrets: Secrets
    clock: Clock
    secrets_folder: str = ""
    pagerduty: str | None = None
    link_keys: Secrets = NO_SECRETS
    api: str = ""

    def at(self) -> str:
        """Return the time as a stamp."""
        return stamp(self.clock.now())
