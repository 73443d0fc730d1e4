"""Pages of Parquet whose lengths or counts were damaged: never more bytes are asked for than a page has."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest

from spark_jobs.formats.parquet_levels import Leaf
from spark_jobs.formats.parquet_pages import PageUnsound, levels

LEAF = Leaf(2, (1,))
REPETITIONS, DEFINITIONS = b"\x02\0\x02\1", b"\x04\2"
"""Runs of levels: 0, 1; and twice 2."""


@dataclass
class Stream:
    """A stream of Java; it takes lengths of 31 bits, as py4j does."""

    raw: io.BytesIO

    def readNBytes(self, size: int) -> bytes:  # noqa: N802
        assert 0 <= size < 1 << 31
        return self.raw.read(size)


@dataclass
class Bytes:
    """The bytes of a page, as parquet-mr has them."""

    raw: bytes

    def size(self) -> int:
        return len(self.raw)

    def toInputStream(self) -> Stream:  # noqa: N802
        return Stream(io.BytesIO(self.raw))


@dataclass
class DataPageV1:
    """A page with a number of values and its bytes."""

    count: int
    raw: bytes

    def getValueCount(self) -> int:  # noqa: N802
        return self.count

    def getBytes(self) -> Bytes:  # noqa: N802
        return Bytes(self.raw)

    def getClass(self) -> DataPageV1:  # noqa: N802
        return self

    def getSimpleName(self) -> str:  # noqa: N802
        return type(self).__name__


def a_page(first: int = len(REPETITIONS), second: int = len(DEFINITIONS), count: int = 2) -> DataPageV1:
    """A page whose lengths of levels, or number of values, may be others than they are."""
    parts = ((first, REPETITIONS), (second, DEFINITIONS))
    return DataPageV1(count, b"".join(size.to_bytes(4, "little") + raw for size, raw in parts))


def test_levels_of_a_page_of_version_one_are_read() -> None:
    assert levels(a_page(), LEAF, 2) == (b"\0\1", b"\2\2")


@pytest.mark.parametrize("size", [11, 255, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1])
def test_length_beyond_the_page_is_unsound(size: int) -> None:
    for page in (a_page(first=size), a_page(second=size)):
        with pytest.raises(PageUnsound):
            levels(page, LEAF, 2)


@pytest.mark.parametrize("size", range(len(a_page().raw)))
def test_page_that_is_cut_short_is_unsound(size: int) -> None:
    with pytest.raises(PageUnsound):
        levels(DataPageV1(2, a_page().raw[:size]), LEAF, 2)


@pytest.mark.parametrize("count", [-(1 << 31), -1, 3, (1 << 31) - 1])
def test_values_that_the_row_group_does_not_have_are_unsound(count: int) -> None:
    with pytest.raises(PageUnsound):
        levels(a_page(count=count), LEAF, 2)
