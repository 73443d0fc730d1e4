"""Great Expectations: `python -m bench.rivals.gx pandas|spark|uncached plainly|numbers|rows CHECKS COLUMNS`.

Each check is an expectation, but for two bounds of one property, which are one: less work. It is asked plainly, as who
sets nothing asks it (result format SUMMARY); or of failing rows the number alone, the least work; or which they are:
then each comes with its key, but for rules that allow a share of nulls, which fail no row. `uncached` is Spark without
its cache, which Great Expectations otherwise keeps the file in while it looks at it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any

import great_expectations as gx
import great_expectations.expectations as gxe
import pandas as pd
from great_expectations.core.batch_definition import BatchDefinition
from pyspark.sql import SparkSession

from bench.rivals.answering import Counts, Wanted, serve, wanted

PLAINLY = {"result_format": "SUMMARY"}
"""The default of `validate` (Great Expectations, core/result_format.py)."""
NUMBERS = {"result_format": "BASIC", "partial_unexpected_count": 0}
ROWS = {"result_format": "COMPLETE", "unexpected_index_column_names": ["index"]}
PANDAS_TYPES = {"integer": "int64", "number": "float64"}
SPARK_TYPES = {"integer": "bigint", "number": "double", "date": "date"}
FILLED, NULLED = (
    "left to the reader, which fills short lines and stops at other faults",
    "left to the reader, which reads invalid values as null",
)
CANNOT = {"pandas": FILLED, "spark": NULLED, "uncached": NULLED}
NAMES = {"pandas": f"pandas {pd.__version__}", "spark": "Spark", "uncached": "Spark with its cache off"}


def main(engine: str, asked_for: str, checks: list[Wanted], columns: dict[str, str]) -> None:
    """Serve on one of the engines."""
    context = gx.get_context(mode="ephemeral")
    rules = [rule for _, group in groupby(checks, rule_of) if (rule := expectation(list(group)))]
    expressed = {one for rule in rules for one in rule.meta["ids"].split("+")}
    cannot = {c.id: CANNOT[engine] for c in checks if c.id not in expressed}
    definition, read, forget = ENGINES[engine](context, columns)
    suites = in_suites(rules, asked_for)

    def judge(file: str) -> Counts:
        batch = definition.get_batch({"dataframe": read(file)})
        reports = [batch.validate(suite, result_format=form) for suite, form in suites]
        forget()
        if asked_for == "rows":
            assert all(len(one.result["unexpected_index_list"] or []) == failing(one) for one in reports[0].results)
        results = [one for report in reports for one in report.results]
        return {one.expectation_config.meta["ids"]: failing(one) for one in results}

    which = {
        "plainly": "with its default result",
        "numbers": "only counts of failing rows",
        "rows": "keys of failing rows, on the file with 6 % bad rows",
    }[asked_for]
    serve(f"Great Expectations {gx.__version__} on {NAMES[engine]}, {which}", cannot, judge)


def in_suites(rules: list[Any], asked_for: str) -> list[tuple[gx.ExpectationSuite, dict[str, Any]]]:
    """Return the expectations, and the form of their results."""
    if asked_for != "rows":
        form = PLAINLY if asked_for == "plainly" else NUMBERS
        return [(gx.ExpectationSuite(name="contract", expectations=rules), form)]
    shares = [rule for rule in rules if getattr(rule, "mostly", 1) < 1]
    strict = [rule for rule in rules if rule not in shares]
    return [
        (gx.ExpectationSuite(name="rows", expectations=strict), ROWS),
        (gx.ExpectationSuite(name="shares", expectations=shares), NUMBERS),
    ]


def failing(result: Any) -> int:
    """Return the number of rows that fail an expectation."""
    return int(result.result["unexpected_count"])


def rule_of(check: Wanted) -> str:
    """Return the id that all checks of one expectation share."""
    return f"{check.property}.bounds" if check.kind in ("minimum", "maximum") else check.id


def expectation(checks: list[Wanted]) -> Any:
    """The expectation of one check, or of the two bounds of a property; none for what is left to the reader."""
    check, values = checks[0], {c.kind: float(c.arguments["value"]) for c in checks if "value" in c.arguments}
    common: dict[str, Any] = {"column": check.property, "meta": {"ids": "+".join(c.id for c in checks)}}
    match check.kind:
        case "required":
            return gxe.ExpectColumnValuesToNotBeNull(**common)
        case "nullValues":
            return gxe.ExpectColumnValuesToNotBeNull(mostly=1 - float(check.percent or 0) / 100, **common)
        case "minimum" | "maximum":
            low, high = values.get("minimum"), values.get("maximum")
            return gxe.ExpectColumnValuesToBeBetween(min_value=low, max_value=high, **common)
        case "pattern":
            return gxe.ExpectColumnValuesToMatchRegex(regex=check.arguments["pattern"], **common)
        case "enum":
            return gxe.ExpectColumnValuesToBeInSet(value_set=check.arguments["values"], **common)
        case "unique":
            return gxe.ExpectColumnValuesToBeUnique(**common)
    return None


Engine = tuple[BatchDefinition, Callable[[str], Any], Callable[[], None]]
"""The batch definition of an engine, its function that reads a file, and the one that frees it."""


def on_pandas(context: Any, columns: dict[str, str]) -> Engine:
    """Typed columns in memory."""
    types = {name: PANDAS_TYPES.get(kind, "str") for name, kind in columns.items() if kind != "date"}
    dates = [name for name, kind in columns.items() if kind == "date"]

    def read(file: str) -> pd.DataFrame:
        frame = pd.read_csv(file, dtype=types, parse_dates=dates, date_format="%Y-%m-%d")
        assert all(re.match("datetime", str(frame[name].dtype)) for name in dates)
        return frame

    asset = context.data_sources.add_pandas("files").add_dataframe_asset("file")
    return asset.add_batch_definition_whole_dataframe("whole"), read, lambda: None


def on_spark(context: Any, columns: dict[str, str], *, cached: bool = True) -> Engine:
    """Return typed columns, which GX keeps in Spark's cache for all its queries, or reads again for each."""
    spark = SparkSession.builder.getOrCreate()
    schema = ", ".join(f"`{name}` {SPARK_TYPES.get(kind, 'string')}" for name, kind in columns.items())
    asset = context.data_sources.add_spark("files", persist=cached).add_dataframe_asset("file")
    read = lambda file: spark.read.csv(file, header=True, schema=schema)  # noqa: E731
    return asset.add_batch_definition_whole_dataframe("whole"), read, spark.catalog.clearCache


ENGINES: dict[str, Callable[[Any, dict[str, str]], Engine]] = {
    "pandas": on_pandas,
    "spark": on_spark,
    "uncached": partial(on_spark, cached=False),
}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], wanted(sys.argv[3]), json.loads(sys.argv[4]))
