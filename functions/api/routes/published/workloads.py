"""Workloads as the thesis' Data Contract Manager has them: a data contract in, an announced file and its result out."""

from __future__ import annotations

import hashlib
import uuid

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from functions.api import audit
from functions.api.asked import Asked, Here
from functions.api.idempotency import DAY, IdempotencyKey, once
from functions.api.identity.access import Operation
from functions.api.models.published import workloads as models
from functions.api.models.published.workloads import DataSummary, WorkloadAnswer, WorkloadBody, WorkloadInfo
from functions.api.models.uploads import UploadAnswer, UploadRequest
from functions.api.problems import RequestRefused
from functions.api.routes.drops import receipt_of
from functions.api.routes.published.data_contracts import contract_of
from functions.api.routes.uploads import LINK_SECONDS, signed
from functions.drop import Drop
from functions.operations.workload import KEPT, Workload, arrived, dumps, loads, pinned, standing

MARK = "workload"
"""The mark of a workload among the answered requests."""


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    path = "/api/v1/workload"
    app.post(path, summary="Create a workload of a data contract", operation_id="create_workload")(create_workload)
    tell = "Tell that the file of a workload is there"
    app.post(f"{path}/notify/<workload>", summary=tell, operation_id="notify_workload")(notify_workload)
    app.get(f"{path}/<workload>", summary="Poll a workload", operation_id="read_workload")(read_workload)


def create_workload(here: Here, wish: WorkloadBody, idempotency_key: IdempotencyKey = None) -> WorkloadAnswer:
    """Return a new workload; with a summary of its file, an announced upload with the way to send it."""
    here.reach("create_workload")
    seconds = DAY if isinstance(wish.root, str) else LINK_SECONDS
    return once(
        here, "create_workload", idempotency_key, ("", wish), lambda: _created(here, wish), WorkloadAnswer, seconds
    )


def _created(here: Asked, wish: WorkloadBody) -> WorkloadAnswer:
    asked = wish.root
    data_contract, summary = (asked, None) if isinstance(asked, str) else (asked.data_contract_id, asked.data_summary)
    entry, plan = contract_of(here, data_contract, "create_workload")
    upload = _announced(here, entry.contract, summary) if summary else None
    workload = Workload(
        id=str(uuid.uuid4()),
        data_contract=data_contract,
        contract=entry.contract,
        producer=entry.producer,
        begun_at=here.ports.at(),
        key=summary.key if summary else None,
    )
    keep(here, workload)
    info = WorkloadInfo(
        data_summary=summary.model_copy(update={"head": None}) if summary else None,
        files=list(plan.files),
        upload=upload.upload if upload else None,
    )
    return models.answer(workload, standing(None), info)


def _announced(here: Asked, contract: str, summary: DataSummary) -> UploadAnswer:
    """Return the way to send a file that its contract claims; RequestRefused with the reasons against it."""
    if summary.sha256 is None:
        place = [{"place": "body.dataSummary.sha256", "kind": "missing"}]
        raise RequestRefused(422, "An address is for one file: send its SHA-256.", place)
    upload = signed(here, UploadRequest(**summary.model_dump()), "create_workload")
    if upload.contract != contract:
        place = [{"place": "body.dataSummary.key", "kind": "other-contract"}]
        raise RequestRefused(422, f"The contract of this key is {upload.contract}, and not {contract}.", place)
    return upload


def notify_workload(here: Here, workload: str) -> WorkloadAnswer:
    """Return a workload whose file is said to be there; it is the first one that came for it since."""
    named, drop = workload_of(here, workload, "notify_workload")
    if drop and named.drop is None:
        keep(here, pinned(named, drop))
    return models.answer(pinned(named, drop), standing(drop), None)


def read_workload(here: Here, workload: str) -> WorkloadAnswer:
    """Return a workload with its status, and its result once the file is judged."""
    named, drop = workload_of(here, workload, "read_workload")
    info = None
    if drop and drop.receipt:
        info = models.judged(receipt_of(here, drop), standing(drop)[1])
        audit.note(here.caller, "read_workload", drop)
    return models.answer(pinned(named, drop), standing(drop), info)


def workload_of(here: Asked, name: str, operation: Operation) -> tuple[Workload, Drop | None]:
    """Return a workload within reach and its drop, if it came; RequestRefused with 404 if there is no such workload."""
    reach, now = here.reach(operation), here.ports.clock.now()
    record = here.requests.find(_key(name), now)
    workload = loads(record.answer) if record and record.mark == MARK and record.answer else None
    if workload is None or not reach.covers(workload.producer):
        raise RequestRefused(404, f"There is no workload {name[:100]}.")
    ledger = here.ports.ledger
    return workload, ledger.drop(workload.drop) if workload.drop else arrived(ledger, workload, now)


def keep(here: Asked, workload: Workload) -> None:
    """Keep a workload for the time that workloads are kept."""
    until = here.ports.clock.now() + KEPT
    here.requests.answer(_key(workload.id), MARK, dumps(workload), until)


def _key(name: str) -> str:
    return hashlib.sha256(f"{MARK}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
