"""The cost model by examples worked out by hand, its table of calls, and the command that shows it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

from functions.aws.emr_serverless import LARGEST, workers_for
from infra.bundles import ROOT
from infra.calls import CALLS, CREATED, DUE, MOST_FURTHER, MOST_LONE, of_batch
from infra.cli.main import main
from infra.cost import (
    ASSUMED,
    GIB,
    MIB,
    MONTH_DAYS,
    TIB,
    Load,
    batch_drops,
    bill,
    job_seconds,
    memory_gb,
    prices,
    size_of,
    usage,
    vcpu,
)

LONE = Load(drops=1, size=MIB, contracts=1)


def test_calls_stay_within_their_bounds() -> None:
    assert of_batch(1).total() == sum(c.lone for c in CALLS) <= MOST_LONE
    for drops in (2, 25, 26, 250):
        assert of_batch(drops).total() - of_batch(1).total() <= MOST_FURTHER * (drops - 1)


def test_large_batches_ask_group_by_group() -> None:
    calls = of_batch(250)

    assert calls[CREATED, "s3:CopyObject"] == 250
    assert calls[DUE, "dynamodb:BatchGetItem"] == 3
    assert calls[DUE, "dynamodb:TransactWriteItems"] == 1 + 10 + 1


def test_batch_holds_what_gathers_in_a_window() -> None:
    assert batch_drops(Load(86_400, 1, 1, window=60)) == 61
    assert batch_drops(Load(86_400, 1, 2, window=60)) == 31
    assert batch_drops(Load(86_400_000, 1, 1, window=60)) == 250
    assert batch_drops(Load(86_400, GIB // 10, 1, window=60)) == 10
    assert batch_drops(Load(100, 1, 4, window=0, burst=True)) == 25
    assert batch_drops(LONE) == 1


def test_small_job_costs_a_minute_of_its_workers() -> None:
    small = workers_for(MIB)
    month = usage(LONE)

    assert (vcpu(small), memory_gb(small)) == (4, 14)
    assert job_seconds(MIB, 1) < ASSUMED.job_minimum
    assert month["emr_vcpu_hour"] == pytest.approx(MONTH_DAYS * 4 / 60)
    assert month["emr_gb_hour"] == pytest.approx(MONTH_DAYS * 14 / 60)


def test_large_job_costs_the_time_of_its_bytes() -> None:
    slow = replace(ASSUMED, job_start=10, job_fixed=0, job_bytes=1 * MIB)
    month = usage(Load(1, 12 * GIB), slow)

    assert (vcpu(LARGEST), memory_gb(LARGEST)) == (16, 64)
    assert month["emr_vcpu_hour"] == pytest.approx(MONTH_DAYS * (10 + 1024) * 16 / 3600)


def test_storage_is_the_work_zone_for_its_days() -> None:
    month = usage(Load(1000, 10**9), replace(ASSUMED, work_days=30, kept_bytes=0))

    assert month["s3_gb_month"] == pytest.approx(1000 * 30)


def test_dollars_are_quantity_times_price() -> None:
    found = bill(Load(1000, MIB))
    events = next(line for line in found.lines if line.name == "custom_event")

    assert events.dollars == pytest.approx(1000 * MONTH_DAYS * 5 / 1_000_000)
    assert found.per_thousand * MONTH_DAYS == pytest.approx(found.dollars)
    assert found.per_tib == pytest.approx(found.per_thousand / 1000 * (TIB / MIB))
    assert sum(found.shares().values()) == pytest.approx(1)


def test_requests_are_those_of_the_table() -> None:
    month = usage(LONE, replace(ASSUMED, spark_writes=(0, 0), spark_reads=(0, 0)))
    asked = of_batch(1)
    writes = sum(n for (_, o), n in asked.items() if o in ("s3:PutObject", "s3:CopyObject"))

    assert month["s3_write"] == pytest.approx(writes * MONTH_DAYS)
    assert month["s3_read"] == pytest.approx(asked.total() * 0 + 3 * MONTH_DAYS)


def test_page_itemises_the_table() -> None:
    page = (ROOT / "docs" / "cost.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if re.match(r"\| (ObjectCreated|BatchDue|JobStateChanged) ", line)]

    assert len(rows) == len(CALLS)
    for row, one in zip(rows, CALLS, strict=True):
        cells = [cell.strip() for cell in row.strip("| ").split("|")]
        assert cells[:2] == [one.function.removesuffix("Function"), f"`{one.operation}`"]
        assert [int(cell or 0) for cell in cells[2:4]] == [one.lone, one.further]


def test_every_price_has_source_and_unit() -> None:
    assert set(usage(LONE)) == set(prices())
    for price in prices().values():
        assert price["source"].startswith("https://aws.amazon.com/")
        assert {"service", "usd", "per", "unit", "said_by"} <= set(price)


def test_longer_window_and_smaller_files_cost_less() -> None:
    load = Load(100_000, MIB, 10)

    assert bill(replace(load, window=900)).per_thousand < bill(load).per_thousand
    assert bill(replace(load, size=1000)).per_thousand < bill(load).per_thousand
    assert bill(replace(load, size=1000)).per_tib > bill(load).per_tib


@pytest.mark.parametrize(
    ("text", "size"), [("100KB", 100_000), ("200MiB", 200 * MIB), ("1.5gib", 3 * GIB // 2), ("7", 7)]
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize("wrong", ["", "MiB", "-1KB", "3 parsecs", "0"])
def test_wrong_size_is_a_usage_error(wrong: str) -> None:
    done = CliRunner().invoke(main, ["cost", "--drops", "1", "--size", wrong])

    assert done.exit_code == 2
    assert "size" in done.output or "byte" in done.output


def test_command_says_dollars_and_shares() -> None:
    words = ["cost", "--drops", "10000", "--size", "100KB", "--contracts", "5"]
    text = CliRunner().invoke(main, words)
    machine = CliRunner().invoke(main, [*words, "--format", "json"])
    document = json.loads(machine.stdout)

    assert (text.exit_code, machine.exit_code) == (0, 0)
    assert f"${document['dollars_per_thousand_drops']:,.4f} per 1,000 drops" in text.output
    assert "EMR Serverless" in text.output
    assert document["dollars_per_month"] == pytest.approx(bill(Load(10_000, 100_000, 5)).dollars)
    assert [row["what"] for row in document["sensitivity"]][:2] == ["window 0 s", "window 60 s"]
