"""OpenDocument sheets: the parts of a file in, its sheets and the texts of their cells out. Pure.

OpenDocument 1.3, part 3, 9. Values are read from their attributes, texts from their paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from contracts.files.sheets import cells, markup
from contracts.files.sheets.book import MOST_COLUMNS, MOST_ROWS, Row, SheetEntry
from contracts.files.sheets.faults import Faulty, broken, too_large
from contracts.files.sheets.parts import Parts, password

CONTENT, MANIFEST = "content.xml", "META-INF/manifest.xml"
SMALL_PART = 16 << 20
ASIDE = ("annotation", "ruby-text", "note")
"""Elements within a cell whose text is not the cell's."""
PERIOD = re.compile(r"(-?)PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d+))?S)?")
BETWEEN = re.compile(r"[ \t\r\n]+")
"""Blanks between words, which stand for one (OpenDocument 1.3, part 3, 6.1.2)."""
BLANKS = {"text:s": "\0", "text:tab": "\x01", "text:line-break": "\x02"}
"""Elements that stand for a blank, a tab and a line break, each with a character that XML lacks."""
MOST_BLANKS = 32_767
MOST_REPEATED = 20_000_000
"""Cells with content that one row or cell may stand for."""


class Workbook:
    """The sheets of a workbook."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        if MANIFEST in parts and b"encryption-data" in parts.whole(MANIFEST, SMALL_PART):
            raise Faulty(password())
        self._hidden: set[str] = set()
        made, seen, hidden, style = markup.parser(CONTENT), list[SheetEntry](), set[str](), ""

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal style
            if name == "style:style":
                style = attributes.get("style:name", "")
            elif name == "style:table-properties" and attributes.get("table:display") == "false":
                hidden.add(style)
            elif name == "table:table" and "table:name" in attributes:
                seen.append(SheetEntry(attributes["table:name"], attributes.get("table:style-name", "") in hidden))

        made.StartElementHandler = start
        for _ in markup.feed(made, CONTENT, self._parts.pieces(CONTENT)):
            pass
        self.sheets = tuple(seen)

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the rows of a sheet that the file has, in their order."""
        made, sheet = markup.parser(CONTENT), _Table(name)
        made.StartElementHandler, made.EndElementHandler = sheet.start, sheet.end
        made.CharacterDataHandler = sheet.character
        for _ in markup.feed(made, CONTENT, self._parts.pieces(CONTENT)):
            done, sheet.done = sheet.done, []
            for number, times, row in done:
                for n in range(times):
                    yield number + n, row
            if sheet.ended:
                return


class _Table:
    """The rows of one table, as the elements of the document come."""

    def __init__(self, name: str) -> None:
        self.done: list[tuple[int, int, list[str]]] = []
        self.ended = False
        self._name, self._depth, self._aside = name, 0, 0
        self._row, self._rows_more = 0, 1
        self._cells: list[str] = []
        self._gap, self._more = 0, 1
        self._attributes: dict[str, str] = {}
        self._covered = False
        self._paragraphs: list[str] = []
        self._text: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        if name == "table:table":
            self._depth += bool(self._depth or (attributes.get("table:name") == self._name and not self.ended))
        elif self._depth != 1:
            return
        elif name == "table:table-row":
            self._rows_more = _times(attributes.get("table:number-rows-repeated"), MOST_ROWS)
            self._cells, self._gap = [], 0
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self._attributes, self._paragraphs, self._text = attributes, [], None
            self._covered = name == "table:covered-table-cell"
            self._more = _times(attributes.get("table:number-columns-repeated"), MOST_COLUMNS)
        elif markup.local(name) in ASIDE:
            self._aside += 1
        elif name == "text:p" and not self._aside:
            self._text = []
        elif name in BLANKS and self._text is not None and not self._aside:
            self._text.append(BLANKS[name] * _times(attributes.get("text:c"), MOST_BLANKS))

    def character(self, data: str) -> None:
        """Take a part of a text."""
        if self._text is not None and not self._aside:
            self._text.append(data)

    def end(self, name: str) -> None:
        """End an element."""
        if name == "table:table" and self._depth:
            self._depth -= 1
            self.ended = not self._depth
        elif self._depth != 1:
            return
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self._end_cell()
        elif name == "table:table-row":
            number, self._row = self._row + 1, self._row + self._rows_more
            if self._cells and (self._row > MOST_ROWS or self._rows_more * len(self._cells) > MOST_REPEATED):
                raise too_large(f"it has more than {MOST_ROWS:,} rows, or repeats a row too often")
            if self._cells:
                self.done.append((number, self._rows_more, self._cells))
        elif markup.local(name) in ASIDE:
            self._aside -= 1
        elif name == "text:p" and not self._aside and self._text is not None:
            text = "".join(self._text)
            bare = BETWEEN.sub(" ", text).strip(" ") if BETWEEN.search(text) else text
            # The blanks, tabs and line breaks that are marked in the paragraph
            self._paragraphs.append(bare.replace("\0", " ").replace("\x01", "\t").replace("\x02", "\n"))
            self._text = None

    def _end_cell(self) -> None:
        text = "" if self._covered else _value(self._attributes, self._paragraphs)
        if not text:
            self._gap += self._more
            return
        if len(self._cells) + self._gap + self._more > MOST_COLUMNS:
            raise too_large(f"a row has more than {MOST_COLUMNS:,} cells")
        self._cells += [""] * self._gap + [text] * self._more
        self._gap = 0


def _times(written: str | None, most: int) -> int:
    if written is None:
        return 1
    if not written.isdecimal() or not written.isascii() or len(written) > 9 or not int(written):
        raise broken("it repeats a cell, a row or a blank in a way that is no number")
    return min(int(written), most + 1)


def _value(attributes: dict[str, str], paragraphs: Iterable[str]) -> str:
    """Return the text of a cell."""
    kind = attributes.get("office:value-type", "")
    shown = "\n".join(paragraphs)
    if attributes.get("calcext:value-type") == "error":
        return f"{cells.FAULT}{shown or '#ERROR!'}"
    if not kind:
        return cells.NOT_CALCULATED if "table:formula" in attributes and not shown else shown
    if kind == "string":
        return shown or attributes.get("office:string-value", "")
    if kind == "boolean":
        return attributes.get("office:boolean-value", "")
    if kind == "date":
        whole, dot, fraction = attributes.get("office:date-value", "").partition(".")
        digits = fraction[:6].rstrip("0")
        return f"{whole}.{digits}" if dot and digits else whole
    if kind == "time":
        written = attributes.get("office:time-value", "")
        match = PERIOD.fullmatch(written)
        if match is None:
            return written
        sign, hours, minutes, seconds, fraction = match.groups()
        rest = (fraction or "")[:3].rstrip("0")
        clock = f"{sign}{int(hours or 0):02}:{int(minutes or 0):02}:{int(seconds or 0):02}"
        return f"{clock}.{rest}" if rest else clock
    text = cells.number(attributes.get("office:value", ""))
    if text is None:
        raise broken(f"a cell is no number: `{attributes.get('office:value', '')[:40]}`")
    return text
