"""Dates as files write them: Spark reads each text as the kernel does, and no other one."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from itertools import product

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.values.calendar_names import LANGUAGES
from contracts.values.date_formats import DateFormats, iso, written
from spark_jobs.rules import file_dates
from spark_jobs.validate import configured

FORMATS = {
    "date": [
        DateFormats(("d.M.yyyy",)),
        DateFormats(("dd/MM/yyyy",)),
        DateFormats(("yyyyMMdd", "d.M.yy"), 1950),
        DateFormats(("dd-MMM-yy",), 1999),
        DateFormats(("yyyy-DDD", "yyDDD"), 9900),
        DateFormats(("EEE, d MMMM yyyy",)),
        DateFormats(("excelDays", "yyyy-MM-dd")),
        DateFormats(("excelDays1904",)),
        DateFormats(("yyyy'年'M'月'd'日'",)),
        *(DateFormats(("EEEE d. MMMM yyyy", "EEE d. MMM yyyy"), language=language) for language in LANGUAGES),
    ],
    "timestamp": [
        DateFormats(("M/d/yyyy h:mm a", "M/d/yyyy H:mm:ss")),
        DateFormats(("d.M.yyyy HH:mm:ss.SSS", "yyyyMMdd'T'HHmmss.SSSSSSX")),
        DateFormats(("EEE MMM dd HH:mm:ss XXX yyyy",)),
        DateFormats(("epochSeconds",)),
        DateFormats(("epochMilliseconds",)),
        DateFormats(("excelDays",)),
        DateFormats(("excelDays1904", "d.M.yyyy H:mm")),
        DateFormats(("yyDDDHHmm",), 1950),
    ],
    "time": [DateFormats(("h:mm a", "HHmmss")), DateFormats(("H:mm:ss.S",))],
}
CASES = [(kind, formats) for kind, several in FORMATS.items() for formats in several]
ODD = [
    "", " ", "0", "1", "59", "59.99999999999", "60", "60.5", "61", "2958465", "2958465.99999999999", "2958466", "-1",
    "-0.5", "+5", "253402300799", "253402300800", "253402300799.999999", "-62135596800", "-62135596801", "00000000",
    "0000-00-00", "31.2.2024", "29.2.2023", "29.2.2024", "29.2.1900", "29.2.2000", "1.1.0000", "2024-366", "2023-366",
    "24366", "23366", "Thu, 3 July 2024", "wed, 3 july 2024", "03-jUL-24", "31-APR-24", "0:05 AM", "12:05 am",
    "12:05 Pm", "13:05 PM", "7/3/2024 24:00:00", "7/3/2024 23:59:60", "3.7.2024\n", "٣.7.2024", "3.7.2024\x00",
    "\ufffd.7.2024", "1e5", "253402300799999", "-62135596800001", "999999999999999",
]  # fmt: skip


def texts(kind: str, formats: DateFormats) -> list[str]:
    """Texts of moments, the same with one character changed, and odd ones."""
    chance = random.Random(f"{formats}")
    moments = [datetime(1900, 1, 1) + timedelta(seconds=chance.randrange(200 * 366 * 86_400)) for _ in range(60)]  # noqa: DTZ001 (of no zone)
    if kind == "date":
        moments = [datetime.combine(moment, datetime.min.time()) for moment in moments]
    right = [written(moment, pattern, formats) for moment, pattern in product(moments, formats.formats)]
    changed = []
    for text in right:
        at = chance.randrange(len(text) + 1)
        changed.append(text[:at] + chance.choice("0123456789.:-/ AZaé") + text[at + chance.randrange(2) :])
    return [*right, *changed, *(text.upper() for text in right), *ODD]


@pytest.mark.parametrize(("kind", "formats"), CASES, ids=lambda case: getattr(case, "formats", case))
def test_text_is_read_as_by_the_kernel(spark: SparkSession, kind: str, formats: DateFormats) -> None:
    cells = texts(kind, formats)
    session = configured(spark)
    rows = session.createDataFrame([(text, iso(text, formats, kind)) for text in cells], "cell string, expected string")
    aim = "date" if kind == "date" else "timestamp"
    read, expected = (
        column.try_cast(aim) for column in (file_dates.iso(sf.col("cell"), formats, kind), sf.col("expected"))
    )

    other = rows.where(~read.eqNullSafe(expected)).select("cell", "expected", read.cast("string")).collect()

    assert other == []
    assert sum(iso(text, formats, kind) is not None for text in cells) > 60


def test_cell_that_is_null_stays_null(spark: SparkSession) -> None:
    rows = configured(spark).createDataFrame([(None,)], "cell string")
    columns = [file_dates.iso(sf.col("cell"), formats, kind).alias(f"c{n}") for n, (kind, formats) in enumerate(CASES)]

    assert set(rows.select(*columns).first() or ()) == {None}
