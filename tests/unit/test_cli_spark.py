"""How Spark's JVM compiles for commands at home: quickly for small files, and for larger ones that are sifted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.authoring.compiling import load_plan
from contracts.plan import Plan
from infra.cli.spark import SMALL, SMALL_SIFTED, is_brief
from infra.setup.jars import ROOT

WEATHER = load_plan(ROOT / "contracts" / "weather" / "inmet-weather.v1.yaml")
PLANS = {
    "plain lines": WEATHER,
    "packed lines": replace(WEATHER, compression="gzip"),
    "records of several lines": replace(WEATHER, csv=replace(WEATHER.csv, multi_line=True)),
    "objects": replace(WEATHER, file_format="jsonl"),
}


@pytest.mark.parametrize("name", PLANS)
def test_small_files_are_judged_by_code_that_is_compiled_quickly(name: str) -> None:
    assert is_brief(PLANS[name], SMALL - 1)


@pytest.mark.parametrize(
    ("name", "brief"),
    [("plain lines", True), ("packed lines", False), ("records of several lines", False), ("objects", False)],
)
def test_larger_files_are_where_most_lines_never_reach_the_jvm(name: str, *, brief: bool) -> None:
    plan: Plan = PLANS[name]
    assert is_brief(plan, SMALL) is brief
    assert is_brief(plan, SMALL_SIFTED - 1) is brief
    assert not is_brief(plan, SMALL_SIFTED)
