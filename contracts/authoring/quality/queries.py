"""Entries of `quality` that query a file, and those that we do not run: an entry in, a check out.

`type: sql` of the standard gives one number; our `statement` finds rows that must not exist. `type: text` is for
people, `type: custom` of another engine for that engine: both are in every result as rules that were not checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.quality import aggregates, library_metrics
from contracts.authoring.quality.thresholds import Figures, with_operator
from contracts.authoring.sql import parsing, statements
from contracts.authoring.sql.expressions import NUMBERS
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import OPERATORS, Check, Property, Severity, Threshold

DATA = "data"
"""The name of the records of a file in every query; the name of the schema object is another."""
BATCH = "batch"
"""The same in a query of Great Expectations."""
OF_TRUTH = ("mustBe", "mustNotBe")
"""The operators that a query of true or false may be held against."""
OF_ONE_NUMBER = ("one number", "Write `select count(*) from ${object} where ...`.")
OF_ONE_TRUTH = ("true or false", "Write a condition, as `select count(*) = 0 from ...`, or a number, as `mustBe: 0`.")
SQL_KEYS = {"id", "name", "type", "query", "severity", "dimension", "description", *OPERATORS}
TEXT_KEYS = {"id", "name", "type", "severity", "dimension", "description"}
OTHER_KEYS = TEXT_KEYS | {"engine", "implementation"}


def sql(
    document: Document, path: Path, entry: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> Check | None:
    """The check of a query that gives one number; None where a finding says why there is none."""
    library_metrics.others(document, path, entry, SQL_KEYS, "a `query`")
    is_of_truth = any(isinstance(entry.get(operator), bool) for operator in OF_TRUTH)
    own = {**entry, **{key: int(entry[key]) for key in OF_TRUTH if isinstance(entry.get(key), bool)}}
    severity, limited = library_metrics.severity(document, path, entry), _limits(document, path, own)
    query, text = _read(document, (*path, "query"), entry["query"], props)
    if query is None or severity is None or limited is None:
        return None
    kind = query.outputs[0][1] if query.single and len(query.outputs) == 1 else None
    if kind not in (("boolean",) if is_of_truth else NUMBERS):
        gives, fix = OF_ONE_TRUTH if is_of_truth else OF_ONE_NUMBER
        fix = "Write `mustBe: true`." if kind == "boolean" else fix
        document.error((*path, "query"), "bad-query", f"The query does not give {gives}, whatever the file holds.", fix)
        return None
    if is_of_truth:
        query = statements.read(parsing.as_number(entry["query"]), props, _tables(document))
    threshold, limits = limited
    limits = tuple(f"{value:f}" for value in threshold.values) if is_of_truth else limits
    return Check(
        id=library_metrics.identity(entry, prop, "sql", severity),
        rule=rules.Sql(query.sql, text, _names(query), limits, query.aggregate or None),
        scope="set",
        severity=severity,
        dimension=entry.get("dimension") or "accuracy",
        expected=f"{aggregates.words('result', threshold, limits)} of {text}",
        property=prop.name if prop and not prop.repeats else None,  # it finds one number, not one of each value
        threshold=threshold,
        description=entry.get("description"),
    )


def statement(document: Document, path: Path, entry: dict[str, Any], props: Sequence[Property]) -> Check | None:
    """The check of a statement, whose rows must not exist; its entry has no unknown keys."""
    inner, at = entry["implementation"], (*path, "implementation")
    if not isinstance(inner.get("statement"), str):
        message = "The entry does not say which rows must not be."
        document.error(at, "no-argument", message, "Add `statement: select * from data where ...`.")
        return None
    severity, limited = library_metrics.severity(document, path, entry), _limits(document, at, with_operator(inner))
    query, text = _read(document, (*at, "statement"), inner["statement"], props)
    if query is None or severity is None or limited is None:
        return None
    threshold, limits = limited
    columns = tuple(name for name, _ in query.outputs)
    rule = rules.Statement(query.sql, text, _names(query), columns, limits)
    return _of_rows(entry, rule.kind, rule, severity, threshold)


def unexpected(
    document: Document,
    path: Path,
    entry: dict[str, Any],
    expectation: tuple[str, Severity, str],
    props: Sequence[Property],
) -> Check | None:
    """The check of an expectation's query, which is at a path: a statement, whose rows must not exist.

    `expectation` is its type, its severity and its text, which has `{batch}` for the file.
    """
    name, severity, written = expectation
    try:
        query = statements.read(written.format(batch=BATCH), props, [BATCH])
    except SqlRefused as refused:
        document.error(path, "bad-query", refused.message, refused.fix)
        return None
    columns = tuple(column for column, _ in query.outputs)
    rule = rules.Statement(query.sql, " ".join(written.split()), _names(query), columns, ("0",), written)
    return _of_rows(entry, name, rule, severity, Threshold("mustBe", (Decimal(0),)))


def _of_rows(
    entry: dict[str, Any], name: str, rule: rules.Statement, severity: Severity, threshold: Threshold
) -> Check:
    """Return the check of the rows that a query finds; `name` is for its id if the entry has none."""
    return Check(
        id=library_metrics.identity(entry, None, name, severity),
        rule=rule,
        scope="set",
        severity=severity,
        dimension=entry.get("dimension") or "consistency",
        expected=f"{aggregates.words('rows', threshold, rule.limits)} of {rule.text}",
        threshold=threshold,
        description=entry.get("description"),
    )


def _names(query: statements.Query) -> tuple[str, ...]:
    return tuple(sorted(query.properties))


def _read(document: Document, path: Path, text: str, props: Sequence[Property]) -> tuple[statements.Query | None, str]:
    """The query of a text, and the text in one line; None, and a finding, where it cannot be used."""
    try:
        query = statements.read(text, props, _tables(document))
    except SqlRefused as refused:
        document.error(path, "bad-query", refused.message, refused.fix)
        return None, ""
    return query, " ".join(text.split())


def _tables(document: Document) -> list[str]:
    """Return the names of the file's records in a query."""
    return list(dict.fromkeys((DATA, document.data["schema"][0]["name"])))


