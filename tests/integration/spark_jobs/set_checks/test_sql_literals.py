r"""SQL texts by chance, read by us and by Spark: the rows of which a text is true, false or neither are the same rows.

Of each text Spark is asked what it says as it stands, and what is written anew of it, as an expression, as a filter and
in a statement. A text that we refuse is no fault, nor is one that Spark cannot parse; how many are left is held, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any

import pytest
import yaml
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from contracts.authoring.compiler.compile import Compiled, compile_text
from contracts.authoring.sql import expressions, statements
from contracts.authoring.sql.lexing import lexed
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import ROWS, Check, Property
from contracts.values.sql_text import literal
from spark_jobs.validate import configured
from tests.builders import arguments_of

ODD = "o`dd \"n'a--me"
"""The name of a property, with all that quotes and comments are made of."""
COLUMNS = {"s": "string", "n": "bigint", "x": "double", "p": "decimal(10,2)", "d": "date", "ts": "timestamp"}
TYPES = {**COLUMNS, ODD: "string", "select": "bigint"}
PROPERTIES = [
    Property("s", "string"),
    Property("n", "integer"),
    Property("x", "number"),
    Property("p", "number", exact=(10, 2)),
    Property("d", "date"),
    Property("ts", "timestamp"),
    Property(ODD, "string"),
    Property("select", "integer"),
]
AT_ONCE = 25
NEW_LINE = "\n"
LITERALS = 400
CONDITIONS = 800
READ = {"literals": 390, "conditions": 350}
"""The least number of drawn texts that both read."""
PIECES = (
    *("''", "''''", r"\\", r"\'", r"\"", r"\n", r"\t", r"\r", r"\b", r"\Z", r"\0", r"\%", r"\_", r"\d", r"\x41", r"\q"),
    *(r"\u00e9", r"\u0027", r"\U0001F600", r"\ud83d\ude00", r"\101", r"\047", r"\401", r"\08", r"\1", r"\u12", "\\\n"),
    *('"', "`", "--", "/*", "*/", ";", "{", "}", "{#", "#}", "{{", "{%", "$", "$x", "#", "//", "\n", "\t", "\u00a0"),
    *("a", "B", "é", "e\u0301", "😀", "ß", " ", "  ", "%", "_", "null", "O", "Brien", "?", ":x", "@", "1", "\u200b"),
)
BETWEEN = (" ", "\n", " /* ' */ ", " -- it's \"\n", "/* a /* `b` */ ' */", "\t", " /**/ ", " --\r", " -- x \\\n y\n")


def a_literal(chance: Random) -> str:
    """A text in quotes, raw or not, or several that follow each other."""
    parts = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        inner = "".join(chance.choice(PIECES) for _ in range(chance.randint(0, 5)))
        if chance.random() < 0.2:
            parts.append(f"{chance.choice('rR')}'{inner.replace(chr(39), '')}'")
        else:
            parts.append(f"'{inner}'")
    return chance.choice(("", *BETWEEN)).join(parts)


NUMBERS = (
    "1",
    "0",
    "007",
    "1.",
    ".5",
    "1.50",
    "1e2",
    "1E-2",
    "1.5e1",
    "2.e0",
    "10000000000",
    "0.1",
    "12345678.25",
    "1e0",
)
TEXTS = ("''", "'a'", "'O''Brien'", r"'O\'Brien'", r"'a\\b'", r"r'a\b'", "'é'", r"'\u00e9'", "'a' 'b'", "'%'", "'A_'")
DATES = ("date '2024-02-29'", "DATE'2024-01-01'", "date  '1969-12-31'", "date '0001-01-01'")
MOMENTS = (
    "timestamp '2024-02-29 12:00:00'",
    "TIMESTAMP'2024-01-01T00:00:00'",
    "timestamp '2024-02-29 12:00:00.123456'",
    "timestamp '2024-02-29'",
)
OF: dict[str, tuple[str, ...]] = {
    "number": ("n", "x", "p", "`select`", "`n`", *NUMBERS),
    "text": ("s", "`s`", "`o``dd \"n'a--me`", *TEXTS),
    "date": ("d", *DATES),
    "moment": ("ts", *MOMENTS),
}
SHAPES = {
    "number": ("- {0}", "-{0} * {1}", "{0} + {1}", "{0} - {1} - {2}", "{0} - -{1}", "{0} * {1} + {2}",
               "{0} + {1} * {2}", "abs({0})", "coalesce({0}, {1})", "nullif({0}, {1})",
               "n % 3 * 2", "n / 2", "greatest({0}, {1})", "mod(n, 3)", "ifnull({0}, {1})", "try_add({0}, {1})",
               "least({0}, {1})", "pmod(n, 3)", "n div 2", "round({0})", "floor({0})", "sign({0})", "n | 1", "n & 1",
               "n ^ 1", "~n", "try_divide(n, 2)", "try_subtract({0}, {1})", "+{0}"),
    "text": ("{0} || {1}", "upper({0})", "trim({0})", "concat({0}, {1})", "{0} || {1} || {2}", "substring({0}, 2, 1)",
             "lower({0})", "ucase({0})", "lcase({0})", "substr({0}, 1, 2)", "substring({0} from 2 for 1)",
             "ifnull({0}, {1})", "nvl({0}, {1})", "ltrim({0})", "rtrim({0})", "left({0}, 1)", "initcap({0})",
             "concat_ws({0}, {1}, {2})", "replace({0}, {1}, {2})", "reverse({0})", "nvl2({0}, {1}, {2})",
             "right({0}, 2)", "case {0} when {1} then {2} else {0} end"),
    "date": ("coalesce({0}, {1})", "to_date(ts)", "least({0}, {1})", "nvl({0}, {1})", "date({0})"),
    "moment": ("coalesce({0}, {1})",),
}  # fmt: skip
SIGNS = ("=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>")
PATTERNS = ("'%a%'", "'_'", "'O''B%'", "'%'", "''", "'a' 'b'", "'%é%'", "'.'", "'A_'")
REGEXES = ("r'^a'", r"r'\\'", "'b$'", r"'\\d'", r"r'\d'", "'O''B'", "'[A-Z]'")


def a_term(chance: Random, kind: str) -> str:
    """A value of a kind; deeper ones are in no brackets."""
    plain = [chance.choice(OF[kind]) for _ in range(3)]
    return chance.choice(SHAPES[kind]).format(*plain) if chance.random() < 0.4 else plain[0]


def a_test(chance: Random) -> str:
    """A comparison of any kind."""
    kind = chance.choice(tuple(OF))
    one, two, three = (a_term(chance, kind) for _ in range(3))
    gap = chance.choice((" ", " ", " ", "  ", *BETWEEN))
    shapes = [
        f"{one}{gap}{chance.choice(SIGNS)}{gap}{two}",
        f"{one} {chance.choice(SIGNS)} {two}",
        f"{one} between {two} and {three}",
        f"{one} not between {two} and {three}",
        f"{one} in ({two},{gap}{three})",
        f"{one} NOT IN ({two}, null)",
        f"{one} is null",
        f"{one} is not null",
        f"{one} is distinct from {two}",
        f"{one} is not distinct from {two}",
        f"case when {one} = {two} then {one} else {three} end <= {two}",
        f"if({one} < {two}, {one}, {three}) = {one}",
    ]
    if kind == "text":
        like, regex = chance.choice(PATTERNS), chance.choice(REGEXES)
        shapes += [f"{one} like {like}", f"{one} not like {like}", f"{one} rlike {regex}", f"{one} not rlike {regex}"]
        shapes += [f"{one} regexp {regex}", f"startswith({one}, {two})", f"contains({one}, {two})"]
        shapes += [f"length({one}) = {chance.choice('0123')}", f"{one}={two}", f"endswith({one}, {two})"]
        shapes += [
            f"char_length({one}) = 1",
            f"len({one}) > 1",
            f"character_length({one}) < 2",
            f"{one} ilike {like}",
            f"{one} not ilike 'a%'",
        ]
        shapes += [f"regexp_like({one}, {regex})", f"regexp({one}, {regex})", f"rlike({one}, {regex})"]
        shapes += [f"{one} like {like} escape '/'", f"{one} like any ({like}, {like})", f"isnull({one})"]
        shapes += [f"instr({one}, {two}) > 0", f"locate({one}, {two}) > 0", f"equal_null({one}, {two})"]
    if kind == "date":
        shapes += [f"year({one}) = 2024", f"datediff({one}, {two}) > 0", f"day({one}) + month({one}) = 31"]
        shapes += [f"date_diff({one}, {two}) < 9", f"dayofmonth({one}) = 29", f"datediff(day, {one}, {two}) > 0"]
        shapes += [f"dayofweek({one}) = 2", f"quarter({one}) = 1", f"{one} > {two} - 1", f"last_day({one}) = {two}"]
        shapes += [
            f"dayofyear({one}) = 60",
            f"weekofyear({one}) < 10",
            f"extract(month from {one}) = 1",
            f"isnotnull({one})",
        ]
    if kind == "moment":
        shapes += [f"hour({one}) = 12", f"minute({one}) = 0", f"second({one}) = 0", f"quarter({one}) = 1"]
    return chance.choice(shapes)


def a_condition(chance: Random, depth: int = 2) -> str:
    """Tests that are put together, with and without brackets."""
    if not depth or chance.random() < 0.4:
        return a_test(chance)
    one, two, three = (a_condition(chance, depth - 1) for _ in range(3))
    shapes = (
        f"{one} and {two}", f"{one} or {two} and {three}", f"not {one}", f"!{one} or {two}", f"not {one} and {two}",
        f"({one}) = ({two})", f"({one}) is true", f"({one}) is not false", f"NOT NOT {one}", f"({one}) <=> {two}",
        f"{one} = {two}", f"({one} or {two}) and {three}", f"({one}) is unknown", f"{one} is true",
    )  # fmt: skip
    return chance.choice(shapes)


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return configured(spark)


def parses(text: str, data: DataFrame) -> bool:
    """Return whether Spark takes a text for an expression over these columns."""
    try:
        return bool(data.selectExpr(f"({text}) as b").columns)
    except PySparkException:
        return False


def rows_of(session: SparkSession, values: Sequence[str]) -> DataFrame:
    """Records in columns of the contract's names."""
    texts = [*values, None]
    rows: list[tuple[Any, ...]] = [
        (
            text,
            [None, 1, 0, -7, 100, 10**8][at % 6],
            [None, 1.5, 0.0, -0.01, 100.0, 1e300][at * 5 % 6],
            [None, Decimal("1.50"), Decimal("0.10"), Decimal("-7.00")][at % 4],
            [None, date(2024, 2, 29), date(1, 1, 1), date(1969, 12, 31), date(2024, 1, 1)][at % 5],
            [None, datetime(2024, 2, 29, 12, tzinfo=UTC), datetime(2024, 2, 29, 12, 0, 0, 123456, tzinfo=UTC)][at % 3],
            texts[-at],
            [None, 1, 2, 100][at % 4],
        )
        for at, text in enumerate(texts)
    ]
    names = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in TYPES.items())
    frame = session.createDataFrame(rows, names).coalesce(1)
    return frame.selectExpr("cast(monotonically_increasing_id() as int) as record", "*").cache()


