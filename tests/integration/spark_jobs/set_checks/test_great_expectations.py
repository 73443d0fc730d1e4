"""Checks that Great Expectations makes: from contract to verdict, by the library of the job's own archive.

Each core expectation that a contract may ask for is run by it once: that is for `make torture`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts import codec, rules
from contracts.authoring.quality.expectations.core_expectations import expectations
from contracts.job import Count, Sample
from contracts.place import Place
from contracts.plan import HOLDS_TRUE, Plan
from infra.setup.expectations import bring
from spark_jobs.set_checks.great_expectations import ABSENT, HIDDEN_ERROR, NOT_JSON_OBSERVED
from tests.integration.spark_jobs.summaries import dq_summary, stored
from tests.integration.spark_jobs.world import Judged, judge
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.documents import DROP

PROPERTIES = """\
- {name: id, logicalType: integer}
- {name: x, logicalType: number}
- {name: price, logicalType: number, physicalType: "decimal(10,2)"}
- {name: text, logicalType: string}
- {name: day, logicalType: date}
- {name: hour, logicalType: time, logicalTypeOptions: {format: "HH:mm"}}
- {name: none, logicalType: number}
- {name: secret, logicalType: string, classification: confidential}
"""
HEADER = "id,x,price,text,day,hour,none,secret\n"
ROWS = HEADER + (
    "1,1.5,1.50,abc,2024-01-01,10:00,,a\n"
    "2,,2.00,abd,2024-01-02,1:00,,b\n"
    "3,-4,0.10,,0000-01-03,23:59,,c\n"
    "broken\n"  # and the day before is none that Python has
    "3,many,,xyz,,,,d\n"
)
MET, NOT_MET = Decimal(1), Decimal(0)


def asked(kind: str, check: str, severity: str = "error", **kwargs: Any) -> dict[str, Any]:
    """An entry of a schema object's `quality`."""
    entry = {"id": check, "type": "custom", "engine": "greatExpectations", "severity": severity}
    return entry | {"implementation": {"type": kind, "kwargs": kwargs}}


def a_plan(entries: list[dict[str, Any]], properties: str = PROPERTIES, drop: str = DROP) -> Plan:
    """The plan of a contract with these entries, which JSON is enough to write."""
    return documents.a_plan(documents.a_document(properties, json.dumps(entries), drop=drop))


@pytest.fixture(scope="module")
def library(spark: SparkSession) -> Iterator[SparkSession]:
    """A Spark that finds Great Expectations."""
    bring(spark, lambda _: None)
    yield spark
    spark.sparkContext.environment.pop("PYTHONPATH", None)


ENTRIES: dict[str, tuple[str, dict[str, Any]]] = {
    "bounds": ("expect_column_values_to_be_between", {"column": "id", "min_value": 2}),
    "mostly": ("expect_column_values_to_be_between", {"column": "id", "min_value": 2, "mostly": 0.7}),
    "days": ("expect_column_values_to_be_between", {"column": "day", "max_value": "2024-01-01"}),
    "hours": ("expect_column_values_to_match_strftime_format", {"column": "hour", "strftime_format": "%H:%M"}),
    "some": ("expect_column_values_to_not_be_null", {"column": "x", "row_condition": "id > 2"}),
    "nobody": ("expect_column_values_to_not_be_null", {"column": "x", "row_condition": "id > 99"}),
    "pair": ("expect_column_pair_values_a_to_be_greater_than_b", {"column_A": "x", "column_B": "price"}),
    "mean": ("expect_column_mean_to_be_between", {"column": "price", "max_value": 1}),
    "void": ("expect_column_mean_to_be_between", {"column": "none", "max_value": 1}),
    "distinct": ("expect_column_distinct_values_to_be_in_set", {"column": "secret", "value_set": ["a"]}),
    "hidden": ("expect_column_values_to_be_in_set", {"column": "secret", "value_set": ["a", "b"]}),
    "query": ("unexpected_rows_expectation", {"unexpected_rows_query": "SELECT * FROM {batch} WHERE x < id"}),
    "columns": ("expect_table_column_count_to_equal", {"value": 8}),
    "rows": ("expect_table_row_count_to_equal", {"value": 4}),
    "refused": ("expect_column_values_to_match_strftime_format", {"column": "hour", "strftime_format": "%H"}),
    "not-json": ("expect_column_values_to_match_json_schema", {"column": "text", "json_schema": {"type": "object"}}),
    "crash": ("expect_column_values_to_match_regex", {"column": "text", "regex": "a"}),
    "secret-crash": ("expect_column_values_to_match_regex", {"column": "secret", "regex": "a"}),
}
QUERY = "SELECT * FROM {batch} WHERE x < id"
OLDER: dict[str, dict[str, Any]] = {
    "query": {"kwargs": {"unexpected_rows_query": QUERY}, "properties": ["id", "x"]},
    "refused": {"kwargs": {"column": "hour", "strftime_format": "%Q"}},
    "crash": {"kwargs": {"column": "text", "regex": "("}, "given": {}},
    "secret-crash": {"kwargs": {"column": "secret", "regex": "("}, "given": {}},
}


