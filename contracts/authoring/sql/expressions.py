r"""The SQL of checks over several columns: an expression of Spark's dialect in; the job's SQL, or the refusal, out.

Only listed functions and operators are allowed, each with its types. The job judges all checks in one pass, where one
row that raises an error would end the run for every file. So Spark's own casts between types are refused here, and
operators that raise (overflow, division by zero) are replaced by those that return null.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import reduce
from math import isinf
from operator import or_
from typing import Any, Literal

import sqlglot
from sqlglot import exp

from contracts.authoring.patterns import regex
from contracts.authoring.sql import lexing, ordering, parsing
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import CONTAINERS, Property
from contracts.problem import nearest, quoted
from contracts.values import sql_text

SqlType = Literal["text", "integer", "decimal", "number", "boolean", "date", "timestamp", "time", "null"]
LONGEST = 10_000
"""Characters of an expression."""
KINDS: dict[str, SqlType] = {"string": "text"}
NUMBERS: tuple[SqlType, ...] = ("integer", "decimal", "number")
"""From the narrowest to the widest: two of them combine to the wider one."""
NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\S*)?", re.ASCII)
PLACE = re.compile(r"\d{1,9}", re.ASCII)
NULL_TESTS = {"isnull": "is null", "isnotnull": "is not null"}
MOMENTS = "Write it like 2026-01-31, or 2026-01-31 23:59:59."
MOST_DIGITS = 18
"""Digits of a decimal literal; with more, Spark's products of decimals would be rounded."""


@dataclass(frozen=True, slots=True)
class Expression:
    """The SQL that the job runs, over the values v<n> of property n, and the names of the properties in it."""

    sql: str
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Typed:
    """A part of an expression: its SQL and the type of its values."""

    sql: str
    kind: SqlType


ONE_COLUMN = re.compile(r"(?:\w+\.)?\w+|`.*`", re.DOTALL)
MOST_COPIES = 32
"""Copies of a cell in a concatenated text: a cell may have millions of characters."""


def single(props: Sequence[Property]) -> dict[str, tuple[int, Property]]:
    """Return the properties with one value for each record, by name, with their numbers."""
    return {p.name: (n, p) for n, p in enumerate(props) if p.type not in CONTAINERS and not p.repeats}


def read(text: str, props: Sequence[Property], *, constant: bool = False) -> Expression:
    """Read a boolean expression over the columns of a record; raises SqlRefused.

    With `constant` it may name no columns.
    """
    return _read(Reader, text, props, constant, fails=not constant)


def read_named(text: str, props: Sequence[Property]) -> Expression:
    """Read the same for other engines, which know columns by their names; raises SqlRefused."""
    return _read(NamingReader, text, props, constant=False, fails=False)


def _read(kind: type[Reader], text: str, props: Sequence[Property], constant: bool, fails: bool) -> Expression:
    tree, lost = parsed(text)
    reader = kind(lost, single(props), fails=fails)
    sql = reader.boolean(tree)
    if not reader.used and not constant:
        raise SqlRefused("The expression names no property.", "Compare properties, as `low <= high`.")
    return Expression(sql, tuple(reader.used))


def parsed(
    text: str, what: str = "expression", example: str = "boolean, as `low <= high`"
) -> tuple[exp.Expression, AbstractSet[str]]:
    """Return the one tree of a text, and its literals that lost a backslash of a pattern; raises SqlRefused."""
    if len(text) > LONGEST:
        raise SqlRefused(f"The {what} is longer than {LONGEST:,} characters.", "Part it into several checks.")
    try:
        lexed = lexing.lexed(text)
        trees = _trees(text, lexed)
    except (sqlglot.errors.SqlglotError, LookupError, TypeError, ValueError, AttributeError) as error:
        errors: list[dict[str, Any]] = getattr(error, "errors", [])
        why = str(error).split(". ", 1)[0].split("\n", 1)[0].rstrip(".")
        if errors and errors[0].get("highlight"):  # without the colours of a terminal
            why = f"near `{errors[0]['highlight']}`, column {errors[0]['col']}"
        elif not isinstance(error, sqlglot.errors.SqlglotError):  # the parser's own fault
            why = "the parser cannot read it as SQL"
        raise SqlRefused(f"The {what} cannot be read: {why}.", "Write it as Spark SQL.") from error
    except RecursionError as error:
        raise SqlRefused(f"The {what} is nested too deeply.", "Part it into several checks.") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Expression):
        raise SqlRefused(f"There must be one {what}.", f"Write one {example}, and no `;`.")
    return trees[0], lexed.lost


