"""A manifest: the bytes of a document in, the files of a set that it names, or its fault, out. Pure.

A file that it names can be compared with it. JSON: `{"files": [{"name": "a.csv", "bytes": 12, "sha256": "...", "rows":
1, "sums": {"n": 1}}]}`; a name is that of a file next to the manifest, or a key below landing. Unknown keys are
refused: otherwise a producer could believe that a misspelt total is compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from typing import Any

from contracts import codec
from contracts.problem import Problem, nearest, quoted, visible
from contracts.terms.file_sets import Totals
from functions.drop import BYTES_DIFFER, CHECKSUM_DIFFERS, NOT_LISTED

LARGEST = 8 * 1024**2
"""Bytes of a manifest: 10,000 files with all their totals."""
MOST_FILES = 10_000
LONGEST = 60
"""Characters of a sum, and digits of it."""
TOO_MANY = 2**63
"""Bytes, or rows, that no file has."""
CHECKSUMS = re.compile("md5|etag|crc|checksum|digest|hash|sha", re.IGNORECASE)
INSTEAD = "write `sha256`, the SHA-256 of the file in 64 hexadecimal digits, as `sha256sum` prints it, or leave it out"
FIX = 'Write `{"files": [{"name": "a.csv", "bytes": 12, "sha256": "..."}]}`, and upload the manifest again.'


@dataclass(frozen=True, slots=True)
class Listed:
    """The statements of a manifest about one file; None for each that it does not make."""

    size: int | None = None
    sha256: str | None = None
    totals: Totals | None = None

    @classmethod
    def of(cls, entry: dict[str, Any], name: str, sums: Collection[str]) -> Listed:
        """Return the statements of an entry about a file; `sums` are the properties of which it may state any."""
        _refuse_unknown_keys(entry, ("name", "bytes", "sha256", "rows", "sums"))
        size, sha256, rows = entry.get("bytes"), entry.get("sha256"), entry.get("rows")
        for key, number in (("bytes", size), ("rows", rows)):
            if number is not None and (type(number) is not int or not 0 <= number < TOO_MANY):
                raise _Wrong(f"`{key}` of `{name}` is no number of {key}")
        if sha256 is not None and not (isinstance(sha256, str) and re.fullmatch("[0-9A-Fa-f]{64}", sha256)):
            md5 = isinstance(sha256, str) and re.fullmatch("[0-9A-Fa-f]{32}", sha256)
            what = "has 32 digits, as an MD5" if md5 else "is not a SHA-256 in hexadecimal"
            raise _Wrong(f"`sha256` of `{name}` {what}; {INSTEAD}")
        property_sums = _sums(entry.get("sums", {}), name, sums)
        totals = Totals(rows, property_sums) if rows is not None or property_sums else None
        return cls(size, sha256.lower() if sha256 else None, totals)


Manifest = Mapping[str, Listed]
"""The statements about each file, by its key below landing."""


def unlike(entry: Listed | None, size: int, sha256: str | None) -> Problem | None:
    """Return the mismatch of a manifest with a file of that size and SHA-256; `entry` None: the file is not named.

    If the checksum of the file is not known, it is not compared.
    """
    if entry is None:
        text = "The manifest of its set does not name the file."
        return Problem(NOT_LISTED, text, "Upload a file that the manifest names, or under the key of another set.")
    fix = "Upload the file that was meant, whole; if the manifest is wrong, ask for the file to be accepted as it is."
    if entry.size not in (None, size):
        return Problem(BYTES_DIFFER, f"The file has {size:,} bytes; its manifest says {entry.size:,}.", fix)
    if sha256 and entry.sha256 not in (None, sha256):
        text = f"The SHA-256 of the file is {sha256}; its manifest says {entry.sha256}."
        return Problem(CHECKSUM_DIFFERS, text, fix)
    return None


class _Wrong(Exception):
    """A fault in a manifest, as a sentence."""


def read(text: bytes, name: str, sums: Collection[str] = ()) -> Manifest | Problem:
    """Return the files that a manifest names; `name` is its key below landing, `sums` the properties it may sum."""
    try:
        return _files(text, name[: name.rfind("/") + 1], sums)
    except _Wrong as wrong:
        return Problem("bad-manifest", f"The manifest cannot be used: {wrong}.", FIX)


def _files(text: bytes, folder: str, sums: Collection[str]) -> Manifest:
    if len(text) > LARGEST:
        raise _Wrong(f"it is larger than {LARGEST:,} bytes")
    try:
        document = json.loads(text, parse_float=Decimal, parse_int=_integer)
    except (ValueError, RecursionError, DecimalException) as error:  # the last: an exponent of twenty digits
        raise _Wrong("it is not a JSON document") from error
    listed = document.get("files") if isinstance(document, dict) else None
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST_FILES:
        raise _Wrong(f"it has no list `files` of 1 to {MOST_FILES:,} files")
    _refuse_unknown_keys(document, ("files",))
    by_key: dict[str, Listed] = {}
    for entry in listed:
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            raise _Wrong("one of its `files` has no `name`")
        if any("\ud800" <= c <= "\udfff" for c in name):  # half a character: no key has it, and no store takes it
            raise _Wrong(f"`{visible(name)}` is no name of a file")
        key = name if folder and name.startswith(folder) else folder + name
        if key in by_key:
            raise _Wrong(f"it names `{visible(name)}` twice")
        by_key[key] = Listed.of(entry, visible(name), sums)
    return by_key


def _sums(sums: Any, name: str, summed: Collection[str]) -> dict[str, Decimal]:
    """Sums by property, as numbers or, so that no digit is lost on the way, as text."""
    if not isinstance(sums, dict):
        raise _Wrong(f"`sums` of `{name}` is no object of properties and their sums")
    totals: dict[str, Decimal] = {}
    for property_, total in sums.items():
        if property_ not in summed:
            listed = f"`set.sums` of the contract lists {quoted(summed) or 'none'}"
            raise _Wrong(f"`{name}` has a sum of `{visible(property_, 40)}`, which is not summed: {listed}")
        text = str(total)
        if isinstance(total, bool) or not codec.NUMBER.fullmatch(text) or len(text) > LONGEST:
            raise _Wrong(f"the sum of `{property_}` of `{name}` is no number")
        try:
            number: Decimal | None = Decimal(text)
        except DecimalException:  # its exponent is more than there are
            number = None
        if number is None or abs(number.adjusted()) > LONGEST:
            raise _Wrong(f"the sum of `{property_}` of `{name}` has more than {LONGEST} digits")
        totals[property_] = number
    return totals


def _integer(text: str) -> int | str:
    """A whole number; the text of one with more digits than Python reads, which no figure of a manifest has."""
    return int(text) if len(text) <= 2 * LONGEST else text


def _refuse_unknown_keys(entry: dict[str, Any], keys: tuple[str, ...]) -> None:
    for key in entry:
        if key not in keys:
            if "sha256" in keys and CHECKSUMS.search(key):
                raise _Wrong(f"it has the key `{visible(key, 40)}`, and no checksum but SHA-256 is compared; {INSTEAD}")
            close = nearest(key, keys)
            instead = f"; did you mean `{close}`?" if close else f"; the keys are {quoted(keys)}"
            raise _Wrong(f"it has the key `{visible(key, 40)}`, which means nothing here{instead}")
