"""JSON Lines, an object on each line: lines in, cells and values of the contract's properties out.

As in CSV most lines are plain: the keys of the file's first object in their order, values of their types, no escapes.
One pattern tests this, and Spark's parser then reads them fast. That parser is lenient: it accepts text after an
object, a key that occurs twice, and `5` where text is wanted. All other lines are therefore parsed twice, wrapped in
two ways of which one fails at any trailing text: once for keys and texts, once for the JSON type of each value.

A property with a form has its values in texts as well, as cells of CSV have them. A number of JSON has a point before
its fraction and no groups, whatever texts have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, MapType, StringType, StructField, StructType

from contracts import rules
from contracts.files.columns import OURS
from contracts.plan import CONTAINERS, LogicalType, Plan, Property
from contracts.terms.value_form import ValueForm
from contracts.values import sql_text
from spark_jobs.counting.spark_types import is_double
from spark_jobs.formats import text_lines
from spark_jobs.rules import nesting, row_checks, value_forms
from spark_jobs.rules.casting import GREATEST_DOUBLE, cast, or_infinite, typed

STRICT = {"allowSingleQuotes": "false", "allowNonNumericNumbers": "false", "maxStringLen": str(2**31 - 1)}
OBJECT, ARRAY = "map<string,variant>", "array<variant>"
TEXTS, KINDS = "array<map<string,string>>", "map<string,map<string,variant>>"
WIDE = 200
"""Keys up to which the pattern is used: Java's regular expressions use the stack for each group."""
INTEGER = "-?(?:0|[1-9][0-9]{0,300}+)"
NUMBER = rf"{INTEGER}(?:\.[0-9]{{1,300}}+)?(?:[eE][-+]?[0-9]{{1,4}}+)?"
"""Spark's parser gives up at 1,000 digits."""
LONGEST = 1 << 20
FEW = r"-?(?:0|[1-9][0-9]{0,6}+)(?:\.[0-9]{1,3}+)?"
"""A number that a double represents exactly, with the same text."""
TEXT = r'"[^"\\\x00-\x1f\ufffd]*+"'
SCALAR = f"(?:{TEXT}|{NUMBER}|true|false|null)"
ESCAPE = r"(?<!\\)(?:\\\\)*+\\u"
"""The beginning of an escape: a backslash that is not itself escaped."""
HIGH = "[89abAB][0-9a-fA-F]{2}"
LONE = rf"{ESCAPE}[dD](?:{HIGH}(?!\\u[dD][c-fC-F])|(?<!\\u[dD]{HIGH}\\u[dD])[c-fC-F])"
"""One escape of a character that needs two."""
SHAPES: dict[LogicalType, str] = {"integer": INTEGER, "number": NUMBER, "boolean": "true|false"}
SHORT: dict[LogicalType, str] = {
    "integer": "-?(?:0|[1-9][0-9]{0,17}+)",
    "number": r"-?(?:0|[1-9][0-9]{0,15}+)(?:\.[0-9]{1,20}+)?",
}
"""Numbers within others, and exact whole ones, that are plain: never beyond 64 bits, never infinite."""
DOUBLE_DIGITS = 15
ROUNDED = r"\.(?:[0-9]{7}|(?<=[0-9]{8}\.)|(?<=0\.)000)"
"""What a line has that holds a decimal whose text as a double may be another: many digits, or zeros after the point."""
LONG = r"^(BIGINT|DECIMAL\((?:19|[2-9][0-9]),)"
"""Whole numbers: beyond 64 bits they are decimals, as a shorter one such as 1.0 is."""
NUMBERS = ("BIGINT", "DOUBLE", "DECIMAL")

load = text_lines.load
fault = text_lines.no_fault
refusals = text_lines.no_refusals
as_written = text_lines.as_written
record_lines = text_lines.record_lines
without_header = text_lines.unchanged
is_trailer = text_lines.never_trailer


