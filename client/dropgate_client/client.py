"""The client: methods for the operations of the API, values out. It prints nothing."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from dropgate_client import addresses
from dropgate_client.deliveries import Permit, deliver
from dropgate_client.errors import (
    DeliveryUnknown,
    NotConfigured,
    RequestRefused,
    StillInFlight,
    Unreachable,
)
from dropgate_client.files import Measured, Progress, measure, no_progress, written
from dropgate_client.sessions import Session, open_session
from dropgate_client.transport import Answer, Transport
from dropgate_client.values import Claim, Drop, Finding, Problem, Refusal, Sent

LARGEST = 5 * 1024**3
"""The most bytes that S3 takes in one request (S3 user guide, "Uploading objects")."""
LARGEST_TEXT = 1_000_000
"""Characters of a contract."""
PAGE = 100
REFUSED = "urn:dropgate:problem:file-refused"
"""The type of the problem of a file that would be rejected."""
SEARCHED = 20
"""Seconds for which the drop of a file is searched, with a look in each."""
LONGEST_LOOK = 15.0
"""Seconds between two looks at a drop, at most."""


class Client:
    """An API of dropgate; `pause` waits for some seconds."""

    def __init__(
        self, session: Session, transport: Transport | None = None, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._session = session
        self._transport = transport or Transport()
        self._pause = pause

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, path: Path | None = None) -> Client:
        """Return the client of the environment, else that of `dropgate-client login`; raise NotConfigured."""
        transport = Transport({"User-Agent": "dropgate-client"})
        return cls(open_session(transport, os.environ if environment is None else environment, path), transport)

    @property
    def api(self) -> str:
        """Return the address of the API."""
        return self._session.api

    def contracts(self) -> Iterator[Mapping[str, Any]]:
        """Yield the contracts that the caller reaches, by name."""
        return self._pages("/contracts", "contracts")

    def drops(
        self,
        *,
        contract: str | None = None,
        state: str | None = None,
        key: str | None = None,
        month: str | None = None,
        trial: bool = False,
    ) -> Iterator[Drop]:
        """Yield the drops, or the trials, of a month (`2026-01`; this one by default), newest first."""
        asked = {"contract": contract, "state": state, "key": key, "month": month, "trial": _flag(trial=trial)}
        return map(Drop.of, self._pages("/drops", "drops", **asked))

    def drop(self, drop: str) -> Drop:
        """Return a drop with its problems and its history."""
        return Drop.of(self._get(addresses.path("drops", drop)))

    def receipt(self, drop: str) -> Mapping[str, Any]:
        """Return the receipt of a drop, as `receipt.json` has it."""
        body: Mapping[str, Any] = self._get(addresses.path("drops", drop, "receipt"))
        return body

    def link(self, drop: str) -> str:
        """Return an address that opens the receipt of a drop for some days, for people who have no token."""
        return f"{self.api}{self._checked(self._ask('POST', addresses.path('drops', drop, 'links')))['path']}"

    def save_receipt(self, drop: Drop, beside: str | Path) -> tuple[Path, ...]:
        """Write the receipt, and the rejected rows if there are any, next to a file; return their paths.

        For `weather.csv` they are `weather.csv.receipt.json` and `weather.csv.rejected.csv`.
        """
        if not drop.has_receipt:
            return ()
        receipt, place = self.receipt(drop.id), Path(beside)
        paths = [place.with_name(f"{place.name}.receipt.json")]
        with written(paths[0]) as file:
            file.write((json.dumps(receipt, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
        if name := receipt.get("rejected_rows"):
            rows = place.with_name(f"{place.name}.{Path(str(name)).name}")
            if self._save_rows(drop.id, rows):
                paths.append(rows)
        return tuple(paths)

    def _save_rows(self, drop: str, place: Path) -> bool:
        """Write the rejected rows of a drop; return False if they have expired."""
        answer = self._ask("GET", addresses.path("drops", drop, "rejected-rows"))
        if answer.status == 404:
            return False
        with written(place) as file:
            status = self._transport.download(self._checked(answer)["url"], file)
            if status != 200:
                raise RequestRefused(status, f"The rejected rows cannot be downloaded: S3 answers with {status}.")
        return True

    def lint(self, path: str | Path) -> tuple[bool, tuple[Finding, ...]]:
        """Return whether a contract of a file could not be published, and its findings."""
        place = Path(path)
        try:
            text = place.read_bytes()[: 4 * LARGEST_TEXT + 1].decode("utf-8-sig")
        except OSError as error:
            raise NotConfigured(f"The file {place} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise NotConfigured(f"The file {place} is no text in UTF-8.") from None
        if len(text) > LARGEST_TEXT:
            raise NotConfigured(f"{place} has more than {LARGEST_TEXT:,} characters, the most that the API reads.")
        answer = self._checked(self._ask("POST", "/lint", {"text": text}))
        findings = (Finding.of({**finding, "file": str(place)}) for finding in answer["findings"])
        return bool(answer["failed"]), tuple(findings)

    def match(self, path: str | Path, key: str, progress: Progress = no_progress) -> Claim | Refusal:
        """Return the contract that claims a file under a key, or why it would be refused; nothing is sent."""
        announced = self._announce(measure(Path(path), progress), key)
        return announced if isinstance(announced, Refusal) else announced[0]

    def send(
        self, path: str | Path, key: str, progress: Progress = no_progress, *, trial: bool = False
    ) -> Sent | Refusal:
        """Send a file under a key, unless it would be refused; raise DeliveryUnknown if nobody knows if it arrived.

        A trial is judged as any file, and consumers get nothing of it.
        """
        file = measure(Path(path), progress)
        announced = self._announce(file, key, trial=trial)
        if isinstance(announced, Refusal):
            return announced
        claim, permit = announced
        begin = datetime.now(timezone.utc)
        try:
            version = deliver(self._transport, permit, file, key, progress)
        except DeliveryUnknown:
            drop = self._search(lambda: self._of_this(file, key, begin, trial=trial))
            if drop is None:
                raise
        else:
            drop = self._search(lambda: next(self._drops_of(key, version_id=version, trial=trial), None))
        if drop is None:
            raise StillInFlight(
                f"The file has arrived, and dropgate has not seen it for {SEARCHED} seconds. Look later with "
                f"`dropgate-client drops --key {key}{' --trial' if trial else ''}`; do not send it again."
            )
        return Sent(key, file.size, file.sha256, drop.id, claim)

    def wait(self, drop: str, seconds: float = 3600, seen: Callable[[Drop], None] = lambda _: None) -> Drop:
        """Return a drop once it is settled; `seen` takes it after each look; raise StillInFlight."""
        end, look = time.monotonic() + seconds, 0.5
        while True:
            current = self.drop(drop)
            seen(current)
            if current.is_settled:
                return current
            left = end - time.monotonic()
            if left <= 0:
                raise StillInFlight(
                    f"The drop {drop} is still {current.state} after {seconds:,.0f} seconds. Look later with "
                    f"`dropgate-client show {drop}`."
                )
            self._pause(min(look, left))
            look = min(look * 1.5, LONGEST_LOOK)

    def _announce(self, file: Measured, key: str, *, trial: bool = False) -> tuple[Claim, Permit] | Refusal:
        """Return the claim and the permit of a file, or its refusal."""
        if file.size > LARGEST:
            raise NotConfigured(f"{file.path} has {file.size:,} bytes, and the API takes {LARGEST:,} at most.")
        head = base64.b64encode(file.head).decode()
        body = {"key": key, "size": file.size, "sha256": file.sha256, "head": head} | ({"trial": True} if trial else {})
        answer = self._ask("POST", "/uploads", body)
        problem = answer.json()
        if answer.status == 422 and isinstance(problem, dict) and problem.get("type") == REFUSED:
            return Refusal(key, file.size, tuple(_problem(error) for error in problem["errors"]))
        document = self._checked(answer)
        if trial and document.get("trial") is not True:
            raise NotConfigured(f"{self.api} has no trials: its dropgate is older. Nothing was sent.")
        warnings = tuple(map(Problem.of, document["problems"]))
        claim = Claim(key, document["contract"], document["version"], document["checked"], warnings)
        return claim, Permit.of(document["upload"])

    def _search(self, look: Callable[[], Drop | None]) -> Drop | None:
        """Return a drop as soon as the API has it; None after some time."""
        for _ in range(SEARCHED):
            if drop := look():
                return drop
            self._pause(1.0)
        return None

    def _of_this(self, file: Measured, key: str, begin: datetime, *, trial: bool) -> Drop | None:
        """Return the newest drop of a key if it is that of a file whose transfer began at a moment."""
        newest = next(self._drops_of(key, trial=trial), None)
        if newest is None or newest.size != file.size:
            return None
        since = datetime.fromisoformat(newest.received_at.replace("Z", "+00:00"))
        return newest if since > begin - timedelta(seconds=5) else None

    def _drops_of(self, key: str, version_id: str | None = None, *, trial: bool) -> Iterator[Drop]:
        asked = {"key": key, "version_id": version_id, "trial": _flag(trial=trial)}
        return map(Drop.of, self._pages("/drops", "drops", **asked))

    def _pages(self, where: str, name: str, **asked: str | None) -> Iterator[Mapping[str, Any]]:
        """Yield the items of all pages of a list."""
        cursor: str | None = None
        while True:
            page = self._get(f"{where}{addresses.query(**asked, limit=PAGE, cursor=cursor)}")
            yield from page[name]
            cursor = page["next"]
            if cursor is None:
                return

    def _get(self, where: str) -> Any:
        return self._checked(self._ask("GET", where))

    def _ask(self, method: str, where: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Return the answer to a request, which is sent again with a new token if the API refuses this one."""
        sent = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json"} | ({} if sent is None else {"Content-Type": "application/json"})
        url = f"{self._session.api}{where}"
        answer = self._transport.send(method, url, sent, headers | self._authorization())
        if answer.status == 401 and self._session.renew():
            answer = self._transport.send(method, url, sent, headers | self._authorization())
        return answer

    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._session.token()}"}

    def _checked(self, answer: Answer) -> Any:
        """Return the body of a good answer; raise RequestRefused or Unreachable."""
        document = answer.json()
        if answer.status == 200 and document is not None:
            return document
        problem = document if isinstance(document, dict) else {}
        detail = str(problem.get("detail") or problem.get("title") or f"status {answer.status}")
        if answer.status >= 500 or answer.status == 429:
            raise Unreachable(f"{self.api} cannot answer now: {detail} Try again later.")
        if answer.status == 200:
            raise Unreachable(f"{self.api} answers with something else than JSON: check the address of the API.")
        places = "; ".join(
            f"{error.get('place')}: {error.get('message') or error.get('kind')}" for error in problem.get("errors", ())
        )
        fix = " Run `dropgate-client login` again." if answer.status == 401 else ""
        raise RequestRefused(answer.status, f"{self.api}: {detail}{f' ({places})' if places else ''}{fix}")


def _flag(*, trial: bool) -> str | None:
    """Return the value of the parameter of lists that asks for trials; None for drops."""
    return "true" if trial else None


def _problem(error: Mapping[str, Any]) -> Problem:
    """Return a problem of a refused file."""
    return Problem(error["kind"], error["message"], error["fix"], place=error.get("at"))
