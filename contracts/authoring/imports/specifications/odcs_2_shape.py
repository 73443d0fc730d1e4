"""The shape of ODCS 2.2, and of the template 2.1 that it grew out of, as JSON Schema."""

from __future__ import annotations

from typing import Any

TEXT = {"type": "string"}
MAYBE = {"type": ["string", "null"]}
FLAG = {"type": ["boolean", "null"]}
PLACE = {"type": ["integer", "null"]}
TEXTS = {"type": ["array", "null"], "items": TEXT}
NAMES = {"type": ["array", "string", "null"], "items": TEXT}
SCALAR = {"type": ["string", "number", "boolean", "null"]}
LINKS = {
    "type": ["array", "null"],
    "items": {"type": "object", "required": ["url", "type"], "properties": {"url": TEXT, "type": TEXT}},
}
PAIRS = {
    "type": ["array", "null"],
    "items": {"type": "object", "required": ["property"], "properties": {"property": TEXT, "value": {}}},
}
QUALITY = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "properties": {
            "code": MAYBE, "templateName": MAYBE, "description": MAYBE, "dimension": MAYBE, "severity": MAYBE,
            "businessImpact": MAYBE, "scheduleCronExpression": MAYBE, "type": MAYBE, "column": MAYBE, "columns": NAMES,
            "toolName": MAYBE, "toolRuleName": MAYBE, "customProperties": PAIRS,
        },
    },
}  # fmt: skip
COLUMN = {
    "type": "object",
    "required": ["column"],
    "properties": {
        "column": TEXT, "isPrimary": FLAG, "isPrimaryKey": FLAG, "primary": FLAG, "isUnique": FLAG,
        "businessName": MAYBE, "logicalType": MAYBE, "physicalType": MAYBE, "isNullable": FLAG, "nullable": FLAG,
        "description": MAYBE, "primaryKeyPosition": PLACE, "partitionKeyPosition": PLACE, "clusterKeyPosition": PLACE,
        "partitionStatus": FLAG, "clusterStatus": FLAG, "criticalDataElementStatus": FLAG,
        "tags": TEXTS, "classification": SCALAR, "encryptedColumnName": MAYBE,
        "transformSourceTables": TEXTS, "transformLogic": MAYBE, "transformDescription": MAYBE,
        "sampleValues": {"type": ["array", "null"]}, "authoritativeDefinitions": LINKS, "quality": QUALITY,
    },
}  # fmt: skip
TABLE = {
    "type": "object",
    "required": ["table", "columns"],
    "properties": {
        "table": TEXT, "physicalName": MAYBE, "priorTableName": MAYBE, "description": MAYBE,
        "tags": TEXTS, "dataGranularity": MAYBE,
        "columns": {"type": "array", "items": COLUMN}, "authoritativeDefinitions": LINKS, "quality": QUALITY,
    },
}  # fmt: skip
TABLES = {"type": "array", "items": TABLE}
SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["dataset"],
    "properties": {
        "version": SCALAR, "quantumName": MAYBE, "datasetDomain": MAYBE, "tenant": MAYBE, "tags": TEXTS,
        "description": {
            "type": ["object", "null"],
            "properties": {"purpose": MAYBE, "limitations": MAYBE, "usage": MAYBE},
        },
        "productDl": MAYBE, "productSlackChannel": MAYBE, "productFeedbackUrl": MAYBE,
        "dataset": {"type": ["array", "object"], "items": TABLE, "properties": {"tables": TABLES}},
        "price": {
            "type": ["object", "null"],
            "properties": {"priceAmount": {"type": ["number", "null"]}, "priceCurrency": MAYBE, "priceUnit": MAYBE},
        },
        "stakeholders": {
            "type": ["array", "null"],
            "items": {
                "type": "object",
                "required": ["username"],
                "properties": {
                    "username": TEXT, "role": MAYBE, "dateIn": MAYBE, "dateOut": MAYBE, "replacedByUsername": MAYBE,
                    "comment": MAYBE,
                },
            },
        },
        "roles": {
            "type": ["array", "null"],
            "items": {
                "type": "object",
                "required": ["role"],
                "properties": {
                    "role": TEXT, "access": MAYBE, "firstLevelApprovers": MAYBE, "secondLevelApprovers": MAYBE,
                },
            },
        },
        "slaDefaultColumn": MAYBE,
        "slaProperties": {
            "type": ["array", "null"],
            "items": {
                "type": "object",
                "required": ["property"],
                "properties": {
                    "property": TEXT, "value": SCALAR, "valueExt": SCALAR, "unit": MAYBE, "column": MAYBE,
                    "driver": MAYBE,
                },
            },
        },
        "customProperties": PAIRS,
    },
}  # fmt: skip
