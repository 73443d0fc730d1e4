"""Thresholds of figures: limits as a contract writes them in, the numbers that the job compares with out."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import pytest

from contracts.authoring.quality import watermarks
from tests.unit.contracts.authoring.documents import DROP, a_document, a_plan

FORMS = {
    "no zone": ("", "2026-07-01T00:00:00", "2026-07-01T00:00:00+00:00"),
    "an offset": ("timezone: true", "2026-07-01T00:00:00+09:00", "2026-07-01T00:00:00+09:00"),
    "summer time": ("defaultTimezone: Europe/Berlin", "2026-07-01T00:00:00", "2026-07-01T00:00:00+02:00"),
    "winter time": ("defaultTimezone: Europe/Berlin", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00"),
    "an offset in a zone": ("defaultTimezone: Europe/Berlin", "2026-07-01T00:00:00Z", "2026-07-01T00:00:00+00:00"),
    "a format in a zone": (
        "{defaultTimezone: Asia/Tokyo, format: 'dd.MM.yyyy HH:mm:ss'}",
        "01.07.2026 00:00:00",
        "2026-07-01T00:00:00+09:00",
    ),
    "a format with an offset": (
        "format: 'yyyy-MM-dd HH:mm:ssXXX'",
        "2026-07-01 00:00:00-05:00",
        "2026-07-01T00:00:00-05:00",
    ),
}
FIGURES = ("metric: min", "metric: max", "metric: quantile, quantile: 0.5")


@pytest.mark.parametrize("name", FORMS)
def test_limit_of_a_timestamp_is_its_moment(name: str) -> None:
    options, text, moment = FORMS[name]
    body = options if options.startswith("{") else f"{{{options}}}"
    entries = "".join(
        f"    - {{id: c{n}, type: custom, engine: dropgate, implementation: {{{figure}, mustBeLessThan: '{text}'}}}}\n"
        for n, figure in enumerate(FIGURES)
    )
    prop = f"- name: at\n  logicalType: timestamp\n  required: true\n  logicalTypeOptions: {body}\n  quality:\n"
    plan = a_plan(a_document(prop + entries, drop=DROP + "checks: {at.required: {watermark: at}}\n"))

    micros = int(datetime.fromisoformat(moment).timestamp()) * 10**6
    limits = [c.threshold.values for c in plan.checks if c.id in ("c0", "c1", "c2") and c.threshold]
    assert limits == [(Decimal(micros),)] * 3
    assert watermarks.mark(plan, f"at={text}").value == micros
