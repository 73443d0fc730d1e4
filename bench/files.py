"""The files to judge, each written on first use."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import random
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
from backports import zstd
from pyspark.sql import SparkSession

from bench.measuring import say
from bench.running import typed
from contracts.plan import Plan
from contracts.terms.fixed_width import Field, Fixed
from infra.demo import inmet

HOURS = 8760
ROWS_OF_WORKBOOK = 200_000
"""Rows of a station, a year of them; 157 stations make 201 MiB."""
CODES = 100_000
SHARE, MOST = 0.06, 0.75
"""Shares of bad rows."""
PACKED: dict[str, Callable[..., Any]] = {
    "gzip": partial(gzip.open, compresslevel=6),
    "bzip2": bz2.open,
    "zstd": zstd.open,
}
DAY = re.compile(r"\b([0-9]{4})-([0-9]{2})-([0-9]{2})\b")


@dataclass
class Files:
    """Weather of some stations in a folder; `bad` is how many rows of the dirty file are."""

    folder: Path
    stations: int
    bad: int = field(default=0, init=False)

    @property
    def rows(self) -> int:
        """Rows of each of the large files."""
        return self.stations * HOURS

    @cached_property
    def clean(self) -> Path:
        """CSV without a bad row."""
        say("  writing the clean file")
        inmet.write(self.folder / "clean.csv", self.stations, HOURS)
        return self.folder / "clean.csv"

    @cached_property
    def dirty(self) -> Path:
        """CSV with 6 % bad rows, each failing two checks."""
        say("  writing the file with bad rows")
        self.bad = inmet.write(self.folder / "dirty.csv", self.stations, HOURS, bad=SHARE)
        return self.folder / "dirty.csv"

    @cached_property
    def workbook(self) -> Path:
        """The first rows of the clean file as an XLSX workbook, with numbers and days in cells of their types."""
        say("  writing the workbook")
        file, book = self.folder / "clean.xlsx", openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet("Weather")
        with self.clean.open(encoding="utf-8", newline="") as opened:
            rows = csv.reader(opened)
            sheet.append(next(rows))
            for row in islice(rows, ROWS_OF_WORKBOOK):
                sheet.append([_of_cell(text) for text in row])
        book.save(file)
        return file

    @cached_property
    def few(self) -> Path:
        """CSV of the rows of the workbook."""
        file = self.folder / "few.csv"
        with self.clean.open("rb") as rows, file.open("wb") as out:
            out.writelines(islice(rows, 1 + ROWS_OF_WORKBOOK))
        return file

    @cached_property
    def four(self) -> Path:
        """The rows of the clean file four times over: enough where no check asks for uniqueness."""
        return self.times(4)

    def times(self, number: int) -> Path:
        """The rows of the clean file so many times over."""
        whole = self.folder / f"times-{number}.csv"
        with self.clean.open("rb") as rows, whole.open("wb") as out:
            header = rows.readline()
            out.write(header)
            for _ in range(number):
                rows.seek(len(header))
                shutil.copyfileobj(rows, out, 1 << 20)
        return whole

    @cached_property
    def mostly_bad(self) -> Path:
        """CSV of as many rows, three of four of them bad."""
        say("  writing the file of bad rows")
        inmet.write(self.folder / "mostly-bad.csv", self.stations, HOURS, bad=MOST)
        return self.folder / "mostly-bad.csv"

    def wide(self, columns: int) -> Path:
        """CSV of a hundred rows of very many numbers; one is below zero, and another cell is no number."""
        file = self.folder / "wide.csv"
        header, *rows = (",".join(cells) for cells in ([f"n{n}" for n in range(columns)], *[["1.5"] * columns] * 100))
        file.write_text(
            "\n".join([header, rows[0].replace("1.5", "-1", 1).replace("1.5", "x", 1), *rows[1:], ""]), encoding="utf-8"
        )
        return file

    def long_line(self, mebibytes: int) -> Path:
        """CSV of two rows of the clean file, with a line of so many MiB between them."""
        file = self.folder / "long.csv"
        with self.clean.open("rb") as rows, file.open("wb") as out:
            out.writelines((*islice(rows, 2), b"x" * (mebibytes << 20), b"\n", *islice(rows, 1)))
        return file

    @cached_property
    def rotated(self) -> Path:
        """The clean file with its second half before the first, so that its keys do not ascend."""
        rotated = self.folder / "rotated.csv"
        with self.clean.open("rb") as opened:
            header, *rows = opened
        with rotated.open("wb") as out:
            out.writelines([header, *rows[len(rows) // 2 :], *rows[: len(rows) // 2]])
        return rotated

    @cached_property
    def mixed(self) -> Path:
        """The rows of the clean file in random order."""
        mixed = self.folder / "mixed.csv"
        with self.clean.open("rb") as opened:
            header, *rows = opened
        random.Random(0).shuffle(rows)
        with mixed.open("wb") as out:
            out.writelines([header, *rows])
        return mixed

    @cached_property
    def codes(self) -> Path:
        """CSV of 100,000 codes of stations, among them all codes of the clean file."""
        codes = [f"A{600 + n}\n" for n in range(CODES)]
        random.Random(0).shuffle(codes)
        file = self.folder / "codes.csv"
        file.write_text("code\n" + "".join(codes), encoding="utf-8")
        return file

    @cached_property
    def small(self) -> list[Path]:
        """A thousand files of 100 rows each, cut from the clean one, from its beginning again where it ends."""
        files = [self.folder / f"small-{n}.csv" for n in range(1000)]
        with self.clean.open("rb") as opened:
            header, *rows = islice(opened, 1 + 100 * len(files))
        endless = cycle(rows)
        for file in files:
            file.write_bytes(header + b"".join(islice(endless, 100)))
        return files

    def encoded(self, encoding: str) -> Path:
        """The clean file in an encoding, with two letters beyond ASCII in each row."""
        file = self.folder / f"{encoding}.csv"
        with (
            self.clean.open(encoding="utf-8", newline="") as rows,
            file.open("w", encoding=encoding, newline="") as out,
        ):
            out.writelines(row.replace("STATION", "ESTAÇÃO") for row in rows)
        return file

    def packed(self, form: str) -> Path:
        """The clean file, compressed as programs do it by default, or in a zip archive."""
        file = self.folder / f"clean.csv.{'gz' if form == 'gzip' else form}"
        if form == "zip":
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.write(self.clean, "clean.csv")
            return file
        with self.clean.open("rb") as rows, PACKED[form](file, "wb") as out:
            shutil.copyfileobj(rows, out, 1 << 20)
        return file

    @cached_property
    def german(self) -> Path:
        """The clean file as Excel writes it in German, in windows-1252, with letters beyond ASCII in each row."""
        file = self.folder / "german.csv"
        with (
            self.clean.open(encoding="utf-8", newline="") as rows,
            file.open("w", encoding="cp1252", newline="") as out,
        ):
            for row in rows:
                marked = row.replace("STATION", "ESTAÇÃO").replace(",", ";").replace(".", ",")
                out.write(DAY.sub(lambda day: f"{int(day[3])}.{int(day[2])}.{day[1]}", marked))
        return file

    def fixed(self, apart: str = "") -> tuple[Path, Fixed]:
        """The clean file in lines of fixed width, each field as long as the longest value and `apart`; the layout."""
        file = self.folder / f"fixed{'-apart' if apart else ''}.txt"
        with self.clean.open(encoding="utf-8", newline="") as opened:
            header, *rows = csv.reader(opened)
        widths = [max(1, *map(len, column)) + len(apart) for column in zip(*rows, strict=True)]
        starts = [1 + sum(widths[:n]) for n in range(len(widths))]
        with file.open("w", encoding="utf-8", newline="") as out:
            out.writelines("".join(map(str.ljust, row, widths)) + "\n" for row in rows)
        return file, Fixed(tuple(map(Field, header, starts, widths)), sum(widths))

    def parquet(self, spark: SparkSession, plan: Plan) -> Path:
        """The clean file as one of Parquet, written by Spark with its own settings."""
        say("  writing Parquet")
        rows = spark.read.csv(self.clean.as_uri(), header=True, schema=typed(plan))
        rows.coalesce(1).write.parquet((self.folder / "parquet").as_uri())
        return next((self.folder / "parquet").glob("*.parquet"))

    def xml(self) -> Path:
        """The clean file as XML: an element for each value of a row, in lines of their own."""
        say("  writing XML")
        file = self.folder / "clean.xml"
        with self.clean.open(encoding="utf-8", newline="") as rows, file.open("w", encoding="utf-8") as out:
            reader = csv.DictReader(rows)
            out.write('<?xml version="1.0" encoding="UTF-8"?>\n<observations>\n')
            for row in reader:
                inner = "".join(f"\n    <{name}>{escape(text)}</{name}>" for name, text in row.items() if text)
                out.write(f"  <observation>{inner}\n  </observation>\n")
            out.write("</observations>\n")
        return file

    def json_lines(self, spark: SparkSession, plan: Plan, *, bad: bool = False) -> Path:
        """The clean or dirty file as JSON Lines: a line has a key for each column, null where it has no value."""
        folder = self.folder / ("jsonl-bad" if bad else "jsonl")
        if not folder.exists():
            source = self.dirty if bad else self.clean
            say("  writing JSON Lines")
            rows = spark.read.csv(source.as_uri(), header=True, schema=typed(plan))
            rows.coalesce(1).write.json(folder.as_uri(), ignoreNullFields=False)
        return next(folder.glob("*.json"))

    def json_array(self, lines: Path, *, indented: bool) -> Path:
        """The rows of JSON Lines as one array, in one line, or with a line for each value."""
        say("  writing a JSON array")
        file = self.folder / f"array-{'indented' if indented else 'compact'}.json"
        with lines.open(encoding="utf-8") as rows, file.open("w", encoding="utf-8") as out:
            out.write("[")
            for n, row in enumerate(rows):
                text = json.dumps(json.loads(row), ensure_ascii=False, indent=2) if indented else row.rstrip("\n")
                out.write(f"{',' if n else ''}{text}")
            out.write("]")
        return file


def _of_cell(text: str) -> float | str | date | None:
    """Return what a spreadsheet would hold of a text: a number, a day, or that text."""
    if DAY.fullmatch(text):
        return date.fromisoformat(text)
    try:
        return float(text) if text else None
    except ValueError:
        return text
