"""Every way in which a column of Parquet can be other than agreed: files by Arrow, and how they must end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa

from tests.e2e.cases import FOREIGN, GOOD, THINGS, Case
from tests.integration.spark_jobs.formats.test_parquet_forms import DEFINITIONS, LISTS, REPETITIONS, a_file, relevelled
from tests.unit.functions.admission.heads.thrift import written

MOMENT = datetime(2026, 7, 1, 8, 0, tzinfo=UTC)
SKIPPED = datetime(2026, 3, 29, 2, 30)  # noqa: DTZ001 (a local time)
NANOSECONDS = 1_782_892_800_000_001_000
PLAIN = {"use_dictionary": False, "compression": "none"}
INT96 = {"use_deprecated_int96_timestamps": True}
SPLIT = {"use_dictionary": False, "column_encoding": {"ratio": "BYTE_STREAM_SPLIT"}}


def _one(name: str, kind: pa.DataType, values: Sequence[Any], **more: Any) -> bytes:
    """A file of one column."""
    return a_file({name: (kind, values)}, **more)


def _accepted(name: str, body: bytes) -> Case:
    return Case(name, _key(name), body, "accepted", (), "job")


def _refused(name: str, body: bytes, code: str = "wrong-type") -> Case:
    return Case(name, _key(name), body, "rejected", (code,), "admission")


def _failed(name: str, body: bytes, code: str = "check-logicalType") -> Case:
    return Case(name, _key(name), body, "rejected", (code,), "job")


def _key(name: str) -> str:
    words = "".join(c if c.isalnum() else "-" for c in name.lower())
    return f"typed/{words}.parquet"


def _changed() -> bytes:
    """A file with checksums, one byte of which was changed."""
    body = _one("id", pa.int64(), [1, 2, 77], **PLAIN, write_page_checksum=True, write_statistics=False)
    at = body.index((77).to_bytes(8, "little"))
    return body[:at] + b"\x4e" + body[at + 1 :]


def _contradicting() -> bytes:
    """A list that begins in its midst."""
    body = a_file({"tags": LISTS["v"]}, **PLAIN)
    return relevelled(body, [1, *REPETITIONS[1:]], DEFINITIONS)


def _boastful(rows: int) -> bytes:
    """A file of a hundred bytes whose footer claims that many records."""
    schema = [{4: "root", 5: 1}, {1: 2, 3: 1, 4: "id"}]
    chunk = {1: 2, 2: [0, 3], 3: ["id"], 4: 0, 5: rows, 6: 40, 7: 40, 9: 4}
    footer = written({1: 1, 2: schema, 3: rows, 4: [{1: [{2: 4, 3: chunk}], 2: 40, 3: rows}]})
    return b"PAR1" + bytes(100) + footer + len(footer).to_bytes(4, "little") + b"PAR1"


CASES = (
    _refused("Parquet: local times where an offset is agreed", _one("at", pa.timestamp("us"), [SKIPPED])),
    _accepted("Parquet: moments where an offset is agreed", _one("at", pa.timestamp("us", "UTC"), [MOMENT])),
    _accepted(
        "Parquet: local times in the zone of the contract",
        _one("shop", pa.timestamp("us"), [MOMENT.replace(tzinfo=None)]),
    ),
    _failed("Parquet: a local time that no clock of the zone showed", _one("shop", pa.timestamp("us"), [SKIPPED])),
    _accepted("Parquet: a FLOAT of 1.1 under a maximum of 1.1", _one("ratio", pa.float32(), [1.1])),
    _failed("Parquet: a FLOAT a little above it", _one("ratio", pa.float32(), [1.1000001]), "check-maximum"),
    _refused("Parquet: FLOAT16", _one("ratio", pa.float16(), [1.5])),
    _refused("Parquet: FLOAT where an exact number is agreed", _one("price", pa.float32(), [1.5])),
    _accepted(
        "Parquet: DECIMAL of a larger scale, whose values fit", _one("price", pa.decimal128(18, 6), [Decimal("1.5")])
    ),
    _failed(
        "Parquet: DECIMAL of a larger scale, whose values do not fit",
        _one("price", pa.decimal128(18, 6), [Decimal("1.505")]),
    ),
    _refused("Parquet: DECIMAL of more than 38 digits", _one("price", pa.decimal256(50, 2), [Decimal("1.5")])),
    _accepted("Parquet: a column of nulls alone, of another type", _one("price", pa.float64(), [None, None])),
    _accepted("Parquet: a column of nulls alone, of no type", _one("tags", pa.null(), [None, None])),
    _accepted(
        "Parquet: TIMESTAMP in nanoseconds, of whole microseconds",
        _one("moment", pa.timestamp("ns", "UTC"), [NANOSECONDS]),
    ),
    _failed(
        "Parquet: TIMESTAMP finer than a microsecond", _one("moment", pa.timestamp("ns", "UTC"), [NANOSECONDS + 1])
    ),
    _accepted("Parquet: INT96", _one("moment", pa.timestamp("ns"), [NANOSECONDS], **INT96)),
    _failed(
        "Parquet: INT96 finer than a microsecond",
        _one("moment", pa.timestamp("ns"), [NANOSECONDS + 1], **INT96),
        "wrong-type",
    ),
    _refused(
        "Parquet: INT96 where an offset is agreed, not from Spark",
        _one("at", pa.timestamp("ns"), [NANOSECONDS], **INT96),
    ),
    _accepted("Parquet: TIME", _one("opens", pa.time64("us"), [time(8, 30)])),
    _refused("Parquet: TIME within a list", _one("hours", pa.list_(pa.time64("us")), [[time(8, 30)]])),
    _accepted("Parquet: UINT64", _one("id", pa.uint64(), [2**63 - 1])),
    _failed("Parquet: UINT64 beyond the largest integer", _one("id", pa.uint64(), [2**63])),
    _refused("Parquet: DOUBLE where an integer is agreed", _one("id", pa.float64(), [1.0])),
    _refused("Parquet: bytes where a text is agreed", _one("note", pa.binary(), [b"a"])),
    _refused("Parquet: UUID where a text is agreed", _one("note", pa.uuid(), [b"0" * 16])),
    _failed(
        "Parquet: a map with a key twice", _one("words", pa.map_(pa.string(), pa.string()), [[("a", "1"), ("a", "2")]])
    ),
    _refused("Parquet: a map with keys of bytes", _one("words", pa.map_(pa.binary(), pa.string()), [[(b"a", "1")]])),
    _refused("Parquet: BYTE_STREAM_SPLIT", _one("ratio", pa.float32(), [1.0], **SPLIT), "unknown-encoding"),
    _refused("Parquet: Brotli", _one("id", pa.int64(), [1], compression="brotli"), "unknown-codec"),
    _failed("Parquet: a page that does not match its checksum", _changed(), "broken-parquet"),
    _failed("Parquet: levels that contradict each other", _contradicting(), "broken-parquet"),
    _refused("Parquet: a footer that claims a trillion records", _boastful(10**12), "file-too-large-for-job"),
    _refused("Parquet without its first bytes", THINGS[40:], "broken-parquet"),
    _refused("CSV where Parquet is agreed", GOOD, "not-parquet"),
    _refused("JSON Lines where Parquet is agreed", b'{"id": 1}\n', "not-parquet"),
    *(
        _refused(f"{name} where Parquet is agreed", FOREIGN[name], "wrong-format")
        for name in ("a zip archive", "a workbook (xlsx)", "a pointer of Git LFS", "an error message of S3")
    ),
)