def _trees(text: str, lexed: lexing.Lexed) -> list[Any]:
    """Return the parser's trees of a text, with the literals that `lexing` read."""
    dialect = sqlglot.Dialect.get_or_raise("spark")
    tokens: list[Any] = dialect.tokenize(lexed.masked)
    left = dict(lexed.literals)
    for token in tokens:
        if token.token_type is sqlglot.TokenType.STRING:
            token.text = left.pop(token.start, "")
    if left:
        at = min(left)
        sign = text[max(0, at - 1) : at + 1]
        raise SqlRefused(f"`{sign}` begins a text of a kind that is not known.", "Write it as `'text'` or `r'text'`.")
    ordering.refuse_chains(text, tokens)
    return parsing.Parser(dialect=dialect).parse(tokens, text)


class Reader:
    """Walks one expression over the properties `by_name`; `used` are those in it, in the order of their first use.

    `readers` has the reader of each allowed type of node; `functions` are names for people. For queries, `repeats`
    holds the copies of a cell in a column, and `shifts` the days that parts add to dates.
    """

    readers: Mapping[type, Callable[[Any, Any], Typed]]
    functions: Sequence[str]

    def __init__(
        self, lost: AbstractSet[str], by_name: Mapping[str, tuple[int, Property]], *, fails: bool = False
    ) -> None:
        """Read over properties; with `fails`, a record fails if the text is not true for it."""
        self._lost, self.by_name, self._fails = lost, by_name, fails
        self.used: dict[str, None] = {}
        self.repeats: dict[str, int] = {}
        self.shifts: list[int] = []

    def boolean(self, node: Any) -> str:
        """Return the SQL of a part that must be true or false."""
        part = self.typed(node)
        if part.kind not in ("boolean", "null"):
            message = f"`{shown(node)}` is {part.kind}, where true or false is wanted."
            raise SqlRefused(message, "Compare it with something, as `amount > 0`.")
        return "cast(null as boolean)" if part.sql == "null" else part.sql

    def typed(self, node: Any) -> Typed:
        """Return the SQL and the type of any part."""
        try:
            if node is None:
                raise SqlRefused("A function lacks an argument.", "Write it as Spark SQL.")
            reader = self.readers.get(type(node))
            if reader is None:
                raise _unknown(node, self.functions)
            refuse_unread_parts(node)
            return reader(self, node)
        except RecursionError as error:
            raise SqlRefused("The expression is nested too deeply.", "Part it into several checks.") from error

    def column(self, node: exp.Column) -> Typed:
        """Return the value of a property, by its exact name."""
        name = node.name
        if node.table:
            raise SqlRefused(f"`{shown(node)}` names a table.", f"Write the property alone, as `{name}`.")
        if name not in self.by_name:
            close = nearest(name, self.by_name)
            fix = f"Write `{close}`." if close else f"There are {quoted(self.by_name, most=12)}."
            raise SqlRefused(f"The contract has no property `{name}`.", fix)
        number, prop = self.by_name[name]
        self.used[name] = None
        return self.value_of(number, prop)

    def value_of(self, number: int, prop: Property) -> Typed:
        """Return the value of a property with its number in the plan."""
        return Typed(f"v{number}", kind_of(prop))

    def same(self, nodes: Sequence[Any]) -> tuple[list[str], SqlType]:
        """Return the SQL and the common type of parts that are compared or replace each other."""
        parts = self.alike(nodes)
        return [part.sql for part in parts], widest({part.kind for part in parts})

    def alike(self, nodes: Sequence[Any]) -> list[Typed]:
        """Return parts that must have one type, or all be numbers."""
        parts = [self.typed(node) for node in nodes]
        kinds = {part.kind for part in parts} - {"null"}
        if len(kinds) > 1 and not kinds <= set(NUMBERS):
            types = " and ".join(f"`{shown(n)}` is {part.kind}" for n, part in zip(nodes, parts, strict=True))
            fix = "Compare values of one type."
            if kinds & {"date", "timestamp"} and "text" in kinds:
                fix = "Write `date '2026-01-31'` or `timestamp '2026-01-31 00:00:00'`, in UTC."
            elif kinds & set(NUMBERS) and "text" in kinds:
                fix = "Write numbers without quotes, and compare texts with texts."
            raise SqlRefused(f"Values of different types are compared: {types}.", fix)
        return parts

    def copies(self, node: Any) -> int:
        """Return the number of copies of a cell in the values of a part."""
        repeated = self._repeated(node)
        derived = sum(often for column, often in repeated.items() if column in self.repeats)
        own: dict[str, int] = {}
        for column in repeated.keys() - self.repeats.keys():
            row = "" if column.startswith("`") else column.rpartition(".")[0]
            own[row] = max(repeated[column], own.get(row, 1))  # a record's cells are different ones
        return max(1, derived + sum(own.values()))

    def _repeated(self, node: Any) -> Counter[str]:
        """Return the copies of each column in the values of a part: concatenation adds up, a choice does not."""
        if isinstance(node, exp.Query | exp.Subquery):
            return Counter({"(": MOST_COPIES})
        if isinstance(node, exp.Column):
            column = self.column(node).sql
            return Counter({column: self.repeats.get(column, 1 if ONE_COLUMN.fullmatch(column) else MOST_COPIES)})
        parts = [self._repeated(part) for part in node.iter_expressions()]
        if isinstance(node, exp.Concat | exp.DPipe):
            return sum(parts, Counter())
        return reduce(or_, parts, Counter())

    def refuse_growth(self, node: Any) -> None:
        """Refuse a text that is concatenated from many copies of one cell: it may take all memory."""
        if self.copies(node) > MOST_COPIES:
            message = f"`{shown(node)}` repeats a text more than {MOST_COPIES} times."
            raise SqlRefused(message, "Put each property into the text once, and outside of other queries.")

    def of(self, node: Any, *kinds: SqlType) -> str:
        """Return the SQL of a part that must have one of some types."""
        return self.one_of(node, *kinds).sql

    def one_of(self, node: Any, *kinds: SqlType) -> Typed:
        """Return a part that must have one of some types; reading each part only once keeps deep expressions fast."""
        part = self.typed(node)
        if part.kind not in (*kinds, "null"):
            wanted = " or ".join(kinds)
            raise SqlRefused(f"`{shown(node)}` is {part.kind}, where {wanted} is wanted.", f"Use {wanted} there.")
        return part

    def pattern(self, node: Any) -> str:
        """Return a regular expression for Java, as a literal."""
        if not isinstance(node, exp.Literal) or not node.is_string:
            raise SqlRefused("A pattern must be a text in quotes.", r"Write it as `rlike r'^[A-Z]\d+$'`.")
        written = node.name
        if written in self._lost:
            raise SqlRefused("A single backslash in quotes is lost.", r"Write `\\d`, or `r'\d'` as Spark has it.")
        java = regex.read(written)
        if isinstance(java, regex.PatternRefused):
            raise SqlRefused(java.message, java.fix)
        test: Any = node.parent
        while isinstance(test.parent, exp.And | exp.Or | exp.Paren):
            test = test.parent
        must_be_true = self._fails and test.parent is None  # the whole depends on it
        if java.open and not must_be_true:
            message = f"A text of more than {java.longest:,} characters is not held against `{written}`."
            raise SqlRefused(message, f"Write a pattern that is cheaper. {regex.LONGER}")
        return sql_text.literal(java.text)


