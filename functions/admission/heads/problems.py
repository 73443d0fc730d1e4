"""The first bytes of a text file: whether they are text as agreed, and where their first line ends. Pure."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from contracts.files import encodings, record_ends
from contracts.files.sheets import book
from contracts.place import Place
from contracts.plan import SHEETS, Plan
from contracts.problem import Problem
from functions.admission.heads import foreign_forms, text_forms

MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
"""Byte order marks that no text here may begin with; the longer first, one begins with another."""


AGREED = {
    "csv": "CSV",
    "jsonl": "JSON Lines",
    "parquet": "Parquet",
    "json": "JSON",
    "xml": "XML",
    "fixed": "text of fixed width",
    "xlsx": "XLSX",
    "xls": "XLS",
    "ods": "ODS",
}
"""The names of formats, for people."""
UNPACKED = tuple(f"format: {name}" for name in (*SHEETS, "parquet"))
"""The settings of a contract for files that are never packed."""
NO_RECORDS = Problem("no-records", "The file holds no records.", "Send the file with its records.")
"""The problem of a file of which there must be records."""


@dataclass(frozen=True, slots=True)
class Head:
    """The facts of a file's first bytes: its problems, the names of its columns, and the header as one text.

    `unpacked` is the number of bytes in a compressed file, `content` their SHA-256; None if the file is not compressed.
    """

    problems: tuple[Problem, ...] = ()
    header: tuple[str, ...] = ()
    header_line: str = ""
    unpacked: int | None = None
    content: str | None = None


def undecodable(plan: Plan, sample: bytes, begin: int = 0, *, whole: bool) -> Problem | None:
    """Return the problem of the first byte from `begin` on that is not in the agreed encoding, cut ends aside."""
    at = encodings.flaw(sample[begin:], encodings.read_as(plan.csv.encoding), whole=whole)
    if at is None:
        return None
    before, byte, agreed = sample[: begin + at], sample[begin + at], plan.csv.encoding.upper()
    if encodings.is_wide(plan.csv.encoding) and encodings.flaw(sample, encodings.UTF_8, whole=False) is None:
        return wrong_encoding(plan, f"The file is written in UTF-8; the contract requires {agreed}.")
    *others, _ = lines = record_ends.of_bytes(plan.csv.record_delimiter).split(before)
    place = None
    if not (plan.csv.multi_line and plan.csv.quote.encode() in before):  # else the quotes may hold line breaks
        headed = plan.file_format == "csv" and plan.csv.header
        place = Place(sum(map(bool, others)) + (0 if headed else 1), len(lines))
    part = "half of a character" if plan.is_recoded else f"the byte 0x{byte:02X}"
    where, place = (f"Line {len(lines):,}", place) if plan.has_lines else ("The document", None)
    text = f"{where} holds {part}, which is not text in {agreed}."
    if agreed == "UTF-8" and not before.removeprefix(codecs.BOM_UTF8).isascii():
        text = f"{text[:-1]}; letters above it are: the file may mix encodings."
    return wrong_encoding(plan, text, place)


def readable(sample: bytes) -> str | None:
    """Return the first bytes of a file as text, in UTF-8, or in UTF-16 or UTF-32 as they show; else None."""
    for mark, encoding in MARKS:
        if sample.startswith(mark):
            return sample.decode(encoding, "replace").removeprefix("\ufeff")
    wide = _wide(sample)
    try:
        text = codecs.getincrementaldecoder(wide or "utf-8-sig")().decode(sample)
    except UnicodeDecodeError:
        text = sample.decode("latin-1")
    return None if any(c < " " and c not in "\t\n\r\f" for c in text[: foreign_forms.HEAD]) else text


def _wide(sample: bytes) -> str | None:
    """Return the encoding of text without a mark whose letters have zero bytes beside them; None if it has none."""
    head = sample[:64]
    half, before, behind = len(head) // 2, head[0::2].count(0), head[1::2].count(0)
    if not half or max(before, behind) * 10 < half * 8:
        return None
    kind = "utf-32-" if head.count(0) * 3 >= len(head) * 2 else "utf-16-"
    return f"{kind}{'le' if behind > before else 'be'}"


def form_of(sample: bytes) -> foreign_forms.Form | None:
    """Return the form of a file of bytes or of text in a format that is not taken, by its first bytes."""
    text = readable(sample[: 4 * foreign_forms.HEAD])
    return foreign_forms.of_bytes(sample) or (None if text is None else foreign_forms.of_text(text))


def not_packed(plan: Plan, sample: bytes) -> Problem:
    """Return the problem of a file that is not packed as agreed: what it is, and what to send instead."""
    form = form_of(sample)
    if form and form.key == f"format: {plan.file_format}":
        form = None  # the agreed form itself, plain
    if form and not form.packs:
        return wrong_format(plan, form, "The file")
    what = f"The file is {form.name}; the contract requires" if form else "The file is not"
    if plan.archive:
        text = f"{what} a zip archive." if form else f"{what} a zip archive; the contract requires one."
        return Problem("not-compressed", text, "Pack the files as a zip archive.")
    if form is None:
        text = f"The file is not compressed by {plan.compression}, as agreed."
        return Problem("not-compressed", text, f"Compress it with {plan.compression}.")
    fix = f"Unpack it, and compress the file itself with {plan.compression}."
    return Problem("not-compressed", f"{what} a file compressed by {plan.compression}.", fix)


def other_format(plan: Plan, sample: bytes) -> Problem | None:
    """Return the problem of a file that is not text at all, by its first bytes."""
    form = foreign_forms.of_bytes(sample)
    return None if form is None else wrong_format(plan, form)


def other_text(plan: Plan, text: str) -> Problem | None:
    """Return the problem of a text in a format that is not taken, by its beginning; for files not as agreed."""
    form = foreign_forms.of_text(text)
    return None if form is None else wrong_format(plan, form)


def seeming(plan: Plan, text: str, *, whole: bool) -> foreign_forms.Form | None:
    """Return the form that a text not as agreed seems to have; None if it is like none, or like the agreed one.

    Lines of JSON are a JSON document as well.
    """
    form = text_forms.of(plan, text, whole=whole)
    return None if form is None or form.key.startswith(f"format: {plan.file_format}") else form


def wrong_format(plan: Plan, form: foreign_forms.Form, packed: str = "The unpacked file") -> Problem:
    """Return the problem of a file in a form that is not taken, with what to send instead, or to agree on.

    `packed` begins the message where files are packed.
    """
    agreed, ask = AGREED.get(plan.file_format, plan.file_format), asked(plan, form)
    if plan.archive:
        text = f"{packed} is {form.name}; the contract requires {agreed} in a zip archive."
        return Problem("wrong-format", text, f"{form.fix} {agreed} in one zip archive{ask}.")
    if plan.compression != "none":
        text = f"{packed} is {form.name}; the contract requires {agreed}, compressed by {plan.compression}."
        return Problem("wrong-format", text, f"{form.fix} {agreed}, compressed once by {plan.compression}{ask}.")
    text = f"The file is {form.name}, whatever its name; the contract requires {agreed}."
    return Problem("wrong-format", text, f"{_instead(plan, form, agreed)}{ask}.")


def _instead(plan: Plan, form: foreign_forms.Form, agreed: str) -> str:
    """Return what to send in place of a file in another form, where files are not packed."""
    if plan.sheet:
        return f"Save the sheet as {book.NAMES[plan.file_format]}, and send that"
    if form.fix != foreign_forms.SHEET:
        return f"{form.fix} {'plain ' if form.packs else ''}{agreed}"
    if plan.file_format == "parquet":
        return "Export the records of the sheet, and write them as Parquet"
    if plan.file_format != "csv":
        page = "web page, which may be the error of a server"
        return f"Send {agreed}, not a {page if form is foreign_forms.SHEET_HTML else 'workbook'}"
    as_utf8 = " (“CSV UTF-8”)" if plan.file_format == "csv" and plan.csv.encoding == "utf-8" else ""
    return f"{form.fix} {agreed}{as_utf8}, not as a workbook"


def asked(plan: Plan, form: foreign_forms.Form) -> str:
    """Return what to ask for in a contract that shall take files in a form; empty if no such contract can."""
    packing = form.packs or form.key in UNPACKED
    is_alone = plan.packing != "none" or (form.packs and f"format: {plan.file_format}" in UNPACKED)
    return "" if not form.key or (packing and is_alone) else f"; or ask for `{form.key}` in the contract"


def wrong_encoding(plan: Plan, message: str, place: Place | None = None, seems: str = "") -> Problem:
    """Return the problem of a file in another encoding than the agreed one; a contract could agree on what it seems."""
    agreed = plan.csv.encoding.upper()
    is_csv = plan.file_format == "csv"
    hint = "; in a spreadsheet, save as “CSV UTF-8”" if agreed == "UTF-8" and is_csv else ""
    hint = " with its byte order mark" if agreed == "UTF-16" else hint
    if seems and is_csv:
        hint += f"; or ask for `csv.encoding: {seems}` in the contract"
    return Problem("wrong-encoding", message, f"Write the file in {agreed}{hint}.", place=place)


def encoding_key(sample: bytes, other: str) -> str:
    """Return what a contract says of files in another encoding; empty if none can."""
    if other != "UTF-16":
        return "utf-8" if other == "UTF-8" else ""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return encodings.UTF_16
    return encodings.UTF_16_LE if _wide(sample) == "utf-16-le" else encodings.UTF_16_BE


def other_encoding(plan: Plan, sample: bytes) -> str | None:
    """UTF-16 or UTF-32, by its mark or by the zero bytes that ASCII text has in it; UTF-8 where it is not agreed."""
    if sample.startswith(codecs.BOM_UTF8) and plan.csv.encoding != "utf-8":
        return "UTF-8"
    for mark, name in MARKS:
        if sample.startswith(mark):
            return name
    wide = _wide(sample)
    return "UTF-32" if wide and wide.startswith("utf-32") else "UTF-16" if wide else None


def empty(text: str) -> Problem:
    """Return the problem of a file that holds nothing."""
    return Problem("empty-file", text, "Check that the export ran to its end, and send the file again.")


def may_be_lost(plan: Plan, kind: str) -> bool:
    """Return True if the file can be accepted with a record that fails a check."""
    if plan.tolerance is not None:
        return True
    own = (c for c in plan.checks if c.kind == kind and c.property is None)
    return any(c.tolerance or c.severity == "warning" for c in own)
