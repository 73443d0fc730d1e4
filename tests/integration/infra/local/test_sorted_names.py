"""Lists of folders: the names of a bucket are in their order whatever came and went."""

from __future__ import annotations

import random
from typing import Any

import pytest
from moto.s3.utils import _VersionedKeyStore

from infra.local.moto_patches import sorted_names

FOLDERS = ("", "a/", "a/b/", "a-b/", "b", "\u00e9/", "a/\U0001f600/")


@pytest.fixture(autouse=True)
def _kept() -> None:
    sorted_names.keep()
    sorted_names.keep()  # as for a second cloud of the same process


@pytest.mark.parametrize("seed", range(20))
def test_names_of_a_folder_are_those_that_are_there(seed: int) -> None:
    draw, store, there = random.Random(seed), _VersionedKeyStore(), set[str]()
    for _ in range(400):
        name = draw.choice(FOLDERS) + str(draw.randrange(30))
        match draw.randrange(4):
            case 0:
                store[name] = Version()
                there.add(name)
            case 1:
                store.setlist(name, [Version()])
                there.add(name)
            case 2 if name in there:
                store.pop(name)
                there.remove(name)
            case _:
                prefix = draw.choice((*FOLDERS, "a", "a/1", name))
                assert list(sorted_names.beginning(store, prefix)) == sorted(n for n in there if n.startswith(prefix))


def test_names_that_went_do_not_pile_up() -> None:
    store = _VersionedKeyStore()
    assert list(sorted_names.beginning(store, "a")) == []
    for n in range(5_000):
        store[f"a{n}"] = Version()
        store.pop(f"a{n}")
        assert list(sorted_names.beginning(store, "a")) == []
    kept: Any = vars(store)["names"]
    assert len(kept) <= 1_001


class Version:
    """A version of an object, as the store gives it back."""

    def dispose(self) -> None:
        """Give back nothing."""