class NamingReader(Reader):
    """Writes columns by their names, for engines without the plan's numbers."""

    def value_of(self, number: int, prop: Property) -> Typed:
        """Return the value of a property, by its name in backquotes."""
        if prop.type == "time":
            message = f"`{prop.name}` is a time of day, which others see as text."
            raise SqlRefused(message, "Use `metric: expression` of dropgate, which knows times.")
        return Typed(sql_text.quoted_name(prop.name), super().value_of(number, prop).kind)


def kind_of(prop: Property) -> SqlType:
    """Return the type of a property's values."""
    kind: Any = "decimal" if prop.exact else KINDS.get(prop.type, prop.type)
    return kind  # type: ignore[no-any-return]


def widest(kinds: AbstractSet[SqlType]) -> SqlType:
    """Return the common type of values of compatible types."""
    return max(kinds - {"null"}, key=lambda k: NUMBERS.index(k) if k in NUMBERS else 0, default="null")


def shown(node: Any) -> str:
    """Return a part for a message."""
    try:
        return str(node.sql(dialect="spark", unsupported_level=sqlglot.ErrorLevel.IGNORE))[:60]
    except (sqlglot.errors.SqlglotError, LookupError, TypeError, ValueError, AttributeError):  # the parser's own fault
        return str(node.key)


