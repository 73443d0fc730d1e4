"""The cost model by examples worked out by hand, its table of calls, and the command that shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from click.testing import CliRunner

from bench.cost_page import PAGE, calls_table, dollars_table, lane_calls_table, lane_table, replaced, table
from functions.aws.delta import CHECKPOINT
from functions.aws.emr_serverless import LARGEST, workers_for
from functions.costs.calls import CALLS, COMMITS, CREATED, DUE, ENDED, MOST_FURTHER, MOST_LONE, of_batch
from functions.costs.cost import (
    ASSUMED,
    FUNCTIONS,
    GIB,
    MIB,
    MONTH_DAYS,
    TIB,
    Load,
    batch_drops,
    bill,
    idle,
    job_seconds,
    lane_bill,
    memory_gb,
    prices,
    size_of,
    usage,
    vcpu,
)
from functions.handlers import notices_due
from functions.handlers.counting import METRICS, MISSING, RECEIVED
from functions.ports import MOST_DROPS
from infra.cli.main import main
from infra.local.template.template import expand, of_type, parameters_of
from infra.packaging.bundles import ROOT

MINUTES = MONTH_DAYS * 24 * 60
"""Looks at landing in a month."""
LONE = Load(drops=1, size=MIB, contracts=1)


def test_calls_stay_within_their_bounds() -> None:
    always = [c for c in CALLS if "object" in c.promote and not c.rejected]
    assert of_batch(1).total() == sum(c.lone for c in always) <= MOST_LONE
    for drops in (2, 25, 26, 250):
        assert of_batch(drops).total() - of_batch(1).total() <= MOST_FURTHER * (drops - 1)


def test_large_batches_ask_group_by_group() -> None:
    calls = of_batch(250)

    assert calls[CREATED, "s3:CopyObject"] == 250
    assert calls[ENDED, "dynamodb:BatchGetItem"] == 3
    assert calls[DUE, "dynamodb:TransactWriteItems"] == 1 + 10 + 1


def test_tables_ask_for_each_commit() -> None:
    bare = replace(ASSUMED, spark_writes=(0, 0), spark_reads=(0, 0), spark_tables=(0, 0, 0, 0))
    plain, table = usage(LONE, bare), usage(replace(LONE, promote="table"), bare)
    commits = {operation: n / CHECKPOINT for (_, operation), n in COMMITS.items()}
    more = {name: table[name] - plain[name] for name in ("s3_write", "s3_read")}

    assert more["s3_write"] == pytest.approx(MONTH_DAYS * (commits["s3:ListObjectsV2"] + commits["s3:PutObject"]))
    reads = (
        2 + commits["s3:GetObject"] + commits["s3:HeadObject"]
    )  # the list of the drop's files is looked for and read
    assert more["s3_read"] == pytest.approx(MONTH_DAYS * reads)


def test_rejected_rows_cost_by_their_share() -> None:
    bare = replace(ASSUMED, spark_rejected=(0, 0, 0, 0), spark_rows=(0, 0, 0, 0))
    load = Load(1000, MIB, promote="rows")
    none, half = usage(load, bare), usage(replace(load, rejected=0.5), bare)

    assert half["s3_write"] - none["s3_write"] == pytest.approx(500 * MONTH_DAYS)
    assert half["s3_read"] - none["s3_read"] == pytest.approx(500 * MONTH_DAYS)
    assert usage(replace(load, promote="object"), bare) == none


def test_batch_holds_what_gathers_in_a_window() -> None:
    assert batch_drops(Load(86_400, 1, 1, window=60)) == 61
    assert batch_drops(Load(86_400, 1, 2, window=60)) == 31
    assert batch_drops(Load(86_400_000, 1, 1, window=60)) == MOST_DROPS
    assert batch_drops(Load(86_400_000, 1, 1, window=60, most=1000)) == 1000
    assert batch_drops(Load(86_400, GIB // 10, 1, window=60)) == 10
    assert batch_drops(Load(100, 1, 4, window=0, burst=True)) == 25
    assert batch_drops(LONE) == 1


def test_mail_costs_itself_and_what_notes_it() -> None:
    none, half = usage(Load(1000, MIB)), usage(Load(1000, MIB, mailed=0.5))
    units = dict(zip(("dynamodb_write", "dynamodb_read"), ASSUMED.notice_units, strict=True))

    assert none["mail"] == 0
    assert half["mail"] == pytest.approx(500 * MONTH_DAYS)
    for name, each in units.items():
        assert half[name] - none[name] == pytest.approx(500 * MONTH_DAYS * each)
    assert half["metric_month"] - none["metric_month"] == 4


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
    bare = replace(ASSUMED, work_days=30, recovery_days=0, kept_bytes=0, former_bytes=(0, 0, 0), access_bytes=0)
    month = usage(Load(1000, 10**9), bare)

    assert month["s3_gb_month"] == pytest.approx(1000 * 30)


def test_versions_are_kept_as_long_as_the_template_says() -> None:
    parameters = parameters_of(ROOT / "template.yaml")
    days = {name: parameters[name]["Default"] for name in ("WorkDays", "RecoveryDays", "AccessLogDays")}
    bare = replace(ASSUMED, work_days=0, recovery_days=7, kept_bytes=0, former_bytes=(0, 0, 0), access_bytes=0)
    former = replace(bare, recovery_days=0, former_bytes=(10**9, 0, 0), former_days=2)

    assert list(days.values()) == [ASSUMED.work_days, ASSUMED.recovery_days, ASSUMED.access_days]
    assert usage(Load(1000, 10**9), bare)["s3_gb_month"] == pytest.approx(1000 * 7)
    assert usage(Load(1, 1), former)["s3_gb_month"] == pytest.approx(2)


def test_dollars_are_quantity_times_price() -> None:
    cost = bill(Load(1000, MIB))
    events = next(line for line in cost.lines if line.name == "custom_event")

    assert events.dollars == pytest.approx(1000 * MONTH_DAYS * 5 / 1_000_000)
    assert cost.per_thousand * MONTH_DAYS == pytest.approx(cost.dollars)
    assert cost.per_tib == pytest.approx(cost.per_thousand / 1000 * (TIB / MIB))
    assert sum(cost.shares().values()) == pytest.approx(1)


def test_requests_are_those_of_the_table() -> None:
    month = usage(LONE, replace(ASSUMED, spark_writes=(0, 0), spark_reads=(0, 0)))
    asked = of_batch(1)
    writes = sum(n for (_, o), n in asked.items() if o in ("s3:PutObject", "s3:CopyObject"))

    assert month["s3_write"] == pytest.approx(writes * MONTH_DAYS + MINUTES)
    assert month["s3_read"] == pytest.approx((3 + ASSUMED.heard) * MONTH_DAYS + MINUTES)


@pytest.mark.parametrize("computed", [calls_table, lane_calls_table, lane_table, dollars_table])
def test_page_has_the_table_as_it_is_computed(computed: Callable[[], str]) -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert replaced(page, computed()) == page, "write it anew: python -m bench.cost_page"


def test_only_the_table_is_replaced() -> None:
    old = table(["a", "b"], [["1", "2"], ["3", "4"]])

    assert replaced(f"before\n\n{old}\n\nafter\n", table(["a", "b"], [["5", "6"]])) == (
        "before\n\n| a | b |\n|---|---|\n| 5 | 6 |\n\nafter\n"
    )
    with pytest.raises(ValueError, match="no table that begins with"):
        replaced("# Nothing\n", old)


def test_idle_stack_costs_what_the_template_has() -> None:
    text = {p.name: p.read_text(encoding="utf-8") for p in (ROOT / "infra" / "aws").glob("*.yaml")}
    month = {line.name: line.quantity for line in idle().lines}
    handlers = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "functions" / "handlers").glob("*.py"))
    named = {*METRICS.values(), *notices_due.METRICS.values(), RECEIVED, MISSING}
    named |= {*re.findall(r'\bcount\("(\w+)"', handlers)}

    assert month["alarm_month"] == text["operations.yaml"].count("Type: AWS::CloudWatch::Alarm")
    assert month["dashboard_month"] == text["operations.yaml"].count("Type: AWS::CloudWatch::Dashboard")
    assert month["key_month"] == text["storage.yaml"].count("Type: AWS::KMS::Key")
    assert sum(ASSUMED.metrics) == len(named)
    assert [month[name] for name in ("s3_write", "emr_vcpu_hour", "key_request")] == [MINUTES, 0, 0]


def test_functions_have_the_memory_that_the_model_takes_for_granted() -> None:
    functions = of_type(expand(ROOT / "template.yaml", "us-east-1"), "AWS::Lambda::Function")
    names = (*FUNCTIONS, "ScheduleFunction", "HistoryWrittenFunction", "NoticeEventFunction", "NoticesDueFunction")

    assert [functions[name]["Properties"]["MemorySize"] for name in names] == list(ASSUMED.memory_mb)


def test_small_good_files_cost_less_in_the_fast_lane() -> None:
    fast, slow = lane_bill(LONE), bill(LONE)

    assert fast.services()["EMR Serverless"] == 0
    assert {name for name, part in slow.services().items() if part < fast.services()[name]} == {"Lambda"}
    assert fast.dollars < slow.dollars


def test_buckets_have_bucket_keys_as_the_model_takes_for_granted() -> None:
    storage = (ROOT / "infra" / "aws" / "storage.yaml").read_text(encoding="utf-8")

    assert storage.count("BucketKeyEnabled: true") == storage.count("SSEAlgorithm: aws:kms") == 3


def test_each_run_asks_for_the_key_besides_its_share() -> None:
    runs = usage(LONE, replace(ASSUMED, key_share=0, key_run=2))
    month = usage(LONE, replace(ASSUMED, key_share=0.5, key_run=0))

    assert runs["key_request"] == pytest.approx(2 * MONTH_DAYS)
    assert month["key_request"] == pytest.approx((month["s3_write"] + month["s3_read"] - 2 * MINUTES) / 2)


def test_every_price_has_source_and_unit() -> None:
    assert set(usage(LONE)) == set(prices())
    for price in prices().values():
        assert price["source"].startswith("https://aws.amazon.com/")
        assert {"service", "usd", "per", "unit"} <= set(price)
        assert price["quoted_by"]


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
    assert f"${document['dollars_per_month_without_drops']:,.2f} of a month are paid without any drop" in text.output


def test_command_says_what_window_and_batch_change() -> None:
    words = ["cost", "--drops", "1000000", "--size", "20KB", "--contracts", "5", "--window", "120", "--batch", "100"]
    document = json.loads(CliRunner().invoke(main, [*words, "--format", "json"]).stdout)
    rows = {row["what"]: row for row in document["sensitivity"]}

    assert [what for what in rows if what.startswith("window")] == [f"window {s} s" for s in (0, 60, 120, 300, 900)]
    assert {what for what, row in rows.items() if row["as_asked"]} == {
        "window 120 s", "at most 100 drops a batch", "files of 20,000 bytes", "evenly spread", "promote: object",
    }  # fmt: skip
    assert rows["at most 250 drops a batch"]["per_month"] == pytest.approx(
        bill(Load(1_000_000, 20_000, 5, 120, most=250)).dollars
    )
    assert rows["at most 10 drops a batch"]["per_batch"] == 10


def test_command_says_what_tables_change() -> None:
    words = ["cost", "--drops", "1000", "--size", "20KB", "--promote", "rows", "--rejected", "10", "--format", "json"]
    document = json.loads(CliRunner().invoke(main, words).stdout)
    rows = {row["what"]: row["per_month"] for row in document["sensitivity"] if row["what"].startswith("promote")}

    assert (document["load"]["promote"], document["load"]["rejected"]) == ("rows", 0.1)
    assert rows["promote: object"] < rows["promote: rows"] < rows["promote: table"]
    assert [row["what"] for row in document["sensitivity"] if row["as_asked"]][-1] == "promote: rows"


@pytest.mark.parametrize("drops", [1, 45])
def test_files_of_a_month_are_not_rounded_to_days(drops: int) -> None:
    def month(many: int) -> float:
        words = ["cost", "--drops", str(many), "--size", "5GiB", "--month"]
        assert f"{many} drops a month" in CliRunner().invoke(main, words).stdout
        document = json.loads(CliRunner().invoke(main, [*words, "--format", "json"]).stdout)
        return float(document["dollars_per_month"])

    assert month(3 * drops) - month(2 * drops) == pytest.approx(month(2 * drops) - month(drops), rel=0.01)
