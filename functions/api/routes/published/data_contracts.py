"""Data contracts as the thesis' Data Contract Manager answers them: an id with a version in, the contract out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contracts.catalog import Entry
from contracts.errors import ObjectGone
from contracts.plan import Plan
from functions.api.asked import Asked, Here
from functions.api.identity.access import Operation
from functions.api.models.published.data_contracts import DataContract, DataContractActor
from functions.api.problems import RequestRefused

if TYPE_CHECKING:
    from contracts.authoring.store import Title


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    path, summary = "/api/v1/data-contract/<data_contract>", "Read a data contract by its id and version"
    app.get(path, summary=summary, operation_id="read_data_contract")(read_data_contract)


def read_data_contract(here: Here, data_contract: str) -> DataContract:
    """Return a published version of a contract that is in force; one beyond the caller's reach is not there."""
    entry, plan = contract_of(here, data_contract, "read_data_contract", in_force=False)
    title = _title(data_contract, plan)
    try:
        text = here.ports.store.get(f"{here.ports.zones.catalog}{title.key}") if title else None
    except ObjectGone:
        text = None
    if text is None or title is None:
        raise unknown(data_contract)
    return _answer(data_contract, entry, plan, title, text)


def contract_of(here: Asked, data_contract: str, operation: Operation, *, in_force: bool = True) -> tuple[Entry, Plan]:
    """Return the contract in force of an id with a version, which is also the one in force if `in_force`."""
    reach = here.reach(operation)
    for entry in here.entries():
        if not reach.covers(entry.producer) or not data_contract.startswith(f"{entry.contract.rpartition('.v')[0]}-"):
            continue
        plan = here.ports.catalog.plan(entry.plan)
        if data_contract == id_of(plan) or (not in_force and _title(data_contract, plan)):
            return entry, plan
    raise unknown(data_contract)


def id_of(plan: Plan) -> str:
    """Return the id of a contract with its version, as the format 0.1.3 makes it."""
    return f"{plan.id}-{plan.version}"


def unknown(data_contract: str) -> RequestRefused:
    """Return the refusal of an id that no contract has, or none that the caller reaches."""
    return RequestRefused(404, f"No data contract {data_contract[:300]} is in force.")


def _title(data_contract: str, plan: Plan) -> Title | None:
    """Return the title of a version of a plan's contract; None if the id names another contract."""
    from contracts.authoring.document import versions
    from contracts.authoring.document.metadata import VERSION
    from contracts.authoring.store import Title

    version = data_contract.removeprefix(f"{plan.id}-")
    if version == data_contract or not VERSION.fullmatch(version):
        return None
    title = Title(plan.id, versions.plain(version), plan.object)
    return title if title.contract == plan.contract else None


def _answer(data_contract: str, entry: Entry, plan: Plan, title: Title, text: bytes) -> DataContract:
    from contracts.authoring.document import source

    kept = _kept(source.read(text, title.key).data)
    consumer = plan.consumers[0] if plan.consumers else None
    return DataContract(
        id=data_contract,
        version=title.version,
        producer=_actor(kept.get("producer"), entry.producer) or DataContractActor(name=entry.producer, group=None),
        consumer=_actor(kept.get("consumer"), consumer),
        content=text.decode("utf-8-sig", "replace"),
    )


def _kept(data: Any) -> dict[str, Any]:
    """Return the custom properties of a document, in which an import of the format 0.1.3 keeps both sides."""
    listed = data.get("customProperties") if isinstance(data, dict) else None
    each = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    return {str(item.get("property")): item.get("value") for item in each}


def _actor(kept: Any, name: str | None) -> DataContractActor | None:
    if isinstance(kept, dict) and isinstance(kept.get("name"), str):
        return DataContractActor(name=kept["name"], group=str(kept["group"]) if kept.get("group") else None)
    return DataContractActor(name=name, group=None) if name else None
