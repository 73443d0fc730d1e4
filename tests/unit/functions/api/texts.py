"""Texts of contracts in a world in memory, as `dropgate publish` keeps them."""

from __future__ import annotations

from contracts.authoring.store import documents
from tests.builders import ZONES, World, publish
from tests.unit.contracts.authoring.documents import compiled


def keep_texts(world: World, *texts: str) -> None:
    """Keep the texts of contracts that were published."""
    for name, text in documents([compiled(text) for text in texts]).items():
        world.store.put(f"{ZONES.catalog}{name}", text, "application/yaml")


def put_in_force(world: World, *texts: str) -> None:
    """Put the contracts of some texts in force, and keep the texts."""
    publish(world.store, ZONES.catalog, [plan for text in texts if (plan := compiled(text).plan)])
    keep_texts(world, *texts)
