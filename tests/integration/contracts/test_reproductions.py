"""The published results of CloudDQ's own tests, 14 simple and 41 advanced: the same figures from small files of ours.

Rules in CloudDQ's language are brought in and run. Those that ask other tables or look into nested records are written
as contracts of ours: the other table is a list of values, the nested values are columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.importing import Files, import_source
from contracts.plan import Plan
from contracts.watermarks import HighMark
from tests.integration.spark_jobs.summaries import dq_summary, stored
from tests.integration.spark_jobs.world import judge
from tests.unit.contracts.authoring import documents

Summary = tuple[int | None, float | None, bool | None, int | None, int | None, int | None]
"""Rows validated; errors and success of a set check; successes, failures and nulls of a row check."""
Files_ = Mapping[str, str]


def rows(validated: int, success: int, failed: int, null: int | None = None) -> Summary:
    return validated, None, None, success, failed, null


def errors(validated: int, failed: int) -> Summary:
    return validated, float(failed), failed == 0, None, None, None


def statement(text: str, *arguments: str) -> dict[str, Any]:
    params = {"custom_sql_statement": text, "custom_sql_arguments": list(arguments)}
    return {"rule_type": "CUSTOM_SQL_STATEMENT", "params": params}


def expression(text: str) -> dict[str, Any]:
    return {"rule_type": "CUSTOM_SQL_EXPR", "params": {"custom_sql_expr": text}}


TWICE = statement(
    "select a.* from data a join (select $names from data group by $names having count(*) > 1) b using ($names)",
    "names",
)
SHARE = """
select * from (select sum(case when $condition then 1 else 0 end) * 100 / count(*) as share from data)
where share < $least
"""
NAMED = """
select * from (select countif(sex in ('F', 'M')) as n from data)
where ifnull(safe_divide(n, (select count(*) from data)), cast('inf' as float64)) < 1 - $most / 100
"""
SPREAD = """
select * from (
  select stddev_pop(alike) as spread, safe_divide(avg(alike), any_value(kinds)) as crowd
  from (select count(*) over (partition by born) as alike, count(distinct born) over () as kinds from data)
) where spread > $spread or crowd > $crowd
"""
LATE_DAY = """
select * from (select count(*) as n from data where day >= date_sub(current_date(), interval $days day)) where n = 0
"""
LATE_MONTH = """
select * from (
  select count(*) as n from data where parse_date('%Y%m', cast(month as string))
    >= date_sub(date_trunc(current_date(), month), interval $months month)
) where n = 0
"""
LATE_HOUR = """
select * from (select count(*) as n from data where at >= timestamp_sub(current_timestamp(), interval $hours hour))
where n = 0
"""
ON_DAY = "date_trunc(cast(at as date), $unit) = date_trunc(cast(parse_timestamp('%F %T %Z', '$on') as date), $unit)"
FEW = f"select * from (select count(*) as n from data where {ON_DAY}) where n <= $few"
UNLIKE = """
where ifnull(safe_divide(n, {}), cast('inf' as float64)) not between (1 - ($off / 100)) and (1 + ($off / 100))
"""
USUAL = """(select avg(k) from (
  select count(*) as k from data
  where date_trunc(cast(at as date), $unit) >= date_trunc(cast(parse_timestamp('%F %T %Z', '$since') as date), $unit)
  group by date_trunc(cast(at as date), $unit)
))"""
BEFORE = """(select count(*) from data
  where date_trunc(cast(at as date), $unit)
    = date_sub(cast(timestamp_trunc('$on', $unit) as date), interval $back $unit)
)"""
COUNTED = f"select * from (select count(*) as n from data where {ON_DAY}) "

ALL, MAIL, NOBODY, NEWER = "True", "kind = 'mail'", "FALSE", "newer than the run before"
RULES = {
    "there": {"rule_type": "NOT_NULL"},
    "written": {"rule_type": "NOT_BLANK"},
    "address": {"rule_type": "REGEX", "params": {"pattern": r"^[\\w.-]+@[\\w.-]+$"}},
    "short": expression("length($column) <= 30"),
    "shorter": expression("length($column) <= $most"),
    "twice": TWICE,
    "alone": statement("select $column from data group by $column having count(*) > 1"),
    "share": statement(SHARE, "condition", "least"),
    "named": statement(NAMED, "most"),
    "spread": statement(SPREAD, "spread", "crowd"),
    "late-day": statement(LATE_DAY, "days"),
    "late-month": statement(LATE_MONTH, "months"),
    "late-hour": statement(LATE_HOUR, "hours"),
    "few": statement(FEW, "unit", "on", "few"),
    "unusual": statement(COUNTED + UNLIKE.format(USUAL), "unit", "on", "since", "off"),
    "unlike-before": statement(COUNTED + UNLIKE.format(BEFORE), "unit", "on", "back", "off"),
}


def imported(columns: Mapping[str, str], bindings: Iterable[tuple[str, str, Any, str]]) -> Plan:
    """Return the plan of a table with rules, each given by id, column, rule with arguments, and row filter."""
    filters = {ALL: "all", MAIL: "mail", NOBODY: "none"}
    config = {
        "entities": {"T": {"columns": {name: {"name": name, "data_type": kind} for name, kind in columns.items()}}},
        "row_filters": {name: {"filter_sql_expr": sql} for sql, name in filters.items()},
        "rules": RULES,
        "rule_bindings": {
            name: {
                "entity_id": "T", "column_id": column, "row_filter_id": filters.get(where, "all"), "rule_ids": [rule],
                "metadata": {"brand": "one"}, **({"incremental_time_filter_column_id": "at"} if where == NEWER else {}),
            }
            for name, column, rule, where in bindings
        },
    }  # fmt: skip
    files = Files(("x/*.csv",), "x", "csv")
    result = import_source("clouddq", yaml.safe_dump(config).encode(), "config.yml", files, "active")
    assert [f.message for f in result.findings] == []
    (contract,) = result.contracts
    plan = compile_text(contract.text.encode(), f"{contract.name}.yaml").plan
    assert plan
    return plan


def summary(
    spark: SparkSession, folder: Path, plan: Plan, files: Files_, marks: tuple[HighMark, ...] = ()
) -> dict[tuple[str, str], Summary]:
    """Return the summary of each check of a contract in each file."""
    judge(spark, folder, plan, files, marks=marks)
    return {
        (row["drop_id"].removesuffix(".csv"), row.rule_id.partition("-")[0]): (
            row.rows_validated, row.complex_rule_validation_errors_count, row.complex_rule_validation_success_flag,
            row.success_count, row.failed_count, row.null_count,
        )
        for row in dq_summary(spark, stored(folder, plan)).collect()
    }  # fmt: skip


def a_file(columns: Iterable[str], records: Iterable[Iterable[object]]) -> str:
    return "".join(",".join(map(str, record)) + "\n" for record in (list(columns), *records))


CONTACTS = {"key": "STRING", "kind": "STRING", "text": "STRING", "at": "TIMESTAMP"}
NOTES = [
    "p,call,anna,2021-01-01T00:00:00Z", "p,mail,x@y.z,2021-01-01T00:00:00Z", "p,mail,u@v.w,2021-01-03T00:00:00Z",
    "q,mail,r@s.t,2021-01-03T00:00:00Z", "q,mail,plain,2021-01-03T00:00:00Z", "p,mail,none_here,2021-01-02T00:00:00Z",
    "p,mail,,2021-01-02T00:00:00Z", "q,call,,2021-01-02T00:00:00Z", f"q,mail,{'long' * 9},2021-01-02T00:00:00Z",
]  # fmt: skip
SIMPLE: dict[str, tuple[str, Any, str, Summary]] = {
    "A1": ("text", "there", ALL, rows(9, 7, 2)),
    "A2": ("text", "there", MAIL, rows(7, 6, 1)),
    "A3": ("text", "address", MAIL, rows(7, 3, 3, 1)),
    "A4": ("text", "short", MAIL, rows(7, 5, 1, 1)),
    "A5": ("text", "written", MAIL, rows(7, 6, 0, 1)),
    "A6": ("text", {"twice": {"names": "kind,text"}}, MAIL, errors(7, 0)),
    "A7": ("key", {"twice": {"names": "key"}}, ALL, errors(9, 9)),
    "A8": ("text", {"twice": {"names": "key,kind"}}, ALL, errors(9, 7)),
    "A9": ("text", {"twice": {"names": "text"}}, ALL, errors(9, 0)),
    "A10": ("kind", {"twice": {"names": "kind"}}, MAIL, errors(7, 7)),
    "A11": ("text", {"twice": {"names": "kind,text"}}, NOBODY, errors(0, 0)),
    "A12": ("text", {"twice": {"names": "kind,text"}}, NEWER, errors(0, 0)),
    "A13": ("key", "alone", ALL, errors(9, 2)),
    "A14": ("text", {"shorter": {"most": 30}}, MAIL, rows(7, 5, 1, 1)),
}
"""T1 to T9 of tests/resources/dq_rules_configs.yml; the ninth looks at what is newer than the run before."""
BEFORE_THEM = HighMark("at", "timestamp", Decimal(int(datetime(2021, 1, 3, tzinfo=UTC).timestamp()) * 10**6))
"""The high mark of that run: the newest of these records."""


def test_the_fourteen_simple_results_come_out(spark: SparkSession, tmp_path: Path) -> None:
    plan = imported(CONTACTS, [(name, *case[:3]) for name, case in SIMPLE.items()])
    files = {"a.csv": a_file(CONTACTS, [[line] for line in NOTES])}
    summaries = summary(spark, tmp_path, plan, files, (BEFORE_THEM,))
    assert {name: summaries["a", name] for name in SIMPLE} == {name: case[3] for name, case in SIMPLE.items()}
    metadata = {row.metadata_json_string for row in dq_summary(spark, f"{tmp_path}/results/").collect()}
    assert metadata == {"{}", '{"brand": "one"}'}


PEOPLE = {"mail": "STRING", "given": "STRING", "number": "INT64", "sex": "STRING", "born": "DATE"}
Case = tuple[str, Any, str, Summary]
OF_PEOPLE: dict[str, Case] = {
    "T6a": ("mail", "address", "good", rows(99, 99, 0, 0)),
    "T6b": ("mail", "address", "bad", rows(99, 72, 27, 0)),
    "T7a": ("given", {"share": {"condition": "data.given is not null", "least": 100}}, "bad", errors(99, 1)),
    "T7b": ("given", {"share": {"condition": "data.given is not null", "least": 99}}, "bad", errors(99, 1)),
    "T7c": ("given", {"share": {"condition": "data.given is not null", "least": 100}}, "good", errors(99, 0)),
    "T7d": ("given", {"share": {"condition": "data.given is not null", "least": 85}}, "bad", errors(99, 0)),
    "T8a": ("mail", {"twice": {"names": "mail,number"}}, "bad", errors(99, 4)),
    "T8b": ("mail", {"twice": {"names": "mail,number"}}, "good", errors(99, 0)),
    "T9a": ("sex", {"named": {"most": 2}}, "good", errors(99, 1)),
    "T9b": ("sex", {"named": {"most": 25}}, "good", errors(99, 0)),
    "T9c": ("born", {"spread": {"spread": 2, "crowd": 10}}, "bad", errors(99, 1)),
    "T9d": ("born", {"spread": {"spread": 0.1, "crowd": 10}}, "good", errors(99, 1)),
    "T9e": ("born", {"spread": {"spread": 2, "crowd": 10}}, "good", errors(99, 0)),
    "T9f": ("born", {"spread": {"spread": 2, "crowd": 100}}, "bad", errors(99, 0)),
}


def people(*, good: bool) -> str:
    start = datetime(1990, 1, 1, tzinfo=UTC)
    records = []
    for n in range(99):
        born = start + timedelta(days=min(n, 97)) if good else start
        mail = f"m{n}@x.org" if good or n >= 27 else f"m{n}"
        number = n if good or n < 95 else n % 2
        records.append([mail if good or n < 95 else "m@x.org", "" if not good and n < 9 else "Ada",
                        number, "F" if n < 90 else "?", f"{born:%Y-%m-%d}"])  # fmt: skip
    return a_file(PEOPLE, records)


ARRIVALS = {"day": "DATE", "month": "INT64", "at": "TIMESTAMP"}
OF_ARRIVALS: dict[str, Case] = {
    "T1a": ("day", {"late-day": {"days": 1}}, "days", errors(100, 1)),
    "T1b": ("day", {"late-day": {"days": 11}}, "days", errors(100, 0)),
    "T1c": ("month", {"late-month": {"months": 1}}, "days", errors(100, 0)),
    "T1d": ("month", {"late-month": {"months": 0}}, "days", errors(100, 1)),
    "T1e": ("at", {"late-hour": {"hours": 1200}}, "hours", errors(86, 0)),
    "T1f": ("at", {"late-hour": {"hours": 10}}, "hours", errors(86, 1)),
}


def arrivals(count: int) -> str:
    """Return records of which the newest is five days old, in the last month."""
    now = datetime.now(UTC)
    newest, month = now - timedelta(days=5), now.replace(day=1) - timedelta(days=1)
    line = [f"{newest:%Y-%m-%d}", f"{month:%Y%m}", f"{newest:%Y-%m-%dT%H:%M:%SZ}"]
    return a_file(ARRIVALS, [line] * count)


VOLUMES = {"at": "TIMESTAMP"}


def on(day: int) -> str:
    return f"2021-12-{day} 00:00:00 UTC"


def back(day: int, unit: str, periods: int, off: float) -> dict[str, Any]:
    return {"unlike-before": {"unit": unit, "on": on(day), "back": periods, "off": off}}


def usual(day: int, unit: str, off: float) -> dict[str, Any]:
    return {"unusual": {"unit": unit, "on": on(day), "since": "2021-12-01 00:00:00 UTC", "off": off}}


OF_VOLUMES: dict[str, Case] = {
    "T3a": ("at", {"few": {"unit": "day", "on": on(29), "few": 100}}, "a", errors(4002, 1)),
    "T3b": ("at", {"few": {"unit": "day", "on": on(23), "few": 100}}, "a", errors(4002, 0)),
    "T3c": ("at", {"few": {"unit": "month", "on": on(29), "few": 4000}}, "a", errors(4002, 0)),
    "T3d": ("at", usual(23, "day", 10), "a", errors(4002, 1)),
    "T3e": ("at", usual(22, "day", 15), "a", errors(4002, 0)),
    "T3f": ("at", usual(22, "month", 0.01), "a", errors(4002, 0)),
    "T3g": ("at", back(22, "day", 1, 30), "a", errors(4002, 0)),
    "T3h": ("at", back(23, "day", 2, 10), "a", errors(4002, 1)),
    "T3i": ("at", back(23, "day", 10, 10), "a", errors(4002, 1)),
    "T3j": ("at", back(23, "month", 1, 10), "a", errors(4002, 1)),
    "T3k": ("at", back(23, "year", 1, 10), "a", errors(4002, 1)),
}
DAYS = {21: 900, 22: 1000, 23: 1500, 24: 602}

PARTS = """\
- {name: gross, logicalType: number, physicalType: "decimal(9,2)"}
- {name: net, logicalType: number, physicalType: "decimal(9,2)"}
- {name: tax, logicalType: number, physicalType: "decimal(9,2)"}
- name: item
  logicalType: integer
  quality:
    - {id: T4a, metric: invalidValues, mustBe: 0, arguments: {validValues: [1, 2, 3]}}
