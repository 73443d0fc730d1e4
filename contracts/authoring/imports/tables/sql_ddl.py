"""DDL of Postgres, SQL Server, Snowflake and BigQuery in, an ODCS document of each table out.

Statements are cut by sqlglot's tokens, so that one that sqlglot cannot read costs no other. Constraints
of `ALTER TABLE` and comments of `COMMENT ON` belong to the tables of the same text.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Level
from contracts.authoring.imports.imported import BY_HAND, Imported, contract, given, slug
from contracts.authoring.imports.schemas.spark_ddl import REFERENCE
from contracts.authoring.imports.tables import sql_conditions
from contracts.authoring.imports.tables.sql_types import property_of

TABLE = re.compile(r"\bcreate\s+(?:\w+\s+){0,4}table\b", re.IGNORECASE)
COLUMNS = re.compile(r"\bcreate\s+(?:\w+\s+){0,4}table\s+(?:if\s+not\s+exists\s+)?[^\s(]+\s*\(", re.IGNORECASE)
"""The beginning of a table with columns, up to the bracket around these."""
BATCH = re.compile(r"^[ \t]*GO[ \t]*(?=\r?$)", re.IGNORECASE | re.MULTILINE)
"""The line that ends a batch of SQL Server's tools; it is no statement."""
CLUSTERED = re.compile(r"(\b(?:PRIMARY\s+KEY|UNIQUE)\s+)((?:NON)?CLUSTERED)\b", re.IGNORECASE)
"""The storage of a key in SQL Server, which sqlglot does not read behind a constraint's name."""
DIALECTS = {
    "postgres-ddl": "postgres",
    "sqlserver-ddl": "tsql",
    "snowflake-ddl": "snowflake",
    "bigquery-ddl": "bigquery",
}
"""The dialects of sqlglot by the names of formats."""


@dataclass(slots=True)
class Table:
    """A table while its statements are read: its names, columns, and what is said of all columns together."""

    parts: list[str]
    properties: dict[str, dict[str, Any]] = field(default_factory=dict)
    description: str | None = None
    quality: list[dict[str, Any]] = field(default_factory=list)
    keys: list[tuple[list[str], exp.Reference, int]] = field(default_factory=list)

    @property
    def full(self) -> str:
        """The name with schema and database."""
        return ".".join(self.parts)


def recognizes(data: Any) -> bool:
    """Return True if a text creates a table."""
    return isinstance(data, str) and TABLE.search(data) is not None


def reader(dialect: str) -> Callable[[Document], list[Imported]]:
    """Return the importer of a dialect."""
    return lambda document: _Reading(document, dialect).tables()


