"""Figures of moments for people: they read as the cells of their property do."""

from __future__ import annotations

from decimal import Decimal

import pytest

from contracts.authoring.properties.values import order_of
from contracts.plan import Property
from spark_jobs.counting import aggregates

ZONES = (None, "Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Pacific/Apia")
CELLS = {
    "yyyy-MM-dd HH:mm:ss": ("2026-07-01 00:30:00", "2026-01-01 00:30:00", "0401-01-01 12:00:00", "9998-12-31 23:59:59"),
    "dd.MM.yyyy'T'HH:mm:ss.SSS": ("01.07.2026T00:30:00.250", "29.02.2024T23:59:59.999", "31.12.1969T23:59:59.000"),
    "yyyyMMddHHmm": ("202603290130", "202610250130"),
}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("pattern", CELLS)
def test_figure_of_a_local_time_is_the_text_of_its_cell(pattern: str, zone: str | None) -> None:
    prop = Property("at", "timestamp", format=pattern, zone=zone)
    shown = [aggregates.text_of(Decimal(order_of(cell, prop)), prop, whole=True) for cell in CELLS[pattern]]
    assert shown == list(CELLS[pattern])


@pytest.mark.parametrize("pattern", [None, "yyyy-MM-dd HH:mm:ssX", "yyyy-MM-dd'T'HH:mm:ssXXX"])
def test_figure_with_an_offset_is_in_utc(pattern: str | None) -> None:
    prop = Property("at", "timestamp", format=pattern, zone="Europe/Berlin")
    text = aggregates.text_of(Decimal(1_782_858_600_000_000), prop, whole=True)
    assert text.replace("T", " ") == "2026-06-30 22:30:00Z"


def test_figure_beyond_the_years_of_a_zone_is_in_utc() -> None:
    prop = Property("at", "timestamp", format="yyyy-MM-dd HH:mm:ss", zone="Europe/Berlin")
    shown = aggregates.text_of(Decimal(253_402_300_799_000_000), prop, whole=True)
    assert shown == "9999-12-31T23:59:59Z"
