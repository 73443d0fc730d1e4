"""Sample files by chance: a seed in; tables of typed columns, written as CSV or JSON Lines in some dialect, out."""

from __future__ import annotations

import csv
import gzip
import io
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

START = datetime(2026, 1, 1, tzinfo=UTC)
Make = Callable[[Random, int], Any]


def _moment(form: str) -> Make:
    return lambda chance, _: f"{START + timedelta(seconds=chance.randrange(10**7)):{form}}"


def _word(chance: Random, _: int) -> str:
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyzäß") for _ in range(chance.randint(1, 12)))


COLUMNS: dict[str, Make] = {
    "id": lambda _, n: n,
    "count": lambda chance, _: chance.randint(-50, 10**6),
    "price": lambda chance, _: f"{chance.uniform(0, 500):.2f}",
    "reading": lambda chance, _: f"{chance.uniform(-30, 40):.3g}",
    "power": lambda chance, _: f"{chance.uniform(1, 9):.1f}e{chance.randint(-5, 9)}",
    "active": lambda chance, _: chance.choice(["true", "false"]),
    "day": _moment("%Y-%m-%d"),
    "german_day": _moment("%d.%m.%Y"),
    "american_day": _moment("%m/%d/%Y"),
    "packed_day": _moment("%Y%m%d"),
    "moment": _moment("%Y-%m-%dT%H:%M:%S"),
    "moment_utc": _moment("%Y-%m-%d %H:%M:%SZ"),
    "minute": _moment("%d/%m/%Y %H:%M"),
    "hour": _moment("%H:%M"),
    "short_day": lambda chance, _: "{0.day}.{0.month}.{0.year}".format(START + timedelta(days=chance.randrange(300))),
    "named_day": _moment("%d-%b-%y"),
    "half_days": _moment("%m/%d/%Y %I:%M %p"),
    "uuid": lambda chance, _: str(uuid.UUID(int=chance.getrandbits(128))),
    "mail": lambda chance, n: f"name{n}@example{chance.randint(1, 9)}.org",
    "address": lambda chance, _: ".".join(str(chance.randrange(256)) for _ in range(4)),
    "state": lambda chance, _: chance.choice(["NO", "SE", "DK"]),
    "zip": lambda chance, _: f"{chance.randrange(10**5):05d}",
    "phone": lambda chance, _: f"+49{chance.randrange(10**9)}",
    "word": _word,
    "text": lambda chance, n: f"{_word(chance, n)}, {_word(chance, n)}; \t{_word(chance, n)}",
    "quoted": lambda chance, n: f'{_word(chance, n)} "{_word(chance, n)}" | {_word(chance, n)}',
    "comma": lambda chance, _: f"{chance.uniform(-9, 500):.2f}".replace(".", ","),
    "grouped": lambda chance, _: f"{chance.uniform(0, 10**6):,.2f}".translate({44: ".", 46: ","}),
    "swiss": lambda chance, _: f"{chance.uniform(0, 10**6):,.2f}".replace(",", "'"),
    "euro": lambda chance, _: f"{chance.uniform(0, 500):.2f} €".replace(".", ","),
    "dollar": lambda chance, _: f"${chance.uniform(0, 50_000):,.2f}",
    "share": lambda chance, _: f"{chance.uniform(0, 100):.1f} %".replace(".", ","),
    "balance": lambda chance, _: f"{chance.uniform(0, 99):.2f}{chance.choice(('', '-'))}".replace(".", ","),
    "ja": lambda chance, _: chance.choice("JN"),
    "yes": lambda chance, _: chance.choice(("Y", "N")),
    "nothing": lambda *_: None,
}
TYPED = {"count", "price", "reading", "active", "day", "german_day", "moment", "hour", "uuid", "mail", "address"}
FORMED = {"comma", "grouped", "swiss", "euro", "dollar", "share", "balance", "ja", "yes"}
"""Columns of CSV whose values are in a form of their own."""
TYPED |= {"comma", "grouped", "swiss"}
"""Columns in which other text is noticed."""
MUCH = frozenset({"text", "quoted"})


@dataclass(frozen=True, slots=True)
class Table:
    """A table and how it is written; `cells` are texts or None."""

    names: tuple[str, ...]
    cells: tuple[tuple[Any, ...], ...]
    form: str
    delimiter: str = ","
    encoding: str = "utf-8"
    header: bool = True
    null: str = ""
    end: str = "\n"
    packed: bool = False

    @property
    def ending(self) -> str:
        """Return the ending of its file's name."""
        return f".{self.form}" + ".gz" * self.packed

    def written(self) -> bytes:
        """The bytes of the file."""
        raw = (self._json() if self.form == "jsonl" else self._csv()).encode(self.encoding)
        return gzip.compress(raw, mtime=0) if self.packed else raw

    def _csv(self) -> str:
        out = io.StringIO(newline="")
        rows = [[self.null if cell is None else cell for cell in row] for row in self.cells]
        csv.writer(out, delimiter=self.delimiter, lineterminator=self.end).writerows(
            [list(self.names)] * self.header + rows
        )
        return out.getvalue()

    def _json(self) -> str:
        return "".join(self._object(row) + self.end for row in self.cells)

    def _object(self, row: tuple[Any, ...]) -> str:
        pairs = zip(self.names, row, strict=True)
        parts = [f"{json.dumps(n)}: {_json(n, c)}" for n, c in pairs if c is not None or self.null]
        return "{" + ", ".join(parts) + "}"


def _json(name: str, cell: Any) -> str:
    bare = cell is None or name in {"id", "count", "price", "reading", "power", "active"}
    return "null" if cell is None else str(cell) if bare else json.dumps(cell, ensure_ascii=False)


def table(seed: object) -> Table:
    """A table by chance."""
    chance = Random(f"{seed}")
    form = chance.choice(["csv", "csv", "csv", "jsonl"])
    drawn = COLUMNS.keys() - FORMED if form == "jsonl" else COLUMNS
    names = chance.sample(sorted(drawn), chance.randint(2, 9))
    if not TYPED & {*names}:
        names.append("count")
    bare = {name: chance.choice([0, 0, 0.1, 0.4]) for name in names}
    rows = [
        tuple(None if chance.random() < bare[name] else COLUMNS[name](chance, n) for name in names)
        for n in range(chance.randint(25, 250))
    ]
    latin = form == "csv" and chance.random() < 0.2 and "euro" not in names
    return Table(
        tuple(names),
        tuple(rows),
        form,
        chance.choice([",", ";", "\t", "|"]),
        "iso-8859-1" if latin else "utf-8",
        chance.random() < 0.85,
        chance.choice(["", "", "NA", "null"]),
        chance.choice(["\n", "\r\n"]),
        chance.random() < 0.2,
    )
