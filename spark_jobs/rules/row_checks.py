"""Checks as columns: a check, its cell and its typed value in, a column out that is true where the row fails.

A null cell fails only the rules that forbid nulls; a value that is null (no cell, or not of its type) fails no other.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from decimal import Decimal
from functools import cache, partial
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.files import mojibake
from contracts.plan import CONTAINERS, FIGURES, FORBID_NULL, FOREIGN_KEY, KEYS, OF_CELLS, Check, Csv, Plan, Property
from contracts.values import text_formats
from spark_jobs.rules import aggregates, csv_quotes, nesting
from spark_jobs.rules.casting import is_double, typed
from spark_jobs.spark import sql_text

METRICS = ("invalidValues", "missingValues", "notBlank", "regex", "expression")
"""Metrics that count records by what stands in them."""
OF_TEXTS = ("missingValues",)
"""Kinds that compare a cell as it is written; of all others it matters only whether it is null."""
LEAST, GREATEST = -(2**63), 2**63 - 1
PARTS = {"keyless": "c", "unkeyed": "v"}
"""What a record may lack of a key, and the columns that tell."""


def record_rules(line: Column, fits: Column, csv: Csv) -> dict[str, Column]:
    """Return the tests that make a line a record, by kind; `fits` is the reader's.

    If the quotes of a line break the rule, its cells are not counted: nobody can tell which they are.
    """
    quotes = csv_quotes.misquoted(line, csv)
    return {"fields": ~fits & ~quotes, "quotes": quotes, "text": _not_text(line, csv)}


def failing_of(plan: Plan, checks: Iterable[Check], present: Container[str]) -> list[Column | None]:
    """`failing` for each check, on the columns c<n> (cell) and v<n> (value) of its property n; None if that is missing.

    A record check is None, too: what it looks at is the line.
    """
    numbers = {p.name: n for n, p in enumerate(plan.properties) if p.name in present}

    @cache  # as every call into the JVM takes time
    def columns(name: str) -> tuple[Property, Column, Column]:
        return plan.property_named(name), sf.col(f"c{numbers[name]}"), sf.col(f"v{numbers[name]}")

    def test(check: Check) -> Column | None:
        if not _is_whole(check, numbers):
            return None
        if check.kind == "expression":
            found = sf.expr(f"not {check.arguments['sql']}")
        elif check.kind == FOREIGN_KEY:
            found = sf.col(partnerless(plan, check))
        elif check.property is None:
            return None
        else:
            found = of_property(check, plan.property_named(check.property))
        return sf.expr(check.filter.sql) & found if check.filter else found

    def of_property(check: Check, prop: Property) -> Column:
        if prop.repeats:
            return _any_failing(plan, check, prop, numbers[prop.name])
        found, within = failing(check, *columns(prop.name)), nesting.within(plan, prop)
        return found if within is None or not forbids_null(check) else within & found

    return [test(check) for check in checks]


def partnerless(plan: Plan, check: Check) -> str:
    """The column that says whether a record lacks its partner in a reference; `references.joined` makes it."""
    return f"r{plan.checks.index(check)}"


def _repeating(plan: Plan, prop: Property) -> list[Check]:
    """The checks of each value of which a record may have several, in the order of their bits."""
    return [c for c in plan.checks if c.property == prop.name and c.kind not in FIGURES]


def _any_failing(plan: Plan, check: Check, prop: Property, number: int) -> Column:
    """Return a column that is true if any of several values fails a check: a bit of `with_tests`, or its own test."""
    nth = _repeating(plan, prop).index(check)
    if nth < nesting.MOST_TESTS:
        return sf.expr(nesting.any_failing(number, nth))
    return nesting.some(number, lambda cell, value: failing(check, prop, cell, value))


def with_tests(rows: DataFrame, plan: Plan, present: Container[str]) -> DataFrame:
    """Rows with the bits b<n> that `failing_of` and `summed` look at, where a record may have several of a property."""
    checked = {c.property for c in plan.checks}
    made = [
        nesting.tested(n, [partial(failing, check, prop) for check in _repeating(plan, prop)[: nesting.MOST_TESTS]])
        for n, prop in enumerate(plan.properties)
        if prop.repeats and prop.name in present and prop.name in checked
    ]
    return rows.select("*", *made) if made else rows


def forbids_null(check: Check) -> bool:
    """Return True if a null fails a check."""
    return check.kind in FORBID_NULL or bool(check.arguments.get("null"))


def _is_whole(check: Check, present: Container[str]) -> bool:
    """Return True if the file has all columns that a check needs."""
    return all(name in present for name in check.needs())


def summed(plan: Plan, present: Container[str]) -> dict[str, Column]:
    """Return the tests whose records are counted besides the row checks, by name.

    `null<n>`: null cells of property n, where no row check counts them; of nested properties `void<n>`: no value of the
    type among several, `lost<n>`: nothing that they lie in; `bad<k>`: what the metric of check k calls wrong;
    `keyless<k>` and `unkeyed<k>`: records with a null, or with no value, in a part of the key of check k; `unsure<k>`:
    records of which the expression of check k is neither true nor false; `within<k>` and `bare<k>`: the records that
    the filter of check k lets through, and those of them without a value to judge; `utf8` and `ansi`: records in
    another encoding than the agreed one.
    """
    known = {name: sf.expr(test) for name, test in _lacking(plan, present).items()}
    return known | _invalid_of(plan, present)


def _lacking(plan: Plan, present: Container[str]) -> dict[str, str]:
    """Return those of these tests that need only nulls, in SQL."""
    whole = _nulls(plan, present) | _inner(plan, present) | _parts(plan, present)
    return whole | _unsure(plan, present) | _within(plan, present) | letters_tests(plan)


def _nulls(plan: Plan, present: Container[str]) -> dict[str, str]:
    """The null cells that no row check counts, in SQL."""
    names = [p.name for p in plan.properties]
    return {f"null{n}": nesting.without(plan, n, "c") if names[n] in present else "false" for n in _uncounted(plan)}


def _inner(plan: Plan, present: Container[str]) -> dict[str, str]:
    """Return the tests for missing nested values, in SQL."""
    return {
        name: "false"
        if plan.properties[n].name not in present
        else nesting.nowhere(plan, n)
        if name.startswith("lost")
        else nesting.without(plan, n, "v")
        for name, n in _inner_names(plan).items()
    }


def _inner_names(plan: Plan) -> dict[str, int]:
    """Return the sums for nested properties: the number of the property by the name of the sum."""
    checked = {c.property for c in plan.checks}
    strict = {c.property for c in plan.checks if forbids_null(c)}
    inner = [(n, p) for n, p in enumerate(plan.properties) if p.path and p.name in checked]
    voids = {f"void{n}": n for n, p in inner if p.repeats}
    return voids | {f"lost{n}": n for n, p in inner if p.name in strict}


def _invalid_of(plan: Plan, present: Container[str]) -> dict[str, Column]:
    metrics = _validity(plan)
    tests = failing_of(plan, metrics.values(), present)
    return {f"bad{k}": sf.lit(False) if test is None else test for k, test in zip(metrics, tests, strict=True)}


def summed_names(plan: Plan) -> list[str]:
    """The names of what is counted beside the row checks."""
    parts = [f"{name}{k}" for k in _several(plan) for name in PARTS]
    counted = [*(f"null{n}" for n in _uncounted(plan)), *(f"bad{k}" for k in _validity(plan)), *parts]
    unsure = (f"unsure{k}" for k in _expressions(plan))
    return [*counted, *_inner_names(plan), *unsure, *_within(plan, ()), *letters_tests(plan), *aggregates.parts(plan)]


def with_decimals(rows: DataFrame, plan: Plan, present: Container[str]) -> DataFrame:
    """Rows with the decimals x<n> that figures are made of, where there are any."""
    made = [
        sf.expr(sql).alias(f"x{n}")
        for n, sql in aggregates.decimals(plan).items()
        if plan.properties[n].name in present
    ]
    return rows.select("*", *made) if made else rows


def figured(plan: Plan, present: Container[str]) -> dict[str, str]:
    """Return what one record adds to the figures of all values, by name, in SQL."""
    props = plan.properties
    return {
        name: aggregates.added(part, n, props[n], present=props[n].name in present, only=_only(check, present))
        for name, (n, part, check) in aggregates.parts(plan).items()
    }


def _only(check: Check | None, present: Container[str]) -> str | None:
    """Return the records that a figure is of, in SQL; None for all."""
    if check is None or check.filter is None:
        return None
    return check.filter.sql if _is_whole(check, present) else "false"


def merged(plan: Plan) -> list[Column]:
    """Return the columns that merge sums into one, in the order of their names."""
    return [sf.expr(f"{how}({name})") for name, how in _merging(plan).items()]


def merging(plan: Plan) -> list[aggregates.Merge]:
    """The same in Python."""
    return [aggregates.MERGES[how] for how in _merging(plan).values()]


def of_valid(plan: Plan) -> set[int]:
    """The places of the sums that are of valid records alone."""
    parts = aggregates.parts(plan)
    return {at for at, name in enumerate(summed_names(plan)) if name in parts and parts[name][1] == aggregates.HIGH}


def _merging(plan: Plan) -> dict[str, str]:
    how = {name: aggregates.merged(part) for name, (_, part, _) in aggregates.parts(plan).items()}
    return {name: how.get(name, "sum") for name in summed_names(plan)}


def _uncounted(plan: Plan) -> list[int]:
    """The properties with checks whose null cells no row check counts, by number."""
    checked = {c.property for c in plan.checks}
    return [n for n, p in enumerate(plan.properties) if p.name in checked and not plan.forbidding_null(p.name)]


def _validity(plan: Plan) -> dict[int, Check]:
    """The metrics that count such records, by number."""
    return {
        k: c
        for k, c in enumerate(plan.checks)
        if c.scope == "set" and (c.kind in METRICS or (c.kind == "nullValues" and _is_inner(plan, c)))
    }


def _is_inner(plan: Plan, check: Check) -> bool:
    """Return True if a check is of a property within another, of which records may have none or several."""
    return bool(check.property and plan.property_named(check.property).path)


def _several(plan: Plan) -> dict[int, Check]:
    """The checks of keys of several properties, or of some records alone, by number."""
    keys = {k: c for k, c in enumerate(plan.checks) if c.kind in (*KEYS, FOREIGN_KEY)}
    return {k: c for k, c in keys.items() if c.filter or "properties" in c.arguments}


def _expressions(plan: Plan) -> dict[int, Check]:
    """The checks that are an expression over columns, by number."""
    return {k: c for k, c in enumerate(plan.checks) if c.kind == "expression"}


def _unsure(plan: Plan, present: Container[str]) -> dict[str, str]:
    """The records that an expression says nothing of, in SQL."""
    found = _expressions(plan).items()
    return {f"unsure{k}": _where(c, f"{c.arguments['sql']} is null", present) for k, c in found}


def _where(check: Check, test: str, present: Container[str]) -> str:
    """A test of the records that a check looks at, in SQL."""
    if not _is_whole(check, present):
        return "false"
    return f"{check.filter.sql} and ({test})" if check.filter else test


def _within(plan: Plan, present: Container[str]) -> dict[str, str]:
    """The records that filters let through, and of them those without a value to judge, in SQL."""
    at = {p.name: n for n, p in enumerate(plan.properties)}
    tests: dict[str, str] = {}
    for k, check in enumerate(plan.checks):
        if not check.filter:
            continue
        tests[f"within{k}"] = _where(check, "true", present)
        if check.property and check.kind not in (*KEYS, FOREIGN_KEY):
            n = at[check.property]
            if forbids_null(check) and plan.properties[n].path:
                nothing = nesting.nowhere(plan, n)
            else:
                nothing = nesting.without(plan, n, "c" if check.kind in OF_CELLS else "v")
            tests[f"bare{k}"] = _where(check, nothing, present)
    return tests


def letters_tests(plan: Plan) -> dict[str, str]:
    """The records in another encoding than the agreed one, in SQL, by names of `letters.Letters`; `line` is the text.

    Most lines have nothing but ASCII, which as many bytes as characters tell.
    """
    if not mojibake.is_watched(plan.csv):
        return {}
    beyond = "octet_length(line) > char_length(line)"
    utf8 = f"is_valid_utf8(cast(encode(line, '{plan.csv.encoding}') as string))"
    sequence, control = (sql_text.literal(pattern) for pattern in (mojibake.SEQUENCE, mojibake.CONTROL))
    return {
        "utf8": f"{beyond} and line rlike {sequence} and {utf8}",
        "ansi": f"{beyond} and line rlike {control} and not {utf8}",
    }


def _parts(plan: Plan, present: Container[str]) -> dict[str, str]:
    """Return the tests for records that lack a part of a key, in SQL: null cells, and cells without a typed value."""
    at = {p.name: n for n, p in enumerate(plan.properties)}
    tests: dict[str, str] = {}
    for k, check in _several(plan).items():
        own = [at[name] for name in check.properties() if name in present]
        for name, column in PARTS.items():
            lacks = " or ".join(f"{column}{n} is null" for n in own) or "false"
            tests[f"{name}{k}"] = _where(check, lacks, present) if check.filter else lacks
    return tests


def sums(plan: Plan, present: Container[str]) -> list[Column]:
    """The same as counts over rows, and the figures of all values."""
    lacking = _lacking(plan, present).items()
    counts = [sf.expr(f"count(if({test}, 1, null))").alias(name) for name, test in lacking]
    counts += [sf.count(sf.when(test, 1)).alias(name) for name, test in _invalid_of(plan, present).items()]
    adds, which = figured(plan, present), aggregates.parts(plan)
    return counts + [sf.expr(f"{aggregates.merged(which[n][1])}({sql})").alias(n) for n, sql in adds.items()]


def sums_of_each(plan: Plan, present: Container[str]) -> list[Column]:
    """The same of each row, of a plan whose nulls alone are counted."""
    return [sf.expr(f"if({test}, 1L, 0L)").alias(name) for name, test in _lacking(plan, present).items()]


def failing(check: Check, prop: Property, cell: Column, value: Column) -> Column:
    """True where the row fails the check; null or false where it does not, or is not evaluated."""
    match check.kind:
        case "logicalType":
            return cell.isNotNull() & value.isNull()
        case "required" | "nullValues":
            return cell.isNull()
        case "deprecated":
            return cell.isNotNull()
        case "missingValues":
            texts = cell.isin(*check.arguments["values"])
            return texts | cell.isNull() if check.arguments["null"] else texts
    if prop.type in CONTAINERS:
        return nesting.failing(check, cell, value)
    return _failing_value(check, prop, value)


def _failing_value(check: Check, prop: Property, value: Column) -> Column:
    known: dict[str, Any] = check.arguments
    match check.kind:
        case "enum" | "invalidValues":
            return _invalid(value, prop, known)
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            return _beyond(value, check.kind, known["value"], prop)
        case "minLength":
            return sf.char_length(value) < int(known["value"])
        case "maxLength":
            return sf.char_length(value) > int(known["value"])
        case "multipleOf":
            return value % _bound(known["value"], prop, math.ceil) != constant("0", prop)
        case "format":
            return _misfits(value, prop, known["format"])
        case "pattern" | "regex" | "notBlank":
            return ~value.rlike(known["pattern"])
    raise NotImplementedError(f"check {check.id!r} is of the kind {check.kind!r}, which this job does not know")


def constant(text: str, prop: Property) -> Column:
    """A contract's text as a value of the property's type; read like a cell, so that both mean the same."""
    return typed(sf.lit(text), prop)


def compared(plan: Plan) -> dict[str, list[str]]:
    """The texts that cells of a property are held against, by its name."""
    found: dict[str, list[str]] = {}
    for check in plan.checks:
        if check.kind in OF_TEXTS:
            found.setdefault(check.property or "", []).extend(check.arguments["values"])
    return found


def meant(cell: Column, value: Column, prop: Property, texts: Iterable[str]) -> Column:
    """A cell; where its value is that of one of these texts, that text."""
    for word in dict.fromkeys(texts):
        cell = sf.when(value == constant(word, prop), sf.lit(word)).otherwise(cell)
    return cell


def _invalid(value: Column, prop: Property, known: dict[str, Any]) -> Column:
    values, pattern = known.get("values"), known.get("pattern")
    outside = ~_among(value, values, prop) if values is not None else sf.lit(False)
    return outside | ~value.rlike(pattern) if pattern is not None else outside


def _among(value: Column, texts: list[str], prop: Property) -> Column:
    return sf.coalesce(value.isin(*(constant(text, prop) for text in texts)), value.isNull())


def _beyond(value: Column, kind: str, text: str, prop: Property) -> Column:
    """Return a column that is true if a value is beyond a bound; an exclusive bound is beyond itself."""
    match kind:
        case "minimum":
            return value < _bound(text, prop, math.ceil)
        case "maximum":
            return value > _bound(text, prop, math.floor)
        case "exclusiveMinimum":
            return value <= _bound(text, prop, math.floor)
        case _:
            return value >= _bound(text, prop, math.ceil)


def _misfits(value: Column, prop: Property, name: str) -> Column:
    """Return a column that is true if a value does not match a format, by the format's name."""
    if prop.type == "string":
        return ~value.rlike(text_formats.TEXT[name].pattern)
    if prop.type == "number":
        return sf.abs(value) >= text_formats.BEYOND_F32
    least, most = text_formats.INTEGERS[name]
    return (value < _whole(least)) | (value > _whole(most))


