"""Entries of `quality` that ask a file a question, and those that no machine of ours answers: an entry in, a check out.

`type: sql` of the standard gives one number; our `statement` finds rows that must not be. `type: text` is for people,
`type: custom` of another engine for that engine: both stand in every result as rules that were not checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.quality import aggregates, library_metrics
from contracts.authoring.quality.thresholds import ENDS, Figures, holds_for_some
from contracts.authoring.sql import statements
from contracts.authoring.sql.expressions import NUMBERS
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import OPERATORS, Check, Property, Severity, Threshold

DATA = "data"
"""What the records of a file are called in every query; the name of the schema object is another name for them."""
BATCH = "batch"
"""The same in a query of Great Expectations."""
SQL_KEYS = {"id", "name", "type", "query", "severity", "dimension", "description", *OPERATORS}
TEXT_KEYS = {"id", "name", "type", "severity", "dimension", "description"}
OTHER_KEYS = TEXT_KEYS | {"engine", "implementation"}


def sql(
    document: Document, path: Path, entry: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> Check | None:
    """The check of a query that gives one number; None where a finding says why there is none."""
    library_metrics.others(document, path, entry, SQL_KEYS, "a `query`")
    severity, limited = library_metrics.severity(document, path, entry), _limits(document, path, entry)
    query, text = _read(document, (*path, "query"), entry["query"], props)
    if query is None or severity is None or limited is None:
        return None
    if not query.single or len(query.outputs) != 1 or query.outputs[0][1] not in NUMBERS:
        message = "The query does not give one number, whatever the file holds."
        document.error((*path, "query"), "bad-query", message, "Write `select count(*) from ${object} where ...`.")
        return None
    threshold, limits = limited
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
    """The check of a statement whose rows must not be; its entry has known keys alone."""
    inner, at = entry["implementation"], (*path, "implementation")
    given = inner if any(o in inner for o in OPERATORS) else {**inner, "mustBe": 0}
    if not isinstance(inner.get("statement"), str):
        message = "The entry does not say which rows must not be."
        document.error(at, "no-argument", message, "Add `statement: select * from data where ...`.")
        return None
    severity, limited = library_metrics.severity(document, path, entry), _limits(document, at, given)
    query, text = _read(document, (*at, "statement"), inner["statement"], props)
    if query is None or severity is None or limited is None:
        return None
    threshold, limits = limited
    columns = tuple(name for name, _ in query.outputs)
    return Check(
        id=library_metrics.identity(entry, None, "statement", severity),
        rule=rules.Statement(query.sql, text, _names(query), columns, limits),
        scope="set",
        severity=severity,
        dimension=entry.get("dimension") or "consistency",
        expected=f"{aggregates.words('rows', threshold, limits)} of {text}",
        threshold=threshold,
        description=entry.get("description"),
    )


def unexpected(
    document: Document,
    path: Path,
    entry: dict[str, Any],
    expectation: tuple[str, Severity, str],
    props: Sequence[Property],
) -> Check | None:
    """The check of an expectation's query, which stands at a path: a statement, whose rows must not be.

    `expectation` is its type, its severity and its text, which has `{batch}` for the file.
    """
    name, severity, written = expectation
    try:
        query = statements.read(written.format(batch=BATCH), props, [BATCH])
    except SqlRefused as refused:
        document.error(path, "bad-query", refused.message, refused.fix)
        return None
    text, threshold, limits = " ".join(written.split()), Threshold("mustBe", (Decimal(0),)), ("0",)
    columns = tuple(column for column, _ in query.outputs)
    return Check(
        id=library_metrics.identity(entry, None, name, severity),
        rule=rules.Statement(query.sql, text, _names(query), columns, limits, written),
        scope="set",
        severity=severity,
        dimension=entry.get("dimension") or "consistency",
        expected=f"{aggregates.words('rows', threshold, limits)} of {text}",
        threshold=threshold,
        description=entry.get("description"),
    )


def _names(query: statements.Query) -> tuple[str, ...]:
    return tuple(sorted(query.properties))


def _read(document: Document, path: Path, text: str, props: Sequence[Property]) -> tuple[statements.Query | None, str]:
    """The query of a text, and the text in one line; None, and a finding, where it cannot be used."""
    try:
        query = statements.read(text, props, list(dict.fromkeys((DATA, document.data["schema"][0]["name"]))))
    except SqlRefused as refused:
        document.error(path, "bad-query", refused.message, refused.fix)
        return None, ""
    return query, " ".join(text.split())


def _limits(document: Document, path: Path, inner: Mapping[str, Any]) -> tuple[Threshold, tuple[str, ...]] | None:
    """Return the threshold for a query's number, and its limits as the contract writes them."""
    operator = next(o for o in OPERATORS if o in inner)
    at: Path = (*path, operator)
    ends = [((*at, n), v) for n, v in enumerate(inner[operator])] if operator in ENDS else [(at, inner[operator])]
    numbers = (aggregates.number(document, place, value) for place, value in ends)
    texts = tuple(text for text in numbers if text is not None)
    if len(texts) < len(ends):
        return None
    threshold = Threshold(operator, tuple(Decimal(value) for _, value in ends))
    return (threshold, texts) if holds_for_some(document, at, threshold, Figures(), texts) else None


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