def first_pass(
    source: DataFrame, plan: Plan, header: tuple[str, ...], _header_texts: Sequence[str]
) -> tuple[DataFrame, Column]:
    """Read the lines of files whose first objects have the same keys: file, block, id, line, c<n> and v<n>, odd."""
    line, here = sf.col("line"), [(n, p) for n, p in enumerate(plan.properties) if not p.path]
    lines = text_lines.as_lines(source, plan.csv)
    if not may_be_plain(plan, header):
        return lines.select("*", sf.lit(True).alias("odd")), line
    even = (sf.octet_length(line) <= LONGEST) & line.rlike(plain(plan, header))
    lines = lines.select("*", even.alias("plain"))
    inner = Inner(plan)
    schema = StructType([StructField(p.key, inner.schema(p)) for _, p in here])
    parsed = lines.select("*", sf.from_json(sf.when(sf.col("plain"), line), schema, STRICT).alias("fields"))
    roots = {p.name: sf.col("fields")[p.key] for _, p in here if p.type in CONTAINERS}
    here = [(n, p) for n, p in here if p.name not in roots]
    cells = {n: _agreed(sf.col("fields")[p.key], p) for n, p in here}
    values = {n: _value(cells[n], p) for n, p in here}
    cells |= _as_texts(cells, values, plan)
    doubles = [values[n] for n, p in here if is_double(p)]
    judged = parsed.select(
        "*",
        *(cell.alias(f"c{n}") for n, cell in cells.items()),
        *(value.alias(f"v{n}") for n, value in values.items()),
        or_infinite(~sf.col("plain"), doubles).alias("odd"),
    )
    if roots:
        judged = nesting.opened(judged, plan, {p.name for p in plan.properties}, roots, Texts())
    return judged, line


def may_be_plain(plan: Plan, header: tuple[str, ...]) -> bool:
    """Return False if no pattern tests the lines of files with these keys."""
    return len(header) + sum(bool(p.path) for p in plan.properties) <= WIDE


def plain(plan: Plan, header: tuple[str, ...]) -> str:
    """Return a pattern of plain lines: keys of the contract in the order of `header`, each once or left out.

    Keys of nested objects are in the order of the contract.
    """
    roots, inner = {p.name: p for p in plan.roots}, Inner(plan)
    others = [name for name in header if name not in roots and (plan.columns.extra == "ignore" or name in OURS)]
    shapes = {name: (roots[name].key, inner.shape(roots[name])) for name in header if name in roots}
    shapes |= {name: (name, SCALAR) for name in others}
    return rf"^{_object(dict(shapes[name] for name in header if name in shapes))}\z"


def _object(shapes: Mapping[str, str]) -> str:
    keys = {json.dumps(name, ensure_ascii=False): shape for name, shape in shapes.items()}
    pairs = "".join(rf"(?:{re.escape(key)}: ?{shape}(?:, ?|(?=\}})))?" for key, shape in keys.items())
    return rf"\{{{pairs}(?<!, ?)\}}"


class Inner:
    """The content of a property in a plain line: a pattern of its text, and the schema that parses it."""

    def __init__(self, plan: Plan) -> None:
        self._compared = row_checks.compared(plan)
        self._unlike = {c.property for c in plan.checks if isinstance(c.rule, rules.UniqueItems)}
        self._within: dict[tuple[str, ...], list[Property]] = {}
        for prop in plan.properties:
            self._within.setdefault(prop.route[:-1], []).append(prop)

    def shape(self, prop: Property) -> str:
        """Return the pattern. Maps, whose keys may repeat, and arrays whose elements are compared are never plain."""
        inner = self._within.get(prop.route, [])
        if prop.type == "object" and inner:
            return f"(?:{_object({p.key: self.shape(p) for p in inner})}|null)"
        if prop.type == "array":
            few = "".join(rf"(?:{shape}(?:, ?{shape})*+)?" for shape in map(self.shape, inner))
            return rf"(?:\[{'' if prop.name in self._unlike else few}\]|null)"
        if prop.type in CONTAINERS or (prop.path and prop.name in self._compared and prop.type in SHORT):
            return "null"
        shapes = SHORT if prop.path else SHAPES
        own = shapes.get(prop.type, SHAPES.get(prop.type, TEXT))
        if prop.exact:
            own = SHORT["integer"] if prop.type == "integer" else FEW
        if prop.form and own != TEXT:
            own = f"{TEXT}|{own}" if _is_alike(prop, prop.form) else TEXT
        return f"(?:{own}|null)"

    def schema(self, prop: Property) -> DataType:
        """Return the schema of its texts, within its containers."""
        inner = self._within.get(prop.route, [])
        match prop.type:
            case "object" if inner:
                return StructType([StructField(p.key, self.schema(p)) for p in inner])
            case "array":
                return ArrayType(self.schema(inner[0]) if inner else StringType())
            case "map":
                values = [p for p in inner if p.route[-1] == "*"]
                return MapType(StringType(), self.schema(values[0]) if values else StringType())
        return StringType()


