"""Contracts as the API shows them: index entries and plans in, models out."""

from __future__ import annotations

from contracts.catalog import Entry, example
from contracts.plan import Plan
from functions.api.models.base import Model


class ContractSummary(Model):
    """A contract in force, in a list; `plan` is the SHA-256 of everything that machines know of it."""

    contract: str
    producer: str
    files: list[str]
    deprecated: bool
    plan: str


class ContractList(Model):
    """A page of contracts in the order of their names; `next` is the cursor of the next page."""

    contracts: list[ContractSummary]
    next: str | None


class ContractProperty(Model):
    """A property of a contract: its name, its logical type, and if values are required."""

    name: str
    type: str
    required: bool


class ContractCheck(Model):
    """A check of a contract: its id, its words for people, and its severity."""

    id: str
    severity: str


class ContractDetail(ContractSummary):
    """A contract in force; `document` is its published text, None if that is gone."""

    id: str
    version: str
    object: str
    file_format: str
    compression: str
    promote: str
    mode: str
    example_key: str
    consumers: list[str]
    contact: str | None
    properties: list[ContractProperty]
    checks: list[ContractCheck]
    document: str | None


def summary(entry: Entry) -> ContractSummary:
    """Return a contract for a list."""
    return ContractSummary(
        contract=entry.contract,
        producer=entry.producer,
        files=list(entry.files),
        deprecated=entry.deprecated,
        plan=entry.plan,
    )


def detail(entry: Entry, plan: Plan, contact: str | None, document: str | None) -> ContractDetail:
    """Return a contract with its properties and checks."""
    return ContractDetail(
        **summary(entry).model_dump(),
        id=plan.id,
        version=plan.version,
        object=plan.object,
        file_format=plan.file_format,
        compression=plan.packing,
        promote=plan.promote,
        mode=plan.mode,
        example_key=example(plan.files[0]),
        consumers=list(plan.consumers),
        contact=contact,
        properties=[ContractProperty(name=p.name, type=p.type, required=p.required) for p in plan.properties],
        checks=[ContractCheck(id=check.id, severity=check.severity) for check in plan.checks],
        document=document,
    )
