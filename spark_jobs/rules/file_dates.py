"""Dates and times as files write them: a cell and its formats in, a column of the same moments in ISO 8601 out.

`contracts.values.date_formats` reads the same texts in plain Python. A text that no format reads gives null. An
impossible day, as the 31st of February, gives null or a text that is no day.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.values.date_formats import COUNTS, DATE_UNITS, Count, DateFormats, Piece, pieces, regex

LEAST, MOST = "0001-01-01", "9999-12-31T23:59:59.999999"
"""The first day and the last moment of all that are read."""
Texts = dict[str, Column]
"""The texts of the units of a pattern."""


def iso(cell: Column, dates: DateFormats, kind: str) -> Column:
    """Return the dates, timestamps or times of a column of texts in ISO 8601."""
    read = [
        _of_count(cell, COUNTS[pattern], kind)
        if pattern in COUNTS
        else _of_pattern(cell, pieces(pattern, dates.language), dates.century or 0, kind)
        for pattern in dates.formats
    ]
    if len(read) == 1:
        return read[0]
    aim = "date" if kind == "date" else "timestamp"  # of a time as well: it is one of today
    return sf.coalesce(*(sf.when(text.try_cast(aim).isNotNull(), text) for text in read))


def _of_pattern(cell: Column, parts: tuple[Piece, ...], century: int, kind: str) -> Column:
    expression = rf"^{regex(parts)}\z"
    units = [part for part in parts if part.unit]
    texts = {str(part.unit): sf.regexp_extract(cell, expression, n) for n, part in enumerate(units, start=1)}
    for part in (part for part in units if part.numbers):  # names of months and days, as two digits
        numbers = (sf.lit(text) for pair in part.numbers for text in (pair[0], f"{pair[1]:02}"))
        texts[str(part.unit)] = sf.try_element_at(sf.create_map(*numbers), texts[str(part.unit)])
    days = [_day(texts, century)] if any(part.unit in DATE_UNITS for part in units) else []
    clocks = _clock(texts) if kind != "date" else []
    both = [sf.lit("T")] if days and clocks else []
    return sf.when(cell.rlike(expression), sf.concat(*days, *both, *clocks))


def _day(texts: Texts, century: int) -> Column:
    if "year" in texts:
        year = texts["year"]
    else:
        whole = sf.pmod(texts["short year"].try_cast("int") - century, sf.lit(100)) + century
        year = sf.lpad(whole.cast("string"), 4, "0")
    if "day of year" in texts:
        number = texts["day of year"].try_cast("int")
        day = sf.date_add(sf.concat(year, sf.lit("-01-01")).try_cast("date"), number - 1)
        text = sf.when(sf.year(day) == year.try_cast("int"), day.cast("string"))
    else:
        text = sf.concat_ws("-", year, _two(texts["month"]), _two(texts["day"]))
    if "weekday" not in texts:
        return text
    return sf.when(sf.weekday(text.try_cast("date")) + 1 == texts["weekday"].try_cast("int"), text)


def _two(digits: Column) -> Column:
    return sf.lpad(digits, 2, "0")


def _clock(texts: Texts) -> list[Column]:
    """Return the parts of the time of day and its offset."""
    if "half hour" in texts:
        afternoon = sf.when(sf.upper(texts["half"]) == "PM", 12).otherwise(0)
        hour = sf.pmod(texts["half hour"].try_cast("int"), sf.lit(12)) + afternoon
        texts = texts | {"hour": hour.cast("string")}
    clock: Sequence[Column] = [_two(texts["hour"])]
    for unit in ("minute", "second"):
        clock = [*clock, sf.lit(":"), texts.get(unit, sf.lit("00"))]
    fraction = [sf.lit("."), texts["fraction"]] if "fraction" in texts else []
    if "offset" not in texts:
        return [*clock, *fraction]
    offset = texts["offset"]
    digits = sf.replace(offset, sf.lit(":"), sf.lit(""))
    minutes = sf.rpad(sf.substr(digits, sf.lit(4)), 2, "0")
    whole = sf.concat(sf.left(digits, sf.lit(3)), sf.lit(":"), minutes)
    return [*clock, *fraction, sf.when(offset == "Z", offset).otherwise(whole)]


def _of_count(cell: Column, count: Count, kind: str) -> Column:
    if not count.is_local:
        places = -int(count.unit.as_tuple().exponent)
        micros = (cell.try_cast("decimal(22,6)") * 10 ** (6 - places)).try_cast("bigint")
        moment = sf.timestamp_micros(micros)
        least, most = (sf.unix_micros(sf.lit(text).cast("timestamp")) for text in (LEAST, MOST))
        is_read = cell.rlike(rf"^(?:{count.regex})\z") & micros.between(least, most)
        return sf.when(is_read, sf.date_format(moment, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"))
    days = sf.substring_index(cell, ".", 1).try_cast("int")
    tests = [cell.rlike(rf"^(?:{count.regex})\z")]
    if count.skips:
        tests += [days != 0, days != count.skips]
        days = sf.when(days > count.skips, days - 1).otherwise(days)
    if kind == "date":
        tests.append(cell.rlike(r"^[0-9]+(?:\.0+)?\z"))
    day = sf.date_add(sf.lit(count.start.isoformat()).cast("date"), days)
    tests.append(day <= sf.lit(MOST[:10]).cast("date"))
    read = day.cast("string")
    if kind != "date":  # with the share of a day behind the point, to the nearest millisecond
        share = sf.concat(sf.lit("0"), sf.regexp_extract(cell, r"\..*", 0)).try_cast("decimal(17,16)")
        milliseconds = sf.round(share * 86_400_000, 0).cast("bigint")
        moment = sf.timestamp_millis(sf.unix_millis(day.cast("timestamp")) + milliseconds)
        is_read = moment <= sf.lit(MOST).cast("timestamp")  # the last day may be rounded up
        read = sf.when(is_read, sf.date_format(moment, "yyyy-MM-dd'T'HH:mm:ss.SSS"))
    return sf.when(reduce(Column.__and__, tests), read)
