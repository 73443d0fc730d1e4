"""Files of Parquet that people may give to `dropgate init`: columns of every type, and files that are broken."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 30
DAY = dt.date(2026, 1, 31)
MOMENT = dt.datetime(2026, 1, 31, 12, 30, 15, 123456)  # noqa: DTZ001 (Arrow has moments without a zone)
TYPES: dict[str, tuple[pa.DataType, Any]] = {
    "null": (pa.null(), None),
    "bool": (pa.bool_(), True),
    **{f"int{n}": (getattr(pa, f"int{n}")(), -1) for n in (8, 16, 32, 64)},
    **{f"uint{n}": (getattr(pa, f"uint{n}")(), 2**n - 1) for n in (8, 16, 32, 64)},
    "float16": (pa.float16(), 1.5),
    "float32": (pa.float32(), 1.5),
    "float64": (pa.float64(), 1.1),
    "NaN": (pa.float64(), float("nan")),
    "infinity": (pa.float64(), float("inf")),
    "decimal32": (pa.decimal128(5, 2), Decimal("1.25")),
    "decimal64": (pa.decimal128(18, 0), Decimal(10**17)),
    "decimal128": (pa.decimal128(38, 10), Decimal("1.0000000001")),
    "decimal of 38 places": (pa.decimal128(38, 38), Decimal("0.5")),
    "decimal256": (pa.decimal256(60, 2), Decimal("1.25")),
    "string": (pa.string(), "a"),
    "large string": (pa.large_string(), "a"),
    "strange text": (pa.string(), "\x00\u2028\ufeff,\"'\\\n"),
    "long text": (pa.string(), "x" * 100_000),
    "binary": (pa.binary(), b"\xff\x00"),
    "fixed binary": (pa.binary(16), b"0123456789abcdef"),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), "a"),
    "date32": (pa.date32(), DAY),
    "date64": (pa.date64(), DAY),
    "first date": (pa.date32(), dt.date(1, 1, 1)),
    "last date": (pa.date32(), dt.date(9999, 12, 31)),
    "far date": (pa.date32(), 5_000_000),
    "time32": (pa.time32("ms"), dt.time(12, 30)),
    "time64": (pa.time64("us"), dt.time(12, 30)),
    "time of nanoseconds": (pa.time64("ns"), dt.time(12, 30)),
    **{f"timestamp {unit}": (pa.timestamp(unit), MOMENT.replace(microsecond=0)) for unit in ("s", "ms", "us", "ns")},
    **{
        f"timestamp {unit} UTC": (pa.timestamp(unit, "UTC"), MOMENT.replace(microsecond=0))
        for unit in ("ms", "us", "ns")
    },
    "timestamp Berlin": (pa.timestamp("us", "Europe/Berlin"), MOMENT),
    "far timestamp": (pa.timestamp("us"), 2**62),
    "duration": (pa.duration("s"), 5),
    "list": (pa.list_(pa.int32()), [1, None]),
    "empty list": (pa.list_(pa.int32()), []),
    "list of lists": (pa.list_(pa.list_(pa.string())), [["a"], []]),
    "list of structs": (pa.list_(pa.struct([("a", pa.int32())])), [{"a": 1}]),
    "list of nulls": (pa.list_(pa.null()), [None]),
    "large list": (pa.large_list(pa.string()), ["a"]),
    "fixed list": (pa.list_(pa.float32(), 3), [1.0, 2.0, 3.0]),
    "struct": (pa.struct([("a", pa.int32()), ("b.c", pa.string()), ("", pa.string())]), {"a": 1, "b.c": "x", "": "y"}),
    "deep struct": (pa.struct([("a", pa.struct([("b", pa.struct([("c", pa.binary())]))]))]), {"a": {"b": {"c": b"x"}}}),
    "map": (pa.map_(pa.string(), pa.int32()), [("a", 1)]),
    "map of days": (pa.map_(pa.date32(), pa.int32()), [(DAY, 1)]),
    "map of maps": (pa.map_(pa.string(), pa.map_(pa.string(), pa.string())), [("a", [("b", "c")])]),
}
"""By name, a type of Arrow and a value of it."""
NAMES = ("a.b", "a`b", "a", "é", "日本", "a\nb", "_record", "~", "*", "a b,c", "x" * 200, "\u200b", '"', "select")


def of(columns: dict[str, tuple[pa.DataType, Any]], rows: int = ROWS, **how: Any) -> bytes:
    """A file with an id and these columns, in which every third value is null."""
    values = {name: [None if n % 3 == 0 else value for n in range(rows)] for name, (_, value) in columns.items()}
    fields = [pa.field("id", pa.int64()), *(pa.field(name, kind) for name, (kind, _) in columns.items())]
    arrays = [pa.array(range(rows), pa.int64()), *(pa.array(values[n], kind) for n, (kind, _) in columns.items())]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), out, **how)
    return out.getvalue()


ALONE = ("NaN", "infinity", "decimal256")
"""Types and values that no contract can be made of."""


def files() -> Iterator[tuple[str, bytes]]:
    """Yield what is in a file, and its bytes."""
    yield "all types", of({name: column for name, column in TYPES.items() if name not in ALONE})
    for name in ALONE:
        yield name, of({"c": TYPES[name]})
    yield "all names", of(dict.fromkeys(NAMES, TYPES["string"]))
    yield "no name", of({"": TYPES["string"]})
    for packing in ("none", "gzip", "brotli", "zstd", "lz4"):
        yield packing, of({"c": TYPES["string"]}, compression=packing)
    yield "INT96", of({"c": TYPES["timestamp ns"]}, use_deprecated_int96_timestamps=True)
    yield "version 1", of({"c": TYPES["uint32"]}, version="1.0")
    yield "pages of version 2", of({"c": TYPES["string"]}, data_page_version="2.0")
    yield "delta", of({"c": TYPES["int64"]}, use_dictionary=False, column_encoding={"c": "DELTA_BINARY_PACKED"})
    yield "split bytes", of({"c": TYPES["float64"]}, use_dictionary=False, column_encoding={"c": "BYTE_STREAM_SPLIT"})
    yield "one row", of({"c": TYPES["string"]}, rows=1)
    yield "no rows", of({"c": TYPES["string"]}, rows=0)
    yield "columns of one name", _twice()
    good = of({"c": TYPES["string"]})
    yield "cut", good[:-8]
    yield "without a beginning", b"PAR1" + good[100:]
    yield "damaged pages", good[:40] + bytes(200) + good[240:]
    yield "damaged footer", good[:-60] + bytes(20) + good[-40:]


def _twice() -> bytes:
    out = io.BytesIO()
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array(["a", "b"])], names=["c", "c"])
    pq.write_table(table, out)
    return out.getvalue()