def refuse_unread_parts(node: exp.Expression) -> None:
    """Refuse arguments of a node that no reader reads."""
    read_parts = READ.get(type(node), BOTH)
    for name, value in node.args.items():
        if value and name not in read_parts:
            part = value[0] if isinstance(value, list) else value
            word = shown(part) if name in ("this", "expressions") else name.rstrip("_")
            raise SqlRefused(f"`{shown(node)}` has `{word}`, which is not known.", "Leave it out.")


def _unknown(node: Any, functions: Sequence[str] = ()) -> SqlRefused:
    """Return the refusal of a part in a wrong place, with the closest of these functions as its fix."""
    of_one = functions is FUNCTIONS
    if of_one and isinstance(node, exp.AggFunc | exp.Window):
        return SqlRefused(f"`{shown(node)}` is about many records.", "An expression sees one record; leave it out.")
    if isinstance(node, exp.Query | exp.Subquery | exp.Exists) or node.find(exp.Query):
        return SqlRefused("An expression cannot ask a table.", "Compare only properties of the record.")
    if isinstance(node, exp.DDL | exp.DML | exp.Command | exp.Drop):
        return SqlRefused("An expression changes nothing.", "Write one boolean, as `low <= high`.")
    if isinstance(node, exp.Cast):
        return SqlRefused(f"`{shown(node)}` changes a type.", "Give the property the right `logicalType` instead.")
    name = node.name if isinstance(node, exp.Anonymous) else node.sql_name() if isinstance(node, exp.Func) else None
    close = nearest(name.lower(), functions) if name else None
    advice = f"There are {', '.join(functions or FUNCTIONS)}; + - * / %, comparisons, in, between, like, rlike, case."
    reader = "an expression" if of_one else "a query"
    return SqlRefused(f"`{shown(node)}` is nothing that {reader} knows.", f"Write `{close}`." if close else advice)


def _literal(_: Reader, node: exp.Literal) -> Typed:
    if node.is_string:
        return Typed(sql_text.literal(node.name), "text")
    if not NUMBER.fullmatch(node.name) or isinf(float(node.name)):
        raise SqlRefused(f"`{node.name:.40}` is not a number.", "Write it as `1`, `1.5` or `1e20`.")
    number = Decimal(node.name)
    if re.search("[eE]", node.name):
        return Typed(repr(float(number)) + "D", "number")
    if number != number.to_integral_value() or "." in node.name:
        if len(number.as_tuple().digits) > MOST_DIGITS:
            raise SqlRefused(f"`{node.name}` has more than {MOST_DIGITS} digits.", "Write fewer digits.")
        return Typed(f"{node.name}BD", "decimal")
    if number >= 2**63:
        raise SqlRefused(f"`{node.name}` is beyond 64 bits.", "Write it with an exponent, as `1e20`.")
    return Typed(f"{node.name}L", "integer")


def moment(_: Reader, node: exp.Cast) -> Typed:
    """Return a literal date or timestamp."""
    if not isinstance(node.this, exp.Literal) or not node.this.is_string or node.args.get("safe"):
        raise _unknown(node)
    text, wanted = node.this.name, node.to.this
    types = exp.DataType.Type
    if wanted not in (types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ):
        raise _unknown(node)
    if not MOMENT.fullmatch(text):  # Python also reads other notations that Spark does not
        raise SqlRefused(f"`{text}` does not exist.", MOMENTS)
    try:
        if wanted == types.DATE:
            return Typed(f"date'{date.fromisoformat(text).isoformat()}'", "date")
        parsed_moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise SqlRefused(f"`{text}` does not exist.", MOMENTS) from error
    if parsed_moment.tzinfo is not None:
        raise SqlRefused(f"`{text}` has an offset.", "Write the moment in UTC, without one.")
    return Typed(f"timestamp'{parsed_moment.isoformat(' ')}'", "timestamp")


