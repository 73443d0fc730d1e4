"""A data contract as the thesis' Data Contract Manager answers it."""

from __future__ import annotations

from functions.api.models.base import Model


class DataContractActor(Model):
    """A producer or consumer, and its group if the contract names one."""

    name: str
    group: str | None


class DataContract(Model):
    """A published contract: `id` is made of its id and version, `content` is its text as it was published."""

    id: str
    version: str
    producer: DataContractActor
    consumer: DataContractActor | None
    content: str
