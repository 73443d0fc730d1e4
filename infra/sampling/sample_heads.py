"""The first bytes of a sample in; its format, compression and encoding out."""

from __future__ import annotations

import bz2
import codecs
import gzip
import itertools
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, BinaryIO

from backports import zstd

from contracts.authoring.draft import letters, readings
from contracts.authoring.draft.around import Around
from contracts.authoring.draft.letters import Likely
from contracts.authoring.draft.line_types import Layout
from contracts.authoring.draft.profile import SampleRefused
from contracts.files import encodings
from contracts.files.xml_documents import xml_bytes
from contracts.plan import RECODED, Compression, FileFormat
from contracts.values.long_lines import LONGEST, WORDS
from functions.admission.heads import foreign_forms
from functions.admission.heads.packed_head import PACKINGS, Seen, too_much
from functions.admission.heads.parquet import parquet_footer
from functions.admission.heads.problems import MARKS
from infra.sampling import wide_text

FEWEST = LONGEST // 4
"""Characters that the most bytes of a record have at least."""
ODD = re.compile(
    rb"[\x80-\x9f\xc2-\xf4](?:(?<=[\x80-\x9f])|(?<=[\xc2\xc3])[\x80-\xbf]"
    rb"|(?<=[\xc4-\xdf])[\xa1-\xba\xbc-\xbf]|(?<=[\xe0-\xf4])[\xa0-\xbf]{2})"
)
"""Bytes that windows-1252 has and ISO-8859-1 lacks, or sequences of UTF-8: a first class is looked for quickly."""
UNDEFINED = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
ANSI = set(range(0x80, 0xA0)) - UNDEFINED
"""Bytes from 0x80 to 0x9F: those without a character in windows-1252, and the others."""
NO_CONTROLS = bytes({*range(256)} - UNDEFINED - ANSI)
HEAD = 256 * 1024
END = 16 * 1024
"""Bytes of the end of a file in which its footer is looked for."""
LONG = 8 << 20
"""Bytes of a file that are looked at at once."""
PIECE = 128 * 1024
"""Characters that are cut at once: so many stay in a processor's cache with all that is made of them."""
LARGE, PARTS = 32 << 20, 2
"""Bytes from which on a CSV file is read in parts, each by a process of its own, and how many there are."""
OPEN: dict[Compression, Callable[..., Any]] = {"none": open, "gzip": gzip.open, "bzip2": bz2.open, "zstd": zstd.open}
UNPACKABLE = (OSError, EOFError, zlib.error, zstd.ZstdError)
"""The errors of a file that cannot be unpacked."""
MOST_BROKEN = 10
"""The maximum percentage of lines without a record for a file to count as CSV or JSON Lines."""
WESTERN = ("iso-8859-1", "windows-1252")
"""The encodings of one byte a character that bytes alone show, or others in their place."""
MOST_WORDS = 300
"""Words by whose letters another one is recognised."""
MOST_LINES = 20_000
"""Lines by which an Asian encoding is recognised."""
ADDED = "dropgate adds it to rejected.csv, and leaves it out of account when the file comes back"
"""Why nothing is proposed for a column of these names (`contracts.files.columns.OURS`)."""


@dataclass(frozen=True, slots=True)
class SampleHead:
    """The facts from the first bytes of a file; for CSV also the number of parts that are read in parallel.

    `unpacked` is the file with its text: itself, unless it is compressed. `around` are the rows around its records;
    `head` is then without them. `layout` is that of lines of fixed width.
    `language` is the one whose letters show the encoding.
    `whole` is True if `head` is all its text; `trim` are the columns whose cells have blanks around their values.
    `mojibake` is True if it holds text in another encoding, which only a contract that allows it accepts.
    """

    path: Path
    unpacked: Path
    format: FileFormat
    compression: Compression = "none"
    encoding: str = "utf-8"
    head: str = ""
    parts: int = 1
    mojibake: bool = False
    is_ascii: bool = False
    around: Around = field(default_factory=Around)
    trim: frozenset[str] = frozenset()
    whole: bool = False
    layout: Layout | None = None
    language: str = ""