def _value(cell: Column, prop: Property) -> Column:
    plainly = prop.type in ("integer", "number") and not (prop.exact or prop.form)
    return cast(cell, prop) if plainly else typed(cell, prop)


def _is_alike(prop: Property, form: ValueForm) -> bool:
    """Return True if a text of the digits of a JSON number, or of true and false, is the same value as these."""
    if prop.type == "boolean":
        return not form.true
    return prop.type in ("integer", "number") and form.decimal == "." and not (form.group or form.shift or form.percent)


def _agreed(text: Column, prop: Property) -> Column:
    """Return the text of a value as a cell: without blanks that are no part of it, null if it is a word for that."""
    cell = value_forms.trimmed(text, prop)
    return sf.when(~cell.isin(*prop.form.nulls), cell) if prop.form and prop.form.nulls else cell


def _of_kind(kind: Column, cell: Column, prop: Property) -> Column:
    """Return a cell as a value of its property, by the JSON type that it has; null if it has another."""
    own = sf.when(_is_of(kind, prop), typed(cell, replace(prop, form=None)))
    form = prop.form
    if form is None or prop.type == "string":
        return own
    read = sf.when(kind == "STRING", typed(cell, prop))
    match prop.type:
        case "integer" | "number" if form.shift:
            whole = replace(prop, form=replace(form, decimal=".", group=""))
            return read.when(kind.rlike(LONG), typed(cell, whole))
        case "integer" | "number":
            return read.otherwise(own)
        case "boolean":
            return read.when(kind == "BIGINT", typed(cell, prop)).otherwise(own) if form.true else read.otherwise(own)
        case _:
            return read.when(kind.rlike("^(BIGINT|DECIMAL)"), typed(cell, prop)) if form.dates else read


def second_pass(singles: DataFrame, plan: Plan, _header: tuple[str, ...]) -> tuple[DataFrame, row_checks.RecordTests]:
    """Parse odd lines (column `raw`): add c<n> and v<n>; return the tests of the record checks, by rule."""
    here = [(n, p) for n, p in enumerate(plan.properties) if not p.path and p.type not in CONTAINERS]
    parsed = _parsed(singles, sf.col("raw"))
    kinds = [sf.expr(f"schema_of_variant(kinds[{sql_text.literal(p.key)}])").alias(f"k{n}") for n, p in here]
    texts = {n: sf.expr(_cell(p.key, f"texts[{sql_text.literal(p.key)}]")) for n, p in here}
    cells = [_agreed(texts[n], p).alias(f"c{n}") for n, p in here]
    values = [_of_kind(sf.col(f"k{n}"), sf.col(f"c{n}"), p).alias(f"v{n}") for n, p in here]
    typed_rows = parsed.select("*", *kinds, *cells).select("*", *values)
    named = {n: (sf.col(f"c{n}"), sf.col(f"v{n}")) for n, _ in here}
    compared = _as_texts({n: c for n, (c, _) in named.items()}, {n: v for n, (_, v) in named.items()}, plan)
    typed_rows = typed_rows.withColumns({f"c{n}": cell for n, cell in compared.items()})
    roots = {p.name: sf.expr(f"kinds[{sql_text.literal(p.key)}]") for p in plan.roots if p.type in CONTAINERS}
    if roots:
        typed_rows = nesting.opened(
            typed_rows, plan, {p.name for p in plan.properties}, roots, Variants(row_checks.compared(plan))
        )
    keys = [*(p.key for p in plan.roots), *OURS]
    is_object = sf.col("texts").isNotNull()  # a line that is no object has no texts to test
    tests: row_checks.RecordTests = {
        rules.Object: ~is_object,
        rules.Keys: sf.size("names") != sf.size(sf.array_distinct("names")),
        rules.Text: sf.contains("raw", sf.lit("\x00"))
        | ~sf.is_valid_utf8("raw")
        | (is_object & sf.col("raw").rlike(LONE)),
        rules.KnownKeys: reduce(Column.__or__, _unknown_within(plan), _is_unknown(sf.col("names"), keys)),
    }
    return typed_rows, row_checks.too_long_fails(tests, sf.col("raw"), rules.Object)


