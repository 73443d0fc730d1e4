"""The first bytes of a file in UTF-16: a plan and the bytes in, the same text in UTF-8 or a problem out. Pure."""

from __future__ import annotations

import codecs

from contracts.files import encodings
from contracts.plan import Plan
from contracts.problem import Problem
from functions.admission.heads.problems import MARKS, wrong_encoding

ORDERS = {codecs.BOM_UTF16_LE: encodings.UTF_16_LE, codecs.BOM_UTF16_BE: encodings.UTF_16_BE}
"""The byte orders, by their marks."""
BACK_TO_FRONT = {encodings.UTF_16_LE: encodings.UTF_16_BE, encodings.UTF_16_BE: encodings.UTF_16_LE}
LINE_ENDS = (b"\n", b"\r")
"""In UTF-16 they have a byte of zero beside them."""
KEYS = ("utf-8", *BACK_TO_FRONT)
"""What a contract may say instead of the agreed encoding."""
MUCH = 10
"""The times that a text has more letters of ASCII in the right byte order than in the wrong one."""
HALF = "\udc00"


def in_utf8(plan: Plan, size: int, sample: bytes) -> tuple[int, bytes] | Problem:
    """Return the first bytes of a file in UTF-8, and a size that is larger if these are not all of it.

    Half of a character is no UTF-8 there either. A mark stays.
    """
    if problem := _other(plan, sample):
        return problem
    order = plan.csv.encoding if plan.csv.encoding in BACK_TO_FRONT else ORDERS[sample[:2]]
    whole = len(sample) == size
    text = sample[: len(sample) // 2 * 2].decode(order, "surrogatepass")
    if whole and len(sample) % 2:
        text += HALF
    elif not whole and text[-1:] >= "\ud800" and text[-1:] <= "\udbff":
        text = text[:-1]  # its second half follows
    recoded = text.encode("utf-8", "surrogatepass")
    return len(recoded) + (not whole), recoded


def _other(plan: Plan, sample: bytes) -> Problem | None:
    """Return the problem of a file that is not in the agreed kind of UTF-16."""
    agreed, mark = plan.csv.encoding, ORDERS.get(sample[:2])
    other = next((name for bytes_, name in MARKS if sample.startswith(bytes_) and name != "UTF-16"), None)
    if other is None and mark is None:
        other = _by_bytes(sample)
    if other is None and agreed in BACK_TO_FRONT:
        there = mark or (BACK_TO_FRONT[agreed] if _is_back_to_front(sample, agreed) else agreed)
        other = None if there == agreed else there.upper()
    if other:
        text, seems = f"The file is written in {other}; the contract requires {agreed.upper()}.", other.lower()
        return wrong_encoding(plan, text, seems=seems if seems in KEYS else "")
    if mark is None and agreed == encodings.UTF_16:
        order = next((name for name in BACK_TO_FRONT if not _is_back_to_front(sample, name)), encodings.UTF_16_LE)
        text = "The file has no byte order mark (FF FE or FE FF), with which UTF-16 must begin."
        fix = f"Write the file in UTF-16 with its mark, or ask the contract's owner whether `{order}` was meant."
        return Problem("wrong-encoding", text, fix)
    return None


def _by_bytes(sample: bytes) -> str | None:
    """Return the encoding of bytes without a mark of UTF-16 if they are text in another one."""
    if sample.startswith(codecs.BOM_UTF8):
        return "UTF-8"
    if b"\0" in sample:
        head = sample[: len(sample) // 4 * 4][:64]
        return "UTF-32" if head and head.count(0) * 3 >= len(head) * 2 else None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return "an encoding of one byte a character" if any(end in sample for end in LINE_ENDS) else None
    return "UTF-8"


def _is_back_to_front(sample: bytes, order: str) -> bool:
    """Return True if text is in the other byte order: then it has much more letters of ASCII."""
    there, turned = (
        sum(c < "\x80" for c in sample[: len(sample) // 2 * 2].decode(name, "replace"))
        for name in (order, BACK_TO_FRONT[order])
    )
    return turned > MUCH * there
