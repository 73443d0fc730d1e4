"""Lines in another encoding than UTF-8, in Arrow vectors: their bytes in; their texts, and whether they are UTF-8, out.

Python decodes whole batches at once. Only encodings whose line ends are the bytes of ASCII come here.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from contracts.files import encodings
from contracts.files.mojibake import CONTROL, SEQUENCE

VALID_UTF_8 = (
    r"\A(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    r"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
    r"|\xf4[\x80-\x8f][\x80-\xbf]{2})*\z"
)
"""A pattern of bytes that are UTF-8 (The Unicode Standard, table 3-7)."""


def decoded(lines: pa.StringArray, encoding: str, *, ended: bool) -> tuple[pa.StringArray, bool] | None:
    """Return the texts of lines, and whether they have their line ends; None if these cannot be told from text.

    Bytes without a character are U+FFFD in the texts.
    """
    if encoding == encodings.UTF_8 or pc.all(pc.string_is_ascii(lines)).as_py() is not False:
        return lines, ended
    raw = _bytes(lines) if ended else _bytes(pc.binary_join_element_wise(lines, "", "\n"))
    if b"\r" in raw:
        raw = _bytes(pc.binary_join_element_wise(pc.ascii_rtrim(lines, "\r\n"), "", "\n"))
    text = raw.decode(encoding, "replace").encode()
    pieces = pc.split_pattern(_array(text, pa.array([0, len(text)], pa.int32())), "\n").flatten()
    if len(pieces) != len(lines) + 1:  # the last is empty
        return None
    starts = pa.Array.from_buffers(pa.int32(), len(pieces), [None, pieces.buffers()[1]])
    ends_before = pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int32()), len(pieces)), start=-1)
    return _array(text, pc.add(starts, ends_before)), True


def _array(text: bytes, starts: pa.Int32Array) -> pa.StringArray:
    """Return the parts of a text between such places."""
    return pa.StringArray.from_buffers(len(starts) - 1, starts.buffers()[1], pa.py_buffer(text))


def _bytes(lines: pa.StringArray) -> bytes:
    """Return the bytes of lines."""
    _, offsets, buffer = lines.buffers()
    bounds = memoryview(offsets).cast("i")
    return bytes(memoryview(buffer)[bounds[lines.offset] : bounds[lines.offset + len(lines)]])


def letters(lines: pa.StringArray, names: Sequence[str]) -> list[pa.BooleanArray]:
    """Return for lines, as bytes, the results of the tests with these names (`sums.letters_tests`)."""
    if not names:
        return []
    beyond = pc.invert(pc.string_is_ascii(lines))
    if not beyond.true_count:
        return [beyond for _ in names]
    raw = lines.view(pa.binary())
    is_utf8 = pc.and_(beyond, pc.match_substring_regex(raw, VALID_UTF_8))
    other = pc.and_not(beyond, is_utf8)
    if "ansi" not in names:
        return [{"utf8": is_utf8, "own": other}[name] for name in names]
    utf8 = pc.and_(is_utf8, pc.match_substring_regex(raw, SEQUENCE))
    return [utf8 if name == "utf8" else pc.and_(other, pc.match_substring_regex(raw, CONTROL)) for name in names]
