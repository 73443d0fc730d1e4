"""The publisher of a stack's contracts: its catalog and its authority; what it holds is made on first use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.catalog import Authority

if TYPE_CHECKING:
    from contracts.authoring.publication import CatalogStore


@dataclass(frozen=True, slots=True)
class Publisher:
    """The catalog zone, the authority that may publish there, and if the stack can judge by Great Expectations."""

    store: CatalogStore
    authority: Authority
    has_expectations: bool
