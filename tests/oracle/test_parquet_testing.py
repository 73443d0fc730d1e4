"""The manifest of apache/parquet-testing: no file is read otherwise than Arrow reads it, each refusal is a whole one.

The files themselves are not ours (`parquet_testing.py` holds a checkout against the manifest, by hand). Here a file of
our own stands for each kind of refusal in it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from contracts.plan import Plan, Property
from functions.admission.heads.parquet import parquet_footer
from tests.integration.spark_jobs.formats.test_parquet_forms import DEFINITIONS, LISTS, REPETITIONS, a_file, relevelled
from tests.integration.spark_jobs.world import a_plan, a_property, judge
from tests.oracle import parquet_testing
from tests.oracle.parquet_testing import FOLDERS, as_text, refusals

MANIFEST = parquet_testing.manifest()
JUDGED_BAD = {"bad_data/ARROW-GH-43605.parquet"}
"""Bad data that is none: its dictionary has one word, which no bits are needed to name; Arrow reads it, too."""
NOT_COMPARED = {
    "data/incorrect_map_schema.parquet": "ArrowInvalid",  # its keys are optional; Spark reads them, none is null
    "data/int96_from_spark.parquet": "OverflowError",  # a year that Python has not
    "data/nested_structs.rust.parquet": "OverflowError",
}
"""Files that are read and that Arrow or Python does not read, by the error."""
REFUSAL = re.compile(r"(?P<code>[a-z-]+): (?P<message>[A-Z].*[.]) (?P<fix>[A-Z].*[.])")


def kind(refusal: str) -> str:
    """A refusal without the names of columns and of their types."""
    without = re.sub(r"the columns? `[^`]*`(, `[^`]*`)*( and \d+ more)?", "…", refusal)
    without = re.sub(
        r"is (of the type .*?|nested); (the contract requires|no column of) .*", "is of another type", without
    )
    return re.sub(r"`[^`]*`", "`…`", without)


def test_manifest_has_every_file_once() -> None:
    assert len(MANIFEST) > 200
    assert {name.partition("/")[0] for name in MANIFEST} == set(FOLDERS)
    assert all(re.fullmatch("[0-9a-f]{16}", entry.sha256) and entry.size > 0 for entry in MANIFEST.values())


def test_no_file_fails_or_is_read_otherwise_than_arrow_reads_it() -> None:
    for name, entry in MANIFEST.items():
        assert isinstance(entry.outcome, int) or REFUSAL.fullmatch(entry.outcome), name
        if isinstance(entry.outcome, int):
            assert entry.arrow == NOT_COMPARED.get(name, entry.outcome), name


def test_bad_data_is_refused() -> None:
    read = {name for name, entry in MANIFEST.items() if name.startswith("bad_data/") and isinstance(entry.outcome, int)}
    assert read == JUDGED_BAD


def test_every_refusal_names_what_it_is_of_and_what_to_write() -> None:
    for name, entry in MANIFEST.items():
        for refusal in entry.left:
            assert REFUSAL.fullmatch(refusal), name
            assert re.search(r"`.+` .*(is|are) (of the type|nested)", refusal), name
            assert " Write " in refusal, name


def test_manifest_is_written_as_it_is_read() -> None:
    assert parquet_testing.written(MANIFEST) == parquet_testing.MANIFEST.read_text()


def _kinds() -> set[str]:
    every = (refusal for entry in MANIFEST.values() for refusal in (entry.outcome, *entry.left))
    return {kind(refusal) for refusal in every if isinstance(refusal, str)}


def _as_older_lz4(body: bytes) -> bytes:
    """A file of LZ4_RAW that says it is compressed by the older LZ4 (field 4 of the chunk, a zigzag number)."""
    at = body.rindex(b"\x15\x0e", 0, len(body) - 8)
    return body[: at + 1] + b"\x0a" + body[at + 2 :]


def _of_no_type(body: bytes) -> bytes:
    """A file whose only column is of a physical type that there is none of, where its schema says DOUBLE."""
    at = body.index(b"\x15\x0a", len(body) - parquet_footer.TAIL - parquet_footer.length(body[-parquet_footer.TAIL :]))
    return body[: at + 1] + b"\x7e" + body[at + 2 :]


def _short(body: bytes) -> bytes:
    """A file of two rows whose only column has one value by its chunk (field 5 behind the codec, a zigzag number)."""
    at = body.rindex(b"\x15\x00\x16\x04", 0, len(body) - 8)
    return body[: at + 3] + b"\x02" + body[at + 4 :]


def _changed(body: bytes) -> bytes:
    """A file with another byte in the values of its only page."""
    _, long = parquet_footer.struct(body[4:], 1000)
    at = 4 + long + 12
    return body[:at] + bytes([body[at] ^ 0x55]) + body[at + 1 :]


PLAIN: dict[str, Any] = {"use_dictionary": False, "compression": "none"}
OF_DOUBLES = a_file({"v": (pa.float64(), [1.0, 2.0])}, **PLAIN)
NUMBER, TEXT, LIST = a_property("v", "number"), a_property("v"), a_property("v", "array")
DOOR: dict[str, tuple[bytes, Property]] = {
    "encrypted": (OF_DOUBLES[:-4] + b"PARE", NUMBER),
    "split": (
        a_file({"v": (pa.float64(), [1.0])}, use_dictionary=False, column_encoding={"v": "BYTE_STREAM_SPLIT"}),
        NUMBER,
    ),
    "brotli": (a_file({"v": (pa.float64(), [1.0])}, compression="brotli"), NUMBER),
    "older LZ4": (
        _as_older_lz4(a_file({"v": (pa.string(), ["a" * 900])}, use_dictionary=False, compression="lz4")),
        TEXT,
    ),
    "more bytes": (OF_DOUBLES[:4] + OF_DOUBLES[40:], NUMBER),
    "damaged": (_of_no_type(OF_DOUBLES), NUMBER),
    "uneven": (_short(OF_DOUBLES), NUMBER),
    "another type": (a_file({"v": (pa.binary(), [b"a"])}), TEXT),
}
"""A file of ours for each kind of refusal at the door."""
JOB: dict[str, tuple[bytes, Property]] = {
    "levels": (relevelled(a_file(LISTS, **PLAIN), [1, *REPETITIONS[1:]], DEFINITIONS), LIST),
    "checksum": (_changed(a_file({"v": (pa.float64(), [1.0, 2.0])}, **PLAIN, write_page_checksum=True)), NUMBER),
    "undecodable": (
        _changed(a_file({"v": (pa.string(), ["a" * 900])}, use_dictionary=False, compression="gzip")),
        TEXT,
    ),
}
"""The same for refusals by the job."""


def test_each_kind_of_refusal_has_a_file_of_ours(spark: SparkSession, tmp_path: Path) -> None:
    ours = {kind(as_text(p)) for body, prop in DOOR.values() for p in refusals(_plan(prop), body)[:1]}
    for name, (body, prop) in JOB.items():
        (tmp_path / name).mkdir()
        refusal = judge(spark, tmp_path / name, _plan(prop), {"a.csv": body}).drop().refusal
        assert refusal, name
        ours.add(kind(as_text(refusal)))
    assert _kinds() <= ours


def _plan(prop: Property) -> Plan:
    return a_plan([prop], file_format="parquet")
