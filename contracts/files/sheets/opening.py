"""A file that should be a workbook of an agreed format in, the workbook out; Faulty if it is another one. Pure."""

from __future__ import annotations

from typing import IO, Literal

from contracts.files.sheets import compound, ods, xls, xlsx
from contracts.files.sheets.book import COMPOUND, NAMES, OLD, ZIP, Book
from contracts.files.sheets.faults import Faulty, broken
from contracts.files.sheets.parts import Parts, password
from contracts.problem import Problem

OPENDOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"


def opened(agreed: str, file: IO[bytes]) -> Book:
    """Return the workbook of a file; raise Faulty if it is damaged, sealed or of another format."""
    begin = file.read(8)
    file.seek(0)
    if begin.startswith(COMPOUND):
        streams = compound.streams(file.read())
        if "encryptedpackage" in streams:
            raise Faulty(password())
        stream = streams.get("workbook") or streams.get("book")
        if stream is None:
            raise _other(agreed, "no workbook, but another document of an office program")
        if agreed != "xls":
            raise _other(agreed, NAMES["xls"], "xls")
        return xls.Workbook(stream())
    if begin.startswith(OLD):
        what = "The file is a workbook of Excel before 97; the contract requires " + agreed.upper() + "."
        raise Faulty(Problem("wrong-format", what, f"Save the sheet as {NAMES[agreed]}, and send that."))
    if not begin.startswith(ZIP):
        raise broken("it is no workbook")
    parts = Parts(file)
    seen = kind(parts)
    if seen is None:
        raise _other(agreed, "a zip archive, and no workbook")
    if seen != agreed:
        raise _other(agreed, NAMES[seen], seen)
    return ods.Workbook(parts) if seen == "ods" else xlsx.Workbook(parts)


def kind(parts: Parts) -> Literal["xlsx", "ods"] | None:
    """Return the format of a workbook that is a zip archive; None if it is none."""
    if "mimetype" in parts and parts.whole("mimetype", 1_000).startswith(OPENDOCUMENT):
        return "ods"
    return "xlsx" if "[content_types].xml" in parts and any(name.startswith("xl/") for name in parts.names()) else None


def _other(agreed: str, what: str, seen: str = "") -> Faulty:
    text = f"The file is {what}, whatever its name; the contract requires {agreed.upper()}."
    ask = f"; or ask for `format: {seen}` in the contract" if seen else ""
    return Faulty(Problem("wrong-format", text, f"Save the sheet as {NAMES[agreed]}, and send that{ask}."))
