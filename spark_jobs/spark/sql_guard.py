"""The job's own guard for SQL texts of a plan: a text in; the reason why Spark must not run it, or None, out.

Contracts are compiled when they are published, and their SQL is rewritten then. Older plans have texts as their authors
wrote them, and a catalog is a file in a bucket. So each text is parsed here, which runs nothing, and each node of its
tree must be on a list: Spark has no setting that refuses `TRANSFORM`, commands or functions by name.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from contracts import rules
from contracts.plan import Plan
from spark_jobs.spark.jvm import java_class

SETTINGS = {
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.variable.substitute": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "false",
    "spark.sql.legacy.setopsPrecedence.enabled": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
}
"""Settings by which Spark itself refuses texts, and reads quotes; texts are written for them."""
NOT_HERE = ("reflect", "java_method", "try_reflect", "from_protobuf", "to_protobuf", "from_avro", "to_avro")
"""Functions that can call any method of Java, or read files: sessions of the job do not have them."""
PLANS = {
    *("Aggregate", "Distinct", "Except", "Filter", "GlobalLimit", "Intersect", "Join", "LocalLimit", "OneRowRelation"),
    *("Project", "Sort", "SubqueryAlias", "Union", "UnresolvedHaving", "UnresolvedInlineTable", "UnresolvedRelation"),
    *("UnresolvedSubqueryColumnAliases", "UnresolvedWith"),
}
PARTS = {
    *("AliasIdentifier", "ExprId", "Tuple2", "Tuple3", "UsingJoin", "NaturalJoin", "SpecifiedWindowFrame"),
    *("Ascending$", "Descending$", "NullsFirst$", "NullsLast$", "Inner$", "Cross$", "LeftOuter$", "RightOuter$"),
    *("FullOuter$", "LeftSemi$", "LeftAnti$", "RowFrame$", "RangeFrame$", "UnboundedPreceding$", "UnboundedFollowing$"),
    *("CurrentRow$", "UnspecifiedFrame$", "EvalMode$", "Origin", "Trim$"),
}
EXPRESSIONS = {
    *("Add", "Alias", "And", "Between", "CaseWhen", "Cast", "Divide", "EqualNullSafe", "EqualTo", "Exists"),
    *("GreaterThan", "GreaterThanOrEqual", "ILike", "If", "In", "InSubquery", "IsFalse", "IsNotFalse", "IsNotNull"),
    *("IsNotTrue", "IsNotUnknown", "IsNull", "IsTrue", "IsUnknown", "LessThan", "LessThanOrEqual", "Like", "LikeAll"),
    *("LikeAny", "ListQuery", "Literal", "Multiply", "MultiAlias", "Not", "NotLikeAll", "NotLikeAny", "Or", "RLike"),
    *("Remainder", "ScalarSubquery", "SortOrder", "StringLocate", "StringTrim", "StringTrimLeft", "StringTrimRight"),
    *("Subtract", "UnaryMinus", "UnaryPositive", "UnresolvedAlias", "UnresolvedAttribute", "UnresolvedExtractValue"),
    *("UnresolvedFunction", "UnresolvedOrdinal", "UnresolvedStar", "WindowExpression", "WindowSpecDefinition"),
    *("IntegralDivide", "TimestampAdd", "TimestampDiff", "Substring", "First", "Last", "AnyValue"),
    *("AggregateExpression", "Complete$"),
}
NODES = PLANS | PARTS | EXPRESSIONS
FUNCTIONS = {
    *("abs", "acos", "add_months", "and", "any", "any_value", "approx_count_distinct", "array", "array_contains"),
    *("asin", "atan", "avg", "between", "bigint", "bit_length", "bool_and", "bool_or", "boolean", "bround", "btrim"),
    *("case", "cast", "ceil", "ceiling", "char_length", "character_length", "coalesce", "concat", "concat_ws"),
    *(
        "contains",
        "corr",
        "cos",
        "count",
        "count_if",
        "cume_dist",
        "current_date",
        "current_timestamp",
        "date",
        "date_from_unix_date",
    ),
    *("date_add", "date_diff", "date_format", "date_part", "date_sub", "date_trunc", "dateadd", "datediff", "day"),
    *("dayofmonth", "dayofweek", "dayofyear", "decimal", "dense_rank", "double", "elt", "endswith", "equal_null"),
    *("every", "exp", "extract", "find_in_set", "first", "first_value", "float", "floor", "greatest", "hour", "if"),
    *("ifnull", "in", "initcap", "instr", "int", "isnan", "isnotnull", "isnull", "kurtosis", "lag", "last"),
    *("last_day", "last_value", "lcase", "lead", "least", "left", "len", "length", "levenshtein", "like", "ln"),
    *("locate", "log", "log10", "log2", "lower", "lpad", "ltrim", "make_date", "make_timestamp", "max", "max_by"),
    *("md5", "mean", "median", "min", "min_by", "minute", "mod", "mode", "month", "months_between", "nanvl"),
    *("negative", "next_day", "not", "now", "ntile", "nullif", "nvl", "nvl2", "octet_length", "or", "percent_rank"),
    *("percentile", "percentile_approx", "pmod", "position", "positive", "pow", "power", "quarter", "rank"),
    *("regexp", "regexp_count", "regexp_extract", "regexp_like", "regexp_replace", "replace", "reverse", "right"),
    *("rint", "rlike", "round", "row_number", "rpad", "rtrim", "second", "sha1", "sha2", "sign", "signum", "sin"),
    *("size", "skewness", "smallint", "some", "split", "split_part", "sqrt", "startswith", "std", "stddev"),
    *("stddev_pop", "stddev_samp", "string", "substr", "substring", "substring_index", "sum", "tan", "timestamp"),
    *("timestamp_micros", "timestamp_millis", "timestamp_seconds", "tinyint", "to_date", "to_timestamp", "translate"),
    *("trim", "trunc", "try_add", "try_avg", "try_divide", "try_mod", "try_multiply", "try_subtract", "try_sum"),
    *("try_to_date", "try_to_timestamp", "ucase", "unix_date", "unix_micros", "unix_millis", "unix_seconds"),
    *("unix_timestamp", "upper", "var_pop", "var_samp", "variance", "weekday", "weekofyear", "when", "year"),
    *("try_cast", "typeof"),
}
AGAIN = "publish the contract once more, and `lint` names what to write"


class Refused(Exception):
    """An expression of a plan is not one that a contract can have."""


def close(spark: SparkSession) -> None:
    """Let a session itself refuse files as tables, substitution, and functions that call into Java."""
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    registry = _state(spark).functionRegistry()
    identifier = java_class(spark, "org.apache.spark.sql.catalyst.FunctionIdentifier")
    for name in NOT_HERE:
        registry.dropFunction(identifier(name))


def check_plan(spark: SparkSession, plan: Plan) -> None:
    """Raise Refused if Spark must not evaluate an expression by which the plan judges each record."""
    texts = [c.rule.sql for c in plan.checks if isinstance(c.rule, rules.Expression)]
    for text in dict.fromkeys([*texts, *(c.filter.sql for c in plan.checks if c.filter)]):
        if why := refusal_of_expression(spark, text):
            raise Refused(f"The plan of `{plan.contract}` has an expression that Spark must not run: {why}.")


def refusal(spark: SparkSession, text: str, tables: Collection[str]) -> str | None:
    """Return why a query must not run; it may read only `tables`, and relations that it names itself."""
    return _refusal(_state(spark).sqlParser().parsePlan, text, tables)


def refusal_of_expression(spark: SparkSession, text: str, tables: Collection[str] = ()) -> str | None:
    """Return why an expression must not be evaluated."""
    return _refusal(_state(spark).sqlParser().parseExpression, text, tables)


def _state(spark: SparkSession) -> Any:
    session: Any = spark._jsparkSession
    return session.sessionState()


def _refusal(parse: Any, text: str, tables: Collection[str]) -> str | None:
    try:
        tree = json.loads(parse(text).toJSON())
    except PySparkException as error:
        return f"Spark cannot read it: {' '.join(str(error).split())[:160]}"
    nodes = list(_nodes(tree))
    named = set(tables) | {str(node["_1"]) for node in nodes if "_1" in node and "_2" in node}
    for node in nodes:
        classes = (str(node[key]).rpartition(".")[2] for key in ("class", "product-class", "object") if key in node)
        kind = next(classes, None)
        if kind is not None and kind not in NODES:
            return f"`{kind}` is nothing that a text of a contract may ask of Spark; {AGAIN}"
        if kind == "UnresolvedRelation" and node["multipartIdentifier"] not in [f"[{name}]" for name in named]:
            return f"it asks the table {str(node['multipartIdentifier'])[:60]}, which is not this file; {AGAIN}"
        if kind == "UnresolvedFunction" and str(node["nameParts"]).lower() not in {f"[{name}]" for name in FUNCTIONS}:
            return f"it calls the function {str(node['nameParts'])[:60]}, which no text of a contract may; {AGAIN}"
    return None


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a tree in Spark's JSON; objects of a `with` have its name as `_1`."""
    if isinstance(tree, dict):
        yield tree
        for part in tree.values():
            yield from _nodes(part)
    elif isinstance(tree, list):
        for part in tree:
            yield from _nodes(part)
