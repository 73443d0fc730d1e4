"""The meaning of each kind of change: one table that gives the directions and levels of all changes.

A direction of None follows from the values, a level of None from the direction: a change that tightens breaks
producers, a change that loosens breaks consumers. `FIELDS` names for each field of a plan the kinds of change that
concern it, or the reason why none does.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from contracts.authoring.diff.change import Direction, Level
from contracts.plan import Archive, Check, Columns, Csv, Json, Limit, Plan, Property, Reference, Sheet, Threshold, Xml
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from contracts.terms.fixed_width import Field, Fixed, Slice
from contracts.terms.leader import Leader
from contracts.terms.promises import Promise as HeldPromise
from contracts.terms.spans import Span
from contracts.terms.trailer import Footer, Trailer
from contracts.terms.value_form import ValueForm


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of one kind of change."""

    what: str
    direction: Direction | None = None
    producer: Level | None = None
    consumer: Level | None = None

    def levels(self, way: Direction) -> tuple[Level, Level]:
        """The levels of a change of this kind and that direction, the producer's and the consumer's."""
        producer: Level = "breaking" if way in ("tightens", "both") else "compatible"
        consumer: Level = "breaking" if way in ("loosens", "both") else "compatible"
        return self.producer or producer, self.consumer or consumer


MEANINGS: dict[str, Meaning] = {
    "contract-added": Meaning("a new contract", "loosens", consumer="compatible"),
    "contract-removed": Meaning("a removed contract", "tightens", consumer="breaking"),
    "id": Meaning("`id`: a different contract", "both"),
    "status": Meaning("`status`: a change without effect on matching", "none"),
    "retired": Meaning("`status`: the contract matches no files any more", "tightens", consumer="breaking"),
    "activated": Meaning("`status`: the contract now matches files", "loosens", consumer="compatible"),
    "object": Meaning("the name of the schema object", "none"),
    "producer": Meaning("`producer`: the side that uploads and gets the receipts", "none", producer="breaking"),
    "consumers": Meaning("`consumers`: the teams that events name", "none", "none", "none"),
    "notify": Meaning(
        "`notify`, with the addresses in `support` and `team` that it names: who hears of what", "none", "none", "none"
    ),
    "files": Meaning("`files`: added or removed patterns"),
    "files-names": Meaning("`files`: the names of a pattern's parts, which the record contains", "none"),
    "format": Meaning("`format`, `compression`, `archive`, `json.property`, `xml` with its `values`", "both"),
    "archive-others": Meaning("`archive.others`: the effect of members that the contract does not want"),
    "dialect": Meaning(
        "`csv`: `delimiter`, `header`, `encoding`, `quote`, `escape`, `nullValues`, `multiLine`, `skipRows`, "
        "`headerRows`, `commentRows`, `commentChar`, `leader`, `skipColumns`, `headerLacks`, "
        "`recordDelimiter`, `unquotedEscape` (direction: both); `sheet` with `sheetName`, `range`, `header`, "
        "`skipRows`, `headerRows`, `commentRows` (both); "
        "`trailer`, `footer`, `record`, `mojibake`, `separatorLine`, `trailingDelimiter`"
    ),
    "layout": Meaning(
        "`fixed`: `encoding`, `unit`, `length`, `leader`, and where the field of a property is and what fills it up "
        "(direction: both); `shortLines`, `mojibake`, `record`, `trailer`"
    ),
    "value-form": Meaning("`values`: the form in which cells of a property hold values"),
    "columns": Meaning("`columns`: `extra`, `missing`, `order`, `match`"),
    "empty": Meaning("`empty`"),
    "file-tolerance": Meaning("`tolerance` of the file, and of the row checks without their own"),
    "promote": Meaning("`promote`: the data that consumers get", "none", consumer="breaking"),
    "mode": Meaning("`mode`: the verdict decides about promotion, or is only observed"),
    "same-key": Meaning("`sameKey`: the effect of a second upload of a key", consumer="breaking"),
    "same-content": Meaning("`sameContent`: the effect of a second upload of the same bytes", consumer="compatible"),
    "arrival": Meaning("`arrival`: the times at which files arrive, and the rule for files at other times"),
    "set": Meaning(
        "`set`: the files that are processed together, and the signal that completes them",
        "both",
        consumer="compatible",
    ),
    "held": Meaning("`slo`: a promise over time that is held from now on, or is stricter", "none"),
    "held-less": Meaning(
        "`slo`: a promise over time is not held any more, or promises less", "none", consumer="breaking"
    ),
    "property-added": Meaning("an added property", consumer="compatible"),
    "property-removed": Meaning("a removed property", consumer="breaking"),
    "property-renamed": Meaning("a removed property and a similar added one", consumer="breaking"),
    "property-order": Meaning("the order of the properties, if files depend on it", "both"),
    "property-order-shown": Meaning("the same, if columns are matched by name", "none", "none", "none"),
    "header-names": Meaning(
        "`physicalName`, `columns.source`, `columns.aliases`: the texts of the header for a column"
    ),
    "type": Meaning("`logicalType`", "both"),
    "value-format": Meaning("`format`, `timezone`, `defaultTimezone` of dates and times"),
    "exact": Meaning("the digits of an exact number (`physicalType: decimal(p,s)`, `multipleOf`, `format: u64`)"),
    "required": Meaning("`required`"),
    "classification": Meaning("`classification`: receipts show values, or mask them", "none"),
    "check-added": Meaning("an added rule: `unique`, `primaryKey`, `enum`, an option, an entry of `quality`"),
    "check-removed": Meaning("a removed rule"),
    "check-renamed": Meaning("the id of a check, which joins its history", "none"),
    "reference": Meaning("`references`: the file that records are compared with, and its format", "both"),
    "rewritten": Meaning(
        "a rule that is written in another way, or implied by others: the same files pass", "none", "none", "none"
    ),
    "rule": Meaning("the argument of a check: bound, length, set, pattern, reference, threshold, unit"),
    "severity": Meaning("the severity of a check"),
    "tolerance": Meaning("the tolerance of a check"),
    "dimension": Meaning("the dimension of a check", "none"),
    "promise": Meaning("the parts on service, access and price, which no file is checked by", "none"),
    "words": Meaning("descriptive parts: names, descriptions, tags, labels", "none", "none", "none"),
}
"""By kind. A check of severity warning refuses no file, so its changes have no direction."""