def _compared(sign: str) -> Any:
    def read_it(reader: Reader, node: exp.Binary) -> Typed:
        (left, right), kind = reader.same([node.this, node.expression])
        if kind == "boolean" and sign not in ("=", "<>", "<=>"):
            raise SqlRefused("True and false have no order.", "Compare them with `=` or `<>`.")
        return Typed(f"({left} {sign} {right})", "boolean")

    return read_it


def counted(function: str) -> Any:
    """Return a reader for an operator of two numbers."""

    def read_it(reader: Reader, node: exp.Binary) -> Typed:
        left, right = (reader.one_of(part, *NUMBERS) for part in (node.this, node.expression))
        if function == "try_divide":
            return Typed(f"try_divide(double({left.sql}), double({right.sql}))", "number")
        return Typed(f"{function}({left.sql}, {right.sql})", widest({left.kind, right.kind}))

    return read_it


def _joined(sign: str) -> Any:
    def read_it(reader: Reader, node: exp.Connector) -> Typed:
        return Typed(f"({reader.boolean(node.this)} {sign} {reader.boolean(node.expression)})", "boolean")

    return read_it


def _signed(reader: Reader, node: exp.Neg | exp.Abs) -> Typed:
    """Return a negative or an absolute value; null of an integer whose value exceeds 64 bits."""
    operand, is_negative = reader.one_of(node.this, *NUMBERS), isinstance(node, exp.Neg)
    if operand.kind != "integer":
        return Typed(f"(-{operand.sql})" if is_negative else f"abs({operand.sql})", operand.kind)
    absolute = f"try_cast(abs(cast({operand.sql} as decimal(20,0))) as bigint)"
    return Typed(f"try_subtract(0L, {operand.sql})" if is_negative else absolute, operand.kind)


def _is(reader: Reader, node: exp.Is) -> Typed:
    if isinstance(node.expression, exp.Null):
        return Typed(f"({reader.typed(node.this).sql} is null)", "boolean")
    if isinstance(node.expression, exp.Boolean):
        return Typed(f"({reader.boolean(node.this)} <=> {str(node.expression.this).lower()})", "boolean")
    raise _unknown(node)


def _among(reader: Reader, node: exp.In) -> Typed:
    if not node.expressions:
        raise SqlRefused("`in` needs a list of values.", "Write them in brackets, as `in ('A', 'B')`.")
    (first, *others), _ = reader.same([node.this, *node.expressions])
    return Typed(f"({first} in ({', '.join(others)}))", "boolean")


def _between(reader: Reader, node: exp.Between) -> Typed:
    if node.args.get("symmetric"):
        raise SqlRefused("`between symmetric` is not known.", "Write the smaller bound first.")
    (it, low, high), kind = reader.same([node.this, node.args["low"], node.args["high"]])
    if kind == "boolean":
        raise SqlRefused("True and false have no order.", "Compare them with `=` or `<>`.")
    return Typed(f"({it} between {low} and {high})", "boolean")


def _like(reader: Reader, node: exp.Like | exp.ILike) -> Typed:
    """Return `like`; `ilike` is `like` of lower-case letters, as Spark reads it."""
    pattern, value = node.expression, node.this
    if isinstance(node, exp.ILike):
        value = exp.Lower(this=value)
        if isinstance(pattern, exp.Literal) and not pattern.name.isascii():
            fix = "Write `lower(name) like ...`, with small letters."
            raise SqlRefused("`ilike` needs a pattern of ASCII letters.", fix)
    if not isinstance(pattern, exp.Literal) or not pattern.is_string or "\\" in pattern.name:
        raise SqlRefused("`like` needs a text in quotes, without backslashes.", "Use `rlike r'...'` for more.")
    text = pattern.name.lower() if isinstance(node, exp.ILike) else pattern.name
    parts = ["".join(r"[\s\S]" if c == "_" else re.escape(c) for c in part) for part in text.split("%")]
    if len(parts) == 1:
        whole = rf"^{parts[0]}\z"
    else:  # with any text between: each part is searched once, after the part before it
        first, *inner, last = parts
        middle = "".join(rf"(?>[\s\S]*?{part})" for part in inner if part)
        whole = rf"^{first}{middle}[\s\S]*{last}\z"
    test = f"({reader.of(value, 'text')} rlike {sql_text.literal(whole)})"
    return Typed(f"(not {test})" if node.args.get("negate") else test, "boolean")


