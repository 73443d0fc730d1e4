"""Levels of Parquet as they are written in pages, and which of them can be."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.formats.parquet_levels import Leaf, Seen, decoded, with_page

LIST = Leaf(3, (2,))
"""An optional list of optional elements."""
LISTS = Leaf(5, (2, 4))
"""A list of lists of them."""


def varint(number: int) -> bytes:
    """A number, seven bits in a byte."""
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def run(level: int, times: int) -> bytes:
    return varint(times << 1) + bytes([level])


def packed(levels: Sequence[int], bits: int) -> bytes:
    """Levels packed by bits, with zeros up to the next eight."""
    groups = -(-len(levels) // 8)
    number = sum(level << (n * bits) for n, level in enumerate(levels))
    return varint(groups << 1 | 1) + number.to_bytes(groups * bits, "little")


@given(st.integers(1, 31), st.data())
def test_levels_are_those_that_were_written(most: int, data: st.DataObject) -> None:
    bits, raw, wanted = most.bit_length(), b"", []
    for level, times, is_run in data.draw(
        st.lists(st.tuples(st.integers(0, most), st.integers(1, 300), st.booleans()), min_size=1, max_size=5)
    ):
        some = [level] * times if is_run else [(level + n) % (most + 1) for n in range(8 * times)]
        raw += run(level, times) if is_run else packed(some, bits)
        wanted += some
    assert decoded(raw, most, len(wanted)) == bytes(wanted)
    assert decoded(raw, most, len(wanted) - 1) == bytes(wanted[:-1])
    assert decoded(raw, most, len(wanted) + 1) is None


@given(st.binary(max_size=40), st.integers(0, 31), st.integers(0, 1000))
def test_any_bytes_have_an_answer(raw: bytes, most: int, count: int) -> None:
    levels = decoded(raw, most, count)
    assert levels is None or len(levels) == count


@pytest.mark.parametrize(
    ("leaf", "repetitions", "definitions", "records"),
    [
        (LIST, [0, 1, 0, 0], [3, 2, 0, 1], 3),
        (LISTS, [0, 2, 1, 1, 2, 0], [5, 5, 2, 5, 4, 0], 2),
        (Leaf(2, ()), [0, 0, 0], [0, 1, 2], 3),
        (LIST, [], [], 0),
    ],
)
def test_levels_of_lists_that_can_be(leaf: Leaf, repetitions: list[int], definitions: list[int], records: int) -> None:
    column = with_page(Seen(), leaf, bytes(repetitions), bytes(definitions))
    assert (column.sound, column.records) == (True, records)


@pytest.mark.parametrize(
    ("leaf", "repetitions", "definitions"),
    [
        (LIST, [1, 0], [3, 3]),
        (LIST, [0, 2], [3, 3]),
        (LIST, [0, 0], [3, 4]),
        (LIST, [0, 1], [1, 3]),
        (LIST, [0, 1], [3, 1]),
        (LISTS, [0, 2], [2, 5]),
        (LISTS, [0, 1], [5, 1]),
        (LISTS, [0, 2], [5, 3]),
        (Leaf(2, ()), [0, 0], [2, 3]),
        (LIST, [0], [3, 3]),
    ],
)
def test_levels_of_lists_that_cannot_be(leaf: Leaf, repetitions: list[int], definitions: list[int]) -> None:
    assert not with_page(Seen(), leaf, bytes(repetitions), bytes(definitions)).sound
    assert not with_page(with_page(Seen(), leaf, bytes(repetitions), bytes(definitions)), leaf, b"\0", b"\0").sound


def test_list_may_go_on_in_the_next_page() -> None:
    first = with_page(Seen(), LIST, b"\0", b"\3")
    assert with_page(first, LIST, b"\1\0", b"\3\0") == Seen(2, 0)
    assert not with_page(with_page(Seen(), LIST, b"\0", b"\1"), LIST, b"\1", b"\3").sound


def test_page_with_fewer_levels_than_values_cannot_be() -> None:
    assert not with_page(Seen(), LIST, None, b"\0").sound
    assert not with_page(Seen(), LIST, b"\0", None).sound
