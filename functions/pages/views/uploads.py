"""Uploads: the page that sends a file, and what its script asks; files themselves go from the browser to S3."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ValidationError

from functions.api.models.drops import DropProblem
from functions.api.models.uploads import UploadRequest
from functions.api.problems import RequestRefused
from functions.api.routes.contracts import list_contracts
from functions.api.routes.drops import drop_of, list_drops
from functions.api.routes.uploads import create_upload
from functions.pages.answers import Answer
from functions.pages.site import Visit, reason
from functions.pages.words import meaning, tone, words

MOST = 512 * 2**20
"""Bytes that a browser reads at once for a SHA-256: WebCrypto takes a whole file alone."""
LONGEST_BODY = 200_000
JSON = "application/json"
DONE = frozenset({"good", "warn", "bad", "ours", "idle"})
"""The tones of drops that stay as they are."""


@dataclass(frozen=True, slots=True)
class AgreedName:
    """A pattern of a contract, with the folder that its keys begin with."""

    pattern: str
    contract: str
    folder: str


def upload_form(visit: Visit) -> Answer:
    """Return the page that sends a file."""
    visit.here.reach("create_upload")
    own = [each for each in list_contracts(visit.here).contracts if each.producer in visit.here.caller.producers]
    patterns = [AgreedName(p, each.contract, folder_of(p)) for each in own for p in each.files]
    shown = visit.page("send", patterns=[asdict(pattern) for pattern in patterns], most=MOST)
    return shown.connecting(visit.landing)


def folder_of(pattern: str) -> str:
    """Return the folders of a pattern before its first part that varies."""
    return re.split(r"[^/]*[*?\[{<]", pattern, maxsplit=1)[0].rpartition("/")[0] + "/"


def announce(visit: Visit) -> Answer:
    """Return a way to upload a file, or the reasons against it, as the API does."""
    if len(visit.request.body) > LONGEST_BODY:
        return reason(RequestRefused(413, "The request is too large."))
    try:
        asked = UploadRequest.model_validate_json(visit.request.body)
        return _json(create_upload(visit.here, asked).model_dump())
    except ValidationError as error:
        return reason(RequestRefused(422, f"The request does not fit: {error.error_count()} faults."))
    except RequestRefused as refused:
        return reason(refused)


def verdict(visit: Visit) -> Answer:
    """Return the state of an upload, by its key and version; nothing before it is taken in."""
    query = visit.request.query
    try:
        upload = {"key": query.get("key", ""), "version_id": query.get("version_id", "")}
        listed = list_drops(visit.here, **upload, trial=query.get("trial") == "true", limit=1)
        return _json(_state(visit, listed.drops[0].id) if listed.drops else {"id": None})
    except RequestRefused as refused:
        return reason(refused)


def _state(visit: Visit, drop_id: str) -> dict[str, Any]:
    drop = drop_of(visit.here, drop_id, "read_drop")
    verdict = drop.verdict if drop.state == "tried" else None
    return {
        "id": drop.id,
        "words": words(f"tried: {verdict}" if verdict else drop.state).capitalize(),
        "tone": tone(verdict or drop.state),
        "meaning": meaning(drop.state),
        "is_done": tone(drop.state) in DONE,
        "problems": [
            DropProblem.of(each).model_dump() | {"place_in_file": str(each.place) if each.place else None}
            for each in drop.problems
        ],
    }


def _json(body: Any) -> Answer:
    return Answer(200, json.dumps(body), JSON)