def _case(reader: Reader, node: exp.Case | exp.If) -> Typed:
    is_if = isinstance(node, exp.If)
    branches = [node] if is_if else node.args["ifs"]
    otherwise = node.args.get("false" if is_if else "default") or exp.Null()
    texts, kind = reader.same([*(branch.args["true"] for branch in branches), otherwise])
    if is_if:
        return Typed(f"if({reader.boolean(node.this)}, {', '.join(texts)})", kind)
    if node.this is None:
        of, tests = "case", [reader.boolean(branch.this) for branch in branches]
    else:
        (value, *tests), _ = reader.same([node.this, *(branch.this for branch in branches)])
        of = f"case {value}"
    whens = [f"when {test} then {text}" for test, text in zip(tests, texts[:-1], strict=True)]
    return Typed(f"({of} {' '.join(whens)} else {texts[-1]} end)", kind)


def _any_of(function: str) -> Any:
    def read_it(reader: Reader, node: exp.Func) -> Typed:
        parts, kind = reader.same([node.this, *node.expressions])
        if function != "coalesce" and (kind == "boolean" or len(parts) == 1):
            raise SqlRefused(f"`{shown(node)}` compares nothing.", f"Give `{function}` two values or more.")
        return Typed(f"{function}({', '.join(parts)})", kind)

    return read_it


def _null_if(reader: Reader, node: exp.Nullif) -> Typed:
    left, right = reader.alike([node.this, node.expression])
    return Typed(f"nullif({left.sql}, {right.sql})", left.kind)


def _of_text(function: str, kind: SqlType = "text") -> Any:
    def read_it(reader: Reader, node: exp.Func) -> Typed:
        argument = reader.of(node.this, "text")
        return Typed(f"bigint({function}({argument}))" if kind == "integer" else f"{function}({argument})", kind)

    return read_it


def _trimmed(reader: Reader, node: exp.Trim) -> Typed:
    function = {"": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}.get(node.args.get("position") or "")
    if node.expression or function is None:
        raise SqlRefused(f"`{shown(node)}` is nothing that an expression knows.", "Write `trim(name)`.")
    return Typed(f"{function}({reader.of(node.this, 'text')})", "text")


def _end_of_text(function: str) -> Any:
    def read_it(reader: Reader, node: exp.Left | exp.Right) -> Typed:
        count = node.expression
        if not isinstance(count, exp.Literal) or count.is_string or not PLACE.fullmatch(count.name):
            raise SqlRefused(f"`{function}` needs a plain number.", f"Write `{function}(name, 2)`.")
        return Typed(f"{function}({reader.of(node.this, 'text')}, {count.name})", "text")

    return read_it


def _place(reader: Reader, node: exp.StrPosition) -> Typed:
    if node.args.get("position"):
        raise SqlRefused(f"`{shown(node)}` begins at a place.", "Write `instr(name, '@')`.")
    return Typed(f"bigint(instr({reader.of(node.this, 'text')}, {reader.of(node.args['substr'], 'text')}))", "integer")


def anonymous(reader: Reader, node: exp.Anonymous) -> Typed:
    """Read a function for which the parser has no class."""
    sign, parts = NULL_TESTS.get(node.name.lower(), ""), node.expressions
    if not sign or len(parts) != 1:
        raise _unknown(node, reader.functions)
    return Typed(f"({reader.typed(parts[0]).sql} {sign})", "boolean")


def _within(function: str) -> Any:
    def read_it(reader: Reader, node: exp.Func) -> Typed:
        return Typed(f"{function}({reader.of(node.this, 'text')}, {reader.of(node.expression, 'text')})", "boolean")

    return read_it


def _part(reader: Reader, node: exp.Substring) -> Typed:
    numbers = [node.args.get("start"), node.args.get("length")]
    if any(n is not None and not (isinstance(n, exp.Literal) and PLACE.fullmatch(n.name)) for n in numbers):
        raise SqlRefused("`substring` needs plain numbers.", "Write `substring(name, 1, 2)`; the first character is 1.")
    places = "".join(f", {n.name}" for n in numbers if n is not None)
    return Typed(f"substring({reader.of(node.this, 'text')}{places})", "text")


def _concatenated(reader: Reader, node: exp.Concat | exp.DPipe) -> Typed:
    reader.refuse_growth(node)
    parts = node.expressions if isinstance(node, exp.Concat) else [node.this, node.expression]
    return Typed(f"concat({', '.join(reader.of(part, 'text') for part in parts)})", "text")