def _as_texts(cells: Mapping[int, Column], values: Mapping[int, Column], plan: Plan) -> dict[int, Column]:
    """Return the cells of numbers that are compared with texts: 1.50 and 1.5 are the same number."""
    texts = row_checks.compared(plan)
    numbers = ((n, p) for n, p in enumerate(plan.properties) if n in cells and p.type in ("integer", "number"))
    return {n: row_checks.meant(cells[n], values[n], p, texts[p.name]) for n, p in numbers if p.name in texts}


def _is_unknown(names: Column, expected: Sequence[str]) -> Column:
    """Return a column that is true if one of some keys is not expected."""
    return sf.size(unknown(names, expected)) > 0


def unknown(names: Column, expected: Sequence[str]) -> Column:
    """Return those of some keys that are not expected."""
    return sf.array_except(names, sf.array(*map(sf.lit, dict.fromkeys(expected))))


def _unknown_within(plan: Plan) -> list[Column]:
    """Return the same test for each nested object that has properties."""

    def test(n: int, expected: Sequence[str]) -> Column:
        if plan.properties[n].repeats:
            return nesting.some(n, lambda _, value: _is_unknown(sf.map_keys(value), expected))
        return _is_unknown(sf.map_keys(f"v{n}"), expected)

    return [sf.coalesce(test(n, expected), sf.lit(False)) for n, expected in objects(plan).items()]


def objects(plan: Plan) -> dict[int, list[str]]:
    """Return the keys that nested objects may have, by the number of the property."""
    inner: dict[int, list[str]] = {}
    for prop in plan.properties:
        if prop.path and prop.path[-1].startswith("."):
            inner.setdefault(plan.properties.index(plan.parent(prop)), []).append(prop.key)
    return inner


class Texts:
    """The parser of plain values, which `Inner.schema` has split: `nesting.Parts`."""

    costly = False

    def is_null(self, raw: Column) -> Column:
        return raw.isNull()

    def container(self, raw: Column, _prop: Property) -> Column:
        return raw

    def count(self, _value: Column, _prop: Property) -> Column:
        return sf.lit(0)  # an object without properties is never plain

    def child(self, value: Column, key: str) -> Column:
        return value.getField(key)

    def key(self, key: Column) -> Column:
        return key

    def cell(self, raw: Column, prop: Property) -> Column:
        return _agreed(raw, prop)

    def value(self, _raw: Column, cell: Column, prop: Property) -> Column:
        return _value(cell, prop)


class Variants:
    """The parser of JSON values: `nesting.Parts`; `texts` are the texts that cells are compared with, by property."""

    costly = True

    def __init__(self, texts: Mapping[str, Sequence[str]]) -> None:
        self._texts = texts

    def is_null(self, raw: Column) -> Column:
        return raw.isNull() | sf.is_variant_null(raw)

    def container(self, raw: Column, prop: Property) -> Column:
        return sf.try_variant_get(raw, "$", ARRAY if prop.type == "array" else OBJECT)

    def count(self, value: Column, _prop: Property) -> Column:
        return sf.size(sf.map_filter(value, lambda _, x: ~self.is_null(x)))

    def child(self, value: Column, key: str) -> Column:
        return value.getItem(key)

    def key(self, key: Column) -> Column:
        return key.cast("variant")

    def cell(self, raw: Column, prop: Property) -> Column:
        text = _agreed(sf.try_variant_get(raw, "$", "string"), prop)
        if prop.type not in ("integer", "number") or prop.name not in self._texts:
            return text
        return row_checks.meant(text, self.value(raw, text, prop), prop, self._texts[prop.name])

    def value(self, raw: Column, cell: Column, prop: Property) -> Column:
        if prop.form:
            return _of_kind(sf.schema_of_variant(raw), cell, prop)
        is_of = _is_of(sf.schema_of_variant(raw), prop)
        if prop.exact or prop.type not in ("integer", "number"):
            return sf.when(is_of, typed(cell, prop))
        # The text of a JSON number has none of the characters with which Spark's cast is too lenient.
        value = cast(cell, prop)
        return sf.when(is_of, sf.when(sf.abs(value) <= GREATEST_DOUBLE, value) if is_double(prop) else value)


