"""The meaning of each kind of change: one table that gives the directions and levels of all changes.

A direction of None follows from the values, a level of None from the direction: what tightens breaks producers, what
loosens breaks consumers. `FIELDS` says for each field of a plan which kinds speak of it, or why none does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from contracts.authoring.diff.change import Direction, Level
from contracts.plan import Check, Columns, Csv, Limit, Plan, Property, Reference, Threshold
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from contracts.terms.trailer import Trailer


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
    "contract-added": Meaning("a contract that was not there", "loosens", consumer="compatible"),
    "contract-removed": Meaning("a contract that is not there any more", "tightens", consumer="breaking"),
    "id": Meaning("`id`: another contract", "both"),
    "status": Meaning("`status`: between two that both match files, or both do not", "none"),
    "retired": Meaning("`status`: it matches no files any more", "tightens", consumer="breaking"),
    "activated": Meaning("`status`: it matches files now", "loosens", consumer="compatible"),
    "object": Meaning("the name of the schema object", "none"),
    "producer": Meaning("`producer`: who uploads and gets the receipts", "none", producer="breaking"),
    "files": Meaning("`files`: patterns more or fewer"),
    "files-names": Meaning("`files`: the names of a pattern's parts, which go into the record", "none"),
    "format": Meaning("`format`, `compression`", "both"),
    "dialect": Meaning(
        "`csv`: `delimiter`, `header`, `encoding`, `quote`, `escape`, `nullValues`, `multiLine`: both; `trailer`, "
        "`mojibake`"
    ),
    "columns": Meaning("`columns`: `extra`, `missing`, `order`"),
    "empty": Meaning("`empty`"),
    "file-tolerance": Meaning("`tolerance`: of the file, and of the row checks that have none of their own"),
    "promote": Meaning("`promote`: what consumers get", "none", consumer="breaking"),
    "mode": Meaning("`mode`: whether the verdict decides what is promoted"),
    "same-key": Meaning("`sameKey`: what a second upload of a key does", consumer="breaking"),
    "same-content": Meaning("`sameContent`: what a second upload of the same bytes does", consumer="compatible"),
    "arrival": Meaning("`arrival`: when files are to come, and what becomes of those that come at another time"),
    "set": Meaning("`set`: which files go on together, and what completes them", "both", consumer="compatible"),
    "property-added": Meaning("a property more", consumer="compatible"),
    "property-removed": Meaning("a property less", consumer="breaking"),
    "property-renamed": Meaning("a property less and one much like it more", consumer="breaking"),
    "property-order": Meaning("the order of the properties, where files go by it", "both"),
    "property-order-shown": Meaning("the same, where columns are found by name", "none", "none", "none"),
    "type": Meaning("`logicalType`", "both"),
    "value-format": Meaning("`format`, `timezone`, `defaultTimezone` of dates and times"),
    "exact": Meaning("the digits of an exact number (`physicalType: decimal(p,s)`, `multipleOf`, `format: u64`)"),
    "required": Meaning("`required`"),
    "classification": Meaning("`classification`: whether receipts show values", "none"),
    "check-added": Meaning("a rule more: `unique`, `primaryKey`, `enum`, an option, an entry of `quality`"),
    "check-removed": Meaning("a rule less"),
    "check-renamed": Meaning("the id of a check, on which history is joined", "none"),
    "reference": Meaning("`references`: which file records are held against, and how it is written", "both"),
    "rule": Meaning("what a check asks for: bound, length, set, pattern, reference, threshold, unit"),
    "severity": Meaning("the severity of a check"),
    "tolerance": Meaning("the tolerance of a check"),
    "dimension": Meaning("the dimension of a check", "none"),
    "promise": Meaning("what the document says of service, access and price, and is not checked", "none"),
    "words": Meaning("what only describes: names, descriptions, tags, labels", "none", "none", "none"),
}
"""By kind. A check of severity warning refuses no file, so that whatever becomes of it has no direction."""

FOLLOWS = "follows: "
FIELDS: dict[type[Any], dict[str, str]] = {
    Plan: {
        "contract": FOLLOWS + "from `id` and `version`",
        "id": "id",
        "version": FOLLOWS + "it is judged against the changes, in contracts.authoring.document.versions",
        "object": "object",
        "producer": "producer",
        "files": "files",
        "properties": "property-added",
        "checks": "check-added",
        "csv": "dialect",
        "columns": "columns",
        "empty": "empty",
        "tolerance": "file-tolerance",
        "promote": "promote",
        "mode": "mode",
        "same_key": "same-key",
        "same_content": "same-content",
        "deprecated": "status",
        "file_format": "format",
        "compression": "format",
        "unmarked": FOLLOWS + "of plans with high marks, which no contract is compiled to",
        "references": "reference",
        "arrival": "arrival",
        "set": "set",
        "format": FOLLOWS + "the plan's own edition, of no contract",
    },
    Csv: dict.fromkeys(
        ("delimiter", "encoding", "quote", "escape", "null_values", "header", "multi_line", "trailer", "mojibake"),
        "dialect",
    ),
    Trailer: dict.fromkeys(("begins", "rows", "sums"), "dialect"),
    Columns: dict.fromkeys(("extra", "missing", "order"), "columns"),
    SetRule: dict.fromkeys(("of", "within", "marker", "manifest", "parts", "sums"), "set"),
    Arrival: dict.fromkeys(("by", "since", "days", "zone", "files", "outside"), "arrival"),
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
    },
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
        **dict.fromkeys(("path", "file_format", "csv"), "reference"),
    },
    Threshold: dict.fromkeys(("operator", "values", "unit"), "rule"),
    Limit: dict.fromkeys(("value", "unit"), "tolerance"),
}
"""Every field of a plan, by its class: the kind of change that speaks of it, or from what it follows."""

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