def _day_of(reader: Reader, node: exp.TsOrDsToDate) -> Typed:
    """Return the day of a moment; the parser also wraps arguments of calendar functions in it."""
    if node.args.get("format") is not None:
        raise SqlRefused(f"`{shown(node)}` changes a type.", "Give the property the right `logicalType` instead.")
    operand = reader.one_of(node.this, "date", "timestamp")
    return operand if operand.kind == "date" else Typed(f"to_date({operand.sql})", "date")


def _calendar(function: str) -> Any:
    def read_it(reader: Reader, node: exp.Func) -> Typed:
        inner = node.this
        if isinstance(inner, exp.TsOrDsToDate) and inner.args.get("format") is None:
            inner = inner.this
        return Typed(f"bigint({function}({reader.of(inner, 'date', 'timestamp')}))", "integer")

    return read_it


def _of_moment(function: str) -> Any:
    def read_it(reader: Reader, node: exp.Func) -> Typed:
        return Typed(f"bigint({function}({reader.of(node.this, 'timestamp')}))", "integer")

    return read_it


def _extracted(reader: Reader, node: exp.Extract) -> Typed:
    """Return a part of a date or timestamp, by the function of that part."""
    part = CALENDAR.get(node.name.upper())
    if part is None:
        raise SqlRefused(f"`{shown(node)}` asks for an unknown part.", f"Write one of {', '.join(CALENDAR)}.")
    return READERS[part](reader, part(this=node.expression))


CALENDAR: dict[str, type[exp.Func]] = {
    "YEAR": exp.Year,
    "QUARTER": exp.Quarter,
    "MONTH": exp.Month,
    "DAY": exp.Day,
    "HOUR": exp.Hour,
    "MINUTE": exp.Minute,
}
"""Parts of `extract`; seconds are left out because they have a fraction in Spark."""


def _days(reader: Reader, node: exp.DateDiff) -> Typed:
    if node.args.get("unit"):
        raise SqlRefused(f"`{shown(node)}` has a unit.", "Write `datediff(later, earlier)`: it is of days.")
    return Typed(f"bigint(datediff({reader.of(node.this, 'date')}, {reader.of(node.expression, 'date')}))", "integer")


