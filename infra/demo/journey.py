"""The demo's course: upload files, wait for them, show their states, and keep their results on disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from contracts.plan import Plan
from contracts.terms.notices import DEFAULTS, Channel, ContractRoutes, Route, Routes
from functions import keys
from functions.aws.clients import Clients, ports_from
from functions.drop import Drop
from functions.ports import Ports
from infra.demo.uploads import DemoFile, uploads
from infra.local.embedded import Embedded, session
from infra.local.mailbox import Received
from infra.local.state import export_folder

PATIENCE = 240.0
"""Seconds without any file's new state after which the demo ends."""


@dataclass(slots=True)
class Traveller:
    """One upload: its drop, and the times when it was sent and settled (monotonic seconds)."""

    upload: DemoFile
    drop: Drop | None = None
    drop_id: str | None = None
    sent: float | None = None
    settled: float | None = None

    @property
    def state(self) -> str:
        """Return the state of the file, for people."""
        return self.drop.state if self.drop else ("sent" if self.sent else "waits")

    @property
    def arrived(self) -> bool:
        """Return True if nothing more happens to the file."""
        return self.drop is not None and not self.drop.in_flight

    @property
    def as_expected(self) -> bool:
        """Return True if the file ended as the demo promises."""
        return self.arrived and self.state == self.upload.expected


@dataclass(slots=True)
class Journey:
    """All uploads, in order, and their stack."""

    embedded: Embedded
    travellers: list[Traveller] = field(default_factory=lambda: [Traveller(u) for u in uploads()])

    def run(self, show: Callable[[list[Traveller]], None]) -> bool:
        """Send all files and show every change; return True if each file ended as expected."""
        ports = self.ports()
        states: list[str] = []
        moved = time.monotonic()
        while not all(t.arrived for t in self.travellers) and time.monotonic() < moved + PATIENCE:
            self._send()
            waiting = [t.drop_id for t in self.travellers if t.drop_id and not t.arrived]
            by_id = {d.id: d for d in ports.ledger.drops(waiting)} if waiting else {}
            for traveller in self.travellers:
                if traveller.drop_id in by_id:
                    traveller.drop = by_id[traveller.drop_id]
                    traveller.settled = time.monotonic() if traveller.arrived else None
            if (now := [t.state for t in self.travellers]) != states:
                states, moved = now, time.monotonic()
            show(self.travellers)
            time.sleep(0.3)
        return all(t.as_expected for t in self.travellers)

    def ports(self) -> Ports:
        """Return the ports of the stack, as its functions have them."""
        return ports_from(self.embedded.environment(), Clients(session()))

    def _send(self) -> None:
        """Send one due file; one per round, so that the table keeps moving."""
        for traveller in self.travellers:
            if traveller.sent is not None:
                continue
            upload = traveller.upload
            same = [t for t in self.travellers if t.upload.key == upload.key and t is not traveller]
            judged = any(t.arrived and t.state == upload.after for t in same)
            if upload.after is None or judged:  # a correction waits until the corrected file is judged
                traveller.sent = time.monotonic()
                version = self.embedded.upload(upload.key, upload.body())
                bucket = self.embedded.stack.names["LandingBucket"]
                traveller.drop_id = keys.drop_id(bucket, upload.key, version)
                return


def routes_of(plans: Sequence[Plan]) -> Routes:
    """Return the routes of the demo: each producer has an address that is on this machine alone."""
    return Routes(
        tuple(
            ContractRoutes(
                plan.contract,
                plan.producer,
                (Route("producer", Channel("email", f"{plan.producer}@dropgate.localhost"), DEFAULTS["producer"]),),
            )
            for plan in plans
        )
    )


def keep(journey: Journey, folder: Path, mails: Sequence[Received]) -> None:
    """Write the results of the drops to disk: promoted files, reports, evidence, mails and the ledger."""
    client = journey.embedded.client("s3")
    ports = journey.ports()
    objects = {f"mails/{mail.name}": mail.body for mail in mails}
    zones = {zone: getattr(ports.zones, zone) for zone in ("promoted", "reports", "results", "evidence")}
    for zone, home in zones.items():
        bucket, prefix = keys.split(home)
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            for entry in page.get("Contents", []):
                if entry["Key"].endswith("/"):  # a folder's marker of s3a's
                    continue
                body = client.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
                objects[f"{zone}/{entry['Key'].removeprefix(prefix)}"] = body
    drops = [t.drop_id for t in journey.travellers if t.drop_id]
    at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    export_folder.save(folder, ports.ledger, drops, objects, zones, at)