def _bound(text: str, prop: Property, towards: Any) -> Column:
    """A bound as a constant; for integers the nearest whole number that means the same, within 64 bits."""
    if prop.type == "integer" and not prop.exact:
        return _whole(towards(Decimal(text)))
    return sf.lit(float(text)) if is_double(prop) else constant(text, prop)


def _whole(number: int) -> Column:
    return sf.lit(number) if LEAST <= number <= GREATEST else sf.lit(Decimal(number))


def quotes(line: Column, csv: Csv) -> Column:
    """Return the number of quotes in a line; quotes escaped by another character do not count.

    By bytes: where some are no text, Spark takes what follows them for a part of a character.
    """
    text = without_escaped(line, csv)
    rest = sf.octet_length(sf.replace(text, sf.lit(csv.quote), sf.lit("")))
    return ((sf.octet_length(text) - rest) / max(1, len(csv.quote.encode()))).cast("int")


def without_escaped(line: Column, csv: Csv) -> Column:
    """A line without the quotes that are escaped by another character."""
    if csv.escape != csv.quote:
        for pair in (csv.escape * 2, csv.escape + csv.quote):
            line = sf.replace(line, sf.lit(pair), sf.lit(""))
    return line


def _not_text(line: Column, csv: Csv) -> Column:
    nul = sf.contains(line, sf.lit("\x00"))
    return nul | ~sf.is_valid_utf8(line) if csv.encoding == "utf-8" else nul
