"""Quality entries with metrics of our own (`type: custom`, `engine: dropgate`): an entry in, the plan's check out.

ODCS refuses operators next to `implementation`, so metric, arguments, operator and unit are in it. ODCS does not define
their form: everything is checked here. `READERS` has a line for each metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.patterns.regex import OUTSIDE
from contracts.authoring.properties.values import shown
from contracts.authoring.quality import aggregates, history, library_metrics, queries, thresholds
from contracts.authoring.quality.library_metrics import Read
from contracts.authoring.sql import expressions, statements
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import OPERATORS, Check, Property
from contracts.problem import nearest, quoted

ENGINE = "dropgate"
EXAMPLE = "{metric: notBlank, mustBe: 0}"
AROUND = {"id", "name", "type", "engine", "implementation", "severity", "dimension", "description"}
Reader = Callable[[Document, Path, dict[str, Any], Property], Read | None]


def read(
    document: Document, path: Path, entry: dict[str, Any], prop: Property | None, props: Sequence[Property]
) -> Check | None:
    """The check that an entry means; None where a finding says why there is none. `props` are all of the record."""
    inner, at = entry["implementation"], (*path, "implementation")
    if not _is_metric(document, at, inner, prop):
        return None
    if inner["metric"] == STATEMENT:
        library_metrics.others(document, path, entry, AROUND, "`implementation`")
        if not _has_keys(document, at, thresholds.with_operator(inner), {"metric", STATEMENT, *OPERATORS}):
            return None
        return queries.statement(document, path, entry, props)
    if prop is None:
        return _expression(document, path, entry, props)
    metric: str = inner["metric"]
    library_metrics.others(document, path, entry, AROUND, "`implementation`")
    if metric in (*AGGREGATES, QUANTILE):
        return _figure(document, path, entry, prop, props)
    takes, reader = READERS[metric]
    if not _has_keys(document, at, inner, {"metric", "unit", *takes, *OPERATORS}):
        return None
    rule = reader(document, at, inner, prop)
    severity = library_metrics.severity(document, path, entry)
    threshold = thresholds.read(document, at, inner)
    if rule is None or severity is None or threshold is None:
        return None
    return library_metrics.check(entry, prop, rule, severity, threshold)


def _figure(
    document: Document, path: Path, entry: dict[str, Any], prop: Property, props: Sequence[Property]
) -> Check | None:
    """The check of a figure of all values; None, and findings, if `quantile` is not above 0 and at most 1."""
    inner, at = entry["implementation"], (*path, "implementation")
    metric, share, before = inner["metric"], inner.get(QUANTILE), document.errors()
    is_number = isinstance(share, (int, Decimal)) and not isinstance(share, bool)
    if metric == QUANTILE and QUANTILE not in inner:
        document.error(at, "no-argument", "The entry does not say which quantile.", "Add `quantile: 0.95`.")
    elif metric == QUANTILE and not (is_number and 0 < share <= 1):
        document.wrong_type((*at, QUANTILE), "a number above 0, at most 1")
    elif metric == QUANTILE and len(str(share)) > LONGEST_SHARE:
        document.error((*at, QUANTILE), "wrong-type", f"`{share}` has too many digits.", "Write at most 9.")
    if document.errors() > before:
        return None
    own = {key: value for key, value in inner.items() if metric != QUANTILE or key != QUANTILE}
    limited = aggregates.read(document, at, own, prop)
    severity = library_metrics.severity(document, path, entry)
    if limited is None or severity is None:
        return None
    threshold, limits = limited
    rule: rules.Rule
    if metric == QUANTILE:
        number = next(n for n, p in enumerate(props) if p.name == prop.name)
        rule = rules.Quantile(limits, statements.quantile(number, prop, share), str(share))
    else:
        rule = AGGREGATES[metric](limits)
    return Check(
        id=library_metrics.identity(entry, prop, metric, severity),
        rule=rule,
        scope="set",
        severity=severity,
        dimension=entry.get("dimension") or "accuracy",
        expected=aggregates.words(f"{share} {metric}" if metric == QUANTILE else metric, threshold, limits),
        property=prop.name,
        threshold=threshold,
        description=entry.get("description"),
    )


def _expression(document: Document, path: Path, entry: dict[str, Any], props: Sequence[Property]) -> Check | None:
    """The check of an expression, which is true of a sound record."""
    inner, at = thresholds.with_operator(entry["implementation"]), (*path, "implementation")
    library_metrics.others(document, path, entry, AROUND, "`implementation`")
    if not _has_keys(document, at, inner, {"metric", "unit", EXPRESSION, *OPERATORS}):
        return None
    severity, threshold = library_metrics.severity(document, path, entry), thresholds.read(document, at, inner)
    text = inner.get(EXPRESSION)
    if not isinstance(text, str):
        message = "The entry does not say what must be true of a record."
        here = (*at, EXPRESSION) if text is not None else at
        document.error(here, "no-argument", message, "Add `expression: low <= high`.")
        return None
    try:
        condition = expressions.read(text, props)
    except SqlRefused as refused:
        document.error((*at, EXPRESSION), "bad-expression", refused.message, refused.fix)
        return None
    if severity is None or threshold is None:
        return None
    text = " ".join(text.split())
    rule = rules.Expression(condition.sql, text, tuple(condition.properties))
    return library_metrics.check(entry, None, (rule, text), severity, threshold)


def _is_metric(document: Document, path: Path, inner: Any, prop: Property | None) -> bool:
    if not isinstance(inner, dict):
        document.error(path, "wrong-type", "`implementation` must be a mapping.", f"Write it as `{EXAMPLE}`.")
        return False
    metric = inner.get("metric")
    if not isinstance(metric, str) or metric not in METRICS:
        close = nearest(metric, METRICS) if isinstance(metric, str) else None
        fix = f"Write `{close}`." if close else f"Write `metric:` with one of {quoted(METRICS)}."
        message = f"`{ENGINE}` has no metric `{metric}`." if "metric" in inner else "The entry names no `metric`."
        document.error((*path, "metric"), "unknown-metric", message, fix)
        return False
    if prop is None and metric not in OF_RECORDS:
        message, fix = f"`{metric}` is about one property.", "Write it under `quality` of the property."
        document.error((*path, "metric"), "wrong-place", message, fix)
    elif prop is not None and metric in OF_RECORDS:
        fix = "Write it under `quality` of the schema object, next to its `properties`."
        document.error((*path, "metric"), "wrong-place", f"`{metric}` is about whole records.", fix)
    return (prop is None) == (metric in OF_RECORDS)


def _has_keys(document: Document, path: Path, inner: dict[str, Any], takes: set[str]) -> bool:
    """Return True if a metric takes all keys, with one operator and a text as unit; report findings if not."""
    before = document.errors()
    for key in inner:
        if key not in takes and key != history.KEY:
            close = nearest(key, takes)
            fix = f"Write `{close}`." if close else f"`{inner['metric']}` takes {quoted(sorted(takes), most=12)}."
            message = f"`{inner['metric']}` has no key `{key}`."
            document.error((*path, key), "unknown-key", message, fix, on_key=True)
    there = [o for o in inner if o in OPERATORS]
    if len(there) > 1:
        fix = "Keep one, and write a second entry for the other."
        document.error((*path, there[1]), "two-operators", f"The entry has {quoted(there)}.", fix, on_key=True)
    elif not there and document.errors() == before:
        message = "The entry does not say what its metric is held against."
        document.error(path, "no-operator", message, "Add an operator, as `mustBe: 0`.")
    if not isinstance(inner.get("unit", ""), str):
        document.wrong_type((*path, "unit"), "`rows` or `percent`")
    return document.errors() == before


def _not_blank(document: Document, path: Path, _: dict[str, Any], prop: Property) -> Read | None:
    if not library_metrics.is_text(document, (*path, "metric"), prop, "notBlank"):
        return None
    return rules.NotBlank(OUTSIDE["S"]), "not blank"


def _regex(document: Document, path: Path, inner: dict[str, Any], prop: Property) -> Read | None:
    if "pattern" not in inner:
        document.error(path, "no-argument", "`regex` does not say what to match.", "Add `pattern: ...`.")
        return None
    rule = library_metrics.pattern(document, (*path, "pattern"), inner["pattern"], prop)
    return None if rule is None else (rules.Regex(rule.pattern, rule.longest), f"matching {inner['pattern']}")


def _allowed_prefixes(document: Document, path: Path, inner: dict[str, Any], prop: Property) -> Read | None:
    prefixes, at = inner.get("prefixes"), (*path, "prefixes")
    if "prefixes" not in inner:
        fix = "Add `prefixes: [...]`."
        document.error(path, "no-argument", "`allowedPrefixes` does not name the allowed prefixes.", fix)
    elif not isinstance(prefixes, list) or not all(isinstance(text, str) and text for text in prefixes) or not prefixes:
        document.wrong_type(at, "a list of texts that are not empty", text=True)
    elif library_metrics.is_text(document, (*path, "metric"), prop, "allowedPrefixes"):
        once = tuple(dict.fromkeys(prefixes))
        return rules.AllowedPrefixes(once), f"beginning with {shown(once)}"
    return None


READERS: dict[str, tuple[tuple[str, ...], Reader]] = {
    "notBlank": ((), _not_blank),
    "regex": (("pattern",), _regex),
    "allowedPrefixes": (("prefixes",), _allowed_prefixes),
}
"""By metric: the arguments that it takes, and the function that reads them."""
EXPRESSION = "expression"
STATEMENT, QUANTILE = "statement", "quantile"
LONGEST_SHARE = 11
OF_RECORDS = (EXPRESSION, STATEMENT)
"""The metrics at the level of `properties`."""
AGGREGATES: Mapping[str, Callable[[tuple[str, ...]], rules.Aggregate]] = {
    "mean": rules.Mean,
    "stdev": rules.Stdev,
    "min": rules.Min,
    "max": rules.Max,
    "sum": rules.Sum,
}
METRICS = (*READERS, *AGGREGATES, QUANTILE, *OF_RECORDS)
