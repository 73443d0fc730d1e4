"""Queries over the records of a file: a SELECT of Spark's dialect in; the same for all files of a batch out.

A query concerns one file, and the job judges hundreds at once. So each of its parts also has the drop: rows are joined,
grouped and counted within their drop. A subquery of one value becomes a join. No text of the query reaches Spark
unchanged: names become numbers, and operators that raise are replaced by those that return null.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import count
from typing import Any

from sqlglot import exp

from contracts.authoring.sql import subqueries
from contracts.authoring.sql.aggregates import AGGREGATES, NAMES, NEIGHBOURS, OF_QUERIES, RANKS
from contracts.authoring.sql.expressions import (
    FUNCTIONS,
    NUMBERS,
    PLACE,
    READERS,
    Reader,
    SqlType,
    Typed,
    kind_of,
    parsed,
    refuse_unread_parts,
    shown,
    single,
    widest,
)
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import DROPS, ROWS, Property
from contracts.problem import nearest, quoted

Node = Any
OF_UNIONS = {"with_", "this", "expression", "distinct"}
"""The parts of a union that are read."""
OF_SELECTS = {"with_", "expressions", "distinct", "from_", "joins", "where", "group", "having"}
"""The parts of a SELECT that are read; no other part decides which rows there are."""
LONGEST = 100_000
"""Characters of a query for Spark, in which each name of a `with` is replaced by its whole query."""
PLAIN = ("expressions", "on", "using", "side", "kind", "method")
"""The parts of a `with` and of joins that are read."""
WHOLE_FILE = "Leave it out: a check sees all records of its own file."
WORDS = {
    "order": ("order by", ""),
    "sample": ("tablesample", WHOLE_FILE),
    "version": ("version as of", WHOLE_FILE),
    "when": ("timestamp as of", WHOLE_FILE),
    "pivots": ("pivot", "Write `count_if(...)`, or an aggregate of `case when`, for each column."),
    "laterals": ("lateral view", "Write the checks of a list's items under the property's `items`."),
    "joins": ("join", "Write the join behind the first table, without brackets."),
    "columns": ("columns behind its name", "Write names with `as` within the query."),
    "recursive": ("recursive", "Leave it out: a query that asks itself need not end."),
}
"""The SQL words of such parts, and the fix."""


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT for all drops: columns drop, record (the first of a row), o0, o1 ...; names and types of these.

    With `single` each drop has exactly one row. `aggregate` is the SQL of the one value if it can be computed over the
    records `t0` together with others. `copies` has for each value the number of copies of a cell in it.
    """

    sql: str
    outputs: tuple[tuple[str, SqlType], ...]
    properties: tuple[str, ...] = ()
    single: bool = False
    aggregate: str | None = None
    copies: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A source of rows: its name in the query, its alias, its columns by name."""

    name: str
    alias: str
    sql: str
    columns: Mapping[str, Typed]
    single: bool = False
    base: bool = False


@dataclass(frozen=True, slots=True)
class Hoisted:
    """A joined subquery: to each drop or to each row, with further conditions `on`."""

    sql: str
    alias: str
    on: str
    of_rows: bool


@dataclass(slots=True)
class Context:
    """The state that all parts of a query share: literals that lost a backslash, properties by name, aliases."""

    lost: AbstractSet[str]
    by_name: Mapping[str, tuple[int, Property]]
    names: Collection[str]
    used: dict[str, None] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)
    shifts: list[int] = field(default_factory=list)


def read(text: str, props: Sequence[Property], names: Collection[str]) -> Query:
    """Read a query over the records, which it may call by any of `names`; raises SqlRefused."""
    tree, lost = parsed(text, "query", "`select ... from ...`")
    context = Context(lost, single(props), names)
    try:
        query = _query(context, tree, {})
    except RecursionError as error:
        raise SqlRefused("The query is nested too deeply.", "Part it into several checks.") from error
    return replace(query, properties=tuple(context.used))


def quantile(number: int, prop: Property, share: int | Decimal) -> str:
    """Return the query of the least value of property `number` that a share of all values do not exceed.

    Dates are days since 1970, timestamps microseconds.
    """
    value = {"date": f"unix_date(v{number})", "timestamp": f"unix_micros(v{number})"}.get(prop.type, f"v{number}")
    nth = f"row_number() over (partition by drop order by v{number}) as nth, count(1) over (partition by drop) as n"
    values = f"select drop, {value} as o0, {nth} from {ROWS} where v{number} is not null"
    chosen = f"select drop, o0 from ({values}) where nth = greatest(1, ceil(n * {Decimal(share):f}BD))"
    return f"select d.drop, q.o0 from {DROPS} d left join ({chosen}) q on q.drop = d.drop"


def _query(context: Context, node: Node, tables: Mapping[str, Node]) -> Query:
    while isinstance(node, exp.Subquery | exp.Paren):
        _refuse_other_parts(node)
        node = node.this
    if not isinstance(node, exp.Select | exp.SetOperation):
        raise SqlRefused("Only a SELECT is known here.", "Write `select ... from ...`; nothing can be changed.")
    parts = OF_SELECTS if isinstance(node, exp.Select) else OF_UNIONS
    if others := [name for name, value in node.args.items() if value and name not in parts]:
        word, fix = WORDS.get(others[0], (others[0].rstrip("_"), ""))
        raise SqlRefused(f"`{word}` says nothing here.", fix or f"Leave `{word}` out: rows are counted, not listed.")
    if isinstance(node.args.get("distinct"), exp.Distinct):
        refuse_unread_parts(node.args["distinct"])
    if node.args.get("with_"):
        _refuse_other_parts(node.args["with_"])
    for part in node.args["with_"].expressions if node.args.get("with_") else ():
        if not isinstance(part.this, exp.Query):
            raise SqlRefused(f"`{shown(part)}` cannot be read.", "Write `with name as (select ...)`.")
        _refuse_other_parts(part)
        tables = {**tables, part.alias: (part.this, dict(tables))}
    if isinstance(node, exp.SetOperation):
        query = _united(context, node, tables)
    else:
        query = _Select(context, node, tables).read()
    _refuse_long(query.sql)
    return query


def _refuse_long(sql: str) -> None:
    """Refuse a query that is too long with its `with` queries filled in; each of them may double the length."""
    if len(sql) > LONGEST:
        message = f"Written out, with a whole query for each name, the query is longer than {LONGEST:,} characters."
        raise SqlRefused(message, "Ask each part of `with`, and each query in brackets, once; or part it into checks.")


def _refuse_other_parts(node: Node) -> None:
    """Refuse parts of a table, a query in brackets, a `with` or a join that no reader reads."""
    alias = node.args.get("alias")
    columns = alias.columns if isinstance(alias, exp.TableAlias) else ()
    others = [name for name, value in node.args.items() if value and name not in ("this", "alias", *PLAIN)]
    if others or columns:
        name = others[0] if others else "columns"
        word, fix = WORDS.get(name, (name.rstrip("_"), "Leave it out."))
        raise SqlRefused(f"`{shown(node)}` has `{word}`, which is not known.", fix)


def _united(context: Context, node: exp.SetOperation, tables: Mapping[str, Node]) -> Query:
    """Return the rows of two queries, one after the other, distinct unless all are wanted."""
    if not isinstance(node, exp.Union):
        fix = "Write `where x in (select ...)`, or `not in`."
        raise SqlRefused(f"Queries can be combined only by `union`, not by `{node.key}`.", fix)
    left, right = (_query(context, part, tables) for part in (node.this, node.expression))
    if len(left.outputs) != len(right.outputs):
        message = f"The queries of a `union` have {len(left.outputs)} and {len(right.outputs)} columns."
        raise SqlRefused(message, "Select as many in each.")
    outputs = []
    for (name, first), (_, second) in zip(left.outputs, right.outputs, strict=True):
        if not subqueries.alike(first, second):
            message = f"`{name}` is {first} in one query of the `union`, {second} in the other."
            raise SqlRefused(message, "Select columns of one type.")
        outputs.append((name, widest({first, second})))
    columns = ", ".join(f"o{n}" for n in range(len(outputs)))
    both = " union all ".join(f"select drop, record, {columns} from ({part.sql})" for part in (left, right))
    if node.args.get("distinct"):
        both = f"select drop, min(record) as record, {columns} from ({both}) group by drop, {columns}"
    copies = tuple(max(pair) for pair in zip(left.copies, right.copies, strict=True))
    return Query(both, tuple(outputs), copies=copies)


class _Select(Reader):
    """Reads one SELECT; nested SELECTs have readers of their own."""

    readers = READERS | OF_QUERIES
    functions = (*FUNCTIONS, *NAMES)

    def __init__(self, context: Context, node: exp.Select, tables: Mapping[str, Node]) -> None:
        super().__init__(context.lost, context.by_name)
        self.used, self.shifts = context.used, context.shifts
        self._context, self._node, self._tables = context, node, tables
        self._relations: list[Relation] = []
        self._merged: set[str] = set()
        self._hoisted: list[Hoisted] = []
        self._groups: list[tuple[Node, Typed]] = []
        self._guard = self._where = self._source = ""
        self._grouped = self._inside = False
        self._part = "from"

    # ---- the parts of a SELECT

    def read(self) -> Query:
        """Return the query."""
        node = self._node
        source = self._source = self._from()
        having = node.args.get("having")
        outer = [*node.expressions, *([having] if having else [])]
        self._part = "where"
        self._where = self._condition(node.args.get("where"))
        self._group(node.args.get("group"))
        self._grouped = bool(self._groups) or any(subqueries.has_aggregate(part) for part in outer)
        if having and not self._grouped:
            raise SqlRefused("`having` has no group.", "Write `where`, or `group by`.")
        if self._grouped and not self._groups:
            return self._one_row(source, having)
        self._part, self._guard = "select", ""
        outputs = self._outputs()
        self._part = "having"
        kept = f" having {self._condition(having)}" if having else ""
        first, where = self._relations[0], f" where {self._where}" if self._where else ""
        record = f"min({first.alias}.record)" if self._grouped else f"{first.alias}.record"
        made = self._listed(f"{first.alias}.drop", record, outputs)
        groups = ", ".join([f"{first.alias}.drop", *(of.sql for _, of in self._groups)])
        by = f" group by {groups}" if self._grouped else ""
        sql = f"select {made} from {source}{self._joins(f'{first.alias}.drop')}{where}{by}{kept}"
        if node.args.get("distinct"):
            names = ", ".join(f"o{n}" for n in range(len(outputs)))
            sql = f"select drop, min(record) as record, {names} from ({sql}) group by drop, {names}"
        single = not self._grouped and not self._where and all(r.single for r in self._relations)
        return Query(sql, tuple((name, of.kind) for name, of in outputs), single=single, copies=self._output_copies())

    def _one_row(self, source: str, having: Node) -> Query:
        """Return a SELECT of aggregates only: a row for each drop, even if none of its records remains."""
        first = self._relations[0]
        alone = first.base and len(self._relations) == 1
        if alone:
            drop, source = f"{first.alias}.drop", f"{ROWS} {first.alias}"
            self._guard = self._where
        else:
            drop, self._guard = "d.drop", f"{first.alias}.drop is not null"
        self._part = "select"
        outputs = self._outputs()
        self._part = "having"
        kept = f" having {self._condition(having)}" if having else ""
        made = self._listed(drop, f"min({first.alias}.record)", outputs)
        if alone:
            whole = f"{source}{self._joins(drop)}"
        else:
            on = f"{first.alias}.drop = d.drop{f' and {self._where}' if self._where else ''}"
            rows = f"{source}{self._joins(f'{first.alias}.drop', of_rows=True)}"
            whole = f"{DROPS} d{self._joins(drop, of_rows=False)} left join ({rows}) on {on}"
        aggregate = outputs[0][1].sql if alone and not self._hoisted and first.alias == "t0" and not kept else None
        sql = f"select {made} from {whole} group by {drop}{kept}"
        kinds = tuple((name, of.kind) for name, of in outputs)
        alone_there = aggregate if len(outputs) == 1 else None
        return Query(sql, kinds, single=not kept, aggregate=alone_there, copies=self._output_copies())

    def _listed(self, drop: str, record: str, outputs: Sequence[tuple[str, Typed]]) -> str:
        each = [f"{of.sql} as o{n}" for n, (_, of) in enumerate(outputs)]
        return ", ".join([f"{drop} as drop", f"{record} as record", *each])

    def _joins(self, drop: str, *, of_rows: bool | None = None) -> str:
        """Return the joins of subqueries, to rows or to drops, each within its drop."""
        chosen = [h for h in self._hoisted if of_rows in (None, h.of_rows)]
        return "".join(f" left join ({h.sql}) {h.alias} on {h.alias}.drop = {drop}{h.on}" for h in chosen)

    def _hoist(self, sql: str, alias: str, on: str = "") -> None:
        _refuse_long(sql)
        self._hoisted.append(Hoisted(sql, alias, on, of_rows=bool(on) or self._part == "where"))

    def _condition(self, node: Node) -> str:
        return self.boolean(node.this) if node else ""

    def _outputs(self) -> list[tuple[str, Typed]]:
        outputs: list[tuple[str, Typed]] = []
        if not self._node.expressions:
            raise SqlRefused("The query selects nothing.", "Write `select *`, or name columns.")
        for n, part in enumerate(self._node.expressions):
            if _is_star(part):
                outputs += self._every(part)
            else:
                outputs.append((part.alias_or_name or f"value {n + 1}", self.typed(part.unalias())))
        return outputs

    def _every(self, node: Node) -> list[tuple[str, Typed]]:
        if self._grouped:
            raise SqlRefused(f"`{shown(node)}` is next to a group.", "Name the columns that it is grouped by.")
        wanted = node.table if isinstance(node, exp.Column) else ""
        chosen = [r for r in self._relations if not wanted or r.name == wanted]
        star = node.this if isinstance(node, exp.Column) else node
        if not chosen or any(star.args.values()):
            raise SqlRefused(f"`{shown(node)}` cannot be read.", "Write `*`, or name the columns.")
        for relation in chosen:
            self.used.update(dict.fromkeys(relation.columns) if relation.base else {})
        return [column for r in chosen for column in r.columns.items()]

    def copies(self, node: Node) -> int:
        """Return the number of copies of a cell in the values of a part, with or without groups."""
        with self._as_inside():
            return super().copies(node)

    @contextmanager
    def _as_inside(self) -> Iterator[None]:
        """Read parts over single rows, in which there are neither aggregates nor windows."""
        inside, self._inside = self._inside, True
        try:
            yield
        finally:
            self._inside = inside

    def _output_copies(self) -> tuple[int, ...]:
        """Return the number of copies of a cell in each output column of the query."""
        repeats: list[int] = []
        for part in self._node.expressions:
            own = (
                [self.repeats.get(of.sql, 1) for _, of in self._every(part)] if _is_star(part) else [self.copies(part)]
            )
            repeats += own
        return tuple(repeats)

    # ---- where rows come from

    def _from(self) -> str:
        start = self._node.args.get("from_")
        if start is None:
            raise SqlRefused("The query asks no table.", f"Add `from {next(iter(self._context.names))}`.")
        first = self._relation(start.this)
        self._relations.append(first)
        sql = f"{first.sql} {first.alias}"
        for join in self._node.args.get("joins") or ():
            side = join.side.upper() or "INNER"
            if side not in ("INNER", "LEFT") or join.kind.upper() not in ("", "INNER", "OUTER") or join.method:
                raise SqlRefused(f"`{shown(join)}` is not a known join.", "Write `join` or `left join`.")
            _refuse_other_parts(join)
            left, right = list(self._relations), self._relation(join.this)
            self._relations.append(right)
            on, using = join.args.get("on"), join.args.get("using") or ()
            self._part = "on"
            if not using and not any(
                self._is_key(part) for part in (on.flatten() if isinstance(on, exp.And) else [on])
            ):
                raise SqlRefused(f"`{shown(join)}` does not say which rows go together.", "Add `on a.id = b.id`.")
            tests = [f"{right.alias}.drop = {first.alias}.drop", *([self.boolean(on)] if on else [])]
            for name in (identifier.name for identifier in using):
                pair = [self._in(relations, exp.column(name), name) for relations in (left, [right])]
                if len({of.kind for of in pair}) > 1 and not {of.kind for of in pair} <= set(NUMBERS):
                    message = f"`{name}` is {pair[0].kind} in one table, {pair[1].kind} in the other."
                    raise SqlRefused(message, "Join columns of one type.")
                tests.append(f"{pair[0].sql} = {pair[1].sql}")
                self._merged.add(name)
            self._part = "from"
            word = "left join" if side == "LEFT" else "join"
            sql += f" {word} {right.sql} {right.alias} on {' and '.join(tests)}"
        return sql

    def _is_key(self, node: Node) -> bool:
        """Return True if a test equates a column of the table joined last with one of an earlier table."""
        node = node.unnest() if isinstance(node, exp.Paren) else node
        if not isinstance(node, exp.EQ):
            return False
        last = self._relations[-1]
        sides = [
            {
                self.column(column).sql in [own.sql for own in last.columns.values()]
                for column in side.find_all(exp.Column)
            }
            for side in (node.this, node.expression)
        ]
        return sides in ([{True}, {False}], [{False}, {True}])

    def _relation(self, node: Node) -> Relation:
        alias = f"t{next(self._context.numbers)}"
        if isinstance(node, exp.Subquery):
            _refuse_other_parts(node)
            return self._derived(_query(self._context, node.this, self._tables), node.alias, alias)
        if not isinstance(node, exp.Table) or node.db or not isinstance(node.this, exp.Identifier):
            raise SqlRefused(f"`{shown(node)}` is not a table of records.", f"Write {quoted(self._context.names)}.")
        _refuse_other_parts(node)
        name = node.name
        if name in self._tables:
            inner, outer = self._tables[name]
            return self._derived(_query(self._context, inner, outer), node.alias or name, alias)
        if name not in self._context.names:
            tables = [*self._context.names, *self._tables]
            close = nearest(name, tables)
            raise SqlRefused(
                f"There is no table `{name}`.", f"Write `{close or tables[0]}`: a check reads only its own file."
            )
        columns = {n: Typed(f"{alias}.v{at}", kind_of(p)) for n, (at, p) in self._context.by_name.items()}
        return Relation(node.alias or name, alias, ROWS, columns, base=True)

    def _derived(self, query: Query, name: str, alias: str) -> Relation:
        columns: dict[str, Typed] = {}
        for at, (column, kind) in enumerate(query.outputs):
            columns.setdefault(column, Typed(f"{alias}.o{at}", kind))
            self.repeats[f"{alias}.o{at}"] = query.copies[at]
        return Relation(name, alias, f"({query.sql})", columns, single=query.single)

    # ---- the parts of an expression

    def typed(self, node: Node) -> Typed:
        """Return the SQL and the type of any part; a part that rows are grouped by is that of the group."""
        if self._grouped and not self._inside:
            for group, typed_group in self._groups:
                if node == group:
                    return typed_group
        if aggregate := AGGREGATES.get(type(node)):
            return self._aggregate(node, aggregate)
        if isinstance(node, exp.Window):
            return self._window(node)
        if isinstance(node, exp.Filter):
            return self._filtered(node)
        if isinstance(node, exp.Subquery) or (isinstance(node, exp.Paren) and isinstance(node.this, exp.Query)):
            return self._scalar(node)
        if isinstance(node, exp.In) and node.args.get("query"):
            return self._among(node)
        if isinstance(node, exp.Exists) and isinstance(node.this, exp.Query):
            return self._exists(node)
        return super().typed(node)

    def column(self, node: exp.Column) -> Typed:
        """Return a column of one of the relations, by its exact name."""
        relations = [r for r in self._relations if not node.table or r.name == node.table]
        if self._part == "having" and not node.table and not any(node.name in r.columns for r in relations):
            for part in self._node.expressions:
                if isinstance(part, exp.Alias) and part.alias == node.name:
                    return self.typed(part.this)
        if node.table and not relations:
            close = nearest(node.table, [r.name for r in self._relations])
            fix = f"Write `{close}.{node.name}`." if close else "Write the name that follows `from`."
            raise SqlRefused(f"`{shown(node)}` names no table of the query.", fix)
        column = self._in(relations, node, node.name)
        if self._grouped and not self._inside and column.sql not in (of.sql for _, of in self._groups):
            message = f"`{shown(node)}` is not the same in all rows of a group."
            raise SqlRefused(message, f"Add it to `group by`, or write `max({node.name})`.")
        return column

    def _in(self, relations: Sequence[Relation], node: Node, name: str) -> Typed:
        having = [r for r in relations if name in r.columns]
        if not having:
            every = dict.fromkeys(n for r in relations for n in r.columns)
            close = nearest(name, every)
            fix = f"Write `{close}`." if close else f"There are {quoted(every, most=12)}."
            raise SqlRefused(f"There is no column `{name}`.", fix)
        if len(having) > 1 and name not in self._merged:
            raise SqlRefused(f"`{shown(node)}` is in two tables.", f"Write `{having[0].name}.{name}`.")
        if having[0].base:
            self.used[name] = None
        return having[0].columns[name]

    def _group(self, node: Node) -> None:
        if not node:
            return
        if any(value for name, value in node.args.items() if name != "expressions") or not node.expressions:
            raise SqlRefused(f"`{shown(node)}` is not a known group.", "Write `group by` with columns.")
        self._part = "group by"
        aliases = {e.alias: e.this for e in self._node.expressions if isinstance(e, exp.Alias)}
        for part in node.expressions:
            if isinstance(part, exp.Literal):
                raise SqlRefused(f"`group by {part.name}` names no column.", "Write its name.")
            plain = isinstance(part, exp.Column) and not part.table
            named = plain and part.name in aliases and not any(part.name in r.columns for r in self._relations)
            key = self.typed(aliases[part.name] if named else part)
            self._groups += [(part, key), *([(aliases[part.name], key)] if named else [])]

    def _aggregate(self, node: Node, made: Any) -> Typed:
        if self._inside or self._part not in ("select", "having"):
            message = f"`{shown(node)}` is about many records and is not allowed here."
            raise SqlRefused(message, "Write it in a subquery, as `from (select count(*) as n from ...)`.")
        refuse_unread_parts(node)
        with self._as_inside():
            sql, kind = made(self, node)
        return Typed(f"{sql} filter (where {self._guard})" if self._guard else sql, kind)

    def _window(self, node: exp.Window) -> Typed:
        """Return a window: an aggregate of the rows of this row's partition."""
        if type(node.this) in RANKS or type(node.this) in NEIGHBOURS:
            return self._ordered(node)
        inner, others = node.this, {k for k, v in node.args.items() if v} - {"this", "partition_by", "over"}
        if self._grouped or self._inside or self._part != "select" or type(inner) not in AGGREGATES or others:
            fix = "Write an aggregate `over (partition by ...)`, in a `select` without groups."
            raise SqlRefused(f"`{shown(node)}` is not a known window.", fix)
        refuse_unread_parts(inner)
        with self._as_inside():
            keys = [self.typed(part).sql for part in node.args.get("partition_by") or ()]
            sql, kind = AGGREGATES[type(inner)](self, inner)
        drop = f"{self._relations[0].alias}.drop"
        if not isinstance(inner.this, exp.Distinct):
            return Typed(f"{sql} over (partition by {', '.join([drop, *keys])})", kind)
        # Spark has no such window, so distinct values are counted in groups, and joined.
        alias, groups = f"q{next(self._context.numbers)}", ", ".join([drop, *keys])
        named = "".join(f", {key} as k{n}" for n, key in enumerate(keys))
        where = f" where {self._where}" if self._where else ""
        source = f"{self._source}{self._joins(drop)}{where}"
        each = f"select {drop} as drop{named}, {sql} as o0 from {source} group by {groups}"
        self._hoist(each, alias, "".join(f" and {alias}.k{n} <=> {key}" for n, key in enumerate(keys)))
        return Typed(f"{alias}.o0", kind)

    def _ordered(self, node: exp.Window) -> Typed:
        """Return a row's rank in its partition, or the value of a neighbour; ties are in the file's order."""
        inner, others = node.this, {k for k, v in node.args.items() if v} - {"this", "partition_by", "over", "order"}
        if self._grouped or self._inside or self._part != "select" or others or not node.args.get("order"):
            fix = "Write `over (partition by ... order by ...)`, in a `select` without groups."
            raise SqlRefused(f"`{shown(node)}` is not a known window.", fix)
        refuse_unread_parts(inner)
        first = self._relations[0].alias
        refuse_unread_parts(node.args["order"])
        with self._as_inside():
            keys = [f"{first}.drop", *(self.typed(part).sql for part in node.args.get("partition_by") or ())]
            order = []
            for part in node.args["order"].expressions:
                refuse_unread_parts(part)
                way = "desc" if part.args.get("desc") else "asc"
                nulls = "first" if part.args.get("nulls_first") else "last"
                order.append(f"{self.typed(part.this).sql} {way} nulls {nulls}")
        order += [] if isinstance(inner, exp.Rank | exp.DenseRank) else [f"{first}.record"]
        over = f"over (partition by {', '.join(keys)} order by {', '.join(order)})"
        if type(inner) in RANKS:
            return Typed(f"bigint({RANKS[type(inner)]}() {over})", "integer")
        with self._as_inside():
            value = self.typed(inner.this)
        away = inner.args.get("offset") or exp.Literal.number(1)
        if not isinstance(away, exp.Literal) or not PLACE.fullmatch(away.name) or inner.args.get("default"):
            fix = "Write `lag(amount, 1)`, and `coalesce` around it for another value than null."
            raise SqlRefused(f"`{shown(inner)}` needs a plain number of rows and nothing else.", fix)
        return Typed(f"{NEIGHBOURS[type(inner)]}({value.sql}, {away.name}) {over}", value.kind)

    def _filtered(self, node: exp.Filter) -> Typed:
        """Return an aggregate with a filter."""
        aggregate = AGGREGATES.get(type(node.this))
        if aggregate is None or self._inside:
            raise SqlRefused(f"`{shown(node)}` filters no aggregate that is known.", "Write `count_if(...)`.")
        guard = self._guard
        with self._as_inside():
            kept = self._condition(node.expression)
        self._guard = f"{guard} and {kept}" if guard else kept
        aggregated = self._aggregate(node.this, aggregate)
        self._guard = guard
        return aggregated

    def _scalar(self, node: Node) -> Typed:
        """Return the one value of a subquery."""
        if self._part == "on":
            raise SqlRefused(f"`{shown(node)}` is in a join.", "Write it in `where`.")
        query = _query(self._context, node, self._tables)
        if not query.single or len(query.outputs) != 1:
            raise SqlRefused(f"`{shown(node)}` may have several values.", "Ask for one, as `(select max(n) from ...)`.")
        alias = f"q{next(self._context.numbers)}"
        self._hoist(query.sql, alias)
        value = f"{alias}.o0"
        return Typed(f"min({value})" if self._grouped and not self._inside else value, query.outputs[0][1])

    def _among(self, node: exp.In) -> Typed:
        """Read `in` with a subquery, with SQL's rules for nulls: its distinct values are joined."""
        self._of_rows(node)
        value, query = self.typed(node.this), _query(self._context, node.args["query"], self._tables)
        if len(query.outputs) != 1:
            raise SqlRefused(f"The query in `{shown(node)}` has {len(query.outputs)} columns.", "Select one.")
        key, same = subqueries.keyed(node, value, "o0", query.outputs[0][1])
        values, counts = (f"q{next(self._context.numbers)}" for _ in range(2))
        each = f"select drop, {key} as o0 from ({query.sql}) where o0 is not null group by drop, {key}"
        self._hoist(each, values, f" and {values}.o0 = {same}")
        self._hoist(f"select drop, count(1) as n, count(o0) as k from ({query.sql}) group by drop", counts)
        unsure = f"{value.sql} is null or {counts}.k < {counts}.n"
        sql = f"when {values}.o0 is not null then true when {counts}.n is null then false when {unsure} then null"
        return Typed(f"(case {sql} else false end)", "boolean")

    def _exists(self, node: exp.Exists) -> Typed:
        """Read `exists` with a subquery, which is joined on the columns that it compares with this row by `=`."""
        self._of_rows(node)
        inner, outer = subqueries.split(node.this, [r.name for r in self._relations])
        query, alias = _query(self._context, inner, self._tables), f"q{next(self._context.numbers)}"
        kinds = [kind for _, kind in query.outputs]
        sides = [subqueries.keyed(node, self.typed(side), f"o{n}", kinds[n]) for n, side in enumerate(outer)]
        keys = ", ".join(["drop", *(key for key, _ in sides)])
        named = "".join(f", {key} as k{n}" for n, (key, _) in enumerate(sides))
        on = "".join(f" and {alias}.k{n} = {value}" for n, (_, value) in enumerate(sides))
        self._hoist(f"select drop{named} from ({query.sql}) group by {keys}", alias, on)
        return Typed(f"({alias}.drop is not null)", "boolean")

    def _of_rows(self, node: Node) -> None:
        """Refuse a subquery that compares groups, or values of another subquery in a `select`."""
        within = isinstance(node, exp.In) and node.this.find(exp.Query)
        of_groups = self._grouped and not self._inside
        if self._part not in ("where", "select") or (self._part == "select" and (within or of_groups)):
            raise SqlRefused(f"`{shown(node)}` is not allowed here.", "Write it in `where`.")


def _is_star(node: Node) -> bool:
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))