- {name: kind, logicalType: string}
"""
KNOWN = """\
- id: T2
  type: custom
  engine: dropgate
  implementation: {metric: expression, expression: abs(net + tax - gross) <= 0.03}
- id: T4b
  type: custom
  engine: dropgate
  implementation: {metric: expression, expression: "item in ${items}", parameters: {items: [1, 2, 3]}}
- id: T5
  type: custom
  engine: dropgate
  implementation:
    metric: expression
    expression: "(kind = 'new' and item in ${new}) or (kind = 'old' and item in ${old})"
    parameters: {new: [1, 2], old: [3]}
"""
OF_PARTS: dict[str, tuple[int, int]] = {"many": (1000, 11), "some": (99, 99), "ten": (10, 4), "whole": (10, 10),
                                        "hundred": (100, 25), "six": (6, 6)}  # fmt: skip
"""The number of records of each file, and of those that pass every check."""


def parts(count: int, good: int) -> str:
    line = ["1.22,1.00,0.20,1,new", "9.99,1.00,0.20,4,odd"]
    return a_file(["gross", "net", "tax", "item", "kind"], [[line[n >= good]] for n in range(count)])


TABLES: dict[str, tuple[Mapping[str, str], Mapping[str, Case], Any]] = {
    "people": (PEOPLE, OF_PEOPLE, lambda: {"good.csv": people(good=True), "bad.csv": people(good=False)}),
    "arrivals": (ARRIVALS, OF_ARRIVALS, lambda: {"days.csv": arrivals(100), "hours.csv": arrivals(86)}),
    "volumes": (VOLUMES, OF_VOLUMES, lambda: {"a.csv": a_file(
        VOLUMES, [[f"2021-12-{day}T12:00:00Z"] for day, count in DAYS.items() for _ in range(count)])}),
}  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_advanced_results_come_out(spark: SparkSession, tmp_path: Path, table: str) -> None:
    columns, cases, files = TABLES[table]
    plan = imported(columns, [(name, column, rule, ALL) for name, (column, rule, *_) in cases.items()])
    summaries = summary(spark, tmp_path, plan, files())
    assert {name: summaries[case[2], name] for name, case in cases.items()} == {n: case[3] for n, case in cases.items()}


def test_results_of_other_tables_and_nested_records_come_out(spark: SparkSession, tmp_path: Path) -> None:
    plan = documents.a_plan(documents.a_document(PARTS, KNOWN))
    summaries = summary(spark, tmp_path, plan, {f"{name}.csv": parts(*case) for name, case in OF_PARTS.items()})
    of = {("T2", "whole"), ("T2", "ten"), *((t, f) for t in ("T4a", "T4b") for f in ("many", "some")),
          *(("T5", f) for f in ("ten", "whole", "hundred", "six"))}  # fmt: skip
    expected = {(f, t): rows(count, good, count - good, 0) for t, f in of for count, good in [OF_PARTS[f]]}
    assert {key: summaries[key] for key in expected} == expected


def test_there_are_as_many_as_were_published() -> None:
    nested = 2 + 2 * 2 + 4
    assert (len(SIMPLE), len(OF_PEOPLE) + len(OF_ARRIVALS) + len(OF_VOLUMES) + nested) == (14, 41)