def _limits(document: Document, path: Path, inner: Mapping[str, Any]) -> tuple[Threshold, tuple[str, ...]] | None:
    """Return the threshold for a query's number, and its limits as the contract writes them."""
    operator = next(o for o in OPERATORS if o in inner)
    return aggregates.limited(document, path, inner, operator, Figures())


def for_people(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> Check | None:
    """The rule of an entry that a person looks after."""
    library_metrics.others(document, path, entry, TEXT_KEYS, "a `text`")
    words = " ".join(str(entry.get("description") or entry.get("name") or "").split())
    if not words:
        message = "The entry does not say what it is about."
        document.error(path, "missing-key", message, "Add a `description`.")
        return None
    document.note(path, "not-checked", f"No machine checks this: {words:.80}", "Results name it as a rule for people.")
    return _unchecked(document, path, entry, prop, (rules.ForPeople(), words))


def of_another(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> Check | None:
    """The rule of an entry that another engine checks."""
    engine = entry["engine"]
    library_metrics.others(document, path, entry, OTHER_KEYS, "`implementation`")
    message = f"`{engine:.40}` checks this, dropgate does not."
    document.note((*path, "engine"), "not-checked", message, "Results name it as a rule that was not checked.")
    words = " ".join(str(entry.get("description") or entry.get("name") or f"a rule of {engine}").split())
    return _unchecked(document, path, entry, prop, (rules.OtherEngine(engine), words))


def _unchecked(
    document: Document, path: Path, entry: dict[str, Any], prop: Property | None, read: tuple[rules.Unchecked, str]
) -> Check | None:
    severity = library_metrics.severity(document, path, entry)
    if severity is None:
        return None
    rule, words = read
    return Check(
        id=library_metrics.identity(entry, prop, f"{rule.kind}{path[-1]}", severity),
        rule=rule,
        scope="set",
        severity=severity,
        dimension=entry.get("dimension") or "conformity",
        expected=words,
        property=prop.name if prop else None,
    )
