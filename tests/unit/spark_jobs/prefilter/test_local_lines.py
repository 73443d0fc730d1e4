"""The places of lines in bytes, against Python's own reading of line ends."""

from __future__ import annotations

import random
import re

import pyarrow as pa
import pytest

from spark_jobs.prefilter import local_lines
from spark_jobs.prefilter.local_lines import Piece

PARTS = (b"a", b"bc", b"\n", b"\r\n", b"\r", b"\xff\0", b"#x", "é".encode(), b"x" * 40)


def drawn(seed: int, parts: tuple[bytes, ...]) -> bytes:
    chance = random.Random(seed)
    return b"".join(chance.choices(parts, k=chance.randrange(1, 60))) + b"\n"


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("returns", [True, False])
def test_lines_are_cut_behind_each_line_end(seed: int, returns: bool) -> None:
    parts = PARTS if returns else tuple(part for part in PARTS if b"\r" not in part)
    texts = [drawn(3 * seed + n, parts) for n in range(1 + seed % 3)]
    expected = [line for text in texts for line in re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)", text)]
    pieces = [Piece(f"{n}", f"file:///{n}", 0, len(text)) for n, text in enumerate(texts)]

    batch = local_lines._lines(list(zip(pieces, texts, strict=True)), 7, "#" if seed % 2 else "")

    numbers = iter(range(7, 10_000))
    is_blank = [not line.strip(b"\r\n") or (seed % 2 == 1 and line.startswith(b"#")) for line in expected]
    assert batch.raw.view(pa.binary()).to_pylist() == expected
    assert batch.ids.to_pylist() == [None if blank else next(numbers) for blank in is_blank]
    assert [b"".join(expected[s.start : s.end]) for s in batch.stretches] == texts