def held(session: SparkSession, data: DataFrame, texts: Sequence[str]) -> tuple[int, list[str]]:
    """Count the texts that are read, and list those that Spark reads otherwise, as an expression or in a statement."""
    numbered = data.toDF("record", *(f"v{n}" for n in range(len(TYPES)))).selectExpr("0 as drop", "*")
    numbered.createOrReplaceTempView(ROWS)
    ours = {text: condition for text in texts if (condition := read(text)) is not None}
    both = [text for text in ours if parses(text, data)]
    wrong: list[str] = []
    count = 0
    for start in range(0, len(both), AT_ONCE):
        theirs = spark_values(data, both[start : start + AT_ONCE])
        asked = list(theirs)
        own = values(numbered.selectExpr("record", *(f"({ours[t]}) as b{n}" for n, t in enumerate(asked))))
        query = statements.read(f"select {','.join(f'{t} {NEW_LINE}' for t in asked)} from data", PROPERTIES, ["data"])
        listed = ", ".join(f"o{n}" for n in range(len(asked)))
        stated = values(session.sql(f"select record, {listed} from ({query.sql})"))
        count += len(asked)
        wrong += [text for n, text in enumerate(asked) if not theirs[text] == own[n] == stated[n]]
    return count, wrong


def spark_values(data: DataFrame, texts: Sequence[str]) -> dict[str, list[Any]]:
    """Return Spark's value of each text for each record; a text that raises, as at an overflow, has none."""
    try:
        columns = values(data.selectExpr("record", *(f"({text}) as b{n}" for n, text in enumerate(texts))))
    except PySparkException:
        if len(texts) == 1:
            return {}
        half = len(texts) // 2
        return spark_values(data, texts[:half]) | spark_values(data, texts[half:])
    return dict(zip(texts, columns, strict=True))


