"""Workbooks of Excel since 2007: the parts of a file in, its sheets and the texts of their cells out. Pure.

ECMA-376, part 1, 18; the strict and the transitional form alike. Rows are read one after another and not kept.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from contracts.files.sheets import cells, markup
from contracts.files.sheets.book import MOST_COLUMNS, MOST_ROWS, Row, SheetEntry
from contracts.files.sheets.faults import Faulty, broken, too_large
from contracts.files.sheets.parts import Parts
from contracts.problem import Problem

ROOT = "_rels/.rels"
SMALL_PART = 16 << 20
LARGEST_TEXTS = 512 << 20
"""Bytes of the part with the texts that cells share, which is kept in memory."""
ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
DIGITS = "0123456789"
Reader = Callable[[str], str | None]


class Workbook:
    """The sheets of a workbook."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._main = next((target for kind, target in self._related("", ROOT).values() if kind == "officeDocument"), "")
        if not self._main:
            raise broken("it has no part with its sheets")
        _of_agreed_form(self._main, parts)
        folder, name = posixpath.split(self._main)
        self._targets = self._related(folder, f"{folder}/_rels/{name}.rels")
        elements = markup.elements(self._main, [parts.whole(self._main, SMALL_PART)])
        self._since_1904 = any(
            attributes.get("date1904") in ("1", "true") for _, own, attributes in elements if own == "workbookPr"
        )
        self._sheets = {
            attributes.get("name", ""): attributes.get("id", "")
            for parent, own, attributes in elements
            if (parent, own) == ("sheets", "sheet") and self._kind(attributes.get("id", "")) == "worksheet"
        }
        self.sheets = tuple(
            SheetEntry(attributes.get("name", ""), attributes.get("state", "visible") != "visible")
            for parent, own, attributes in elements
            if (parent, own) == ("sheets", "sheet") and attributes.get("name", "") in self._sheets
        )

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the rows of a sheet that the file has, in their order."""
        _, target = self._targets[self._sheets[name]]
        return _rows(target, self._parts.pieces(target), self._texts(), self._readers())

    def _kind(self, key: str) -> str:
        return self._targets.get(key, ("", ""))[0]

    def _related(self, folder: str, part: str) -> dict[str, tuple[str, str]]:
        """Return the kinds and names of the parts that another one refers to, by key."""
        if part not in self._parts:
            raise broken(f"its part `{part}` is not there")
        related = {}
        for _, own, attributes in markup.elements(part, [self._parts.whole(part, SMALL_PART)]):
            if own == "Relationship" and attributes.get("TargetMode") != "External":
                kind, target = attributes.get("Type", "").rpartition("/")[2], attributes.get("Target", "")
                whole = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                related[attributes.get("Id", "")] = (kind, whole)
        return related

    def _part_of(self, kind: str) -> str | None:
        return next((target for own, target in self._targets.values() if own == kind), None)

    def _texts(self) -> list[str]:
        part = self._part_of("sharedStrings")
        return [] if part is None else _shared_texts(part, self._parts.pieces(part))

    def _readers(self) -> list[Reader]:
        """Return the readers of numbers, by the number of a cell's style."""
        part = self._part_of("styles")
        if part is None:
            return []
        elements = markup.elements(part, [self._parts.whole(part, LARGEST_TEXTS)])
        codes = {a.get("numFmtId", ""): a.get("formatCode", "") for _, own, a in elements if own == "numFmt"}
        wanted = (a.get("numFmtId", "0") for parent, own, a in elements if (parent, own) == ("cellXfs", "xf"))
        return [cells.reader(_kind(number, codes), since_1904=self._since_1904) for number in wanted]


def _kind(number: str, codes: dict[str, str]) -> cells.Kind:
    if number in codes:
        return cells.kind_of(codes[number])
    return cells.BUILT_IN.get(int(number), "number") if number.isdecimal() and len(number) < 10 else "number"


def _of_agreed_form(main: str, parts: Parts) -> None:
    """Refuse workbooks with macros and binary ones, which have the same outer form."""
    fix = "Save the sheet as an Excel workbook (.xlsx), and send that."
    if main.lower().endswith(".bin"):
        text = "The file is a binary workbook (.xlsb); the contract requires XLSX."
        raise Faulty(Problem("wrong-format", text, fix))
    if any(name.endswith("vbaproject.bin") for name in parts.names()):
        text = "The file is a workbook with macros (.xlsm); the contract requires XLSX."
        raise Faulty(Problem("wrong-format", text, fix))


def unescaped(text: str) -> str:
    """Return a text with the characters that XML lacks; other control characters than blanks stay escaped."""
    if "_x" not in text:
        return text
    return ESCAPE.sub(lambda match: chr(code) if _is_text(code := int(match[1], 16)) else match[0], text)


def _is_text(code: int) -> bool:
    return (code >= 0x20 and not 0xD800 <= code <= 0xDFFF) or code in (9, 10, 13)


