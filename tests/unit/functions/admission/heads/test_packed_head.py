"""Compressed files at the door: what they hold, and which are not taken."""

from __future__ import annotations

import gzip
import hashlib
import random
import zlib

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from contracts.problem import Problem
from functions.admission.admit import admit
from functions.admission.heads import packed_head
from functions.admission.heads.packed_head import PACKINGS, Packing
from tests.builders import a_plan
from tests.packing import PACK

TEXT = b"id,note\n" + b"".join(b"%d,x\n" % n for n in range(1000))
GOOD = gzip.compress(TEXT)
GZIP = PACKINGS["gzip"]


def unpacked(raw: bytes, packing: Packing = GZIP) -> packed_head.Content | Problem:
    return packed_head.unpack(packing, lambda start, length: raw[start : start + length], len(raw), 100)


def code(raw: bytes, packing: Packing = GZIP) -> str:
    problem = unpacked(raw, packing)
    assert isinstance(problem, Problem)
    return problem.code


every = pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)


@every
def test_content_is_known_without_being_kept(packing: Packing) -> None:
    assert unpacked(PACK[packing.name](TEXT), packing) == packed_head.Content(len(TEXT), TEXT[:100])


@every
def test_content_is_hashed_where_it_is_compared(packing: Packing) -> None:
    raw = PACK[packing.name](TEXT[:7]) + PACK[packing.name](TEXT[7:])
    content = packed_head.unpack(packing, lambda at, most: raw[at : at + most], len(raw), 100, hashed=True)
    assert isinstance(content, packed_head.Content)
    assert content.sha256 == hashlib.sha256(TEXT).hexdigest()


@every
@pytest.mark.parametrize("most", [0, 1, 100, 1_000_000])
def test_begin_is_read_and_no_more(most: int, packing: Packing) -> None:
    noise, pack = random.Random(1).randbytes(400_000), PACK[packing.name]
    raw, asked = pack(TEXT[:50]) + pack(TEXT[50:] + noise), []

    def read(start: int, length: int) -> bytes:
        asked.append((start, length))
        return raw[start : start + length]

    assert packed_head.begin(packing, read, len(raw), most) == (TEXT + noise)[:most]
    long = most > packed_head.SLICE or (most == 100 and packing.name == "bzip2")  # a block is longer than a slice
    assert len(asked) == (2 if long else 1)


@every
def test_streams_one_after_another_are_one_file(packing: Packing) -> None:
    pack = PACK[packing.name]
    assert unpacked(pack(TEXT[:50]) + pack(b"") + pack(TEXT[50:]), packing) == unpacked(pack(TEXT), packing)


def test_blocks_of_nothing_are_not_unpacked_to_the_end() -> None:
    head, nothing = gzip.compress(b"")[:10], b"\x00\x00\x00\xff\xff"  # a stored block without a byte (RFC 1951, 3.2.4)
    read = 0

    def counted(start: int, length: int) -> bytes:
        nonlocal read
        read = max(read, start + length)
        return (head + nothing * (8 << 20))[start : start + length]

    problem = packed_head.unpack(GZIP, counted, 40 << 20, 100)

    assert isinstance(problem, Problem)
    assert (problem.code, "next to nothing" in problem.message, read <= 24 << 20) == ("broken-gzip", True, True)


@every
def test_content_larger_than_a_slice_is_whole(packing: Packing) -> None:
    text, pack = bytes(range(256)) * 5_000, PACK[packing.name]
    assert unpacked(pack(text) + pack(TEXT), packing) == packed_head.Content(len(text) + len(TEXT), text[:100])


@every
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9, 0.999])
def test_file_cut_short_is_broken(share: float, packing: Packing) -> None:
    raw = PACK[packing.name](TEXT)
    assert code(raw[: int(share * len(raw))], packing) == f"broken-{packing.name}"
    assert code(raw[:-1], packing) == f"broken-{packing.name}"


@every
@pytest.mark.parametrize("more", [b"x", b"\x1f", b"B", b"(", b"\0" * 20, b"garbage behind the end", bytes(9_000_000)])
def test_garbage_behind_the_end_is_broken(more: bytes, packing: Packing) -> None:
    raw = PACK[packing.name](TEXT)
    assert code(raw + more, packing) == f"broken-{packing.name}"
    assert code(raw + raw[:-3], packing) == f"broken-{packing.name}"


def test_wrong_checksum_is_broken() -> None:
    assert code(GOOD[:-8] + bytes([GOOD[-8] ^ 1]) + GOOD[-7:]) == "broken-gzip"


@every
def test_plain_file_is_not_compressed(packing: Packing) -> None:
    plan = a_plan(compression=packing.name)
    (problem,) = admit(plan, "orders/1.csv", len(TEXT), lambda start, length: TEXT[start : start + length]).problems
    assert (problem.code, problem.fix) == ("not-compressed", f"Compress it with {packing.name}.")


