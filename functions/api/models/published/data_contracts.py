"""A data contract as the thesis' Data Contract Manager answers it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, RootModel

from functions.api.models.base import Model
from functions.api.models.lint import LARGEST_TEXT


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


class DataContractText(RootModel[Annotated[str, Field(min_length=1, max_length=LARGEST_TEXT)]]):
    """The text of a data contract, as a JSON text."""


class DataContractId(RootModel[str]):
    """The id of a data contract, with its version."""
