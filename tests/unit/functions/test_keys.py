"""Names: unique, within the limits of the services, and never a producer's where Spark reads."""

from __future__ import annotations

import re
from typing import Any

import pytest

from functions import keys
from infra.packaging.bundles import ROOT
from tests.builders import ZONES, a_plan


def test_drop_id_is_the_same_for_every_repeat() -> None:
    one = keys.drop_id("landing", "a.csv", "v1")

    assert re.fullmatch(r"[a-z2-7]{32}", one)
    assert one == keys.drop_id("landing", "a.csv", "v1")


def test_drop_id_tells_where_its_parts_end() -> None:
    assert keys.drop_id("a", "bc", "d") != keys.drop_id("ab", "c", "d") != keys.drop_id("ab", "cd", "")


def test_producers_page_computes_the_same_id() -> None:
    page = ROOT.joinpath("docs", "how-to", "producers.md").read_text(encoding="utf-8")
    (code,) = [each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "def drop_of" in each]
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own page

    assert names["drop_of"]("landing", "é/a b.csv", "v1") == keys.drop_id("landing", "é/a b.csv", "v1")


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("_delta_log/00000000000000000000.json", True),
        (keys.data_file(keys.drop_id("landing", "a.csv", "v1"), 12, "0.parquet"), True),
        ("part-00000-a0e673be-70eb-4c58-9acc-882c20b6c6df-c000.snappy.parquet", True),
        ("orders/part-00000-a0e673be-70eb-4c58-9acc-882c20b6c6df-c000.snappy.parquet", False),
        ("part-1.parquet", False),
        ("data/1-0.parquet", False),
        ("data/2026/1-0.parquet", False),
        (f"{'a' * 32}/1-0.parquet", False),
        ("orders/1.csv", False),
    ],
)
def test_files_of_a_table_have_names_of_their_own(name: str, ours: bool) -> None:
    assert keys.is_of_table(name) == ours


@pytest.mark.parametrize(
    ("key", "table"),
    [("orders.v1/", True), ("orders.v1/orders/", False), ("orders.v1//", False), ("orders.v1/1.csv", False)],
)
def test_key_of_a_table_is_its_contracts_folder_alone(key: str, table: bool) -> None:
    assert keys.is_table(key) == table


def test_job_token_fits_start_job_run() -> None:
    token = keys.job_token(keys.batch_id("p" * 64, "2026-01-31T12:00:00.000000Z"), 3)

    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", token)


def test_stage_key_never_has_the_producers_name() -> None:
    assert (
        keys.stage_uri(ZONES, a_plan(), "d1", 2, "2026-01-31T12:00:59.999999Z")
        == "s3://internal/stage/orders.v1/20260131T1200/d1/2.csv"
    )


def test_promoted_key_keeps_the_name_below_landing() -> None:
    assert keys.promoted_key(a_plan(), "d1", "orders/_a {x}.csv") == "orders.v1/orders/_a {x}.csv"


def test_promoted_versions_lie_side_by_side() -> None:
    assert keys.promoted_key(a_plan(same_key="version"), "d1", "orders/a.csv") == "orders.v1/d1/a.csv"


def test_name_is_what_lies_below_landing() -> None:
    assert keys.name_in("s3://b/in/", "b", "in/a.csv") == "a.csv"
    assert keys.name_in("s3://b/in/", "b", "out/a.csv") is None
    assert keys.name_in("s3://b/in/", "c", "in/a.csv") is None


def test_uri_splits_at_the_bucket() -> None:
    assert keys.split("s3://b/a%20b//c?d#e") == ("b", "a%20b//c?d#e")