class _Reading:
    """The reading of one text, statement by statement."""

    def __init__(self, document: Document, dialect: str) -> None:
        self.document, self.dialect, self.line, self.start = document, dialect, 1, 1
        self.made: dict[str, Table] = {}
        self.refused: list[tuple[int, str, str]] = []
        """Statements of tables that cannot be read: the line, the reason and the statement."""

    def tables(self) -> list[Imported]:
        """Return the documents of all tables."""
        logger = logging.getLogger("sqlglot")
        level = logger.level
        logger.setLevel(logging.ERROR)  # it warns of statements that it does not know, of which a note tells
        try:
            for line, text in self._statements():
                self.line = self.start = line
                self._statement(text)
        finally:
            logger.setLevel(level)
        for line, reason, text in self.refused:
            self.line = line
            if self.made:
                message = f"The statement `{_short(text)}` cannot be read, so that its table is left out: {reason}."
                self._report("warning", "ddl-syntax", message, "Write its contract by hand.")
            else:
                message = f"This is no DDL of {self.dialect}: {reason}."
                self._report("error", "ddl-syntax", message, "Give the statement as the database writes it out.")
        for table in self.made.values():
            self._relate(table)
        return [] if self.document.errors() else [_imported(table) for table in self.made.values()]

    def _statements(self) -> Iterator[tuple[int, str]]:
        """Yield each statement with its line."""
        text = CLUSTERED.sub(lambda words: f"{words[1]}{' ' * len(words[2])}", self.document.data)
        text = BATCH.sub(lambda go: ";" + go[0][1:].replace("O", " ").replace("o", " "), text)
        try:
            tokens = sqlglot.tokenize(text, read=self.dialect)
        except SqlglotError as error:
            self._report("error", "ddl-syntax", f"The text cannot be read: {error!s:.100}.", "Look at its quotes.")
            return
        statement: list[Any] = []
        for token in [*tokens, None]:
            if token is not None and token.token_type is not sqlglot.TokenType.SEMICOLON:
                statement.append(token)
            elif statement:
                yield statement[0].line, text[statement[0].start : statement[-1].end + 1]
                statement = []

    def _statement(self, text: str) -> None:
        creates = TABLE.match(text) is not None
        try:
            parsed = sqlglot.parse_one(text, read=self.dialect)
        except SqlglotError as error:
            if not creates:
                self._lose(f"The statement `{_short(text)}` is passed over.")
                return
            where = (getattr(error, "errors", None) or [{}])[0]
            self.line += int(where.get("line") or 1) - 1
            self.refused.append((self.line, f"{where.get('description', 'it cannot be read')!s:.120}", text))
            return
        match parsed:
            case exp.Create(this=exp.Schema() as schema) if parsed.kind == "TABLE":
                self._table(parsed, schema)
            case exp.Comment() if self._comment(parsed):
                pass
            case exp.Alter() if table := self.made.get(_key(_names(parsed.this))):
                self._alter(table, parsed, text)
            case exp.Command() if begins := COLUMNS.match(text):
                self._columns_alone(text, begins.end())
            case _:
                self._lose(f"The statement `{_short(text)}` is passed over.")

    def _columns_alone(self, text: str, start: int) -> None:
        """Read a table without what follows its columns, which says how it is stored; refuse one that has no end."""
        depth = 0
        for token in sqlglot.tokenize(text, read=self.dialect):
            kind = token.token_type
            depth += (kind is sqlglot.TokenType.L_PAREN) - (kind is sqlglot.TokenType.R_PAREN)
            if token.start >= start and depth == 0:
                break
        rest = text[token.end + 1 :].strip()
        if not rest:
            self.refused.append((self.start, "it cannot be read", text))
            return
        self._lose(f"`{_short(rest)}` has no equivalent; it says how the table is stored.")
        self._statement(text[: token.end + 1])

    def _table(self, create: exp.Create, schema: exp.Schema) -> None:
        table = Table(_names(schema.this))
        for column in schema.expressions:
            if isinstance(column, exp.ColumnDef):
                prop = self._column(column, table)
                table.properties[prop["name"].casefold()] = prop
        self.line = self.start
        for constraint in schema.expressions:
            if not isinstance(constraint, exp.ColumnDef):
                self._constraint(table, constraint)
        for column in (each for each in schema.expressions if isinstance(each, exp.ColumnDef)):
            for constraint in column.constraints:
                if isinstance(constraint.kind, exp.CheckColumnConstraint):
                    self._check(table, constraint.kind.this)
        self._properties(table, create.args.get("properties"))
        if not table.properties:
            self._lose(f"The table `{table.full}` has no columns here.")
            return
        if _key(table.parts) in self.made:
            self._lose(f"The table `{table.full}` is created a second time; the first counts.")
            return
        self.made[_key(table.parts)] = table

    def _column(self, column: exp.ColumnDef, table: Table | None = None) -> dict[str, Any]:
        """Return the property of a column, at its line."""
        self.line = self.start + int(column.this.meta.get("line", 1)) - 1
        kind = column.args.get("kind")
        typed = property_of(kind, self._column) if isinstance(kind, exp.DataType) else None
        if typed is None:
            written = kind.sql(dialect=self.dialect) if isinstance(kind, exp.Expr) else ""
            self._lose(f"The type `{written:.60}` of `{column.name}` has no equivalent.")
            typed = {"physicalType": written} if written else {}
        prop = {"name": column.name, **typed}
        for constraint in column.constraints:
            self._attribute(prop, constraint, table)
        return prop

    def _attribute(self, prop: dict[str, Any], constraint: exp.ColumnConstraint, table: Table | None) -> None:
        """Add what a column says of itself; its conditions are read when all columns are there."""
        kind = constraint.kind
        match kind:
            case exp.NotNullColumnConstraint():
                prop |= {} if kind.args.get("allow_null") else {"required": True}
            case exp.PrimaryKeyColumnConstraint():
                prop["primaryKey"] = True
            case exp.UniqueColumnConstraint():
                prop["unique"] = True
            case exp.CommentColumnConstraint():
                prop["description"] = kind.name
            case exp.Reference() if table:
                table.keys.append(([prop["name"]], kind, self.line))
            case exp.Properties():
                prop |= given({"description": _option(kind, "description")})
            case _ if not isinstance(kind, exp.CheckColumnConstraint):
                written = _short(constraint.sql(dialect=self.dialect))
                self._lose(f"`{written}` of `{prop['name']}` has no equivalent.")

    def _constraint(self, table: Table, constraint: exp.Expr) -> None:
        """Add a constraint of a table."""
        match constraint:
            case exp.Constraint():
                for inner in constraint.expressions:
                    self._constraint(table, inner)
            case exp.PrimaryKey():
                names = [name for name in _columns(constraint) if name.casefold() in table.properties]
                for n, name in enumerate(names, 1):
                    position = {"primaryKeyPosition": n} if len(names) > 1 else {}
                    table.properties[name.casefold()] |= {"primaryKey": True, **position}
            case exp.UniqueColumnConstraint(this=exp.Schema() as schema):
                names = [
                    table.properties[name.casefold()]["name"]
                    for name in _columns(schema)
                    if name.casefold() in table.properties
                ]
                if len(names) == 1:
                    table.properties[names[0].casefold()]["unique"] = True
                elif names:
                    entry = {"metric": "duplicateValues", "arguments": {"properties": names}, "mustBe": 0}
                    table.quality.append(entry)
            case exp.ForeignKey() if isinstance(constraint.args.get("reference"), exp.Reference):
                table.keys.append((_columns(constraint), constraint.args["reference"], self.line))
            case exp.CheckColumnConstraint():
                self._check(table, constraint.this)
            case _:
                self._lose(f"`{_short(constraint.sql(dialect=self.dialect))}` has no equivalent.")

    def _check(self, table: Table, condition: exp.Expr) -> None:
        if sql_conditions.applied(condition, table.properties):
            return
        written = sql_conditions.expression(condition, table.properties)
        if written is None:
            self._lose(f"`CHECK ({_short(condition.sql(dialect=self.dialect))})` has no equivalent.")
            return
        number = sum(entry.get("type") == "custom" for entry in table.quality) + 1
        inner = {"metric": "expression", "expression": written}
        table.quality.append({"id": f"check-{number}", "type": "custom", "engine": "dropgate", "implementation": inner})

    def _properties(self, table: Table, properties: exp.Expr | None) -> None:
        """Read the comment of a table, and its partitions; the rest says how it is stored."""
        for each in properties.expressions if properties else ():
            if isinstance(each, exp.SchemaCommentProperty):
                table.description = each.this.name
            elif isinstance(each, exp.Property) and each.name == "description":
                table.description = each.args["value"].name
            else:
                self._lose(
                    f"`{_short(each.sql(dialect=self.dialect))}` has no equivalent; it says how the table is stored."
                )

    def _comment(self, comment: exp.Comment) -> bool:
        """Take the comment of a table or a column; return False if it is of something else."""
        parts, text = [part.name for part in comment.this.parts], comment.expression.name
        if comment.args.get("kind") == "TABLE" and (table := self.made.get(_key(parts))):
            table.description = text
            return True
        owner = self.made.get(_key(parts[:-1])) if comment.args.get("kind") == "COLUMN" else None
        prop = owner.properties.get(parts[-1].casefold()) if owner else None
        if prop is not None:
            prop["description"] = text
        return prop is not None

    def _alter(self, table: Table, alter: exp.Alter, text: str) -> None:
        for action in alter.args.get("actions") or ():
            if isinstance(action, exp.AddConstraint):
                for constraint in action.expressions:
                    self._constraint(table, constraint)
            else:
                self._lose(f"The statement `{_short(text)}` is passed over.")

    def _relate(self, table: Table) -> None:
        """Add the relationships to tables of the same text; a key to another table is a note."""
        for names, reference, self.line in table.keys:
            schema = reference.this
            other = self.made.get(_key(_names(schema.this if isinstance(schema, exp.Schema) else schema)))
            theirs = _columns(schema) if isinstance(schema, exp.Schema) else _primary(other)
            own = [table.properties.get(name.casefold()) for name in names]
            there = [other.properties.get(name.casefold()) if other else None for name in theirs]
            targets = [
                f"{slug(other.full)}.v1.yaml#/schema/{other.parts[-1]}/properties/{p['name']}"
                for p in there
                if other and p
            ]
            if other is None or None in own or len(targets) != len(own) or not all(map(REFERENCE.fullmatch, targets)):
                self._lose(f"The foreign key of `{', '.join(names)}` is to a table that is not in this text.")
            elif len(own) == 1 and own[0]:
                own[0].setdefault("relationships", []).append({"to": targets[0]})
            else:
                self._lose(
                    f"The foreign key of `{', '.join(names)}` has several columns; write it under `relationships`."
                )

    def _lose(self, message: str) -> None:
        self._report("note", "no-equivalent", message, BY_HAND)

    def _report(self, level: Level, code: str, message: str, fix: str) -> None:
        self.document.findings.append(Finding(self.document.file, self.line, 1, level, code, message, fix))


def _imported(table: Table) -> Imported:
    properties = list(table.properties.values())
    head = given({"name": table.parts[-1], "description": table.description, "quality": table.quality})
    return Imported(contract(table.full, {**head, "properties": properties}))


def _names(node: Any) -> list[str]:
    """Return the names of a table, from its database to itself."""
    return [part.name for part in node.parts] if isinstance(node, exp.Table) else [str(getattr(node, "name", ""))]


def _key(parts: list[str]) -> str:
    """Return the name by which a table goes: its last part, in any case."""
    return parts[-1].casefold() if parts else ""


def _columns(node: exp.Expr) -> list[str]:
    """Return the names of columns in brackets, which may have an order."""
    return [each.this.name if isinstance(each, exp.Ordered) else each.name for each in node.expressions]


def _primary(table: Table | None) -> list[str]:
    """Return the names of a table's key."""
    return [prop["name"] for prop in table.properties.values() if prop.get("primaryKey")] if table else []


def _option(options: exp.Properties, name: str) -> str | None:
    return next((each.args["value"].name for each in options.expressions if each.name == name), None)


def _short(text: str) -> str:
    return f"{' '.join(text.split()):.80}"