def read(text: str) -> str | None:
    try:
        return expressions.read(text, PROPERTIES, constant=True).sql
    except SqlRefused:
        return None


def values(frame: DataFrame) -> list[list[Any]]:
    """Return the values of each column, in the order of the records."""
    rows = sorted(frame.collect(), key=lambda row: int(row[0]))
    return [[row[n] for row in rows] for n in range(1, len(frame.columns))]


def test_literals_have_the_values_that_spark_gives_them(session: SparkSession, record_property: Any) -> None:
    chance = Random(34)
    drawn = list(dict.fromkeys(a_literal(chance) for _ in range(LITERALS)))
    one = session.range(1)
    meant = [literal for literal in drawn if parses(literal, one)]
    spoken = one.selectExpr(*(f"{literal} as b{n}" for n, literal in enumerate(meant))).collect()[0]

    data = rows_of(session, list(dict.fromkeys(spoken)))
    count, wrong = held(session, data, [f"s = {literal}" for literal in meant])

    assert wrong == []
    record_property("drawn literals held against Spark", count)
    assert count >= READ["literals"] * len(meant) // LITERALS


def test_conditions_say_of_each_row_what_spark_says(session: SparkSession, record_property: Any) -> None:
    chance = Random(35)
    drawn = list(dict.fromkeys(a_condition(chance) for _ in range(CONDITIONS)))
    data = rows_of(session, ["", "a", "O'Brien", "OBrien", "a\\b", "é", "ab", "%", "Ab", "1", "A.", " a ", "😀"])

    count, wrong = held(session, data, drawn)

    assert wrong == []
    record_property("drawn conditions held against Spark", count)
    assert count >= READ["conditions"]


