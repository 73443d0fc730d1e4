"""Files compressed by gzip at the door: what they hold, and which are not taken."""

from __future__ import annotations

import gzip
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.problem import Problem
from functions.admission.admit import admit
from functions.admission.heads import gzip_head
from tests.builders import a_plan

TEXT = b"id,note\n" + b"".join(b"%d,x\n" % n for n in range(1000))
GOOD = gzip.compress(TEXT)


def unpacked(raw: bytes) -> gzip_head.Content | Problem:
    return gzip_head.unpack(lambda start, length: raw[start : start + length], len(raw), 100)


def code(raw: bytes) -> str:
    problem = unpacked(raw)
    assert isinstance(problem, Problem)
    return problem.code


def test_content_is_known_without_being_kept() -> None:
    assert unpacked(GOOD) == gzip_head.Content(len(TEXT), TEXT[:100])


@pytest.mark.parametrize("most", [0, 1, 100, 1_000_000])
def test_begin_is_read_and_no_more(most: int) -> None:
    noise = random.Random(1).randbytes(400_000)
    raw, asked = gzip.compress(TEXT[:50]) + gzip.compress(TEXT[50:] + noise), []

    def read(start: int, length: int) -> bytes:
        asked.append((start, length))
        return raw[start : start + length]

    assert gzip_head.begin(read, len(raw), most) == (TEXT + noise)[:most]
    assert len(asked) == (2 if most > gzip_head.SLICE else 1)


def test_members_one_after_another_are_one_file() -> None:
    assert unpacked(gzip.compress(TEXT[:50]) + gzip.compress(b"") + gzip.compress(TEXT[50:])) == unpacked(GOOD)


def test_blocks_of_nothing_are_not_unpacked_to_the_end() -> None:
    head, nothing = gzip.compress(b"")[:10], b"\x00\x00\x00\xff\xff"  # a stored block without a byte (RFC 1951, 3.2.4)
    read = 0

    def counted(start: int, length: int) -> bytes:
        nonlocal read
        read = max(read, start + length)
        return (head + nothing * (8 << 20))[start : start + length]

    problem = gzip_head.unpack(counted, 40 << 20, 100)

    assert isinstance(problem, Problem)
    assert (problem.code, "next to nothing" in problem.message, read <= 24 << 20) == ("broken-gzip", True, True)


def test_content_larger_than_a_slice_is_whole() -> None:
    text = bytes(range(256)) * 5_000
    assert unpacked(gzip.compress(text, 1) + GOOD) == gzip_head.Content(len(text) + len(TEXT), text[:100])


@pytest.mark.parametrize("end", [1, 8, 9, 100, len(GOOD) - 11])
def test_file_cut_short_is_broken(end: int) -> None:
    assert code(GOOD[:-end]) in ("broken-gzip", "not-compressed")


@pytest.mark.parametrize("more", [b"x", b"\x1f", b"\0" * 20, b"garbage behind the end", GOOD[:-3]])
def test_garbage_behind_the_end_is_broken(more: bytes) -> None:
    assert code(GOOD + more) == "broken-gzip"


def test_wrong_checksum_is_broken() -> None:
    assert code(GOOD[:-8] + bytes([GOOD[-8] ^ 1]) + GOOD[-7:]) == "broken-gzip"


def test_plain_file_is_not_compressed() -> None:
    assert code(TEXT) == "not-compressed"


def test_bomb_is_refused_before_it_is_unpacked() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(b"1,x\n" * (1 << 18)) for _ in range(80)) + packer.flush()
    assert len(bomb) < 1 << 20
    assert code(bomb) == "unpacks-too-large"


def test_file_of_very_many_members_is_refused() -> None:
    assert code(gzip.compress(b"") * (gzip_head.MOST_MEMBERS + 1)) == "unpacks-too-large"


def test_line_without_end_is_refused() -> None:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    noise = random.Random(1)
    pieces = (noise.randbytes(40).replace(b"\n", b"").replace(b"\r", b"") + bytes(4056) for _ in range(33_000))
    raw = b"".join(packer.compress(piece) for piece in pieces) + packer.flush()
    assert code(raw) == "line-too-long"


@given(st.binary(max_size=200), st.integers(0, 200))
def test_any_bytes_are_answered(noise: bytes, at: int) -> None:
    raw = GOOD[:at] + noise + GOOD[at:]
    assert isinstance(unpacked(raw), (gzip_head.Content, Problem))


def test_compressed_file_is_admitted_by_what_it_holds() -> None:
    plan = a_plan(compression="gzip")
    admission = admit(plan, "orders/1.csv.gz", len(GOOD), lambda start, length: GOOD[start : start + length])
    assert (admission.problems, admission.header) == ((), ("id", "note"))


def test_compressed_file_is_refused_where_plain_text_is_agreed() -> None:
    admission = admit(a_plan(), "orders/1.csv", len(GOOD), lambda start, length: GOOD[start : start + length])
    assert [p.code for p in admission.problems] == ["wrong-format"]