def kind(head: SampleHead) -> str:
    """Return the kind of a sample, for people."""
    name = {"csv": "CSV", "jsonl": "JSON Lines", "parquet": "Parquet", "json": "JSON", "xml": "XML"}[head.format]
    return name if head.compression == "none" else f"{name}, compressed by {head.compression},"


def head_of(path: Path, large: int, folder: Path) -> SampleHead:
    """Return the facts of a file; CSV of `large` bytes or more will be read in parts. Raise SampleRefused.

    Compressed text is unpacked into a folder, as it is read several times, and in parts.
    """
    with path.open("rb") as file:
        raw = file.read(HEAD)
    if raw.startswith(parquet_footer.MAGIC):
        return SampleHead(path, path, "parquet")
    packed: Compression = next((p.name for p in PACKINGS.values() if raw.startswith(p.signs)), "none")
    if packed != "none":
        try:
            with OPEN[packed](path, "rb") as file:
                raw = file.read(HEAD)
        except UNPACKABLE as error:
            raise broken(path, packed, error) from None
    if _is_xml(raw):
        return SampleHead(path, path, "xml", packed)
    text = path if packed == "none" else _unpacked(path, packed, folder)
    encoding, is_ascii = _utf16(path, text, raw), False
    if encoding is None:
        _is_text(path, raw)
        encoding, is_ascii = _encoding(path, text)
    head = raw.decode(encoding, "ignore").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(raw) == HEAD and "\n" not in head:
        raise SampleRefused(
            f"{path.name}: its first line does not end within {HEAD:,} bytes, so it is not a table of text"
        )
    head = head.rpartition("\n")[0] if len(raw) == HEAD else head
    if not head.strip():
        raise SampleRefused(f"{path.name} is empty; give a file with records")
    is_odd = False
    if encoding not in ("utf-8", *RECODED):
        with text.open("rb") as file:
            is_odd = _has_odd(file) if encoding == "iso-8859-1" else _is_mostly_utf_8(file)
    return SampleHead(
        *(path, text, _format(path, head), packed, encoding, head),
        parts=PARTS if text.stat().st_size >= large else 1,
        mojibake=is_odd,
        is_ascii=is_ascii,
        whole=len(raw) < HEAD,
    )


def by_letters(heads: Sequence[SampleHead]) -> list[SampleHead]:
    """Return heads in another encoding of one byte a character if the letters of all samples clearly show one."""
    own = [one for one in heads if not one.is_ascii]
    if not own or any(one.encoding not in WESTERN for one in own):
        return [*heads]
    words = [
        word.encode(one.encoding, "ignore")
        for one in own
        for word in readings.words_of(one.head.split("\n"), MOST_WORDS)
        if len(word) > 1
    ]
    best = letters.likely(words, own[0].encoding) if words else None
    if best is None or not all(_is_in(one, best.encoding) for one in own):
        return [*heads]
    return [one if one.is_ascii else _decoded(one, best) for one in heads]


def _decoded(head: SampleHead, best: Likely) -> SampleHead:
    """Return a head with its text read again in another encoding."""
    text = head.head.encode(head.encoding).decode(best.encoding)
    return replace(head, encoding=best.encoding, head=text, mojibake=False, language=best.language)


def _is_in(head: SampleHead, encoding: str) -> bool:
    """Return True if all bytes of a sample are characters of an encoding, and most lines are no UTF-8."""
    with head.unpacked.open("rb") as file:
        while piece := file.read(LONG):
            if encodings.flaw(piece, encoding) is not None:
                return False
        file.seek(0)
        return not _is_mostly_utf_8(file)


def _unpacked(path: Path, packed: Compression, folder: Path) -> Path:
    """Unpack a sample into a folder, within the bounds of admission; return the new file."""
    target = folder / f"{len([*folder.iterdir()])}"
    with target.open("wb") as out:
        out.writelines(_content(path, packed))
    return target


