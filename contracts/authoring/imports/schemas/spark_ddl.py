"""Spark's DDL in, an ODCS document of each table out: `CREATE TABLE` statements, a list of columns, or a `struct<...>`.

`NOT NULL`, `COMMENT`, `PRIMARY KEY`, `FOREIGN KEY` and `PARTITIONED BY` are imported; clauses about storage become
notes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding
from contracts.authoring.imports.imported import BY_HAND, FIRST, Imported, contract, given, slug, stem
from contracts.authoring.imports.schemas.spark_types import DdlInvalid, Token, Tokens, comment, property_of

COLUMN = re.compile(r"\s*(`[^`]+`|\w+)\s*:?\s+\w+")
CLAUSES = (
    "using", "partitioned", "comment", "tblproperties", "options", "location", "clustered", "cluster", "sorted", "row",
    "stored", "default", "as",
)  # fmt: skip
"""The first words of the clauses after the columns."""
CREATED = ("or", "replace", "external", "temporary", "temp", "global")
"""The words between CREATE and TABLE."""
OF_COLUMNS = (
    "not",
    "null",
    "comment",
    "default",
    "generated",
    "primary",
    "unique",
    "references",
    "check",
    "constraint",
)
"""The words that begin an attribute of a column."""
ENDS = (",", ")")
REFERENCE = re.compile(r"[A-Za-z0-9._/-]+\.yaml#/schema/[A-Za-z0-9_-]+/properties/[A-Za-z0-9_-]+")
"""The standard's notation for a reference to a property of another contract."""


def recognizes(data: Any) -> bool:
    """Return True if a text begins like DDL."""
    if not isinstance(data, str):
        return False
    bare = re.sub(r"--[^\n]*|/\*.*?\*/", " ", data[:10_000], flags=re.DOTALL)
    return bool(re.match(r"\s*(create\s|struct\s*<)", bare, re.IGNORECASE)) or COLUMN.match(bare) is not None


def read(document: Document) -> list[Imported]:
    """Return the documents of all tables of a text; none, and a finding, if it cannot be read."""
    text = Tokens(document.data)
    reading = _Reading(text, stem(document.file))
    try:
        made = reading.tables()
    except DdlInvalid as stop:
        _report(document, stop.token, "error", "ddl-syntax", str(stop), stop.fix)
        return []
    for token, message in text.lost:
        _report(document, token, "note", "no-equivalent", message, BY_HAND)
    return made


def reads(text: str) -> bool:
    """Return True if a text can be read as Spark's DDL; another text may be DDL of a database."""
    try:
        return recognizes(text) and bool(_Reading(Tokens(text), "").tables())
    except DdlInvalid:
        return False


def _report(document: Document, token: Token, level: Any, code: str, message: str, fix: str) -> None:
    document.findings.append(Finding(document.file, token.line, token.column, level, code, message, fix))