FOLLOWS = "follows: "
FIELDS: dict[type[Any], dict[str, str]] = {
    Plan: {
        "contract": FOLLOWS + "from `id` and `version`",
        "id": "id",
        "version": FOLLOWS + "it is judged against the changes, in contracts.authoring.document.versions",
        "object": "object",
        "producer": "producer",
        "consumers": "consumers",
        "files": "files",
        "properties": "property-added",
        "checks": "check-added",
        "csv": "dialect",
        "columns": "columns",
        "empty": "empty",
        "tolerance": "file-tolerance",
        "promote": "promote",
        "mode": "mode",
        "lane": FOLLOWS + "the engine that judges a file, which no verdict depends on",
        "same_key": "same-key",
        "same_content": "same-content",
        "deprecated": "status",
        "file_format": "format",
        "compression": "format",
        "archive": "format",
        "json": "format",
        "xml": "format",
        "fixed": "layout",
        "sheet": "format",
        "unmarked": FOLLOWS + "of plans with high marks, which no contract is compiled to",
        "references": "reference",
        "arrival": "arrival",
        "set": "set",
        "promises": "held",
        "format": FOLLOWS + "the plan's own edition, of no contract",
    },
    Csv: dict.fromkeys(
        (
            *("delimiter", "encoding", "quote", "escape", "null_values", "header", "multi_line", "trailer", "mojibake"),
            "trailing_delimiter",
            *(
                "skip_rows",
                "skip_until",
                "header_rows",
                "comment_rows",
                "separator_line",
                "comment_char",
                "footer",
                "leader",
                "record",
                "skip_columns",
                "lacks_first",
                "lacks_last",
            ),
            *("record_delimiter", "unquoted_escape"),
        ),
        "dialect",
    ),
    Leader: dict.fromkeys(("begins", "cells"), "dialect"),
    Footer: dict.fromkeys(("begins", "lines"), "dialect"),
    Trailer: dict.fromkeys(("begins", "rows", "sums"), "dialect"),
    Json: dict.fromkeys(("property",), "format"),
    Xml: dict.fromkeys(("record", "namespaces", "null_values", "trim"), "format"),
    Archive: {"format": "format", "members": "format", "others": "archive-others"},
    Fixed: {
        "fields": "layout",
        **dict.fromkeys(("length", "unit", "short", "leader", "trailer"), "layout"),
    },
    Field: {
        "name": "property-added",
        **dict.fromkeys(("start", "length", "padding", "align"), "layout"),
    },
    Slice: dict.fromkeys(("start", "length"), "layout"),
    Sheet: dict.fromkeys((f.name for f in fields(Sheet)), "dialect"),
    Columns: dict.fromkeys(("extra", "missing", "order", "match"), "columns"),
    SetRule: dict.fromkeys(("of", "within", "marker", "manifest", "parts", "sums"), "set"),
    Arrival: dict.fromkeys(("by", "since", "days", "zone", "files", "outside"), "arrival"),
    HeldPromise: dict.fromkeys((f.name for f in fields(HeldPromise)), "held"),
    Span: dict.fromkeys((f.name for f in fields(Span)), "held"),
    Property: {
        "name": "property-added",
        "type": "type",
        "format": "value-format",
        "required": "required",
        "classification": "classification",
        "exact": "exact",
        "zone": "value-format",
        "offset": "value-format",
        "path": "property-added",
        "form": "value-form",
        "header_names": "header-names",
    },
    ValueForm: dict.fromkeys((f.name for f in fields(ValueForm)), "value-form"),
    Check: {
        "id": "check-renamed",
        "rule": "rule",
        "scope": "rule",
        "severity": "severity",
        "dimension": "dimension",
        "expected": FOLLOWS + "words made of the rule",
        "property": "rule",
        "threshold": "rule",
        "tolerance": "tolerance",
        "description": "words",
        "filter": "rule",
        "quiet": "tolerance",
        "reference": "words",
        "about": "words",
    },
    Reference: {
        "name": FOLLOWS + "from the relationship, which the rule says",
        "contract": FOLLOWS + "from the relationship, which the rule says",
        "sha256": FOLLOWS + "from the file's bytes, which are no part of a document",
        **dict.fromkeys(("path", "file_format", "csv", "forms", "json"), "reference"),
    },
    Threshold: dict.fromkeys(("operator", "values", "unit", "relative"), "rule"),
    Limit: dict.fromkeys(("value", "unit"), "tolerance"),
}
"""Every field of a plan, by its class: the kind of change that concerns it, or the source that it follows from."""

