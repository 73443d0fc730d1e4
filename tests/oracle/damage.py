"""Damage: a good file and a chance in, the file with random bytes in and around it out."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path
from random import Random

from backports import zstd

from contracts.plan import Plan
from tests.oracle import faults
from tests.oracle.contracts import Document

LINES = 12
TEXT = faults.HEAD + b"".join(b'%d,"a, b",%d.5,2026-01-%02d,x"y\n' % (n, n, n) for n in range(1, LINES))
PLAIN = TEXT.replace(b'"a, b"', b"a b").replace(b'x"y', b"x")
OBJECTS = b"".join(
    b'{"id": %d, "name": "a\\u00e9", "amount": %d.5, "day": "2026-01-%02d", "note": null}\n' % (n, n, n)
    for n in range(1, LINES)
)
TABLE = (Path(__file__).parents[1] / "unit" / "functions" / "admission" / "heads" / "things.parquet").read_bytes()
COLUMNS: list[Document] = [
    {"name": "id", "logicalType": "integer", "unique": True},
    {"name": "name", "logicalType": "string", "logicalTypeOptions": {"maxLength": 3}},
    {"name": "amount", "logicalType": "number"},
    {"name": "ok", "logicalType": "boolean"},
    {"name": "day", "logicalType": "date"},
    {"name": "ts", "logicalType": "timestamp"},
    {"name": "dec", "logicalType": "number", "physicalType": "decimal(10,2)"},
]
LAKE: Document = {"format": "parquet", "columns": {"extra": "ignore"}}
TARGETS: dict[str, tuple[Plan, bytes]] = {
    "csv": (faults.plan(), TEXT),
    "csv, sifted": (faults.plan(faults.WITHOUT_FIGURES), PLAIN),
    "csv over lines": (faults.plan(csv={"multiLine": True}), TEXT),
    "csv, other signs": (faults.plan(csv={"delimiter": ";", "quote": "'", "escape": "\\"}), TEXT.replace(b",", b";")),
    "jsonl": (faults.plan(format="jsonl", columns={"extra": "warn"}), OBJECTS),
    "csv packed": (faults.plan(compression="gzip"), gzip.compress(TEXT, mtime=0)),
    "csv by bzip2": (faults.plan(compression="bzip2"), bz2.compress(TEXT)),
    "csv by zstd": (faults.plan(compression="zstd"), zstd.compress(TEXT)),
    "parquet": (faults.plan(COLUMNS, **LAKE), TABLE),
    "parquet, sifted": (faults.plan(COLUMNS[:5], **LAKE), TABLE),
}
"""By name: a plan, and a file that it accepts."""
SIGNS = (
    *(b'"', b'""', b",", b"\n", b"\r", b"\r\n", b"\0", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\", b"{"),
    *(b"}", b"[", b"]", b":", b"1e400", b"\\u0000", b"\\ud83d", b"PAR1", b"\x1f\x8b", b" ", b"-", b"'", b";", b"\t"),
)


def damaged(chance: Random, body: bytes) -> bytes:
    """A file after one to four accidents."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        body = chance.choice(ACCIDENTS)(chance, body)
    return body


def _insert(chance: Random, body: bytes) -> bytes:
    at = chance.randint(0, len(body))
    return body[:at] + chance.choice((chance.choice(SIGNS), chance.randbytes(chance.randint(1, 8)))) + body[at:]


def _replace(chance: Random, body: bytes) -> bytes:
    at = chance.randint(0, len(body))
    new = chance.choice((chance.choice(SIGNS), chance.randbytes(chance.randint(1, 4))))
    return body[:at] + new + body[at + len(new) :]


def _cut(chance: Random, body: bytes) -> bytes:
    return body[: chance.randint(0, len(body))]


def _lose(chance: Random, body: bytes) -> bytes:
    at = chance.randint(0, len(body))
    return body[:at] + body[at + chance.randint(1, 30) :]


def _repeat(chance: Random, body: bytes) -> bytes:
    at = chance.randint(0, len(body))
    return body[:at] + body[max(0, at - chance.randint(1, 60)) :]


def _around(chance: Random, body: bytes) -> bytes:
    noise = chance.randbytes(chance.randint(1, 40))
    return noise + body if chance.random() < 0.3 else body + noise


def _flip(chance: Random, body: bytes) -> bytes:
    if not body:
        return body
    at = chance.randrange(len(body))
    return body[:at] + bytes([body[at] ^ (1 << chance.randrange(8))]) + body[at + 1 :]


ACCIDENTS: tuple[Callable[[Random, bytes], bytes], ...] = (
    *(_insert, _insert, _replace, _replace, _flip, _flip),
    *(_lose, _repeat, _cut, _around),
)