class _Reading:
    """The reading of one text, statement by statement."""

    def __init__(self, text: Tokens, name: str) -> None:
        self.text, self.file_name = text, name
        self.has_tables = self._finds_table()
        self.related: list[tuple[Token, list[str], list[str]]] = []
        """Foreign keys of the current table: columns, and the properties that they refer to."""

    def tables(self) -> list[Imported]:
        made: list[Imported] = []
        while True:
            while self.text.has(";"):
                pass
            if self.text.next.kind == "end":
                return made
            if self._passes_over():
                continue
            if self.text.has("create"):
                made.append(self._table())
            else:  # columns without a table, as `StructType.toDDL` writes them
                is_struct = self.text.next.text.casefold() == "struct" and self.text.all[self.text.at + 1].text == "<"
                properties = property_of(self.text)["properties"] if is_struct else self._columns(closed=False)
                name = self.file_name
                made.append(_imported(name, properties, relationships=self._relationships(properties, name)))
            if self.text.next.kind != "end" and self.text.next.text != ";":
                raise DdlInvalid(self.text.next, f"{self.text.next} follows the end of a table.", "Write `;` before.")

    def _finds_table(self) -> bool:
        """Return True if some statement creates a table with columns."""
        starts = (at for at, token in enumerate(self.text.all) if token.text.casefold() == "create")
        return any(self._begins_table(at) for at in starts)

    def _passes_over(self) -> bool:
        """Pass over a statement without columns, as `USE` or `CREATE VIEW`, in a text that has tables."""
        token = self.text.next
        if not self.has_tables or self._begins_table(self.text.at):
            return False
        self.text.lost.append((token, f"The statement `{self.text.skipped(';'):.60}` is passed over."))
        return True

    def _begins_table(self, at: int) -> bool:
        """Return True if a statement at a token creates a table with columns."""
        words = [token.text.casefold() for token in self.text.all[at : at + 16]]
        head = words.index("table") if "table" in words else 0
        if words[:1] != ["create"] or not head or not set(words[1:head]) <= set(CREATED) or "(" not in words:
            return False
        return not {";", "as", "like", "using"} & set(words[head : words.index("(")])

    def _table(self) -> Imported:
        for word in CREATED:
            self.text.has(word)
        token = self.text.next
        if not self.text.has("table"):
            raise DdlInvalid(token, f"CREATE {token} makes no table.", "Give only the statements that create tables.")
        self.text.has("if", "not", "exists")
        parts = [self.text.name()]
        while self.text.has("."):
            parts.append(self.text.name())
        self.text.want("(")
        self.related = []
        properties = self._columns(closed=True)
        description = self._clauses(properties)
        return _imported(
            ".".join(parts), properties, parts[-1], description, self._relationships(properties, parts[-1])
        )

    def _columns(self, *, closed: bool) -> list[dict[str, Any]]:
        """Read the columns and constraints up to the closing bracket, or to the end."""
        made: list[dict[str, Any]] = []
        keys: list[tuple[Token, list[str]]] = []
        while not (closed and self.text.has(")")):
            words = [t.text.casefold() for t in self.text.all[self.text.at : self.text.at + 2] if t.kind == "word"]
            if words[:1] == ["constraint"] or words in (["primary", "key"], ["foreign", "key"]):
                token = self.text.next
                if self.text.has("constraint"):
                    self.text.name()
                before = self.text.at
                if self.text.has("primary", "key"):
                    keys.append((token, self._names()))
                    self.text.skipped(*ENDS)
                elif self.text.has("foreign", "key") and self._refers(token, self._names()):
                    self.text.skipped(*ENDS)
                else:
                    self.text.at = before
                    clause = self.text.skipped(*ENDS)
                    self.text.lost.append((token, f"The constraint `{clause:.80}` has no equivalent."))
            else:
                made.append(self._column())
            if not self.text.has(","):
                if closed:
                    self.text.want(")")
                break
        for token, names in keys:
            _marked(token, names, made, "primaryKey", "primaryKeyPosition")
        return made

    def _refers(self, token: Token, names: list[str]) -> bool:
        """Record the reference of columns; return False if it names no columns, or ODCS cannot name them."""
        if not self.text.has("references"):
            return False
        parts = [self.text.name()]
        while self.text.has("."):
            parts.append(self.text.name())
        if self.text.next.text != "(":
            return False
        file = f"{slug('.'.join(parts))}.v{FIRST.partition('.')[0]}.yaml"
        targets = [f"{file}#/schema/{parts[-1]}/properties/{name}" for name in self._names()]
        if len(targets) != len(names) or not all(REFERENCE.fullmatch(target) for target in targets):
            return False
        self.related.append((token, names, targets))
        return True

    def _relationships(self, properties: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
        """Return the relationships of the table; add those of one column to its property."""
        together = []
        for token, names, to in self.related:
            own = [_column_of(token, column, properties) for column in names]
            if len(own) == 1:
                own[0].setdefault("relationships", []).append({"to": to[0]})
            else:
                together.append({"from": [f"{name}.{prop['name']}" for prop in own], "to": to})
        return together

    def _names(self) -> list[str]:
        self.text.want("(")
        names = [self.text.name()]
        while self.text.has(","):
            names.append(self.text.name())
        self.text.want(")")
        return names

    def _column(self) -> dict[str, Any]:
        name = self.text.name()
        self.text.has(":")
        prop: dict[str, Any] = {"name": name, **property_of(self.text)}
        while self.text.next.text.casefold() in OF_COLUMNS:
            token, before = self.text.next, self.text.at
            if self.text.has("not", "null"):
                prop["required"] = True
            elif self.text.has("comment"):
                prop["description"] = comment(self.text)
            elif self.text.has("primary", "key"):
                prop["primaryKey"] = True
            elif self.text.has("null"):
                pass
            elif token.text.casefold() != "references" or not self._refers(token, [name]):
                self.text.at = before  # a reference without equivalent may be read in part
                first = self.text.take().text
                clause = f"{first} {self.text.skipped(*ENDS, 'comment', 'not')}"
                self.text.lost.append((token, f"`{clause:.80}` of `{name}` has no equivalent."))
        return prop

    def _clauses(self, properties: list[dict[str, Any]]) -> str | None:
        """Read the clauses after the columns; return the table's comment, and mark the properties of partitions."""
        description = None
        while self.text.next.kind != "end" and self.text.next.text != ";":
            token = self.text.next
            if token.text.casefold() not in CLAUSES:
                raise DdlInvalid(token, f"{token} begins no clause of a table.", "See Spark's CREATE TABLE.")
            if self.text.has("comment"):
                self.text.has("=")
                description = comment(self.text)
            elif self.text.has("partitioned", "by"):
                before = self.text.at
                try:
                    names = self._names()
                except DdlInvalid:
                    self.text.at = before
                    clause = f"PARTITIONED BY {self.text.skipped(';', *CLAUSES):.80}"
                    self.text.lost.append((token, f"`{clause}` has no equivalent."))
                else:
                    _marked(token, names, properties, "partitioned", "partitionKeyPosition")
            else:
                first = self.text.take().text
                clause = f"{first} {self.text.skipped(';', *CLAUSES)}"
                self.text.lost.append((token, f"`{clause:.80}` has no equivalent; it says how the table is stored."))
        return description


def _marked(token: Token, names: list[str], properties: list[dict[str, Any]], flag: str, position: str) -> None:
    """Mark named columns with their order; Spark ignores the case of names."""
    for n, name in enumerate(names, 1):
        prop = _column_of(token, name, properties)
        prop[flag] = True
        if len(names) > 1:
            prop[position] = n


def _column_of(token: Token, name: str, properties: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the column of a name, ignoring case."""
    prop = next((p for p in properties if p["name"].casefold() == name.casefold()), None)
    if prop is None:
        raise DdlInvalid(token, f"The table has no column `{name}`.", "Write the name of one of its columns.")
    return prop


def _imported(
    full: str,
    properties: list[dict[str, Any]],
    name: str | None = None,
    description: str | None = None,
    relationships: Sequence[dict[str, Any]] = (),
) -> Imported:
    head = given({"name": name or full, "description": description}) | {"properties": properties}
    return Imported(contract(full, head | given({"relationships": list(relationships)})))