def records(
    source: DataFrame,
    plan: Plan,
    header: tuple[str, ...],
    wanted: Sequence[str],
    _aside: Sequence[int],
    _malformed: bool,
) -> DataFrame:
    """Read the records again: file, block, id, and text t<n> and value v<n> of the n-th of some properties."""
    lines = text_lines.lines(source, plan.csv).where(sf.col("id").isNotNull()).withColumnRenamed("line", "raw")
    parsed, fails = second_pass(lines, plan, header)
    sound = parsed.where(~(fails[rules.Object] | fails[rules.Keys] | fails[rules.Text]))
    return text_lines.chosen(sound, plan, wanted)


def with_cells(rows: DataFrame, plan: Plan, _header: tuple[str, ...], malformed: Column) -> DataFrame:
    """Add `cells`, the texts by key, to lines (column `raw`); malformed ones have none.

    The others are objects, so that one lenient parse is enough; variants are made only where a text may be rounded.
    """
    raw = sf.when(~malformed & row_checks.is_read(sf.col("raw")), sf.col("raw"))
    keys = [p.key for p in plan.roots]
    schema = StructType([StructField(key, StringType()) for key in dict.fromkeys(keys)])
    parsed = rows.select(
        "*",
        sf.from_json(raw, schema, STRICT).alias("fields"),
        _kinds(sf.when(raw.rlike(ROUNDED), raw)).alias("kinds"),
        sf.json_object_keys(raw).alias("names"),
    )
    texts = [f"fields.{sql_text.quoted_name(key)}" for key in keys]
    as_they_are, exact = ", ".join(texts), ", ".join(map(_cell, keys, texts))
    own = sf.map_from_arrays(
        sf.array(*(sf.lit(p.name) for p in plan.roots)),
        sf.expr(f"if(kinds is null, array({as_they_are}), array({exact}))"),
    )
    taken = list(dict.fromkeys(text for p in plan.roots for text in (p.name, p.key)))
    listed = sf.array(*map(sf.lit, taken))
    others = sf.map_filter(sf.get(_texts(raw), sf.lit(0)), lambda name, _: ~sf.array_contains(listed, name))
    every = sf.when(_is_unknown(sf.col("names"), taken), sf.map_concat(own, others)).otherwise(own)
    with_own = parsed.select("*", sf.when(sf.col("names").isNotNull(), every).alias("cells"))
    return with_own.drop("fields", "kinds", "names")


def _parsed(rows: DataFrame, raw: Column) -> DataFrame:
    """Add texts by key, JSON types by key, and the keys; null if a line is not exactly one object.

    They are also null for lines that are too long.
    """
    raw = sf.when(row_checks.is_read(raw), raw)
    read = rows.select("*", _texts(raw).alias("all_texts"), _kinds(raw).alias("kinds"))
    single = sf.when((sf.size("all_texts") == 1) & sf.col("kinds").isNotNull(), sf.get("all_texts", sf.lit(0)))
    objects_only = read.select("*", single.alias("texts")).drop("all_texts")
    return objects_only.select("*", sf.map_keys("texts").alias("names"))


def _texts(raw: Column) -> Column:
    """Return the objects of a line, each with its texts by key."""
    return sf.from_json(sf.concat(sf.lit("["), raw, sf.lit("]")), TEXTS, STRICT)


def _kinds(raw: Column) -> Column:
    """Return the values of the object of a line by key, as variants."""
    return sf.element_at(sf.from_json(sf.concat(sf.lit('{"":'), raw, sf.lit("}")), KINDS, STRICT), sf.lit(""))


def _cell(name: str, text: str) -> str:
    """Return the text of a value, in SQL; if a double would round a number, the exact text of the variant."""
    key = sql_text.literal(name)
    exact = f"try_variant_get(kinds[{key}], '$', 'string')"
    rounded = f"greatest(length({text}), length({exact})) > {DOUBLE_DIGITS} or contains({text}, 'E')"
    is_exact = f"schema_of_variant(kinds[{key}]) like 'DECIMAL%' and ({rounded})"
    return f"if({is_exact}, {exact}, {text})"


def _is_of(kind: Column, prop: Property) -> Column:
    """Return a column that is true if a JSON type is the one for values of a property."""
    match prop.type:
        case "integer" if prop.exact:
            return kind.rlike(LONG)
        case "number" if prop.exact:
            return kind.rlike("^(BIGINT|DECIMAL)")
        case "integer":
            return kind == "BIGINT"
        case "number":
            return kind.rlike(f"^({'|'.join(NUMBERS)})")
        case "boolean":
            return kind == "BOOLEAN"
        case _:
            return kind == "STRING"
