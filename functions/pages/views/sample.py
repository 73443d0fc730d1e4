"""A sample of a contract's files, to download."""

from __future__ import annotations

import base64
from urllib.parse import quote

from functions.api.contract_texts import entry_of
from functions.api.problems import RequestRefused
from functions.operations.sample_file import NoSample, sample_file
from functions.pages.answers import Answer
from functions.pages.site import Visit


def sample(visit: Visit) -> Answer:
    """Return the sample as an attachment."""
    here, name = visit.here, visit.request.parts["contract"]
    made = sample_file(here.ports.catalog.plan(entry_of(here, name, "read_contract").plan))
    if isinstance(made, NoSample):
        raise RequestRefused(404, f"There is no sample of {name}: {made.reason}.")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(made.name, safe='')}"}
    body = base64.b64encode(made.body).decode()
    return Answer(200, body, "application/octet-stream", headers, is_base64=True)