@pytest.mark.parametrize(
    "value", ["${env:HOME}", "a${x}b", "\\${x}", "$", "${", "\x00", "'", "\\'", "\\u0024{x}", "\n"]
)
def test_what_is_written_is_read_as_it_was(session: SparkSession, value: str) -> None:
    session.conf.set("spark.sql.variable.substitute", "true")
    try:
        assert session.sql(f"select {literal(value)}").collect()[0][0] == value
    finally:
        session.conf.set("spark.sql.variable.substitute", "false")


@pytest.mark.parametrize("text", ['"a"', '"a""b"', 'r"a"', "'a", "`a", '"a', "/* a", "/*+ x */ 1", "{x}", "'${env:A}'"])
def test_what_spark_reads_otherwise_is_refused(text: str) -> None:
    with pytest.raises(SqlRefused):
        lexed(text)


def a_contract(entries: Sequence[dict[str, Any]]) -> Compiled:
    """Compile a contract with the properties of this module and these checks of the file."""
    kinds = [
        {"name": name, "logicalType": kind} | ({"physicalType": "decimal(10,2)"} if name == "p" else {})
        for name, kind in zip((p.name for p in PROPERTIES), (p.type for p in PROPERTIES), strict=True)
    ]
    document = {
        "apiVersion": "v3.2.0", "kind": "DataContract", "id": "orders", "version": "1.0.0", "status": "active",
        "schema": [{"name": "orders", "properties": kinds, "quality": list(entries)}],
        "customProperties": [{"property": "drop", "vendor": "dropgate", "value": {
            "files": "shop/*.csv", "producer": "shop", "format": "csv"}}],
    }  # fmt: skip
    return compile_text(yaml.safe_dump(document, allow_unicode=True).encode(), "orders.v1.yaml")


OURS = {"type": "custom", "engine": "dropgate"}
PLACES: dict[str, tuple[Callable[[str], dict[str, Any]], Callable[[Check], Any], Callable[[str], str]]] = {
    "filter": (
        lambda text: {"metric": "rowCount", "mustBe": 1, "arguments": {"filter": text}},
        lambda check: arguments_of(check)["filter"]["sql"],
        lambda text: expressions.read(text, PROPERTIES, constant=True).sql,
    ),
    "expression": (
        lambda text: OURS | {"implementation": {"metric": "expression", "expression": text}},
        lambda check: arguments_of(check)["sql"],
        lambda text: expressions.read(text, PROPERTIES).sql,
    ),
    "type: sql": (
        lambda text: {"type": "sql", "query": f"select count(*) from ${{object}} where {text}", "mustBe": 1},
        lambda check: arguments_of(check)["sql"],
        lambda text: statements.read(f"select count(*) from data where {text}", PROPERTIES, ["data"]).sql,
    ),
    "statement": (
        lambda text: OURS
        | {"implementation": {"metric": "statement", "statement": f"select * from data where {text}"}},
        lambda check: arguments_of(check)["sql"],
        lambda text: statements.read(f"select * from data where {text}", PROPERTIES, ["data"]).sql,
    ),
}  # fmt: skip
"""Places of SQL in a contract: the entry with a text, the SQL that its check keeps, and what the reader makes of it."""


@pytest.mark.parametrize("place", PLACES)
def test_contract_keeps_in_each_place_what_is_held_against_spark(place: str, record_property: Any) -> None:
    written, kept, expected = PLACES[place]
    chance = Random(36)
    drawn = [*(f"s = {a_literal(chance)}" for _ in range(150)), *(a_condition(chance) for _ in range(250))]
    wanted: dict[str, str] = {}
    for text in dict.fromkeys(drawn):
        with suppress(SqlRefused):
            wanted[text] = expected(text)

    made = a_contract([written(text) | {"id": f"q{n}"} for n, text in enumerate(wanted)])
    assert made.plan, made.findings
    checks = {check.id: check for check in made.plan.checks}
    by_text = {text: next(c for id_, c in checks.items() if id_.endswith(f"q{n}")) for n, text in enumerate(wanted)}

    assert {text: kept(check) for text, check in by_text.items()} == wanted
    record_property("drawn texts kept in their place", len(wanted))
    assert len(wanted) > 100
