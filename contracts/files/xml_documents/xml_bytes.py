"""The encoding of an XML document, which the document itself states: bytes in, the same text in UTF-8 out. Pure."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from contracts.files import encodings
from contracts.plan import RECODED
from contracts.problem import Problem, visible

HEAD = 1024
"""Bytes in which a document states its encoding."""
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, encodings.UTF_8),
    (codecs.BOM_UTF16_LE, encodings.UTF_16_LE),
    (codecs.BOM_UTF16_BE, encodings.UTF_16_BE),
)
"""Byte order marks; the longer first, one begins with another."""
WIDE = (("<?".encode("utf-16-le"), encodings.UTF_16_LE), ("<?".encode("utf-16-be"), encodings.UTF_16_BE))
"""The first two characters of a document without a mark, in UTF-16."""
STATED = re.compile(r"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
FIX = 'Write the file in UTF-8, and let its first line say so: `<?xml version="1.0" encoding="UTF-8"?>`.'


def in_utf8(pieces: Iterable[bytes], *, whole: bool = True) -> Iterator[bytes | Problem]:
    """Yield a document in UTF-8, without a byte order mark, or the problem of bytes that are not text as it states.

    A document that is not `whole` may end within a character.
    """
    several = iter(pieces)
    head = b""
    while len(head) < HEAD and (piece := next(several, None)) is not None:
        head += piece
    encoding = stated(head)
    if isinstance(encoding, Problem):
        yield encoding
        return
    mark = next((mark for mark, name in MARKS if name == encoding and head.startswith(mark)), b"")
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    for piece in chain([head[len(mark) :]], several, [None] if whole else []):
        try:
            text = decoder.decode(piece or b"", final=piece is None)
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            message = f"The file holds the byte 0x{byte:02X}, which is not text in {encoding.upper()}, as it states."
            yield Problem("wrong-encoding", message, "Write the file in the encoding that its first line states.")
            return
        yield text.encode()


def stated(head: bytes) -> str | Problem:
    """Return the encoding of a document by its first bytes; a problem if it has none that is read."""
    mark = next((name for sign, name in (*MARKS, *WIDE) if head.startswith(sign)), None)
    if mark == "utf-32":
        return _other("The file is written in UTF-32, which is not read.")
    text = head[:HEAD].decode(mark or "latin-1", "ignore").removeprefix("\ufeff")
    match = STATED.match(text)
    if match is None:
        return mark or encodings.UTF_8
    name = encodings.named(match[1])
    wide = mark in (encodings.UTF_16_LE, encodings.UTF_16_BE)
    if name not in encodings.NAMES:
        return _other(f"The file states the encoding `{visible(match[1], 40)}`, which is not read.")
    if wide != (name in RECODED) or (mark and not wide and name != mark):
        really = "UTF-16" if wide else "UTF-8" if mark else "an encoding of one byte a character, or UTF-8"
        return _other(f"The file states the encoding {name.upper()}, and is written in {really}.")
    if wide and name not in (mark, encodings.UTF_16):
        return _other(f"The file states the encoding {name.upper()}, and its bytes are in the other order.")
    return mark if wide and mark else name


def _other(message: str) -> Problem:
    return Problem("wrong-encoding", message, FIX)