@every
def test_bomb_is_refused(packing: Packing) -> None:
    assert code(PACK[packing.name](b"1,x\n" * (1 << 20)) * 18, packing) == "unpacks-too-large"


DICTIONARY = zstd.train_dict([b"id,note,%d\n" % n * 3 for n in range(2000)], 1000)
WIDE = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 28})
ZSTD = zstd.compress(TEXT, options={zstd.CompressionParameter.checksum_flag: 1})
SKIPPED = b"\x5f\x2a\x4d\x18\x04\x00\x00\x00abcd"
FRAMES = {
    "a dictionary": (zstd.compress(TEXT, zstd_dict=DICTIONARY), "it needs a dictionary"),
    "a dictionary in the second frame": (ZSTD + zstd.compress(TEXT, zstd_dict=DICTIONARY), "it needs a dictionary"),
    "a window of 256 MiB": (WIDE.compress(TEXT) + WIDE.flush(), "it needs more than 128 MiB"),
    "another checksum": (ZSTD[:-1] + bytes([ZSTD[-1] ^ 1]), "it is damaged"),
    "another size": (ZSTD[:5] + bytes([ZSTD[5] ^ 1]) + ZSTD[6:], "it is damaged"),
    "a skipped frame cut short": (ZSTD + SKIPPED[:-1], "it ends too early"),
    "a sign and no more": (ZSTD[:4], "it ends too early"),
    "an old version": (ZSTD + b"\x27" + ZSTD[1:], "other bytes follow its end"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frame_that_is_not_unpacked_is_named(name: str) -> None:
    raw, why = FRAMES[name]
    problem = unpacked(raw, PACKINGS["zstd"])
    assert isinstance(problem, Problem)
    assert problem.code == "broken-zstd"
    assert problem.message.startswith(f"The file cannot be unpacked: {why}")


def test_largest_window_that_the_tool_writes_is_unpacked() -> None:
    packer = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    content = unpacked(packer.compress(TEXT) + packer.flush(), PACKINGS["zstd"])
    assert content == packed_head.Content(len(TEXT), TEXT[:100])


@pytest.mark.parametrize("raw", [SKIPPED + ZSTD, ZSTD + SKIPPED * 2, SKIPPED * 3 + ZSTD + SKIPPED], ids=len)
def test_frames_without_content_are_skipped(raw: bytes) -> None:
    content = unpacked(raw, PACKINGS["zstd"])
    assert content == packed_head.Content(len(TEXT), TEXT[:100])
    assert packed_head.begin(PACKINGS["zstd"], lambda at, most: raw[at : at + most], len(raw), 9) == TEXT[:9]


def test_bomb_is_refused_before_it_is_unpacked() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(b"1,x\n" * (1 << 18)) for _ in range(80)) + packer.flush()
    assert len(bomb) < 1 << 20
    assert code(bomb) == "unpacks-too-large"


@every
def test_file_of_very_many_streams_is_refused(packing: Packing) -> None:
    assert code(PACK[packing.name](b"") * (packed_head.MOST_STREAMS + 1), packing) == "unpacks-too-large"


def test_line_without_end_is_refused() -> None:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    noise = random.Random(1)
    pieces = (noise.randbytes(40).replace(b"\n", b"").replace(b"\r", b"") + bytes(4056) for _ in range(33_000))
    raw = b"".join(packer.compress(piece) for piece in pieces) + packer.flush()
    assert code(raw) == "line-too-long"


@given(st.sampled_from(list(PACKINGS.values())), st.binary(max_size=200), st.integers(0, 200))
def test_any_bytes_are_answered(packing: Packing, noise: bytes, at: int) -> None:
    good = PACK[packing.name](TEXT)
    assert isinstance(unpacked(good[:at] + noise + good[at:], packing), (packed_head.Content, Problem))
    assert isinstance(unpacked(good[:at] + noise + good[at + len(noise) :], packing), (packed_head.Content, Problem))


@every
def test_compressed_file_is_admitted_by_what_it_holds(packing: Packing) -> None:
    raw, plan = PACK[packing.name](TEXT), a_plan(compression=packing.name)
    admission = admit(plan, "orders/1.csv", len(raw), lambda start, length: raw[start : start + length])
    assert (admission.problems, admission.header, admission.unpacked) == ((), ("id", "note"), len(TEXT))


@every
def test_compressed_file_is_refused_where_plain_text_is_agreed(packing: Packing) -> None:
    raw = PACK[packing.name](TEXT)
    (problem,) = admit(a_plan(), "orders/1.csv", len(raw), lambda start, length: raw[start : start + length]).problems
    assert problem.code == "wrong-format"
    assert problem.fix.endswith(f"plain CSV; or ask for `compression: {packing.name}` in the contract.")
