"""Levels of Parquet: the encoded levels of a page in; a byte for each, and whether they are possible, out. Pure.

Sources: README.md ("Nested Encoding") and Encodings.md ("RLE") of apache/parquet-format. All steps work on whole byte
strings and big integers, as a page may have a million levels.
"""

from __future__ import annotations

from dataclasses import dataclass

BYTE = 8
ONES = bytes.maketrans(b"01", b"\0\1")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column of single values within others: its greatest definition level, and the levels of the lists around it.

    From its level on, a list has an element. The outermost list is the first.
    """

    most: int
    lists: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """The state of a column so far: its records, the last definition level, and whether all levels are possible."""

    records: int = 0
    last: int | None = None
    sound: bool = True


UNSOUND = Seen(sound=False)


def width(most: int) -> int:
    """Return how many bits a level takes."""
    return most.bit_length()


def decoded(raw: bytes, most: int, count: int) -> bytes | None:
    """Decode `count` levels, in runs or packed by bits; None if there are fewer."""
    bits = width(most)
    if not bits:
        return bytes(count)
    levels, at = bytearray(), 0
    while len(levels) < count:
        head, at = _varint(raw, at)
        if head is None or at >= len(raw) or head < 2:  # a run of length 0
            return None
        if head & 1:
            end = at + (head >> 1) * bits
            levels += _unpacked(raw[at:end], bits)
            at = end
        else:
            levels += raw[at : at + 1] * min(head >> 1, count - len(levels))
            at += 1
    return bytes(levels[:count])


def _varint(raw: bytes, at: int) -> tuple[int | None, int]:
    number = shift = 0
    while at < len(raw) and shift < 35:
        byte, at = raw[at], at + 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
    return None, at


def _unpacked(raw: bytes, bits: int) -> bytes:
    """Unpack numbers of `bits` bits each, from the least bit of the first byte on."""
    digits = format(int.from_bytes(raw, "little"), "b").zfill(len(raw) * BYTE)[::-1].encode()
    count = len(digits) // bits
    planes = (digits[n::bits][:count].translate(ONES) for n in range(bits))
    return sum(int.from_bytes(plane) << n for n, plane in enumerate(planes)).to_bytes(count)


def with_page(seen: Seen, leaf: Leaf, repetitions: bytes | None, definitions: bytes | None) -> Seen:
    """Add the levels of the next page to the state of a column; None if a page has fewer levels than values."""
    if repetitions is None or definitions is None or len(repetitions) != len(definitions):
        return UNSOUND
    if not definitions or not seen.sound:
        return seen
    if repetitions.translate(None, bytes(range(len(leaf.lists) + 1))):
        return UNSOUND
    if definitions.translate(None, bytes(range(leaf.most + 1))):
        return UNSOUND
    if seen.last is None and repetitions[0]:
        return UNSOUND
    before = bytes([leaf.most if seen.last is None else seen.last]) + definitions[:-1]
    for number, least in enumerate(leaf.lists, 1):
        more = _marked(repetitions, range(number, number + 1))
        if more & (_marked(definitions, range(least)) | _marked(before, range(least))):
            return UNSOUND
    return Seen(seen.records + repetitions.count(0), definitions[-1])


def _marked(levels: bytes, which: range) -> int:
    """Return a number with a byte for each level: 1 if the level is one of some, else 0."""
    return int.from_bytes(levels.translate(bytes(n in which for n in range(256))))