def _content(path: Path, packed: Compression) -> Iterator[bytes]:
    """Yield what a compressed sample holds; raise SampleRefused if admission would refuse it."""
    seen, size = Seen(), path.stat().st_size
    try:
        with OPEN[packed](path, "rb") as file:
            while piece := file.read(PIECE):
                seen.add(piece, 0)
                if problem := too_much(seen, size, PACKINGS[packed].largest):
                    raise SampleRefused(f"{path.name}: {problem.message} {problem.fix}".rstrip("."))
                yield piece
    except UNPACKABLE as error:
        raise broken(path, packed, error) from None


def _is_xml(raw: bytes) -> bool:
    """Return True for the first bytes of an XML document that is no other known form, as a web page or a workbook."""
    encoding = xml_bytes.stated(raw)
    text = raw.decode(encoding if isinstance(encoding, str) else "latin-1", "replace")
    return foreign_forms.of_text(text) is foreign_forms.XML


def _utf16(path: Path, text: Path, raw: bytes) -> str | None:
    """Return UTF-16, in the byte order by which more of the text is ASCII if it has no mark; None if it is not."""
    if any(raw.startswith(mark) for mark, name in MARKS if name == "UTF-32"):
        return None
    encoding = "utf-16" if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None
    if encoding is None and b"\0" in raw:
        texts = {name: raw[: len(raw) // 2 * 2].decode(name, "replace") for name in RECODED[1:]}
        encoding = max(texts, key=lambda name: sum(map(str.isascii, texts[name])))
        if "\0" in texts[encoding] or "\ufffd" in texts[encoding].rstrip("\ufffd"):
            return None
    if encoding is None:
        return None
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with text.open("rb") as file:
            while piece := file.read(LONG):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise SampleRefused(f"{path.name} is damaged: its text in UTF-16 holds half of a character") from None
    return encoding


def broken(path: Path, packed: Compression, error: Exception) -> SampleRefused:
    """Return the refusal of a sample that cannot be unpacked."""
    return SampleRefused(f"{path.name} cannot be unpacked ({error}); compress it with {packed} again")


def _is_text(path: Path, raw: bytes) -> None:
    for mark, name in MARKS:
        if raw.startswith(mark):
            raise SampleRefused(f"{path.name} is written in {name}, which is not read here; save it as UTF-8")
    if form := foreign_forms.of_bytes(raw):
        packings = " or ".join(name for name in OPEN if name != "none")
        text = f"{path.name} is {form.name}; give CSV, JSON, XML, a workbook or Parquet ({packings} is fine for text)"
        raise SampleRefused(text)
    controls = sum(raw.count(bytes([n])) for n in (*range(2, 9), *range(14, 27)))  # 1 may be a delimiter
    if raw.count(b"\0") or controls * 50 > len(raw):
        text = f"{path.name} is not text: it has control characters; give CSV, JSON, XML, a workbook or Parquet"
        raise SampleRefused(text)


def _encoding(path: Path, text: Path) -> tuple[str, bool]:
    """Return UTF-8 if the whole file is, windows-1252 if it has characters that only that has, else ISO-8859-1.

    Return also whether the whole file is ASCII, which all of these are.
    """
    decoder, is_ascii = codecs.getincrementaldecoder("utf-8")(), True
    with text.open("rb") as file:
        try:
            while piece := file.read(LONG):
                decoder.decode(piece)
                is_ascii = is_ascii and piece.isascii()
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            file.seek(0)
            if wide := wide_text.encoding(itertools.islice(file, MOST_LINES)):
                file.seek(0)
                _is_sound(path, wide, file)
                return wide, False
            file.seek(0)
            seen = set[int]()
            while piece := file.read(LONG):
                seen |= set(piece.translate(None, NO_CONTROLS))
            return "windows-1252" if seen & ANSI and not seen & UNDEFINED else "iso-8859-1", False
    return "utf-8", is_ascii


def _has_odd(file: BinaryIO) -> bool:
    """Return True if a text in ISO-8859-1 has what no such text should have."""
    while piece := file.read(LONG):
        if ODD.search(piece + file.readline()):
            return True
    return False


def _is_mostly_utf_8(lines: Iterable[bytes]) -> bool:
    """Return True if most lines with letters outside ASCII are UTF-8, so that the others are damaged."""
    balance = 0
    for line in lines:
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                balance -= 1
            else:
                balance += 1
    return balance > 0


def _is_sound(path: Path, encoding: str, file: Iterable[bytes]) -> None:
    """Refuse a sample with bytes that are no text in the encoding that its first lines show."""
    for number, line in enumerate(file, 1):
        if not line.isascii() and encodings.flaw(line, encoding) is not None:
            text = f"{path.name}: its first lines are {encoding.upper()}, and line {number:,} is not"
            raise SampleRefused(f"{text}; write the whole file in one encoding")


def _format(path: Path, head: str) -> FileFormat:
    first = next(line for line in head.split("\n") if line.strip())
    try:
        record = json.loads(first, parse_int=str)  # Python's integers end at 4,300 digits
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict):
        return "jsonl"
    if first.lstrip()[:1] in ("{", "[") and path.suffix.startswith(".json"):
        raise SampleRefused(
            f"{path.name} is neither JSON Lines nor a JSON document of records: "
            "write one object in each line, or a list of objects"
        )
    return "csv"


def end_of(head: SampleHead) -> str:
    """Return the last lines of a sample of text."""
    start = max(0, head.unpacked.stat().st_size - END) // 2 * 2  # whole characters of UTF-16
    with head.unpacked.open("rb") as raw:
        raw.seek(start)
        text = raw.read().decode(encoding_from(head, start), "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def opened(head: SampleHead) -> IO[str]:
    """Open the text of a sample, unpacked, without its byte order mark."""
    return head.unpacked.open(encoding=encoding_from(head, 0))


def encoding_from(head: SampleHead, start: int) -> str:
    """Return the encoding of a sample from a place on: a byte order mark is at its begin alone."""
    if head.encoding == "utf-8":
        return "utf-8" if start else "utf-8-sig"
    if head.encoding != RECODED[0] or not start:
        return head.encoding
    with head.unpacked.open("rb") as file:
        return RECODED[1] if file.read(2) == codecs.BOM_UTF16_LE else RECODED[2]


def part_ends(head: SampleHead) -> list[int]:
    """Return the ends of the parts in which a sample is read, each behind a line."""
    size = head.unpacked.stat().st_size
    with head.unpacked.open("rb") as file:
        return sorted({*(_line_end(file, head, size * n // head.parts) for n in range(1, head.parts)), size})


def _line_end(file: BinaryIO, head: SampleHead, place: int) -> int:
    """Return the end of the line of a sample in which a place is; of a long line the end of the sample."""
    start = place // 2 * 2 if head.encoding in RECODED else place
    file.seek(start)
    if head.encoding not in RECODED:
        file.readline()
        return file.tell()
    end = re.escape("\n".encode(encoding_from(head, start)))
    line = re.match(rb"(?s:(?!%b)..)*+%b" % (end, end), file.read(LONG))
    return start + line.end() if line else head.unpacked.stat().st_size


def pieces(file: IO[str]) -> Iterator[str]:
    """Yield whole lines, about PIECE characters at a time; raise SampleRefused for one of more than LONGEST bytes."""
    while piece := file.read(PIECE):
        lines = piece + file.readline()
        if len(lines) > FEWEST:
            for line in lines.split("\n"):
                bounded(line)
        yield lines


def bounded(*texts: str) -> None:
    """Raise SampleRefused for the texts of a record that has more bytes than the job reads of one."""
    if sum(map(len, texts)) > FEWEST and sum(len(text.encode()) for text in texts) > LONGEST:
        raise SampleRefused(
            f"A record of the samples has {WORDS}, the most that is read of one; look for a quote or a line end that "
            "is missing, or give files without it"
        )
