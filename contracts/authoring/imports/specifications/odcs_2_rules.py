"""Quality rules of ODCS 2.2 and of PayPal's template in; metrics of ODCS, or rules that stay with their tool, out."""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports.imported import dimension, given, kept, lost, rest_lost

CHECKS = {"nullcheck": "nullValues", "distinctcheck": "duplicateValues", "uniquecheck": "duplicateValues"}
"""Templates of rules that ODCS has a metric for; it must be 0."""
OF_RULE = {
    "code", "templateName", "description", "dimension", "severity", "businessImpact", "scheduleCronExpression", "type",
    "columns", "column", "toolName", "toolRuleName", "customProperties",
}  # fmt: skip
"""The keys that are read of a rule."""
ABOUT = {
    "description": "description",
    "businessImpact": "businessImpact",
    "scheduleCronExpression": "schedule",
    "type": "method",
}
SEVERITIES = ("error", "warning")
FILTER = "FILTER_CONDITIONS"
NO_FILTER = (None, "", "1>0", "1=1")


def quality(document: Document, path: Path, owner: dict[str, Any], column: str | None) -> dict[str, Any]:
    """Return the rules of a table (`column` is None) or a column; report those without metric and tool as lost."""
    rules = enumerate(owner.get("quality") or ())
    return given({"quality": [e for n, rule in rules if (e := _entry(document, (*path, "quality", n), rule, column))]})


def _entry(document: Document, path: Path, rule: dict[str, Any], column: str | None) -> dict[str, Any]:
    """Return the entry of a rule; empty, and a note, if there is none."""
    template = rule.get("templateName") or rule.get("code") or ""
    pairs = {pair["property"]: pair.get("value") for pair in rule.get("customProperties") or ()}
    metric = CHECKS.get(template.casefold())
    listed = rule.get("columns") or rule.get("column") or []
    columns = [name.strip() for name in listed.split(",")] if isinstance(listed, str) else listed
    # about columns that its place in ODCS cannot refer to
    is_elsewhere = columns not in ([], [column]) if column else metric == "nullValues" or not columns
    is_ours = metric is not None and pairs.get(FILTER) in NO_FILTER and not is_elsewhere
    tool = rule.get("toolName")
    if not is_ours and not tool:
        lost(document, path, f"The rule `{template:.60}` has no equivalent.", on_key=False)
        return {}
    rest_lost(document, path, rule, OF_RULE, f"the rule `{rule.get('code') or template}`")
    entry = _about(document, path, rule)
    if is_ours:
        also = given({"toolName": tool, "toolRuleName": rule.get("toolRuleName"), **pairs})
        custom = [*entry.get("customProperties", ()), *(kept(key, value) for key, value in also.items())]
        about = {} if column else {"arguments": {"properties": columns}}
        return {**entry, "metric": metric, **about, "mustBe": 0, **given({"customProperties": custom})}
    message = f"The rule `{template:.60}` stays one of `{tool:.40}`: no file is held against it."
    lost(document, path, message, "Write a check in its place if files are to be held against it.", on_key=False)
    own = {key: rule.get(key) for key in ("code", "templateName", "toolRuleName")}
    inner = given({**own, "columns": columns, "properties": given(pairs)})
    return {**entry, "type": "custom", "engine": tool, "implementation": inner}


def _about(document: Document, path: Path, rule: dict[str, Any]) -> dict[str, Any]:
    """Return the texts about a rule, its dimension and its severity."""
    entry = given({place: rule.get(key) for key, place in ABOUT.items()}) | dimension(rule.get("dimension"))
    severity = rule.get("severity") or ""
    if severity.casefold() in SEVERITIES:
        entry["severity"] = severity.casefold()
    elif severity:
        lost(document, (*path, "severity"), f"`severity: {severity:.40}` has no equivalent; it is left out.")
    return entry | ({"scheduler": "cron"} if "schedule" in entry else {})