def older(plan: Plan, changed: Mapping[str, dict[str, Any]]) -> Plan:
    """The plan as an older release wrote it down: texts as contracts have them, and patterns that nobody looked at."""
    query = {"type": "unexpected_rows_expectation", "subject": "query"}
    document = codec.encode(plan)
    for check in (c for c in document["checks"] if c["id"] in changed):
        kept = query if check["kind"] == rules.Statement.kind else check["arguments"]
        check |= {
            "kind": rules.Expectation.kind,
            "arguments": {**kept, **changed[check["id"]]},
            "threshold": codec.encode(HOLDS_TRUE),
        }
    return codec.decode(Plan, document)


@pytest.fixture(scope="module")
def judged(library: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Two files of one batch: one with all kinds of rows, one with nothing but a header."""
    plan = older(a_plan([asked(kind, check, **kwargs) for check, (kind, kwargs) in ENTRIES.items()]), OLDER)
    files = {"a.csv": ROWS, "empty.csv": HEADER}
    return judge(library, tmp_path_factory.mktemp("job"), plan, files)


def test_expectations_see_typed_values_of_sound_records(judged: Judged) -> None:
    counts = {name: judged.count(name) for name in ("bounds", "mostly", "days", "hours", "some", "pair", "hidden")}

    assert {name: (c.figure, c.evaluated, c.failed, c.null) for name, c in counts.items()} == {
        "bounds": (NOT_MET, 4, 1, 0),
        "mostly": (MET, 4, 1, 0),
        "days": (NOT_MET, 4, 1, 2),
        "hours": (MET, 4, 0, 2),
        "some": (NOT_MET, 2, 1, 0),
        "pair": (NOT_MET, 4, 2, 1),
        "hidden": (NOT_MET, 4, 2, 0),
    }


def test_unexpected_records_are_told_by_their_numbers(judged: Judged) -> None:
    assert judged.count("days").samples == (Sample(Place(2, 3), "2024-01-02"),)
    assert judged.count("some").samples == (Sample(Place(5, 6)),)
    assert judged.count("pair").samples == (
        Sample(Place(1, 2), "x=1.5, price=1.50"),
        Sample(Place(3, 4), "x=-4.0, price=0.10"),
    )
    assert judged.count("query").samples == (Sample(Place(3, 4), "id=3, x=-4.0"),)


def test_values_of_classified_properties_are_masked(judged: Judged) -> None:
    assert judged.count("hidden").samples == (Sample(Place(3, 4), "***"), Sample(Place(5, 6), "***"))
    assert judged.count("distinct").observed == "***"
    assert judged.count("secret-crash").reason == HIDDEN_ERROR


def test_figures_of_all_records_are_observed(judged: Judged) -> None:
    seen = {name: (judged.count(name).figure, judged.count(name).observed) for name in ("mean", "query", "columns")}

    assert seen == {"mean": (NOT_MET, "1.2"), "query": (NOT_MET, "1"), "columns": (MET, "8")}
    assert judged.count("rows").figure == MET


def test_what_was_not_looked_at_is_never_met(judged: Judged) -> None:
    assert judged.count("nobody") == Count(state="not_evaluated", reason="no-rows")
    assert judged.count("void") == Count(state="not_evaluated", reason="no-values")
    empty = {name: judged.count(name, "empty.csv") for name in ("bounds", "query", "columns", "rows")}
    assert {name: (c.state, c.figure) for name, c in empty.items()} == {
        "bounds": ("not_evaluated", None),
        "query": ("not_evaluated", None),
        "columns": ("counted", MET),
        "rows": ("counted", NOT_MET),
    }


def test_text_that_is_no_json_does_not_match_a_schema(judged: Judged) -> None:
    """The library stops at it, which is the file's fault, and not ours."""
    count = judged.count("not-json")

    assert (count.state, count.figure, count.observed) == ("counted", NOT_MET, NOT_JSON_OBSERVED)


def test_crashed_expectation_is_ours(judged: Judged) -> None:
    assert "regexp" in (judged.count("crash").reason or "")
    decision = judged.decision()
    assert decision.failure
    assert (decision.verdict, decision.failure.check) == (None, "refused")
    assert "bad directive" in (judged.count("refused").reason or "")


def test_without_the_library_nothing_is_met(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "great_expectations", None)
    plan = a_plan([asked("expect_table_row_count_to_equal", "rows", value=1)])
    run = judge(spark, tmp_path, plan, {"a.csv": ROWS})

    assert run.count("rows") == Count(state="error", reason=ABSENT)
    assert run.decision().verdict is None


def test_results_stand_in_the_summary(judged: Judged, spark: SparkSession) -> None:
    rows = dq_summary(spark, stored(judged.folder, judged.plan)).where("drop_id = 'a.csv'").collect()
    results = {r["rule_id"]: (r["complex_rule_validation_success_flag"], r["result"]) for r in rows}

    assert (results["bounds"], results["mostly"]) == ((False, "failed"), (True, "passed"))
    assert (results["crash"], results["void"]) == ((None, "error"), (None, "not_evaluated"))


def test_every_core_expectation_has_the_arguments_of_the_table(library: SparkSession) -> None:
    """The table against the library; it asks for more only where the library would hold of anything without."""
    assert library
    from great_expectations import __version__  # noqa: PLC0415 (on the path from here on)
    from great_expectations.expectations.registry import (  # noqa: PLC0415
        get_expectation_impl,
        list_registered_expectation_implementations,
    )

    core = {name: get_expectation_impl(name) for name in list_registered_expectation_implementations()}
    core = {name: impl for name, impl in core.items() if ".expectations.core." in impl.__module__}
    common = {"id", "meta", "notes", "result_format", "description", "catch_exceptions", "rendered_content", "severity"}
    aside = common | {"windows", "batch_id", "library_metadata", "condition_parser"}
    fields = {
        name: {k: f.required for k, f in impl.__fields__.items() if k not in aside} for name, impl in core.items()
    }

    assert {name: set(expectation.arguments) for name, expectation in expectations().items()} == {
        name: set(own) for name, own in fields.items()
    }
    stricter = {(n, k) for n, own in fields.items() for k in expectations()[n].needs if not own[k]}
    assert stricter == {
        ("expect_column_kl_divergence_to_be_less_than", "partition_object"),
        ("expect_column_kl_divergence_to_be_less_than", "threshold"),
        ("expect_column_values_to_be_in_type_list", "type_list"),
        ("expect_column_values_to_match_regex", "regex"),
        ("expect_table_columns_to_match_ordered_list", "column_list"),
        ("expect_table_columns_to_match_set", "column_set"),
    }
    missing = {(n, k) for n, own in fields.items() for k, required in own.items() if required} - {
        (n, k) for n, expectation in expectations().items() for k in expectation.needs
    }
    assert (missing, __version__) == (set(), "1.24.1")


SORTED = HEADER + "".join(
    f'{n},{n}.5,{n}.50,"{{""a"": {n}}}",2024-01-0{n},10:0{n},,{letter}\n' for n, letter in enumerate("abcdef", 1)
)
RANGE = {"min_value": 0, "max_value": 100}
MET_BY_FILE: dict[str, dict[str, Any]] = {
    "expect_column_distinct_values_to_be_in_set": {"column": "id", "value_set": [1, 2, 3, 4, 5, 6, 7]},
    "expect_column_distinct_values_to_contain_set": {"column": "id", "value_set": [1, 2]},
    "expect_column_distinct_values_to_equal_set": {"column": "secret", "value_set": ["a", "b", "c", "d", "e", "f"]},
    "expect_column_kl_divergence_to_be_less_than": {
        "column": "secret",
        "partition_object": {"values": ["a", "b", "c", "d", "e", "f"], "weights": [0.2, 0.2, 0.2, 0.2, 0.1, 0.1]},
        "threshold": 0.5,
    },
    "expect_column_most_common_value_to_be_in_set": {
        "column": "id",
        "value_set": [1, 2, 3, 4, 5, 6],
        "ties_okay": True,
    },
    "expect_column_pair_values_a_to_be_greater_than_b": {"column_A": "x", "column_B": "id"},
    "expect_column_pair_values_to_be_equal": {"column_A": "x", "column_B": "price"},
    "expect_column_pair_values_to_be_in_set": {
        "column_A": "id",
        "column_B": "secret",
        "value_pairs_set": [[n, letter] for n, letter in enumerate("abcdef", 1)],
    },
    "expect_column_proportion_of_non_null_values_to_be_between": {"column": "none", "min_value": 0, "max_value": 0},
    "expect_column_proportion_of_unique_values_to_be_between": {"column": "id", "min_value": 1},
    "expect_column_quantile_values_to_be_between": {
        "column": "x",
        "quantile_ranges": {"quantiles": [0.5], "value_ranges": [[1, 5]]},
    },
    "expect_column_to_exist": {"column": "id"},
    "expect_column_type_to_be": {"column": "id", "type_": "LongType"},
    "expect_column_unique_value_count_to_be_between": {"column": "id", "min_value": 6},
    "expect_column_value_lengths_to_be_between": {"column": "secret", "min_value": 1},
    "expect_column_value_lengths_to_equal": {"column": "secret", "value": 1},
    "expect_column_value_z_scores_to_be_less_than": {"column": "x", "threshold": 3, "double_sided": True},
    "expect_column_values_to_be_between": {"column": "day", "min_value": "2024-01-01"},
    "expect_column_values_to_be_decreasing": {"column": "none"},
    "expect_column_values_to_be_in_set": {"column": "day", "value_set": [f"2024-01-0{n}" for n in range(1, 7)]},
    "expect_column_values_to_be_in_type_list": {"column": "id", "type_list": ["LongType"]},
    "expect_column_values_to_be_increasing": {"column": "id", "strictly": True},
    "expect_column_values_to_be_json_parseable": {"column": "text"},
    "expect_column_values_to_be_null": {"column": "none"},
    "expect_column_values_to_be_of_type": {"column": "text", "type_": "StringType"},
    "expect_column_values_to_be_unique": {"column": "id"},
    "expect_column_values_to_match_json_schema": {"column": "text", "json_schema": {"type": "object"}},
    "expect_column_values_to_match_regex": {"column": "secret", "regex": "^[a-f]$"},
    "expect_column_values_to_match_regex_list": {"column": "secret", "regex_list": ["a", "."]},
    "expect_column_values_to_match_strftime_format": {"column": "hour", "strftime_format": "%H:%M"},
    "expect_column_values_to_not_be_in_set": {"column": "id", "value_set": [9]},
    "expect_column_values_to_not_be_null": {"column": "id"},
    "expect_column_values_to_not_be_outliers": {"column": "x"},
    "expect_column_values_to_not_match_regex": {"column": "secret", "regex": "z"},
    "expect_column_values_to_not_match_regex_list": {"column": "secret", "regex_list": ["y", "z"]},
    "expect_compound_columns_to_be_unique": {"column_list": ["id", "x"]},
    "expect_multicolumn_sum_to_equal": {"column_list": ["id", "x"], "sum_total": 2.5, "mostly": 0.1},
    "expect_multicolumn_values_to_be_equal": {"column_list": ["x", "price"]},
    "expect_select_column_values_to_be_unique_within_record": {"column_list": ["id", "x"]},
    "expect_table_column_count_to_be_between": {"min_value": 8, "max_value": 8},
    "expect_table_column_count_to_equal": {"value": 8},
    "expect_table_columns_to_match_ordered_list": {"column_list": HEADER.strip().split(",")},
    "expect_table_columns_to_match_set": {"column_set": HEADER.strip().split(",")},
    "expect_table_row_count_to_be_between": {"min_value": 6},
    "expect_table_row_count_to_equal": {"value": 6},
    "unexpected_rows_expectation": {"unexpected_rows_query": "SELECT id FROM {batch} WHERE id > 6"},
    **{
        f"expect_column_{k}_to_be_between": {"column": "x", **RANGE}
        for k in ("max", "mean", "median", "min", "stdev", "sum")
    },
}
"""Each expectation that a contract may ask for, and arguments with which it is met."""


@pytest.mark.torture
def test_every_core_expectation_can_be_made(library: SparkSession, tmp_path: Path) -> None:
    assert {name for name, expectation in expectations().items() if expectation.elsewhere is None} == set(MET_BY_FILE)
    query = {kind: {"kwargs": kwargs} for kind, kwargs in MET_BY_FILE.items() if kind == "unexpected_rows_expectation"}
    plan = older(a_plan([asked(kind, kind, **kwargs) for kind, kwargs in MET_BY_FILE.items()]), query)
    run = judge(library, tmp_path, plan, {"a.csv": SORTED})
    counts = {kind: run.count(kind) for kind in MET_BY_FILE}

    assert {kind: (c.state, c.reason, c.figure) for kind, c in counts.items() if c.figure != MET} == {}


NULL = "expect_column_values_to_not_be_null"
RUN = "SELECT TRANSFORM(id) USING 'touch {folder}/ran' AS x FROM {{batch}}"
STRANGE: dict[str, dict[str, Any]] = {
    "query": {"kwargs": {"unexpected_rows_query": RUN}},
    "file": {"kwargs": {"unexpected_rows_query": "SELECT * FROM {batch} JOIN text.`/etc/hostname`"}},
    "others": {"kwargs": {"unexpected_rows_query": "SELECT * FROM {batch} JOIN dropgate_rows"}},
    "braces": {"kwargs": {"unexpected_rows_query": "SELECT * FROM {batch} WHERE '{batch.__class__}' = ''"}},
    "condition": {"kwargs": {"column": "id", "row_condition": "reflect('a', 'b') = ''", "condition_parser": "spark"}},
    "passed": {
        "kwargs": {"column": "id", "row_condition": {"type": "pass_through", "pass_through_filter": "reflect() = ''"}}
    },
    "parameter": {"kwargs": {"column": "id", "mostly": {"$PARAMETER": "now()"}}},
    "schema": {"kwargs": {"column": "text", "json_schema": {"items": {"$ref": "file:///etc/passwd"}}}},
    "fine": {"kwargs": {"column": "id", "row_condition": "id > 1 and text like '%'", "condition_parser": "spark"}},
}
SCHEMA = "expect_column_values_to_match_json_schema"


def test_texts_of_older_plans_are_refused_unless_they_stay_within_the_file(
    library: SparkSession, tmp_path: Path
) -> None:
    queries = ("query", "file", "others", "braces")
    entries = [asked("unexpected_rows_expectation", check, unexpected_rows_query=QUERY) for check in queries]
    entries += [asked(NULL, check, column="text") for check in STRANGE if check not in (*queries, "schema")]
    entries += [asked(SCHEMA, "schema", column="text", json_schema={"type": "object"})]
    strange = {**STRANGE, "query": {"kwargs": {"unexpected_rows_query": RUN.format(folder=tmp_path)}}}
    run = judge(library, tmp_path, older(a_plan(entries), strange), {"a.csv": ROWS})

    assert {check: run.count(check).state for check in STRANGE} == {
        check: "counted" if check == "fine" else "error" for check in STRANGE
    }
    assert "publish the contract once more" in (run.count("query").reason or "")
    assert not (tmp_path / "ran").exists()
