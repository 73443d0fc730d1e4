"""Workbooks of Excel 95 to 2003: the workbook's stream in, its sheets and the texts of their cells out. Pure.

BIFF8 and BIFF5 (MS-XLS). A sheet has at most 65,536 rows of 256 cells, which are kept while it is read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from contracts.files.sheets import cells
from contracts.files.sheets.book import Row, SheetEntry
from contracts.files.sheets.faults import Faulty, broken
from contracts.files.sheets.parts import password
from contracts.problem import Problem

BOF, END, CONTINUE = 0x0809, 0x000A, 0x003C
SHEET, SEALED, SINCE_1904, CODEPAGE, FORMAT, STYLE, TEXTS = 0x0085, 0x002F, 0x0022, 0x0042, 0x041E, 0x00E0, 0x00FC
SHARED, NUMBER, RK, ROW_OF_RK, BOOL_OR_ERROR, FORMULA = 0x00FD, 0x0203, 0x027E, 0x00BD, 0x0205, 0x0006
STRING, LABEL, RICH_LABEL = 0x0207, 0x0204, 0x00D6
BIFF8, BIFF5, OF_SHEET = 0x0600, 0x0500, 0x0010
ON_LOAD = 0x0002
"""The flag of a formula that is to be calculated when a program opens the file."""
ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
CODEPAGES = {1200: "utf-16le", 10000: "mac-roman", 32768: "mac-roman", 32769: "cp1252"}
Record = tuple[int, bytes]


class Workbook:
    """The sheets of a workbook."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self._encoding, self._since_1904 = "cp1252", False
        self._offsets: dict[str, int] = {}
        self._texts: list[str] = []
        self._codes: dict[int, str] = {}
        self._styles: list[int] = []
        self._sheets: list[SheetEntry] = []
        if _u16(stream) != BOF or (version := _u16(stream, 4)) not in (BIFF8, BIFF5):
            what = "The file is a workbook of Excel before 95; the contract requires XLS of Excel 97 to 2003."
            raise Faulty(Problem("wrong-format", what, "Save the sheet as an Excel 97-2003 workbook, and send that."))
        self._wide = version == BIFF8
        held: list[bytes] = []
        for kind, data in _records(stream, 0):
            if held and kind == CONTINUE:
                held.append(data)
            elif kind == TEXTS:
                held = [data]
            else:
                self._note(kind, data)
        if held:  # the texts that cells share, which run on through several records
            count, pieces = struct.unpack_from("<I", held[0], 4)[0], _Pieces(held, 8)
            self._texts = [pieces.text() for _ in range(count)] if count <= sum(map(len, held)) else []
        codes = ((number, self._codes.get(number)) for number in self._styles)
        kinds = (cells.BUILT_IN.get(n, "number") if code is None else cells.kind_of(code) for n, code in codes)
        self._readers = [cells.reader(kind, since_1904=self._since_1904) for kind in kinds]

    @property
    def sheets(self) -> tuple[SheetEntry, ...]:
        """Return its sheets of cells, in their order."""
        return tuple(self._sheets)

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the rows of a sheet that the file has, in their order."""
        rows: dict[int, dict[int, str]] = {}
        records = _records(self._stream, self._offsets[name])
        if next(records, (0, b""))[0] != BOF:
            raise broken(f"its sheet `{name}` is not where it says")
        last: tuple[int, int] | None = None
        for kind, data in records:
            if kind == STRING and last is not None:
                rows[last[0]][last[1]] = self._text(data, 0, 2)
                last = None
            for row, column, text in self._cells(kind, data):
                rows.setdefault(row, {})[column] = text
                last = (row, column) if kind == FORMULA else None
        for row, by_column in sorted(rows.items()):
            filled = [column for column, text in by_column.items() if text]
            yield row + 1, [by_column.get(column, "") for column in range(max(filled, default=-1) + 1)]

    def _note(self, kind: int, data: bytes) -> None:
        """Take note of a record about the whole workbook."""
        if kind == SEALED:
            raise Faulty(password())
        if kind == CODEPAGE:
            self._encoding = _encoding(_u16(data))
        elif kind == SINCE_1904:
            self._since_1904 = _u16(data) == 1
        elif kind == FORMAT:
            self._codes[_u16(data)] = self._text(data, 2, 2 if self._wide else 1)
        elif kind == STYLE:
            self._styles.append(_u16(data, 2))
        elif kind == SHEET and data[5:6] == b"\0":
            name = self._text(data, 6, 1)
            self._offsets[name] = struct.unpack_from("<I", data)[0]
            self._sheets.append(SheetEntry(name, data[4] & 3 != 0))

    def _cells(self, kind: int, data: bytes) -> Iterator[tuple[int, int, str]]:
        """Yield the cells of a record: row and column from 0, and text."""
        if kind == ROW_OF_RK:
            row, first = struct.unpack_from("<HH", data)
            for n in range((len(data) - 6) // 6):
                style, number = struct.unpack_from("<HI", data, 4 + 6 * n)
                yield row, first + n, self._number(style, _of_rk(number))
            return
        if kind not in (SHARED, NUMBER, RK, BOOL_OR_ERROR, FORMULA, LABEL, RICH_LABEL):
            return
        row, column, style = struct.unpack_from("<HHH", data)
        if kind == SHARED:
            number = struct.unpack_from("<I", data, 6)[0]
            if number >= len(self._texts):
                raise broken(f"a cell of row {row + 1:,} refers to a text that is not there")
            yield row, column, self._texts[number]
        elif kind == NUMBER:
            yield row, column, self._number(style, struct.unpack_from("<d", data, 6)[0])
        elif kind == RK:
            yield row, column, self._number(style, _of_rk(struct.unpack_from("<I", data, 6)[0]))
        elif kind == BOOL_OR_ERROR:
            yield row, column, _error(data[6]) if data[7] else _boolean(data[6])
        elif kind == FORMULA:
            yield row, column, self._result(style, data)
        else:
            yield row, column, self._text(data, 6, 2)

    def _result(self, style: int, data: bytes) -> str:
        """Return the kept result of a formula; a text follows in a record of its own."""
        result = data[6:14]
        if result[6:] == b"\xff\xff":
            return {1: _boolean(result[2]), 2: _error(result[2]), 3: ""}.get(result[0], cells.NOT_CALCULATED)
        value = struct.unpack("<d", result)[0]
        if value == 0 and _u16(data, 14) & ON_LOAD:
            return cells.NOT_CALCULATED
        return self._number(style, value)

    def _number(self, style: int, value: float) -> str:
        read = self._readers[style] if style < len(self._readers) else cells.number
        text = read(repr(value))
        if text is None:
            raise broken("a cell has a number that is none")
        return text

    def _text(self, data: bytes, at: int, width: int) -> str:
        """Return the text at a place of a record, with its length before it, in so many bytes."""
        length = int.from_bytes(data[at : at + width], "little")
        begin = at + width
        if not self._wide:
            return data[begin : begin + length].decode(self._encoding, "replace")
        flags = data[begin] if begin < len(data) else 0
        begin += 1 + (2 if flags & 8 else 0) + (4 if flags & 4 else 0)
        raw = data[begin : begin + (2 * length if flags & 1 else length)]
        return _cleaned(raw.decode("utf-16le" if flags & 1 else "latin-1", "replace"))


def _records(stream: bytes, at: int) -> Iterator[Record]:
    """Yield the records from a place on, to the end of its part; records of parts within it are left out."""
    depth, size = 0, len(stream)
    while at + 4 <= size:
        kind, length = struct.unpack_from("<HH", stream, at)
        data = stream[at + 4 : at + 4 + length]
        if len(data) < length:
            raise broken("it was cut short")
        at += 4 + length
        depth += kind == BOF
        if depth == 1:
            yield kind, data
        if kind == END and (depth := depth - 1) <= 0:
            return
    raise broken("it was cut short")


class _Pieces:
    """Bytes of several records, read one after another."""

    def __init__(self, pieces: list[bytes], at: int) -> None:
        self._pieces, self._n, self._at = pieces, 0, at

    def text(self) -> str:
        """Return the next text; where it runs on in a record, that says anew how wide its characters are."""
        length, flags = struct.unpack("<HB", self._bytes(3))
        runs = struct.unpack("<H", self._bytes(2))[0] if flags & 8 else 0
        more = struct.unpack("<I", self._bytes(4))[0] if flags & 4 else 0
        parts, wide = list[str](), flags & 1
        while True:
            here = self._pieces[self._n]
            size = min(length, (len(here) - self._at) // (2 if wide else 1))
            raw = here[self._at : self._at + size * (2 if wide else 1)]
            parts.append(raw.decode("utf-16le" if wide else "latin-1", "surrogatepass"))
            self._at, length = self._at + len(raw), length - size
            if not length:
                break
            self._next()
            wide = self._bytes(1)[0] & 1
        self._bytes(4 * runs + more)
        text = "".join(parts).encode("utf-16le", "surrogatepass").decode("utf-16le", "replace")
        return _cleaned(text)

    def _next(self) -> None:
        self._n, self._at = self._n + 1, 0
        if self._n >= len(self._pieces):
            raise broken("its texts were cut short")

    def _bytes(self, count: int) -> bytes:
        taken = b""
        while len(taken) < count or (not taken and count):
            here = self._pieces[self._n][self._at : self._at + count - len(taken)]
            taken, self._at = taken + here, self._at + len(here)
            if len(taken) < count:
                self._next()
        return taken


def _of_rk(number: int) -> float:
    """Return the number of an RK value (MS-XLS, 2.5.218)."""
    signed = number - (1 << 32) if number & 0x8000_0000 else number
    value = float(signed >> 2) if number & 2 else struct.unpack("<d", struct.pack("<II", 0, number & ~3))[0]
    return float(value / 100 if number & 1 else value)


def _boolean(value: int) -> str:
    return "true" if value else "false"


def _error(code: int) -> str:
    return f"{cells.FAULT}{ERRORS.get(code, '#ERROR!')}"


def _cleaned(text: str) -> str:
    """Return a text with escapes for control characters that no text has."""
    if text.isprintable():
        return text
    return "".join(c if c >= " " or c in "\t\n\r" else f"_x{ord(c):04X}_" for c in text)


def _encoding(codepage: int) -> str:
    name = CODEPAGES.get(codepage, f"cp{codepage}")
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


def _u16(data: bytes, at: int = 0) -> int:
    return int.from_bytes(data[at : at + 2], "little")