def _shared_texts(part: str, pieces: Iterator[bytes]) -> list[str]:
    """Return the texts that cells share, without the readings above them (`rPh`)."""
    made, texts, held, aside, size = markup.parser(part), list[str](), list[str](), 0, 0
    collecting = False

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal collecting, aside
        own = markup.local(name)
        aside += own == "rPh"
        collecting = own == "t" and not aside

    def end(name: str) -> None:
        nonlocal collecting, aside
        own, collecting = markup.local(name), False
        aside -= own == "rPh"
        if own == "si":
            texts.append(unescaped("".join(held)))
            held.clear()

    def character(data: str) -> None:
        if collecting:
            held.append(data)

    made.StartElementHandler, made.EndElementHandler, made.CharacterDataHandler = start, end, character

    def counted() -> Iterator[bytes]:
        nonlocal size
        for piece in pieces:
            size += len(piece)
            if size > LARGEST_TEXTS:
                raise too_large(f"its texts have more than {LARGEST_TEXTS >> 20} MiB")
            yield piece

    for _ in markup.feed(made, part, counted()):
        pass
    return texts


def _rows(part: str, pieces: Iterator[bytes], texts: list[str], readers: list[Reader]) -> Iterator[Row]:
    made, done = markup.parser(part), list[Row]()
    sheet = _Sheet(texts, readers, done)
    made.StartElementHandler, made.EndElementHandler = sheet.start, sheet.end
    made.CharacterDataHandler = sheet.character
    for _ in markup.feed(made, part, pieces):
        yield from done
        done.clear()


class _Sheet:
    """The rows of a sheet, as its elements come; finished ones are in `done`."""

    def __init__(self, texts: list[str], readers: list[Reader], done: list[Row]) -> None:
        self._texts, self._readers, self._done = texts, readers, done
        self._columns: dict[str, int] = {}
        self._cells: list[str] = []
        self._held: list[str] = []
        self._row, self._at, self._aside = 0, 0, 0
        self._kind: str | None = None
        self._style = ""
        self._formula = self._kept = self._collecting = False
        self._plain: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        own = self._plain.get(name) or self._plain.setdefault(name, markup.local(name))
        if own == "c":
            self._held = []
            self._formula = self._kept = False
            self._kind, self._style = attributes.get("t"), attributes.get("s", "")
            ref = attributes.get("r")
            self._at = self._at + 1 if ref is None else self._column(ref)
        elif own == "v" or (own == "t" and not self._aside):
            self._collecting = self._kept = True
        elif own == "f":
            self._formula = True
        elif own == "row":
            before, written = self._row, attributes.get("r", str(self._row + 1))
            self._row = int(written) if written.isdecimal() and len(written) < 9 else 0
            if not before < self._row <= MOST_ROWS:
                raise broken(f"its rows are not in order behind row {before:,}")
            self._cells, self._at = [], -1
        elif own == "rPh":
            self._aside += 1

    def character(self, data: str) -> None:
        """Take a part of a text."""
        if self._collecting:
            self._held.append(data)

    def end(self, name: str) -> None:
        """End an element."""
        own = self._plain[name]
        if own == "v" or own == "t":
            self._collecting = False
        elif own == "c":
            if text := self._text("".join(self._held)):
                missing = self._at - len(self._cells)
                if missing < 0:
                    raise broken(f"row {self._row:,} has its cells in another order, or one twice")
                if missing:
                    self._cells.extend([""] * missing)
                self._cells.append(text)
        elif own == "row":
            self._done.append((self._row, self._cells))
        elif own == "rPh":
            self._aside -= 1

    def _column(self, ref: str) -> int:
        letters = ref.rstrip(DIGITS)
        at = self._columns.get(letters)
        if at is None:
            at = self._columns[letters] = column_number(letters)
        return at

    def _text(self, raw: str) -> str:
        kind = self._kind
        if kind == "s":
            if not raw and not self._kept:
                return ""
            if not raw.isdecimal() or int(raw) >= len(self._texts):
                raise broken(f"a cell of row {self._row:,} refers to a text that is not there")
            return self._texts[int(raw)]
        if kind is None or kind == "n":
            return self._number(raw.strip())
        if kind == "inlineStr":
            return unescaped(raw)
        if self._formula and not self._kept:
            return cells.NOT_CALCULATED
        if kind == "str":
            return unescaped(raw)
        if kind == "b":
            return {"1": "true", "0": "false", "true": "true", "false": "false"}.get(raw, raw)
        if kind == "e":
            return f"{cells.FAULT}{raw}" if raw else ""
        return raw

    def _number(self, raw: str) -> str:
        if not raw:
            return cells.NOT_CALCULATED if self._formula else ""
        style = self._style
        read = self._readers[int(style)] if style and int(style) < len(self._readers) else cells.number
        text = read(raw)
        if text is None:
            raise broken(f"a cell of row {self._row:,} is no number: `{raw[:40]}`")
        return text


def column_number(letters: str) -> int:
    """Return the number of a column from 0, by its letters."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    if not letters.isascii() or not letters.isupper() or number > MOST_COLUMNS:
        raise broken(f"it has a cell in a column `{letters[:10]}`")
    return number - 1