Kind = Literal["plan", "promise", "words"]
TOP: dict[str, Kind] = {
    **dict.fromkeys(("id", "version", "status", "schema", "customProperties"), "plan"),
    **dict.fromkeys(("servers", "price", "roles", "slaDefaultElement", "slaProperties"), "promise"),
    **dict.fromkeys(
        (
            *("apiVersion", "kind", "name", "tenant", "tags", "dataProduct", "description", "domain", "context"),
            *("support", "team", "authoritativeDefinitions", "contractCreatedTs"),
        ),
        "words",
    ),
}
"""Every key of an ODCS document: whether the plan speaks of it, it promises something, or only describes."""
ELEMENT: dict[str, Kind] = {
    "name": "plan",
    "deprecated": "promise",
    **dict.fromkeys(
        (
            *("id", "physicalType", "description", "businessName", "synonyms", "authoritativeDefinitions", "tags"),
            *("customProperties", "physicalName"),
        ),
        "words",
    ),
}
"""Every key that schema objects and properties share."""
OBJECT: dict[str, Kind] = ELEMENT | {
    **dict.fromkeys(("properties", "quality", "relationships"), "plan"),
    **dict.fromkeys(("logicalType", "dataGranularityDescription", "context"), "words"),
}
PROPERTY: dict[str, Kind] = ELEMENT | {
    "deprecated": "plan",
    **dict.fromkeys(
        (
            *("primaryKey", "primaryKeyPosition", "logicalType", "logicalTypeOptions", "required", "unique"),
            *("classification", "enum", "relationships", "quality", "properties", "items", "map"),
        ),
        "plan",
    ),
    **dict.fromkeys(("partitioned", "partitionKeyPosition", "encryptedName"), "promise"),
    **dict.fromkeys(
        (
            *("semanticType", "transformSourceObjects", "transformLogic", "transformDescription", "examples"),
            "criticalDataElement",
        ),
        "words",
    ),
}
ENUM: dict[str, Kind] = {
    "value": "plan",
    **dict.fromkeys(("label", "id", "description", "customProperties", "authoritativeDefinitions", "tags"), "words"),
}
QUALITY: dict[str, Kind] = {
    **dict.fromkeys(
        (
            *("id", "name", "type", "metric", "rule", "arguments", "unit", "severity", "dimension"),
            *("engine", "implementation", "query"),
        ),
        "plan",
    ),
    **dict.fromkeys(("schedule", "scheduler"), "promise"),
    **dict.fromkeys(
        ("authoritativeDefinitions", "businessImpact", "customProperties", "description", "method", "tags"), "words"
    ),
}
"""Every key of an entry of `quality` but the operators, of which the plan speaks."""
