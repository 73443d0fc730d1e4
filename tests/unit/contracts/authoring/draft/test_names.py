"""Names of sample files: their key pattern and id."""

from __future__ import annotations

import pytest

from contracts.authoring.draft import names
from contracts.terms.key_pattern import captures


@pytest.mark.parametrize(
    ("given", "pattern", "expected_id"),
    [
        (["orders.csv"], "p/orders.csv", "orders"),
        (["orders-2026-01-31.csv"], "p/orders-{date:%Y-%m-%d}.csv", "orders"),
        (["orders_20260131.csv.gz"], "p/orders_{date:%Y%m%d}.csv.gz", "orders"),
        (["2013.csv"], "p/{date:%Y}.csv", "contract"),
        (["Sales 2026-01.jsonl"], "p/Sales {date:%Y-%m}.jsonl", "sales"),
        (["31-01-2026 shop.csv"], "p/{date:%d-%m-%Y} shop.csv", "shop"),
        (["a_20260131_235959.csv"], "p/a_{date:%Y%m%d_%H%M%S}.csv", "a"),
        (["2026-01-01_2026-01-31.csv"], "p/{date:%Y-%m-%d}_{date2:%Y-%m-%d}.csv", "contract"),
        (["run-20269999.csv"], "p/run-20269999.csv", "run-20269999"),
        (["a1.csv", "a2.csv"], "p/a*.csv", "a1"),
        (["SP-2026-01-01.csv", "RJ-2026-01-02.csv"], "p/*-{date:%Y-%m-%d}.csv", "sp"),
        (["a-b-c.csv", "a-c.csv"], "p/a-*c.csv", "a-b-c"),
        (["x.csv", "yy-z.csv"], "p/*.csv", "x"),
        (["a*{b}.csv"], "p/a??b?.csv", "a-b"),
    ],
)
def test_names_make_a_pattern_and_an_id(given: list[str], pattern: str, expected_id: str) -> None:
    assert names.pattern(given, "p") == pattern
    assert names.id_of(given[0]) == expected_id
    assert all(captures(pattern, f"p/{name}") is not None for name in given)
