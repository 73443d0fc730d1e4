"""SQL, relationships, expectations and overrides with every logical type and place: parts of contracts out.

What each finds, other tests hold against plain Python. Here lint refuses it, or the job judges a file with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from contracts.authoring.quality.expectations.core_expectations import Core, expectations
from tests.oracle import combinations
from tests.oracle.combinations import BASES, CONTAINED, PLACES, TEXTS, Combination, Kind, Rule
from tests.oracle.contracts import Document
from tests.oracle.trees import Node

KINDS = (*BASES, *(Kind(logical, {"logicalType": logical, **inner}, (), "x") for logical, inner in CONTAINED))
"""All types, those that hold others included."""
NUMBER = next(kind for kind in BASES if kind.written["logicalType"] == "number")
STEPS = {"object": ".v", "array": "[]", "map": "*"}
BOOLEANS = (
    *("@ is null", "@ = {}", "@ <> {}", "@ < {}", "@ between {} and {}", "@ in ({}, {})", "@ <=> {}", "@ = @"),
    *("coalesce(@, {}) = {}", "nullif(@, {}) is null", "case when @ = {} then 1 else 0 end = 1", "not (@ > {})"),
    *("length(@) > 1", "upper(@) = 'A'", "trim(@) <> ''", "@ like 'a%'", "@ rlike '^a'", "concat(@, 'a') = 'aa'"),
    *("@ || 'a' = 'aa'", "substring(@, 1, 1) = 'a'", "startswith(@, 'a')", "contains(@, 'a')", "@", "not @"),
    *("@ + 1 > 0", "@ - @ = 0", "@ * 2 > 1", "@ / 2 > 1", "@ % 2 = 0", "-@ < 0", "abs(@) > 1", "round(@, 1) > 0"),
    *("year(@) > 2000", "@ > current_date()", "@ + interval 1 day > {}", "datediff(@, {}) > 0", "cast(@ as date) > {}"),
    *("cast(@ as string) = 'a'", "cast(@ as double) > 0", "cast(@ as int) > 0", "date_trunc('MONTH', @) = {}"),
    *("@.v = 'a'", "@[0] = 'a'", "size(@) > 1", "array_contains(@, 'a')", "@['a'] = 'a'", "hour(@) = 1"),
)
"""Expressions over a property; braces are values of its type."""
FIGURES = (
    *("count(@)", "count(distinct @)", "max(@)", "min(@)", "sum(@)", "avg(@)", "stddev(@)", "count(*)"),
    *("max(length(@))", "sum(@ + 1)", "count_if(@ is null)", "approx_count_distinct(@)", "median(@)", "first(@)"),
)
STATEMENTS = (
    "select @, count(*) as n from data group by @ having count(*) > 1",
    "select a.* from data a join data b on a.@ = b.@ where a.@ is null",
    "select * from data where @ in (select @ from data where @ is not null)",
    "select distinct @ from data where @ is null union select @ from data where @ is null",
    "select * from (select @, row_number() over (partition by @ order by @) as n from data) where n > 1",
    "select @ from data order by @ limit 1",
    "select max(@) as m from data having max(@) = {}",
)
THRESHOLDS: tuple[Document, ...] = ({"mustBe": 0}, {"mustBeLessThan": 60, "unit": "percent"}, {"mustBeBetween": [0, 9]})


def literal(kind: Kind) -> str:
    """Return a good value of a type as SQL has it."""
    logical, value = kind.written["logicalType"], kind.value
    if logical in ("integer", "number"):
        return str(value)
    if logical == "boolean":
        return "true"
    if logical == "date":
        return "date '2024-01-31'"
    return "timestamp '2024-01-31 10:00:00'" if logical == "timestamp" else f"'{value}'"


def sql(kind: Kind) -> Iterator[Rule]:
    """Yield a rule for each entry with SQL: expressions, filters, queries, statements, unexpected rows."""
    texts = [text.replace("{}", literal(kind)) for text in BOOLEANS]
    for n, text in enumerate(texts):
        whole = THRESHOLDS[n % len(THRESHOLDS)]
        yield Rule(f"expression {text}", entries=(_ours(metric="expression", expression=text),))
        yield Rule(f"share {text}", entries=(_ours(metric="expression", expression=text, **whole),))
        count = {"type": "sql", "query": f"select count(*) from data where {text}", **whole}
        yield Rule(f"query {text}", entries=(count,))
        yield Rule(f"rows {text}", entries=(_ours(metric="statement", statement=f"select * from data where {text}"),))
        counted = {"metric": "rowCount", "mustBeGreaterThan": 0, "arguments": {"filter": text}}
        yield Rule(f"filter {text}", entries=(counted,))
        unexpected = {"unexpected_rows_query": f"select * from {{batch}} where {text}"}
        yield Rule(f"unexpected {text}", entries=(_theirs("unexpected_rows_expectation", unexpected),))
    for figure in FIGURES:
        query = {"type": "sql", "query": f"select {figure} from data", "mustBeLessThan": 5}
        yield Rule(f"query {figure}", entries=(query,))
        yield Rule(f"own query {figure}", quality=({"type": "sql", **query, "query": query["query"]},))
    for text in (text.replace("{}", literal(kind)) for text in STATEMENTS):
        yield Rule(f"statement {text}", entries=(_ours(metric="statement", statement=text),))


def relations(_: Kind) -> Iterator[Rule]:
    """Yield relationships to columns of a reference file: alone, with another property, of what is required."""
    yield Rule("relationship", {"relationships": [{"to": "known.r"}]})
    both: Document = {"from": ["things.@name", "things.line"], "to": ["known.r", "known.s"]}
    yield Rule("relationship of records", entries=(both,))
    yield Rule("required relationship", {"required": True, "relationships": [{"to": "known.r"}]})


def suites(kind: Kind) -> Iterator[Rule]:
    """Yield each core expectation: alone, with a share, with a condition, and with values of another type."""
    for name, core in expectations().items():
        if core.elsewhere is not None or core.about == "query":
            continue
        conditions: tuple[Document, ...] = ({}, {"mostly": 0.5}, {"row_condition": f"@ = {literal(kind)}"})
        for n, more in enumerate(conditions):
            if set(more) <= set(core.takes):
                yield Rule(f"{name} {n}", entries=(_theirs(name, {**_arguments(kind, core), **more}),))
        other = KINDS[0] if kind.written["logicalType"] != "string" else NUMBER
        yield Rule(f"{name} other", entries=(_theirs(name, _arguments(kind, core, other)),))


def _arguments(kind: Kind, core: Core, values: Kind | None = None) -> Document:
    """Return arguments whose values are of a type, maybe of another than the property."""
    taken = {key: of for key, of in core.takes.items() if key in ("min_value", "max_value", "exact_match", "method")}
    return {key: _argument(values or kind, key, str(of)) for key, of in {**core.needs, **taken}.items()}


def _argument(kind: Kind, key: str, of: str) -> Any:
    named: dict[str, Any] = {
        "column_B": "line",
        "type_": "StringType",
        "type_list": ["StringType", "LongType"],
        "regex_list": ["^a"],
        "regex": "^a",
        "strftime_format": "%Y-%m-%d",
        "json_schema": {"type": "object"},
        "method": "iqr",
        "value_pairs_set": [[kind.value, 1], [None, 7]],
        "quantile_ranges": {"quantiles": [0.5], "value_ranges": [[None, 5]]},
        "partition_object": {"values": [kind.value], "weights": [1]},
    }
    if key in named:
        return named[key]
    bound = "2024-01-31" if kind.written["logicalType"] in ("date", "timestamp") else 5
    values = {"column": "@name", "columns": ["@name", "line"], "share": 0.5, "number": 1, "whole": 1}
    return {**values, "bound": bound, "list": [kind.value], "boolean": True}.get(of, "a")


def _ours(**implementation: Any) -> Document:
    return {"type": "custom", "engine": "dropgate", "implementation": implementation}


def _theirs(kind: str, kwargs: Document) -> Document:
    implementation = {"type": kind, "kwargs": kwargs}
    return {"type": "custom", "engine": "greatExpectations", "implementation": implementation}


RULES = {"sql": sql, "relationships": relations, "expectations": suites}


def every(form: str, sort: str) -> Iterator[Combination]:
    """Yield all combinations of a format and a sort of entries."""
    for place in PLACES if form != "csv" else PLACES[:1]:
        for kind in KINDS if form != "csv" else BASES:
            for rule in RULES[sort](kind):
                logical = kind.written["logicalType"]
                written = {**kind.written, **rule.keys, **({"quality": list(rule.quality)} if rule.quality else {})}
                value = Node({"name": "v", "logicalType": "string"}, TEXTS)
                inner = ((STEPS[logical], value),) if logical in STEPS else ()
                if not (form == "parquet" and combinations.is_text(kind)):
                    yield combinations.placed(
                        place, f"{place}: {kind.name} {rule.name}", Node(written, kind.cells, inner), rule
                    )


REFERENCES: Document = {"known": {"file": "known.csv"}}


def reference(combined: Sequence[Combination]) -> bytes:
    """Return the file that relationships look in: a cell of a property, and one of `line`."""
    cells = sorted({cell for one in combined for cell in one.node.cells if not set(cell) & set(',"\r\n')})
    return "".join(f"{r},{s}\n" for r, s in [("r", "s"), *((cell, n % 3 + 1) for n, cell in enumerate(cells))]).encode()


OVERRIDES: tuple[Document, ...] = (
    {"severity": "warning"},
    {"tolerance": "50%"},
    {"tolerance": {"warning": 1, "error": "90%"}},
    {"filter": "`line` > 1"},
    {"watermark": "line"},
    {"referenceColumns": ["line"]},
    {"severity": "warning", "tolerance": 2, "filter": "`line` is not null"},
)
"""What `drop.checks` may say of a check."""
