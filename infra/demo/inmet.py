"""A seeded weather CSV in the shape of INMET's hourly files (27 columns): a size and a fault rate in, a file out.

157 stations of 8,760 hours are 1,375,320 rows and about 201 MiB. Cells come from pools of a few thousand values, so
that the file is written in seconds without numpy; the index is unique, measurements are missing in 3 percent of the
rows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

POOL = 8191
MEASURES: tuple[tuple[str, float, float, int], ...] = (
    ("pcpn_mm", 0, 30, 1),
    ("station_pressure_mb", 850, 1020, 1),
    ("pressure_max_mb", 850, 1020, 1),
    ("pressure_min_mb", 850, 1020, 1),
    ("radiation_kj_m2", 0, 4000, 1),
    ("temp_c", 5, 40, 1),
    ("dewpoint_c", 0, 28, 1),
    ("temp_max_c", 5, 41, 1),
    ("temp_min_c", 4, 39, 1),
    ("dewpoint_max_c", 0, 29, 1),
    ("dewpoint_min_c", 0, 27, 1),
    ("humidity_max_perc", 20, 100, 0),
    ("humidity_min_perc", 10, 99, 0),
    ("humidity_perc", 10, 100, 0),
    ("wind_direct_grad", 0, 360, 0),
    ("gust_max_m_s", 0, 25, 1),
    ("wind_speed_m_s", 0, 15, 1),
)
HEADER = (
    "index",
    "date",
    "hour",
    *(name for name, *_ in MEASURES),
    "region",
    "state",
    "station",
    "station_code",
    "lat",
    "lon",
    "elev",
)
STATES = ("SP", "RJ", "MG", "ES")
START = datetime(2019, 1, 1, tzinfo=UTC)


def write(path: Path, stations: int, hours: int, bad: float = 0.0, seed: int = 7) -> int:
    """Write the file, with a share `bad` of rows of 400 degrees of wind and 150 percent humidity; count them."""
    with path.open("w", encoding="utf-8", newline="") as out:
        wrong = 0
        for line, is_wrong in lines(stations, hours, bad, seed):
            out.write(line)
            wrong += is_wrong
    return wrong


def lines(stations: int, hours: int, bad: float = 0.0, seed: int = 7) -> Iterator[tuple[str, bool]]:
    """Yield the lines of such a file, header first, each with a flag for bad rows."""
    chance, place = random.Random(seed), random.Random(stations)
    pools = [
        ["" if chance.random() < 0.03 else f"{round(chance.uniform(low, high), digits):g}" for _ in range(POOL)]
        for _, low, high, digits in MEASURES
    ]
    yield ",".join(HEADER) + "\n", False
    for n in range(stations):
        where = f"{place.uniform(-25, -14):.6f},{place.uniform(-53, -39):.6f},{place.uniform(0, 1600):.2f}"
        station = f"SE,{STATES[n % 4]},STATION NAME {n},A{600 + n},{where}"
        for hour in range(hours):
            moment = START + timedelta(hours=hour)
            cells = [pool[chance.getrandbits(13) % POOL] for pool in pools]
            if moment.hour < 6 or moment.hour > 18:
                cells[4] = ""
            wrong = bool(bad) and chance.random() < bad
            if wrong:
                cells[13], cells[14] = "150", "400"
            yield f"{n * hours + hour},{moment:%Y-%m-%d,%H:%M},{','.join(cells)},{station}\n", wrong