BOTH = frozenset({"this", "expression"})
NOTHING: frozenset[str] = frozenset()
READ: dict[type, AbstractSet[str]] = {
    exp.Anonymous: {"this", "expressions"},
    exp.Between: {"this", "low", "high", "symmetric"},
    exp.Case: {"this", "ifs", "default"},
    exp.Cast: {"this", "to", "safe"},
    exp.Coalesce: {"this", "expressions"},
    exp.Column: {"this", "table"},
    exp.Concat: {"expressions", "safe", "coalesce"},
    exp.Count: {"this", "big_int"},
    exp.CurrentDate: NOTHING,
    exp.CurrentTimestamp: NOTHING,
    exp.DPipe: BOTH | {"safe"},
    exp.DataType: {"this", "nested"},
    exp.DateAdd: BOTH | {"unit"},
    exp.DateDiff: BOTH | {"unit", "big_int"},
    exp.DateTrunc: {"this", "unit"},
    exp.Distinct: {"expressions"},
    exp.Div: BOTH | {"typed", "safe"},
    exp.Greatest: {"this", "expressions", "ignore_nulls"},
    exp.ILike: BOTH | {"negate"},
    exp.If: {"this", "true", "false"},
    exp.In: {"this", "expressions", "query"},
    exp.Interval: {"this", "unit"},
    exp.Lag: {"this", "offset", "default"},
    exp.Lead: {"this", "offset", "default"},
    exp.Least: {"this", "expressions", "ignore_nulls"},
    exp.Like: BOTH | {"negate"},
    exp.Literal: {"this", "is_string"},
    exp.Order: {"expressions"},
    exp.Ordered: {"this", "desc", "nulls_first"},
    exp.RowNumber: NOTHING,
    exp.Star: NOTHING,
    exp.StrPosition: {"this", "substr", "position"},
    exp.StrToDate: {"this", "format", "safe"},
    exp.Substring: {"this", "start", "length"},
    exp.TimestampTrunc: {"this", "unit"},
    exp.Trim: BOTH | {"position"},
    exp.TryCast: {"this", "to", "safe"},
    exp.TsOrDsAdd: BOTH | {"unit"},
    exp.TsOrDsToDate: {"this", "format", "safe"},
}
"""The arguments of nodes that their readers read, or that only state Spark's default; of all other nodes, `BOTH`."""
READERS: dict[type, Callable[[Reader, Any], Typed]] = {
    exp.Column: lambda reader, node: reader.column(node),
    exp.Literal: _literal,
    exp.Boolean: lambda _, node: Typed(str(node.this).lower(), "boolean"),
    exp.Null: lambda _, __: Typed("null", "null"),
    exp.Paren: lambda reader, node: reader.typed(node.this),
    exp.TsOrDsToDate: _day_of,
    exp.Cast: moment,
    exp.TryCast: lambda reader, node: moment(reader, exp.Cast(this=node.this, to=node.to)),
    exp.Not: lambda reader, node: Typed(f"(not {reader.boolean(node.this)})", "boolean"),
    exp.And: _joined("and"),
    exp.Or: _joined("or"),
    exp.EQ: _compared("="),
    exp.NEQ: _compared("<>"),
    exp.LT: _compared("<"),
    exp.LTE: _compared("<="),
    exp.GT: _compared(">"),
    exp.GTE: _compared(">="),
    exp.NullSafeEQ: _compared("<=>"),
    exp.NullSafeNEQ: lambda reader, node: Typed(f"(not {_compared('<=>')(reader, node).sql})", "boolean"),
    exp.Add: counted("try_add"),
    exp.Sub: counted("try_subtract"),
    exp.Mul: counted("try_multiply"),
    exp.Div: counted("try_divide"),
    exp.Mod: counted("try_mod"),
    exp.SafeDivide: counted("try_divide"),
    exp.Neg: _signed,
    exp.Is: _is,
    exp.In: _among,
    exp.Between: _between,
    exp.Like: _like,
    exp.ILike: _like,
    exp.RegexpLike: lambda reader, node: Typed(
        f"({reader.of(node.this, 'text')} rlike {reader.pattern(node.expression)})", "boolean"
    ),
    exp.Anonymous: anonymous,
    exp.Case: _case,
    exp.If: _case,
    exp.DPipe: _concatenated,
    exp.Concat: _concatenated,
    exp.Abs: _signed,
    exp.Coalesce: _any_of("coalesce"),
    exp.Least: _any_of("least"),
    exp.Greatest: _any_of("greatest"),
    exp.Nullif: _null_if,
    exp.Length: _of_text("char_length", "integer"),
    exp.Upper: _of_text("upper"),
    exp.Lower: _of_text("lower"),
    exp.Trim: _trimmed,
    exp.Substring: _part,
    exp.Left: _end_of_text("left"),
    exp.Right: _end_of_text("right"),
    exp.StrPosition: _place,
    exp.StartsWith: _within("startswith"),
    exp.EndsWith: _within("endswith"),
    exp.Contains: _within("contains"),
    exp.Year: _calendar("year"),
    exp.Month: _calendar("month"),
    exp.Day: _calendar("day"),
    exp.Quarter: _calendar("quarter"),
    exp.DayOfWeek: _calendar("dayofweek"),
    exp.DayOfYear: _calendar("dayofyear"),
    exp.WeekOfYear: _calendar("weekofyear"),
    exp.Hour: _of_moment("hour"),
    exp.Minute: _of_moment("minute"),
    exp.Second: _of_moment("second"),
    exp.LastDay: lambda reader, node: Typed(f"last_day({reader.of(node.this, 'date', 'timestamp')})", "date"),
    exp.Extract: _extracted,
    exp.DateDiff: _days,
}
"""The allowed nodes of an expression, and their readers."""
FUNCTIONS = (
    *("abs", "coalesce", "concat", "contains", "datediff", "day", "dayofweek", "dayofyear", "endswith", "greatest"),
    *("hour", "if", "instr", "isnotnull", "isnull", "last_day", "least", "left", "length", "lower", "ltrim", "minute"),
    *("month", "nullif", "quarter", "right", "rtrim", "second", "startswith", "substring", "trim", "try_divide"),
    *("upper", "weekofyear", "year"),
)
Reader.readers, Reader.functions = READERS, FUNCTIONS
