"""Lines in other encodings in Arrow vectors, against the same lines one by one in Python."""

from __future__ import annotations

import random
import re
from itertools import accumulate

import pyarrow as pa
import pytest

from contracts.files import encodings
from contracts.files.mojibake import DECODINGS
from spark_jobs.prefilter import other_encodings

ONE_BYTE = [name for name in encodings.NAMES if encodings.is_one_byte(name)]
PIECES = (
    b"",
    b"a,1",
    b"\xe9",
    b"\xc3\xa9",
    b"\x81",
    b"\x93x\x94",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xc4\xa0",
    b"\xff",
)
ENDS = (b"\n", b"\r\n", b"\r")


def some_lines(seed: int) -> list[bytes]:
    chance = random.Random(seed)
    return [b"".join(chance.choices(PIECES, k=chance.randrange(6))) for _ in range(chance.randrange(40))]


def an_array(lines: list[bytes]) -> pa.StringArray:
    """An array of lines as a worker has them: parts of one buffer, of which the first is not the array's."""
    starts = pa.array([*accumulate(map(len, [b"before", *lines]), initial=0)], pa.int32())
    whole = pa.py_buffer(b"before" + b"".join(lines))
    return pa.StringArray.from_buffers(len(lines) + 1, starts.buffers()[1], whole)[1:]


@pytest.mark.parametrize("encoding", ONE_BYTE)
@pytest.mark.parametrize("seed", range(8))
def test_texts_are_those_that_python_decodes(encoding: str, seed: int) -> None:
    lines, chance = some_lines(seed), random.Random(seed)
    for ended in (True, False):
        raw = [line + chance.choice(ENDS) if ended else line for line in lines]
        text = other_encodings.decoded(an_array(raw), encoding, ended=ended)
        assert text
        texts = [line.rstrip("\r\n") if text[1] else line for line in text[0].to_pylist()]
        assert texts == [line.decode(encoding, "replace") for line in lines]


@pytest.mark.parametrize("names", [("utf8", "own"), ("utf8", "ansi"), ()])
@pytest.mark.parametrize("seed", range(50))
def test_letters_are_those_of_each_line(names: tuple[str, ...], seed: int) -> None:
    lines = some_lines(seed)
    results = other_encodings.letters(an_array(lines), names)
    assert [result.to_pylist() for result in results] == [[of(line, name, names) for line in lines] for name in names]


def of(line: bytes, name: str, names: tuple[str, ...]) -> bool:
    """Return the result of a test for one line."""
    try:
        is_utf8 = bool(line.decode()) and not line.isascii()
    except UnicodeDecodeError:
        is_utf8 = False
    latin = line.decode("latin-1")
    match name:
        case "utf8" if "ansi" in names:
            return is_utf8 and bool(DECODINGS["utf8"][0].search(latin))
        case "utf8":
            return is_utf8
        case "own":
            return not line.isascii() and not is_utf8
    return not is_utf8 and bool(re.search("[\x80-\x9f]", latin))


def test_line_ends_that_are_not_found_again_are_told() -> None:
    assert other_encodings.decoded(an_array([b"a\n\n"]), "windows-1252", ended=True) is not None
    assert other_encodings.decoded(an_array([b"\xe9\n\n"]), "windows-1252", ended=True) is None
