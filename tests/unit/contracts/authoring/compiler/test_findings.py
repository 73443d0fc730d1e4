"""Wrong contracts: literal YAML, a mark where each finding belongs; never a crash, never a finding elsewhere."""

from __future__ import annotations

import json

import pytest

from contracts.authoring.compiler.compile import compile_each
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document, a_property, compiled, expected, reported

SET = DROP.replace("shop/orders/*.csv", "shop/{day}/*.csv")
VALUES = f"{DROP}values:\n"
OF_JSON = DROP.replace("csv", "jsonl")
OF_PARQUET = DROP.replace("csv", "parquet")
OF_SHEET = DROP.replace("csv", "xlsx")


def nested(inner: str, beside: str = "") -> str:
    """A contract of JSON Lines with an object `x` that has some properties."""
    body = inner.replace("\n", "\n  ")
    return a_document(
        f"- name: x\n  logicalType: object\n  {beside.replace(chr(10), chr(10) + '  ')}\n  properties:\n  {body}",
        drop=OF_JSON,
    )


def deep(levels: int) -> str:
    """Objects within objects, of which the eleventh is too many."""
    lines = []
    for n in range(levels):
        mark = "  #! not-built-yet" if n == 9 else ""
        pad = "    " * n
        lines += [f"{pad}- name: p{n}", f"{pad}  logicalType: object", f"{pad}  properties:{mark}"]
    return "\n".join([*lines, f"{'    ' * levels}- {{name: z, logicalType: date}}"])


TABLE = f"{DROP}promote: table  #! bad-value"
PROPERTY = {
    "object in a table": a_document(
        "- {name: x, logicalType: object, properties: [{name: y, logicalType: date}]}",
        drop=f"{OF_JSON}promote: table  #! not-built-yet",
    ),
    "column of a table with a blank": a_document("- {name: a b, logicalType: date}", drop=TABLE),
    "trailer that begins as a valid record": a_document(
        "- {name: x, logicalType: string, enum: [{value: A}, {value: T}]}",
        drop=f"{DROP}csv: {{trailer: {{begins: T}}}}  #! begins-as-records",
    ),
    "trailer that begins as a valid number": a_document(
        "- {name: x, logicalType: integer, enum: [{value: 1}, {value: 99}]}",
        drop=f'{DROP}csv: {{trailer: {{begins: "99"}}}}  #! begins-as-records',
    ),
    "sum of a text in a trailer": a_document(
        "- {name: x, logicalType: string}", drop=f"{DROP}csv: {{trailer: {{begins: T, sums: {{x: 2}}}}}}  #! bad-value"
    ),
    "value with a blank where blanks do not count": a_document(
        "- name: x  #! cannot-hold\n  logicalType: string\n  enum: [{value: ' a'}]",
        drop=f"{DROP}values: {{trim: true}}",
    ),
    "decimal mark of a text": a_document(
        "- {name: x, logicalType: string}", drop=f"{VALUES}  columns:\n    x: {{decimalChar: ';'}}  #! bad-value"
    ),
    "words for true of a number": a_document(
        "- {name: x, logicalType: number}",
        drop=f"{VALUES}  falseValues: [N]\n  trueValues: [J]\n  columns:\n    x: {{trueValues: [Y]}}  #! bad-value",
    ),
    "implied decimals of an integer": a_document(
        "- {name: x, logicalType: integer}", drop=f"{VALUES}  columns:\n    x: {{decimals: 2}}  #! bad-value"
    ),
    "hundredths of an integer": a_document(
        "- {name: x, logicalType: integer}", drop=f"{VALUES}  columns:\n    x: {{percent: divide}}  #! bad-value"
    ),
    "more implied decimals than the type has": a_document(
        "- {name: x, logicalType: number, physicalType: 'decimal(9,1)'}",
        drop=f"{VALUES}  columns:\n    x:  #! cannot-hold\n      decimals: 2",
    ),
    "missing value that is null by its column": a_document(
        """\
        - name: x
          logicalType: string
          quality:
          - {metric: missingValues, mustBe: 0, arguments: {missingValues: [NA]}}  #! never-missing
        """,
        drop=f"{DROP}values: {{columns: {{x: {{nullValues: [NA]}}}}}}",
    ),
    "format of a date for a text": a_document(
        "- {name: x, logicalType: string}",
        drop=f"{DROP}values: {{columns: {{x: {{formats: [d.M.yyyy]}}}}}}  #! bad-value",
    ),
    "format of a timestamp for a date": a_document(
        "- {name: x, logicalType: date}",
        drop=f"{DROP}values: {{columns: {{x: {{formats: [d.M.yyyy H:mm]}}}}}}  #! bad-format",
    ),
    "seconds for a date": a_document(
        "- {name: x, logicalType: date}",
        drop=f"{DROP}values: {{columns: {{x: {{formats: [epochSeconds]}}}}}}  #! bad-format",
    ),
    "format without the agreed offset": a_document(
        "- {name: x, logicalType: timestamp, logicalTypeOptions: {timezone: true}}",
        drop=f"{DROP}values: {{columns: {{x: {{formats: [d.M.yyyy H:mm]}}}}}}  #! bad-format",
    ),
    "moments where no offset is agreed": a_document(
        "- {name: x, logicalType: timestamp, logicalTypeOptions: {timezone: false}}",
        drop=f"{DROP}values: {{columns: {{x: {{formats: [epochSeconds]}}}}}}  #! bad-format",
    ),
    "zone that bounds hide": a_document(
        """\
        - name: x
          logicalType: timestamp
          logicalTypeOptions: {format: "yyyy-MM-dd HH:mmX", defaultTimezone: Europe/Berlin}
        """,
        drop=f"{DROP}values: {{columns: {{x: {{formats: [d.M.yyyy H:mm]}}}}}}  #! bad-format",
    ),
    "column that every table has": a_document("- {name: _drop, logicalType: date}", drop=TABLE),
    "columns of a table in two cases": a_document(
        "- {name: x, logicalType: date}\n- {name: X, logicalType: date}", drop=TABLE
    ),
    "vector in a cell": a_document(
        "- name: x\n  logicalType: vector  #! bad-value\n  logicalTypeOptions: {dimensions: 2}"
    ),
    "vector without a length": nested("- name: y\n  logicalType: vector\n  logicalTypeOptions: {}  #! missing-key"),
    "type misspelt": a_document("- name: x\n  logicalType: interger  #! unknown-value"),
    "no type but bounds": a_document("- name: x  #! no-type\n  logicalTypeOptions: {minimum: 5}"),
    "map of a text": a_property("map: {}  #! unknown-key"),
    "no name": a_document("- logicalType: string  #! missing-key"),
    "name twice": a_document("- name: x\n  logicalType: string\n- name: x  #! duplicate-property\n  logicalType: date"),
    "name that is ours": a_document("- name: _record  #! bad-name\n  logicalType: string"),
    "name of nothing": a_document('- name: ""  #! bad-name\n  logicalType: string'),
    "name of blanks": a_document('- name: " "  #! bad-name\n  logicalType: string'),
    "name of two lines": a_document('- name: "a\\nb"  #! bad-name\n  logicalType: string'),
    "check name of two lines": a_property(
        'quality:\n  - name: "a\\nb"  #! bad-name\n    metric: nullValues\n    mustBe: 0'
    ),
    "share of a quantile at another figure": a_property(
        "quality:\n- type: custom\n  engine: dropgate\n  implementation:\n"
        "    metric: sum\n    quantile: 0.5  #! unknown-key\n    mustBe: 1",
        "number",
    ),
    "key misspelt": a_property("requird: true  #! unknown-key"),
    "constraint beside its options": a_property("maxLength: 3  #! unknown-key"),
    "boolean as text": a_property('required: "true"  #! wrong-type'),
    "boolean of older YAML": a_property("required: yes  #! yaml-boolean"),
    "number as text": a_property('logicalTypeOptions:\n  minimum: "1"  #! wrong-type', "integer"),
    "fraction as bound of an integer": a_property("logicalTypeOptions:\n  minimum: 1.5  #! wrong-type", "integer"),
    "infinite bound": a_property("logicalTypeOptions:\n  minimum: .inf  #! wrong-type", "number"),
    "bound of text": a_property("logicalTypeOptions:\n  minimum: 1  #! unknown-key"),
    "length of a number": a_property("logicalTypeOptions:\n  maxLength: 1  #! unknown-key", "number"),
    "bounds crossed": a_property("logicalTypeOptions:\n  minimum: 2  #! bounds-crossed\n  maximum: 1", "integer"),
    "lengths crossed": a_property("logicalTypeOptions:\n  maxLength: 1\n  minLength: 2  #! bounds-crossed"),
    "length beyond what is counted": a_property(
        "logicalTypeOptions:\n  maxLength: 99999999999999999999  #! cannot-hold"
    ),
    "length that no text has": a_property("logicalTypeOptions:\n  minLength: 2147483648  #! cannot-hold"),
    "negative length": a_property("logicalTypeOptions:\n  minLength: -1  #! not-odcs"),
    "bound crosses an exclusive one": a_property(
        "logicalTypeOptions:\n  minimum: 2  #! bounds-crossed\n  exclusiveMaximum: 2", "number"
    ),
    "exclusive bounds of neighbours": a_property(
        "logicalTypeOptions:\n  exclusiveMinimum: 1  #! bounds-crossed\n  exclusiveMaximum: 2", "integer"
    ),
    "exclusive bounds of days that follow": a_property(
        'logicalTypeOptions:\n  exclusiveMaximum: "2024-03-01"\n  exclusiveMinimum: "2024-02-29"  #! bounds-crossed',
        "date",
    ),
    "exclusive bound of another type": a_property(
        "logicalTypeOptions:\n  exclusiveMinimum: today  #! wrong-type", "timestamp"
    ),
    "multiple of a part": a_property("logicalTypeOptions:\n  multipleOf: 0.5  #! wrong-type", "integer"),
    "multiple of nothing": a_property("logicalTypeOptions:\n  multipleOf: 0  #! not-odcs", "number"),
    "multiple finer than the decimal": a_property(
        "physicalType: decimal(5,2)\nlogicalTypeOptions:\n  multipleOf: 0.005  #! wrong-type", "number"
    ),
    "decimal of too many digits": a_property("physicalType: decimal(39,2)  #! bad-decimal", "number"),
    "decimal with more digits after the point than in all": a_property(
        "physicalType: numeric(2,3)  #! bad-decimal", "number"
    ),
    "decimal without digits": a_property("physicalType: decimal(0)  #! bad-decimal", "integer"),
    "bound that the decimal does not have": a_property(
        "physicalType: decimal(5,2)\nlogicalTypeOptions:\n  minimum: 0.001  #! wrong-type", "number"
    ),
    "bound beyond the decimal": a_property(
        "physicalType: decimal(5,2)\nlogicalTypeOptions:\n  maximum: 1000  #! wrong-type", "number"
    ),
    "decimals crossed": a_property(
        "physicalType: decimal(5,2)\nlogicalTypeOptions:\n  exclusiveMinimum: 1  #! bounds-crossed\n"
        "  exclusiveMaximum: 1.01",
        "number",
    ),
    "text in an enum of decimals": a_property(
        "physicalType: decimal(5,2)\nenum:\n  - value: a  #! wrong-type", "number"
    ),
    "format of text misspelt": a_property("logicalTypeOptions:\n  format: e-mail  #! unknown-format"),
    "format of text by another name": a_property("logicalTypeOptions:\n  format: URL  #! unknown-format"),
    "integers of 128 bits": a_property("logicalTypeOptions:\n  format: u128  #! not-built-yet", "integer"),
    "format of integers misspelt": a_property("logicalTypeOptions:\n  format: int8  #! unknown-value", "integer"),
    "time zone misspelt": a_property(
        "logicalTypeOptions:\n  defaultTimezone: Europe/Berln  #! unknown-timezone", "timestamp"
    ),
    "time zone by its abbreviation": a_property(
        "logicalTypeOptions:\n  defaultTimezone: CET  #! unknown-timezone", "timestamp"
    ),
    "offset that the format does not have": a_property(
        "logicalTypeOptions:\n  format: yyyy-MM-dd HH:mm\n  timezone: true  #! bad-format", "timestamp"
    ),
    "format has an offset": a_property(
        "logicalTypeOptions:\n  format: yyyy-MM-dd HH:mmX\n  timezone: false  #! bad-format", "timestamp"
    ),
    "bound without the offset": a_property(
        'logicalTypeOptions:\n  timezone: true\n  minimum: "2024-01-01T00:00:00"  #! wrong-type', "timestamp"
    ),
    "bound that no clock shows": a_property(
        'logicalTypeOptions:\n  defaultTimezone: Europe/Berlin\n  minimum: "2024-03-31T02:30:00"  #! wrong-type',
        "timestamp",
    ),
    "time zone of a time": a_property("logicalTypeOptions:\n  timezone: true  #! not-built-yet", "time"),
    "date in a time": a_property("logicalTypeOptions:\n  format: yyyy-MM-dd HH:mm  #! bad-format", "time"),
    "offset of a time": a_property("logicalTypeOptions:\n  format: HH:mmX  #! bad-format", "time"),
    "end of a day as a time": a_property('logicalTypeOptions:\n  maximum: "24:00"  #! wrong-type', "time"),
    "times crossed": a_property(
        "logicalTypeOptions:\n  minimum: 08:00  #! bounds-crossed\n  maximum: 07:59:59.9", "time"
    ),
    "week year": a_property("logicalTypeOptions:\n  format: YYYY-MM-DD  #! bad-format", "date"),
    "minutes for months": a_property("logicalTypeOptions:\n  format: yyyy-mm-dd  #! bad-format", "date"),
    "date bound of another format": a_property(
        'logicalTypeOptions:\n  format: dd.MM.yyyy\n  minimum: "2020-01-01"  #! wrong-type', "date"
    ),
    "date that does not exist": a_property('logicalTypeOptions:\n  maximum: "2023-02-29"  #! wrong-type', "date"),
    "blanks of a number": a_property(
        "quality:\n  - type: custom\n    engine: dropgate\n"
        "    implementation: {metric: notBlank, mustBe: 0}  #! wrong-type",
        "number",
    ),
    "pattern that does not compile": a_property("logicalTypeOptions:\n  pattern: '[a-'  #! bad-pattern"),
    "pattern of another dialect": a_property("logicalTypeOptions:\n  pattern: '\\Aa\\z'  #! bad-pattern"),
    "pattern that is no text": a_property("logicalTypeOptions:\n  pattern: 5  #! wrong-type"),
    "number in an enum of text": a_property("enum:\n  - value: 5  #! wrong-type"),
    "bare no in an enum of text": a_property("enum:\n  - value: no  #! wrong-type"),
    "null in an enum": a_property("enum:\n  - value: a\n  - value:  #! wrong-type"),
    "text in an enum of integers": a_property("enum:\n  - value: a  #! wrong-type", "integer"),
    "integer beyond 64 bits": a_property("enum:\n  - value: 9223372036854775808  #! wrong-type", "integer"),
    "enum of bare values": a_property("enum:\n  - a  #! wrong-type"),
    "empty enum": a_property("enum: []  #! not-odcs"),
    "another physical name": a_property("physicalName: y  #! no-source"),
    "relationship of a property": a_property("relationships:\n  - to: a.b  #! unknown-object"),
    "relationship with two ends": a_property("relationships:\n  - to: a.b  #! not-odcs\n    from: orders.x"),
    "measure": a_property("semanticType: measure  #! not-built-yet"),
    "object in a cell": a_document("- name: x\n  logicalType: object  #! bad-value\n  properties: []"),
    "array in a cell": a_document("- name: x\n  logicalType: array  #! bad-value\n  items: {logicalType: string}"),
    "nested type misspelt": nested("- {name: y, logicalType: strin}  #! unknown-value"),
    "nested property without a type": nested("- name: y  #! no-type\n  logicalTypeOptions: {minimum: 5}"),
    "nested name twice": nested(
        "- {name: y, logicalType: date}\n- name: y  #! duplicate-property\n  logicalType: date"
    ),
    "nested bound of another type": nested(
        "- name: y\n  logicalType: date\n  logicalTypeOptions: {minimum: x}  #! wrong-type"
    ),
    "nested primary key": nested("- name: y\n  logicalType: date\n  primaryKey: true  #! not-built-yet"),
    "required key without a property": nested(
        "- {name: y, logicalType: date}", "logicalTypeOptions:\n  required: [z]  #! unknown-property"
    ),
    "enum of an object": nested("- {name: y, logicalType: date}", "enum: [{value: 1}]  #! not-built-yet"),
    "mean of an array": nested(
        "- name: y\n  logicalType: array\n  items: {logicalType: integer}\n  quality:\n  - type: custom\n"
        "    engine: dropgate\n    implementation:\n      metric: mean  #! not-built-yet\n      mustBeGreaterThan: 1"
    ),
    "quantile within an array": nested(
        "- name: y\n  logicalType: array\n  items:\n    logicalType: integer\n    quality:\n    - type: custom\n"
        "      engine: dropgate\n      implementation:\n        metric: quantile  #! not-built-yet\n"
        "        quantile: 0.5\n        mustBe: 1"
    ),
    "unique within an array": nested(
        "- name: y\n  logicalType: array\n  items:\n    logicalType: integer\n    unique: true  #! not-built-yet"
    ),
    "fewer than none": nested(
        "- name: y\n  logicalType: array\n  logicalTypeOptions:\n    minItems: 3  #! bounds-crossed\n    maxItems: 2"
    ),
    "key of a map that is a number": nested(
        "- name: y\n  logicalType: map\n  map:\n    key:\n      logicalType: integer  #! not-built-yet\n"
        "    value: {logicalType: string}"
    ),
    "too deep": nested(deep(12)),
    "position without a key": a_property("primaryKeyPosition: 1  #! bad-position"),
    "one position for two": a_document(
        "- {name: a, logicalType: string, primaryKey: true, primaryKeyPosition: 1}\n- name: b\n  logicalType: string\n"
        "  primaryKey: true\n  primaryKeyPosition: 1  #! bad-position"
    ),
    "part of a key without a position": a_document(
        "- {name: a, logicalType: string, primaryKey: true, primaryKeyPosition: 2}\n"
        "- {name: b, logicalType: string, primaryKey: true}  #! bad-position"
    ),
    "position beyond the key": a_property("primaryKey: true\nprimaryKeyPosition: 2  #! bad-position"),
    "properties is a mapping": a_document("x:  #! wrong-type\n  logicalType: string"),
}
NULLS = "- metric: nullValues\n  mustBe: 0\n"
MISSING = "- metric: missingValues\n  mustBe: 0\n  arguments: "
INVALID = "- metric: invalidValues\n  mustBe: 0\n"
CUSTOM = "- type: custom\n  engine: dropgate\n  implementation: "
QUALITY = {
    "no quantile": CUSTOM + "{metric: quantile, mustBe: 1}  #! no-argument",
    "quantile of more than all": CUSTOM + "{metric: quantile, quantile: 95, mustBe: 1}  #! wrong-type",
    "metric misspelt": "- metric: nullvalues  #! unknown-value\n  mustBe: 0",
    "no missing values": "- metric: missingValues  #! no-argument\n  mustBe: 0",
    "missing values that are no list": MISSING + "{missingValues: N/A}  #! wrong-type",
    "empty list of missing values": MISSING + "{missingValues: []}  #! wrong-type",
    "number among missing values": MISSING + "{missingValues: [-9]}  #! wrong-type",
    "bare no among missing values": MISSING + "{missingValues: [no]}  #! wrong-type",
    "missing value that is null": MISSING + "{missingValues: [N/A, '']}  #! never-missing",
    "missing values misspelt": MISSING + "{missingvalues: []}  #! unknown-argument",
    "text that says nothing": "- type: text  #! missing-key",
    "metric beside text": "- type: text\n  description: looks good\n  engine: soda  #! unknown-key",
    "query of no table": "- type: sql\n  query: SELECT 1  #! bad-query\n  mustBe: 1",
    "query of no number": "- type: sql\n  query: SELECT x FROM ${object}  #! bad-query\n  mustBe: 1",
    "query of a text": "- type: sql\n  query: SELECT max(${property}) FROM ${object}  #! bad-query\n  mustBe: 1",
    "query that writes": "- type: sql\n  query: DELETE FROM ${object}  #! bad-query\n  mustBe: 1",
    "query of another name": "- type: sql\n  query: SELECT max(${colum}) FROM ${object}  #! bad-parameter\n  mustBe: 1",
    "query held against text": '- type: sql\n  query: SELECT count(*) FROM data\n  mustBe: "1"  #! wrong-type',
    "query of percent": "- type: sql\n  query: SELECT count(*) FROM data\n  mustBe: 1\n  unit: percent  #! unknown-key",
    "statement about one property": CUSTOM + "{metric: statement, statement: select * from data}  #! wrong-place",
    "no engine": "- type: custom  #! missing-key\n  implementation: x",
    "text for a metric of ours": CUSTOM + "metric=notBlank  #! wrong-type",
    "no metric of ours": CUSTOM + "{mustBe: 0}  #! unknown-metric",
    "metric of ours misspelt": CUSTOM + "{metric: notblank, mustBe: 0}  #! unknown-metric",
    "metric of ours that is a list": CUSTOM + "{metric: [notBlank], mustBe: 0}  #! unknown-metric",
    "no operator of ours": CUSTOM + "{metric: notBlank}  #! no-operator",
    "operator of ours misspelt": CUSTOM + "{metric: notBlank, mustbe: 0}  #! unknown-key",
    "two operators of ours": CUSTOM + "{metric: notBlank, mustBe: 0, mustNotBe: 1}  #! two-operators",
    "text as threshold of ours": CUSTOM + "{metric: notBlank, mustBe: none}  #! wrong-type",
    "number for a range of ours": CUSTOM + "{metric: notBlank, mustBeBetween: 5}  #! wrong-type",
    "range of ours with one end": CUSTOM + "{metric: notBlank, mustBeBetween: [5]}  #! wrong-type",
    "unit of ours is a list": CUSTOM + "{metric: notBlank, mustBe: 0, unit: [rows]}  #! wrong-type",
    "unit of ours misspelt": CUSTOM + "{metric: notBlank, mustBe: 0, unit: row}  #! unknown-unit",
    "pattern for notBlank": CUSTOM + "{metric: notBlank, mustBe: 0, pattern: a}  #! unknown-key",
    "no pattern for regex": CUSTOM + "{metric: regex, mustBe: 0}  #! no-argument",
    "wrong pattern for regex": CUSTOM + "{metric: regex, mustBe: 0, pattern: a++}  #! bad-pattern",
    "number as pattern for regex": CUSTOM + "{metric: regex, mustBe: 0, pattern: 5}  #! wrong-type",
    "no prefixes": CUSTOM + "{metric: allowedPrefixes, mustBe: 0}  #! no-argument",
    "no prefix among prefixes": CUSTOM + "{metric: allowedPrefixes, mustBe: 0, prefixes: []}  #! wrong-type",
    "empty prefix": CUSTOM + '{metric: allowedPrefixes, mustBe: 0, prefixes: [A, ""]}  #! wrong-type',
    "number as prefix": CUSTOM + "{metric: allowedPrefixes, mustBe: 0, prefixes: [5]}  #! wrong-type",
    "text for prefixes": CUSTOM + "{metric: allowedPrefixes, mustBe: 0, prefixes: A}  #! wrong-type",
    "prefixes for regex": CUSTOM + "{metric: regex, mustBe: 0, pattern: a, prefixes: [A]}  #! unknown-key",
    "unit beside the implementation": CUSTOM + "{metric: notBlank, mustBe: 0}\n  unit: rows  #! unknown-key",
    "severity of ours": CUSTOM + "{metric: notBlank, mustBe: 0}\n  severity: info  #! unknown-severity",
    "argument of duplicate values": "- metric: duplicateValues\n  mustBe: 0\n  arguments:\n    properties: [x]"
    "  #! unknown-argument",
    "figure of text, without an operator": CUSTOM + "{metric: min}  #! no-operator wrong-type",
    "no metric": "- mustBe: 0  #! missing-key",
    "no operator": "- metric: nullValues  #! no-operator",
    "operator misspelt": "- metric: nullValues\n  mustbe: 0  #! unknown-key",
    "two operators": "- metric: nullValues\n  mustBe: 0\n  mustBeLessThan: 5  #! two-operators",
    "text as threshold": "- metric: nullValues\n  mustBe: none  #! wrong-type",
    "list as threshold": "- metric: nullValues\n  mustBe: [5]  #! wrong-type",
    "quoted threshold": '- metric: nullValues\n  mustBeLessThan: "5"  #! wrong-type',
    "one end of a range": "- metric: nullValues\n  mustBeBetween: [1]  #! not-odcs",
    "range upside down": "- metric: nullValues\n  mustBeBetween: [5, 1]  #! cannot-hold",
    "range without inside": "- metric: nullValues\n  mustBeBetween: [1, 2]  #! cannot-hold",
    "negative count": "- metric: nullValues\n  mustBeLessThan: -1  #! cannot-hold",
    "less than nothing": "- metric: nullValues\n  mustBeLessThan: 0  #! cannot-hold",
    "one that is twice": "- metric: duplicateValues\n  mustBe: 1  #! cannot-hold",
    "one or nothing between": "- metric: duplicateValues\n  mustBeBetween: [0, 2]  #! cannot-hold",
    "half a row": "- metric: nullValues\n  mustBe: 0.5  #! cannot-hold",
    "more than everything": "- metric: nullValues\n  mustBeLessThan: 101  #! cannot-hold\n  unit: percent",
    "unknown severity": "- metric: nullValues\n  mustBe: 0\n  severity: info  #! unknown-severity",
    "unknown unit": '- metric: nullValues\n  mustBe: 0\n  unit: "%"  #! unknown-unit',
    "unknown dimension": "- metric: nullValues\n  mustBe: 0\n  dimension: validity  #! unknown-value",
    "no argument": "- metric: invalidValues  #! no-argument\n  mustBe: 0",
    "argument misspelt": INVALID + "  arguments:\n    validValue: []  #! unknown-argument",
    "argument of another metric": NULLS + "  arguments:\n    validValues: [a]  #! unknown-argument",
    "argument in the wrong place": "- metric: invalidValues\n  mustBe: 0\n  validValues: [a]  #! unknown-key",
    "valid values of another type": INVALID + "  arguments:\n    validValues: [a, 5]  #! wrong-type",
    "valid values that are no list": INVALID + "  arguments:\n    validValues: a  #! wrong-type",
    "wrong pattern": INVALID + "  arguments:\n    pattern: a++  #! bad-pattern",
    "statement beside a metric": NULLS + "  query: SELECT 1  #! unknown-key",
    "old word beside the new": NULLS + "  rule: nullValues  #! unknown-key",
    "row count of a property": "- metric: rowCount  #! wrong-place\n  mustBe: 5",
    "entry that is text": "- nullValues  #! wrong-type",
}
FIGURES = {
    "metric of our own misspelt": "    metric: means  #! unknown-metric\n    mustBe: 1",
    "metric that is no text": "    metric: [mean]  #! unknown-metric\n    mustBe: 1",
    "unit of a figure": "    metric: mean\n    mustBe: 1\n    unit: rows  #! unknown-key",
    "operator of a figure misspelt": "    metric: mean\n    mustbe: 1  #! unknown-key",
    "two operators of a figure": "    metric: mean\n    mustBe: 1\n    mustNotBe: 2  #! two-operators",
    "text as a figure": "    metric: mean\n    mustBe: one  #! wrong-type",
    "bare yes as a figure": "    metric: mean\n    mustBe: yes  #! wrong-type",
    "one end of a figure's range": "    metric: mean\n    mustBeBetween: [1]  #! wrong-type",
    "range of a figure that is no list": "    metric: mean\n    mustBeBetween: 1  #! wrong-type",
    "range of a figure upside down": "    metric: mean\n    mustBeBetween: [2, 1]  #! cannot-hold",
    "deviation below nothing": "    metric: stdev\n    mustBeLessThan: 0  #! cannot-hold",
}
FILE_QUALITY = {
    "parameter that stands for nothing": (
        CUSTOM + "\n    metric: expression\n    expression: id > ${leest}  #! bad-parameter\n    parameters: {least: 5}"
        "  #! not-used"
    ),
    "parameter within quotes": (
        CUSTOM
        + "\n    metric: expression\n    expression: id > '${least}'  #! bad-parameter\n    parameters: {least: 5}"
    ),
    "parameter of no type": (
        CUSTOM + "\n    metric: expression\n    expression: id > ${least}  #! bad-parameter\n    parameters:\n"
        "      least: {more: 5}  #! wrong-type"
    ),
    "parameter with a name of ours": (
        CUSTOM + "\n    metric: expression\n    expression: id > 5\n    parameters:\n      object: 5  #! bad-parameter"
    ),
    "parameters that are a list": CUSTOM + "{metric: expression, expression: id > 5, parameters: [5]}  #! wrong-type",
    "reference columns of all": "- metric: rowCount\n  mustBe: 5\n  arguments: {referenceColumns: [a]}  #! wrong-place",
    "reference columns that are not there": (
        CUSTOM + "{metric: expression, expression: id > 5, referenceColumns: [idd]}  #! unknown-property"
    ),
    "watermark that is not there": (
        "- metric: rowCount\n  mustBe: 5\n  arguments: {watermark: idd}  #! unknown-property"
    ),
    "watermark that is no name": "- metric: rowCount\n  mustBe: 5\n  arguments: {watermark: 5}  #! wrong-type",
    "watermark that may be null": "- metric: rowCount\n  mustBe: 5\n  arguments: {watermark: id}  #! may-be-null",
    "watermark of an expectation": (
        "- type: custom\n  engine: greatExpectations\n  implementation:\n"
        "    type: expect_column_values_to_not_be_null\n    kwargs: {column: id}\n    watermark: id  #! wrong-place"
    ),
    "property of a query beside the properties": (
        "- type: sql\n  query: SELECT count(${property}) FROM ${object}  #! bad-parameter\n  mustBe: 1"
    ),
    "statement that is not there": CUSTOM + "{metric: statement}  #! no-argument",
    "statement with an unknown column": (CUSTOM + "{metric: statement, statement: select idd from data}  #! bad-query"),
    "filter of what is not checked": (
        "- type: custom\n  engine: soda\n  implementation: {filter: id > 5}  #! wrong-place"
    ),
    "filter that cannot be read": (
        "- metric: rowCount\n  mustBe: 1\n  arguments:\n    filter: id >  #! bad-expression"
    ),
    "filter over a property that is not there": (
        "- metric: rowCount\n  mustBe: 5\n  arguments: {filter: idd > 5}  #! bad-expression"
    ),
    "filter that is a number": "- metric: rowCount\n  mustBe: 5\n  arguments: {filter: 5}  #! wrong-type",
    "blank values of a whole file": CUSTOM + "{metric: notBlank, mustBe: 0}  #! wrong-place",
    "percentage of records": "- metric: rowCount\n  mustBe: 5\n  unit: percent  #! unknown-unit",
    "nulls of a whole file": "- metric: nullValues  #! wrong-place\n  mustBe: 0",
    "duplicate values of nothing": "- metric: duplicateValues  #! no-argument\n  mustBe: 0",
    "duplicate values of no list": "- metric: duplicateValues\n  mustBe: 0\n  arguments:\n"
    "    properties: id  #! wrong-type",
    "duplicate values of a number": "- metric: duplicateValues\n  mustBe: 0\n  arguments:\n    properties:\n"
    "      - 5  #! wrong-type",
    "duplicate values of an unknown property": "- metric: duplicateValues\n  mustBe: 0\n  arguments:\n"
    "    properties:\n      - ID  #! unknown-property",
    "duplicate values of one property twice": "- metric: duplicateValues\n  mustBe: 0\n  arguments:\n"
    "    properties:\n      - id\n      - id  #! duplicate-property",
    "duplicate values twice": "- {metric: duplicateValues, mustBe: 0, arguments: {properties: [id]}}\n"
    "- {metric: duplicateValues, mustBeLessThan: 5, arguments: {properties: [id]}}  #! check-id-clash",
    "figure of a whole file": "- type: custom\n  engine: dropgate\n  implementation:\n"
    "    metric: mean  #! wrong-place\n    mustBe: 1",
    "relationships": "[]\nrelationships:\n  - {from: orders.id, to: shops.id}  #! unknown-object",
}
BLOCK = {
    "no files": "producer: shop  #! missing-key\nformat: csv",
    "no producer and no format": "files: a/*.csv  #! missing-key",
    "unknown key": f"{DROP}tolerence: 5  #! unknown-key",
    "consumers are a text": "files: a/b.csv\nproducer: shop\nconsumers: risk  #! wrong-type\nformat: csv",
    "consumers with a blank": "files: a/b.csv\nproducer: shop\nconsumers: [risk team]  #! bad-value\nformat: csv",
    "consumers named twice": "files: a/b.csv\nproducer: shop\nconsumers: [risk, risk]  #! bad-value\nformat: csv",
    "files is a number": "files: 5  #! wrong-type\nproducer: shop\nformat: csv",
    "files holds a number": "files: [a/b.csv, 5]  #! wrong-type\nproducer: shop\nformat: csv",
    "files is empty": "files: []  #! bad-value\nproducer: shop\nformat: csv",
    "files in a folder that readers leave out": 'files: "s/_in/*.csv"  #! bad-pattern\nproducer: s\nformat: csv',
    "files with a name that readers leave out": 'files: "s/.*.csv"  #! bad-pattern\nproducer: s\nformat: csv',
    "files without a folder": 'files: "*.csv"  #! no-folder\nproducer: shop\nformat: csv',
    "files of trials": 'files: "_trial/*.csv"  #! bad-pattern\nproducer: shop\nformat: csv\npromote: table',
    "files from the root": "files: /shop/a.csv  #! bad-pattern\nproducer: shop\nformat: csv",
    "pattern of an unknown date part": 'files: "shop/{d:%q}"  #! bad-pattern\nproducer: shop\nformat: csv',
    "pattern with half a brace": 'files: "shop/{d"  #! bad-pattern\nproducer: shop\nformat: csv',
    "producer of two lines": 'files: a/b.csv\nproducer: "shop\\n"  #! bad-value\nformat: csv',
    "producer with a slash": "files: a/b.csv\nproducer: a/b  #! bad-value\nformat: csv",
    "format of a later version": "files: a/b.avro\nproducer: shop\nformat: avro  #! not-built-yet",
    "format misspelt": "files: a/b.csv\nproducer: shop\nformat: CSV  #! unknown-value",
    "delimiter of nine characters": f'{DROP}csv: {{delimiter: "|||||||||"}}  #! bad-value',
    "delimiter with the quote in it": f"{DROP}csv: {{delimiter: '|\"|'}}  #! bad-value",
    "backslash as delimiter and escape": f"{DROP}csv: {{delimiter: '\\', escape: '\\'}}  #! bad-value",
    "delimiter beyond the basic plane": f'{DROP}csv: {{delimiter: "\\U0001F600"}}  #! bad-value',
    "delimiter that is a line break": f'{DROP}csv: {{delimiter: "\\n"}}  #! bad-value',
    "escape of two signs": f"{DROP}csv: {{unquotedEscape: '//'}}  #! bad-value",
    "escape that is a letter": f"{DROP}csv: {{unquotedEscape: n}}  #! bad-value",
    "escape that is the quote": f"{DROP}csv: {{unquotedEscape: '\"'}}  #! bad-value",
    "escape within the delimiter": f"{DROP}csv: {{unquotedEscape: '~', delimiter: '~|'}}  #! bad-value",
    "escape before a letter that separates": f"{DROP}csv: {{unquotedEscape: '\\', delimiter: n}}  #! bad-value",
    "escape over lines": f"{DROP}csv: {{unquotedEscape: '\\', multiLine: true}}  #! not-built-yet",
    "escape and delimiter at the end": f"{DROP}csv: {{unquotedEscape: '~', trailingDelimiter: true}}  #! not-built-yet",
    "record delimiter in UTF-16": f"{DROP}csv: {{encoding: utf-16, recordDelimiter: lf}}  #! not-built-yet",
    "record delimiter of letters": f"{DROP}csv: {{recordDelimiter: LF}}  #! bad-value",
    "record delimiter beyond ASCII": f'{DROP}csv: {{recordDelimiter: "\\u2028"}}  #! bad-value',
    "record delimiter over lines": f"{DROP}csv: {{multiLine: true, recordDelimiter: lf}}  #! bad-value",
    "record delimiter with a sign twice": f"{DROP}csv: {{recordDelimiter: '||'}}  #! not-built-yet",
    "record delimiter with the quote": f"{DROP}csv: {{recordDelimiter: '\"|'}}  #! bad-value",
    "record delimiter within the delimiter": f"{DROP}csv: {{delimiter: '||', recordDelimiter: '|'}}  #! bad-value",
    "record delimiter within a character": f"{DROP}csv: {{encoding: big5, recordDelimiter: '|'}}  #! not-built-yet",
    "delimiter that is the quote": f"{DROP}csv: {{delimiter: '\"'}}  #! bad-value",
    "no escape": f'{DROP}csv: {{escape: ""}}  #! not-built-yet',
    "header is a number": f"{DROP}csv: {{header: 1}}  #! wrong-type",
    "columns without a header": f"{DROP}csv: {{header: false}}\ncolumns:\n  extra: warn  #! bad-value",
    "csv of another format": "files: a/b.jsonl\nproducer: shop\nformat: jsonl\ncsv: {}  #! bad-value",
    "order of keys": "files: a/b.jsonl\nproducer: shop\nformat: jsonl\ncolumns:\n  order: exact  #! bad-value",
    "compressed Parquet": "files: a/b\nproducer: shop\nformat: parquet\ncompression: gzip  #! bad-value",
    "compression of a later version": f"{DROP}compression: xz  #! not-built-yet",
    "encoding of a later version": f"{DROP}csv: {{encoding: shift_jis}}  #! not-built-yet",
    "compression that is an archive": f"{DROP}compression: zip  #! unknown-value",
    "archive without a pattern": f"{DROP}archive:\n  format: zip  #! missing-key",
    "archive of another form": f'{DROP}archive:\n  members: "*"\n  format: tar  #! unknown-value',
    "archive with an unknown key": f'{DROP}archive:\n  members: "*"\n  format: zip\n  member: a  #! unknown-key',
    "archive beside a compression": f'{DROP}archive: {{format: zip, members: "*"}}\ncompression: gzip  #! bad-value',
    "archive with half a brace": f'{DROP}archive:\n  format: zip\n  members: "{{d"  #! bad-pattern',
    "archive with an empty pattern": f'{DROP}archive:\n  format: zip\n  members: ""  #! bad-pattern',
    "archive with a pattern from the root": f"{DROP}archive:\n  format: zip\n  members: /a.csv  #! bad-pattern",
    "archive with a pattern upwards": f"{DROP}archive:\n  format: zip\n  members: ../a.csv  #! bad-pattern",
    "archive of Parquet": "files: a/b\nproducer: shop\nformat: parquet\narchive: {format: zip, members: a}"
    "  #! bad-value",
    "dialect of a sheet": f"{OF_SHEET}csv: {{delimiter: ';'}}  #! bad-value",
    "sheet of CSV": f"{DROP}sheet: {{sheetName: S}}  #! bad-value",
    "document of a sheet": f"{OF_SHEET}json: {{property: a}}  #! bad-value",
    "key of a sheet misspelt": f"{OF_SHEET}sheet: {{sheetname: S}}  #! unknown-key",
    "sheet without a name": f"{OF_SHEET}sheet: {{sheetName: ''}}  #! bad-value",
    "range in words": f"{OF_SHEET}sheet: {{range: all}}  #! bad-value",
    "range of small letters": f"{OF_SHEET}sheet: {{range: b4}}  #! bad-value",
    "range without a column": f"{OF_SHEET}sheet: {{range: '4:9'}}  #! bad-value",
    "range that ends to the left": f"{OF_SHEET}sheet: {{range: 'H4:B'}}  #! bad-value",
    "range that ends above": f"{OF_SHEET}sheet: {{range: 'B4:H2'}}  #! bad-value",
    "range beyond the last column": f"{OF_SHEET}sheet: {{range: XFE1}}  #! bad-value",
    "range beyond the last row": f"{OF_SHEET}sheet: {{range: A1048577}}  #! bad-value",
    "rows of a sheet in two lists": f"{OF_SHEET}sheet: {{commentRows: [1]}}  #! bad-value",
    "rows of a sheet with a gap": f"{OF_SHEET}sheet: {{headerRows: [2]}}  #! bad-value",
    "rows above no header of a sheet": f"{OF_SHEET}sheet:\n  header: false\n  skipRows: 2  #! bad-value",
    "any row of a sheet": f"{OF_SHEET}sheet: {{skipRows: {{until: '.*'}}}}  #! bad-value",
    "pattern of a row of a sheet": f"{OF_SHEET}sheet: {{skipRows: {{until: '(?=a)('}}}}  #! bad-pattern",
    "footer of a sheet in words": f"{OF_SHEET}sheet: {{footer: Total}}  #! wrong-type",
    "compressed workbook": f"{OF_SHEET}compression: gzip  #! bad-value",
    "archive of workbooks": f"{OF_SHEET}archive: {{format: zip, members: a}}  #! not-built-yet",
    "rows of a workbook": f"{OF_SHEET}promote: rows  #! not-built-yet",
    "group mark of a column of a sheet": f"{OF_SHEET}values: {{columns: {{id: {{groupChar: '.'}}}}}}  #! bad-value",
    "encoding misspelt": f"{DROP}csv: {{encoding: utf-7}}  #! unknown-value",
    "key of csv misspelt": f"{DROP}csv: {{nullValue: [NA]}}  #! unknown-key",
    "bare null among nulls": f"{DROP}csv:\n  nullValues:\n    - ~  #! wrong-type",
    "bare no among nulls": f"{DROP}csv:\n  nullValues:\n    - no  #! wrong-type",
    "csv is text": f"{DROP}csv: utf-8  #! wrong-type",
    "nulls in two places": f"{DROP}csv: {{nullValues: [NA]}}\nvalues:\n  nullValues: [NA]  #! bad-value",
    "null with a blank where blanks do not count": f'{DROP}values: {{trim: true, nullValues: [" "]}}  #! bad-value',
    "null of a column with a blank": (
        f"{DROP}values:\n  columns:\n    id: {{trim: true, nullValues: ['', '- ']}}  #! bad-value"
    ),
    "values of an unknown column": f"{DROP}values:\n  columns:\n    ID: {{trim: true}}  #! unknown-property",
    "values of a format with types": f"{OF_PARQUET}values: {{trim: true}}  #! bad-value",
    "a mark of JSON in two meanings": f"{OF_JSON}values: {{decimalChar: '.', groupChar: '.'}}  #! bad-value",
    "a word of JSON in two meanings": f"{OF_JSON}values: {{nullValues: [J], trueValues: [J], falseValues: [N]}}"
    "  #! bad-value",
    "key of values misspelt": f"{DROP}values: {{nullValue: [NA]}}  #! unknown-key",
    "bare no among nulls of values": f"{DROP}values:\n  nullValues:\n    - no  #! wrong-type",
    "trim as a text": f"{DROP}values: {{trim: 'yes'}}  #! wrong-type",
    "one mark for fractions and groups": f"{VALUES}  groupChar: '.'  #! bad-value",
    "a digit as a mark": f"{VALUES}  decimalChar: '1'  #! bad-value",
    "a letter as a mark": f"{VALUES}  groupChar: e  #! bad-value",
    "a sign as a mark": f"{VALUES}  groupChar: '-'  #! bad-value",
    "a blank as a decimal mark": f"{VALUES}  decimalChar: ' '  #! bad-value",
    "a mark of two characters": f"{VALUES}  decimalChar: ',,'  #! bad-value",
    "the quote as a mark": f"{VALUES}  groupChar: '\"'  #! bad-value",
    "the delimiter as a mark without quotes": (f"{DROP}csv: {{quote: ''}}\nvalues:\n  decimalChar: ','  #! bad-value"),
    "a mark that the encoding lacks": (
        f"{DROP}csv: {{encoding: us-ascii}}\nvalues:\n  groupChar: '\u00a0'  #! bad-value"
    ),
    "no decimal mark": f"{VALUES}  decimalChar: ''  #! bad-value",
    "decimals beyond all numbers": f"{VALUES}  decimals: 39  #! bad-value",
    "a prefix with a digit": f"{VALUES}  prefixes: ['5€']  #! bad-value",
    "a prefix with a sign": f"{VALUES}  prefixes: ['-']  #! bad-value",
    "a prefix of nothing": f"{VALUES}  prefixes: ['']  #! bad-value",
    "a prefix that ends in two ways": f"{VALUES}  prefixes: [Rs, Rs.]  #! bad-value",
    "a prefix that is a mark": f"{VALUES}  prefixes: ['.']  #! bad-value",
    "a prefix that trim shortens": f"{VALUES}  trim: true\n  prefixes: [' €']  #! bad-value",
    "a suffix that trim shortens": f"{VALUES}  trim: true\n  suffixes: ['€ ']  #! bad-value",
    "a suffix with a sign that may stand behind": (
        f"{VALUES}  negatives: [trailing]\n  suffixes: [',-']  #! bad-value"
    ),
    "a suffix with a percent sign beside percent": f"{VALUES}  percent: keep\n  suffixes: ['%']  #! bad-value",
    "percent in another way": f"{VALUES}  percent: double  #! unknown-value",
    "negative numbers in another way": f"{VALUES}  negatives:\n  - red  #! unknown-value",
    "decimals below none": f"{VALUES}  decimals: -1  #! bad-value",
    "decimals as a text": f"{VALUES}  decimals: '2'  #! wrong-type",
    "decimals and a decimal mark": f"{VALUES}  decimalChar: ';'\n  decimals: 2  #! bad-value",
    "a word for true and for false": f"{VALUES}  trueValues: [J]\n  falseValues: [N, J]  #! bad-value",
    "a word for false that is null": f"{VALUES}  trueValues: [X]\n  falseValues: ['']  #! bad-value",
    "a word for true that is null": (f"{VALUES}  nullValues: [X]\n  falseValues: [N]\n  trueValues: [X]  #! bad-value"),
    "words for true alone": f"{VALUES}  trueValues: [J]  #! bad-value",
    "words for true that YAML takes for true": f"{VALUES}  falseValues: [N]\n  trueValues:\n  - yes  #! wrong-type",
    "a word of a column that is null": (
        f"{VALUES}  falseValues: [N]\n  trueValues: [J]  #! bad-value\n  columns:\n    id: {{nullValues: [J]}}"
    ),
    "years of two digits without a century": f"{DROP}values: {{formats: [d.M.yy]}}  #! bad-format",
    "century that no format needs": f"{DROP}values: {{formats: [d.M.yyyy], century: 1950}}  #! bad-value",
    "language that no format needs": f"{DROP}values: {{formats: [d.M.yyyy], language: de}}  #! bad-value",
    "language that is none": f"{DROP}values: {{formats: [d MMM yyyy], language: german}}  #! unknown-value",
    "century as a text": f"{DROP}values: {{formats: [d.M.yy], century: '1950'}}  #! wrong-type",
    "no formats": f"{DROP}values: {{formats: []}}  #! bad-value",
    "formats that read a text differently": f"{DROP}values: {{formats: [d/M/yyyy, M/d/yyyy]}}  #! two-readings",
    "formats of times that read a text differently": f"{DROP}values: {{formats: [HHmm, mmHH]}}  #! two-readings",
    "count that a date looks like": f"{DROP}values: {{formats: [yyMMdd, excelDays], century: 2000}}  #! two-readings",
    "directives in place of letters": f"{DROP}values: {{formats: ['%d.%m.%Y']}}  #! bad-format",
    "numbers beside each other": f"{DROP}values: {{formats: [dMyyyy]}}  #! bad-format",
    "window without an end": f"{DROP}arrival:\n  from: '04:00'  #! missing-key",
    "window that is over before it begins": f"{DROP}arrival:\n  from: '07:00'\n  by: '06:00'  #! bounds-crossed",
    "time of day that is none": f"{DROP}arrival: {{by: '6:00'}}  #! bad-value",
    "time of day as a number": f"{DROP}arrival: {{by: 16}}  #! wrong-type",
    "day of the week misspelt": f"{DROP}arrival: {{by: '16:00', days: [Monday]}}  #! unknown-value",
    "no day of the week": f"{DROP}arrival: {{by: '16:00', days: []}}  #! bad-value",
    "no file a day": f"{DROP}arrival: {{by: '16:00', files: 0}}  #! bad-value",
    "part of a file": f"{DROP}arrival: {{by: '16:00', files: 1.5}}  #! wrong-type",
    "zone of a window misspelt": f"{DROP}arrival: {{by: '16:00', zone: Europe/Berln}}  #! unknown-timezone",
    "set without an end": f"{SET}set:  #! bad-value\n  of: [day]",
    "set with two ends": f"{SET}set:  #! bad-value\n  of: [day]\n  parts: 2\n  marker: shop/{{day}}/ok",
    "set of nothing": f"{SET}set: {{of: [], parts: 2}}  #! bad-value",
    "set of an unknown part": f"{SET}set: {{of: [dya], parts: 2}}  #! unknown-part",
    "set of a part that is written in two ways": (
        DROP.replace("shop/orders/*.csv", "['shop/{day}/*.csv', 'shop/{day:%Y}-*.csv']")
        + "set: {of: [day], parts: 2}  #! bad-pattern"
    ),
    "trailer without its first cell": f"{DROP}csv: {{trailer: {{rows: 2}}}}  #! missing-key",
    "trailer that begins with a number": f"{DROP}csv: {{trailer: {{begins: 99}}}}  #! wrong-type",
    "trailer that begins with nothing": f"{DROP}csv: {{trailer: {{begins: ''}}}}  #! bad-value",
    "trailer that begins with a whole page": f"{DROP}csv: {{trailer: {{begins: {'T' * 101}}}}}  #! bad-value",
    "trailer that begins with a sign of another encoding": (
        f"{DROP}csv: {{encoding: iso-8859-1, trailer: {{begins: 'T €'}}}}  #! bad-value"
    ),
    "trailer that begins with a byte order mark": f'{DROP}csv: {{trailer: {{begins: "\\ufeffT"}}}}  #! bad-value',
    "trailer that begins with that of another encoding": (
        f"{DROP}csv: {{encoding: iso-8859-1, trailer: {{begins: ï»¿T}}}}  #! bad-value"
    ),
    "trailer that begins with two cells": f"{DROP}csv: {{trailer: {{begins: 'T,1'}}}}  #! bad-value",
    "trailer that begins with a quote": f"{DROP}csv: {{trailer: {{begins: '\"T'}}}}  #! bad-value",
    "trailer that begins as the header may": f"{DROP}csv: {{trailer: {{begins: id}}}}  #! bad-value",
    "count in the first cell of a trailer": f"{DROP}csv: {{trailer: {{begins: T, rows: 1}}}}  #! bad-value",
    "count in no cell of a trailer": f"{DROP}csv: {{trailer: {{begins: T, rows: two}}}}  #! wrong-type",
    "sum in the first cell of a trailer": f"{DROP}csv: {{trailer: {{begins: T, sums: {{id: 1}}}}}}  #! bad-value",
    "two figures in a cell of a trailer": (
        f"{DROP}csv: {{trailer: {{begins: T, rows: 2, sums: {{id: 2}}}}}}  #! bad-value"
    ),
    "sum of nothing known in a trailer": f"{DROP}csv: {{trailer: {{begins: T, sums: {{ID: 2}}}}}}  #! unknown-property",
    "trailer of another format": f"{OF_JSON}csv: {{trailer: {{begins: T}}}}  #! bad-value",
    "key of a trailer misspelt": f"{DROP}csv: {{trailer: {{begins: T, row: 2}}}}  #! unknown-key",
    "sum of nothing known": f"{SET}set: {{of: [day], manifest: 'shop/{{day}}.json', sums: [ID]}}  #! unknown-property",
    "sum without a manifest": f"{SET}set: {{of: [day], parts: 2, sums: [id]}}  #! bad-value",
    "set of too many parts": f"{SET}set: {{of: [day], parts: 10001}}  #! bad-value",
    "set that waits for too long": f"{SET}set: {{of: [day], parts: 2, within: 7d}}  #! bad-value",
    "set that waits for no length of time": f"{SET}set: {{of: [day], parts: 2, within: soon}}  #! bad-value",
    "marker that names no set": f"{SET}set: {{of: [day], marker: shop/ok}}  #! unknown-part",
    "marker that names its set in another way": f"{SET}set: {{of: [day], marker: 'shop/{{day:%j}}'}}  #! unknown-part",
    "marker with another part": f"{SET}set: {{of: [day], marker: 'shop/{{day}}/{{x}}.ok'}}  #! unknown-part",
    "marker that is a file": f"{SET}set: {{of: [day], marker: 'shop/{{day}}/*'}}  #! overlap",
    "marker in another folder": f"{SET}set: {{of: [day], marker: 'ok/{{day}}'}}  #! no-folder",
    "marker that cannot be read": f"{SET}set: {{of: [day], marker: 'shop/{{day'}}  #! bad-pattern",
    "policy misspelt": f"{DROP}columns: {{extra: warning}}  #! unknown-value",
    "empty misspelt": f"{DROP}empty: ignore  #! unknown-value",
    "tolerance without unit": f'{DROP}tolerance: {{rows: "5"}}  #! bad-value',
    "tolerance below nothing": f"{DROP}tolerance: {{rows: -1}}  #! bad-value",
    "tolerance of more than all": f'{DROP}tolerance: {{rows: "101%"}}  #! bad-value',
    "tolerance is left empty": f"{DROP}tolerance:  #! wrong-type",
    "filter of a check that all others rest on": f"{DROP}checks:\n  id.logicalType: {{filter: id > 5}}  #! wrong-place",
    "watermark of a check that all others rest on": (
        f"{DROP}checks:\n  id.logicalType: {{watermark: id}}  #! wrong-place"
    ),
    "watermark that is a number": f"{DROP}checks:\n  id.logicalType:\n    watermark: 5  #! wrong-type",
    "filter of what is no record": f"{DROP}checks:\n  record.text: {{filter: id > 5}}  #! wrong-place",
    "tolerance of neither kind": f"{DROP}checks:\n  record.text: {{tolerance: {{most: 1}}}}  #! bad-value",
    "tolerance is a number": f"{DROP}tolerance: 5  #! wrong-type",
    "promotion misspelt": f"{DROP}promote: tables  #! unknown-value",
    "same key misspelt": f"{DROP}sameKey: rejekt  #! unknown-value",
    "unknown check": f"{DROP}checks:\n  id.logicaltype: {{severity: warning}}  #! unknown-check",
    "severity of a check misspelt": f"{DROP}checks:\n  id.logicalType: {{severity: info}}  #! unknown-value",
    "key of a check misspelt": f"{DROP}checks:\n  id.logicalType: {{severty: error}}  #! unknown-key",
    "malformed lines as a warning": f"{DROP}checks:\n  record.fields: {{severity: warning}}  #! bad-value",
    "the block is a list": "- files: a/b.csv  #! missing-key",
}
HEADS = {
    "another version of the standard": HEAD.replace("v3.2.0", "v3.3.0  #! unknown-value"),
    "an ancient version of the standard": HEAD.replace("v3.2.0", "v2.2.2  #! import-first"),
    "another kind": HEAD.replace("DataContract", "DataProduct  #! unknown-value"),
    "version as a number": HEAD.replace('"1.0.0"', "1.0  #! wrong-type"),
    "version that is none": HEAD.replace('"1.0.0"', "latest  #! bad-version"),
    "id that cannot stand in keys": HEAD.replace("orders", "a/b  #! bad-id"),
    "status misspelt": HEAD.replace("active", "actve  #! unknown-value"),
    "deprecated": HEAD.replace("active", "deprecated  #! deprecated"),
    "unknown section": HEAD + "quality: []  #! unknown-key\n",
    "key twice": HEAD + "status: draft  #! duplicate-key\n",
    "a tag of YAML": HEAD + "name: !!binary aGk=  #! yaml-tag\n",
    "key of the description misspelt": HEAD + "description:\n  purpos: x  #! unknown-key\n",
    "key of the description that is none": HEAD + "description:\n  data: x  #! unknown-key\n",
    "service level misspelt": HEAD + "slaProperties:\n  - {property: latncy, value: 4, unit: h}  #! unknown-value\n",
    "service level without a number": HEAD + "slaProperties:\n  - property: latency\n    value: soon  #! wrong-type\n",
    "service level below nothing": HEAD + "slaProperties:\n  - property: retention\n    value: -1  #! wrong-type\n",
    "service level of no unit": HEAD
    + "slaProperties:\n  - property: frequency\n    value: 1\n    unit: dy  #! unknown-value\n",
    "a team of the wrong shape": HEAD + "team:\n  members:\n    - name: Ann  #! missing-key\n",
}


@pytest.mark.parametrize("text", PROPERTY.values(), ids=PROPERTY.keys())
def test_wrong_property_is_found_in_its_line(text: str) -> None:
    assert reported(text) == expected(text)


@pytest.mark.parametrize("quality", QUALITY.values(), ids=QUALITY.keys())
def test_wrong_quality_is_found_in_its_line(quality: str) -> None:
    text = a_property("quality:\n  " + quality.replace("\n", "\n  "))
    assert reported(text) == expected(text)


@pytest.mark.parametrize("body", FIGURES.values(), ids=FIGURES.keys())
def test_wrong_figure_is_found_in_its_line(body: str) -> None:
    entry = f"quality:\n  - type: custom\n    engine: dropgate\n    implementation:\n  {body}"
    text = a_property(entry.replace("\n    m", "\n      m").replace("\n    u", "\n      u"), "number")
    assert reported(text) == expected(text)


@pytest.mark.parametrize(
    ("kind", "metric"), [("string", "min"), ("boolean", "max"), ("date", "mean"), ("timestamp", "stdev")]
)
def test_figures_are_of_numbers_and_moments(kind: str, metric: str) -> None:
    entry = "quality:\n  - type: custom\n    engine: dropgate\n    implementation:\n"
    text = a_property(f"{entry}      metric: {metric}  #! wrong-type\n      mustBe: 1", kind)
    assert reported(text) == expected(text)


@pytest.mark.parametrize(("digits", "mark"), [(20, ""), (21, "  #! wrong-type")])
def test_sums_are_of_integers_of_twenty_digits(digits: int, mark: str) -> None:
    entry = "quality:\n  - type: custom\n    engine: dropgate\n    implementation:\n"
    physical = f"physicalType: decimal({digits},0)"
    text = a_property(f"{physical}\n{entry}      metric: sum{mark}\n      mustBe: 1", "integer")
    assert reported(text) == expected(text)


@pytest.mark.parametrize("metric", ["sum", "mean", "stdev"])
@pytest.mark.parametrize(
    ("digits", "wrong"), [("28,0", False), ("38,18", False), ("30,2", False), ("29,0", True), ("38,29", True)]
)
def test_sums_are_of_exact_numbers_that_can_be_added_up(metric: str, digits: str, *, wrong: bool) -> None:
    entry = "quality:\n  - type: custom\n    engine: dropgate\n    implementation:\n"
    mark = "  #! wrong-type" if wrong and metric != "stdev" else ""
    text = a_property(
        f"physicalType: decimal({digits})\n{entry}      metric: {metric}{mark}\n      mustBe: 1", "number"
    )
    assert reported(text) == expected(text)


SUMS = {
    "trailer": "csv: {{trailer: {{begins: T, sums: {{x: 2}}}}}}{mark}",
    "manifest": "set: {{of: [day], manifest: 'shop/{{day}}.json', sums: [x]}}{mark}",
}


@pytest.mark.parametrize("source", SUMS)
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("logicalType: integer", ""),
        ("logicalType: number, physicalType: 'decimal(28,2)'", ""),
        ("logicalType: integer, physicalType: 'decimal(20,0)'", ""),
        ("logicalType: integer, physicalType: 'decimal(21,0)'", "bad-value"),
        ("logicalType: number, physicalType: 'decimal(38,2)'", "bad-value"),
        ("logicalType: number", "inexact-sum"),
    ],
)
def test_sums_that_are_said_can_be_added_up(source: str, kind: str, code: str) -> None:
    drop = DROP if source == "trailer" else SET
    line = SUMS[source].format(mark=f"  #! {code}" if code else "")
    text = a_document(f"- {{name: x, {kind}}}", drop=drop + line)
    assert reported(text) == expected(text)


GX = "- type: custom\n  engine: greatExpectations\n  implementation:\n"
BETWEEN = GX + "    type: expect_column_values_to_be_between\n    kwargs:\n      column: id\n"
NULLS_OF = GX + "    type: expect_column_values_to_not_be_null\n    kwargs:\n"
EXPECTATIONS = {
    "as text, as the standard has it": """\
- type: custom
  engine: great-expectations
  implementation: |
    type: expect_table_row_count_to_be_between
    kwargs:
      minValue: 10
      max_value: 50
""",
    "as JSON": "- type: custom\n  engine: greatExpectations\n"
    '  implementation: \'{"type": "expect_column_to_exit"}\'  #! unknown-expectation',
    "text that is none": "- type: custom\n  engine: greatExpectations\n"
    "  implementation: |\n    type: [expect_column_to_exist\n    kwargs: {}  #! yaml-syntax",
    "no mapping": "- {type: custom, engine: greatExpectations, implementation: expect_column_to_exist}  #! wrong-type",
    "no type": GX + "    kwargs: {column: id}  #! unknown-expectation",
    "type misspelt": GX + "    type: expect_column_values_to_be_nul  #! unknown-expectation",
    "type of databases": GX + "    type: expect_column_values_to_match_like_pattern  #! elsewhere",
    "key of an older release": GX
    + "    expectation_type: expect_column_to_exist  #! unknown-key\n    kwargs: {column: id}",
    "argument beside kwargs": BETWEEN + "      min_value: 1\n    mostly: 1  #! unknown-key",
    "argument misspelt": BETWEEN + "      min_value: 1\n      mosty: 1  #! unknown-argument",
    "argument missing": GX + "    type: expect_column_values_to_be_null\n    kwargs: {}  #! no-argument",
    "no bound": GX + "    type: expect_column_values_to_be_between\n    kwargs:  #! no-argument\n      column: id",
    "bounds crossed": BETWEEN + "      min_value: 2\n      max_value: 1  #! bounds-crossed",
    "day as a bound of numbers": BETWEEN + "      min_value: 2024-01-31  #! wrong-type",
    "more digits than a double has": BETWEEN + "      min_value: 9007199254740993  #! too-long",
    "text as a bound": BETWEEN + "      min_value: low  #! wrong-type",
    "share above 1": BETWEEN + "      min_value: 1\n      mostly: 95  #! wrong-type",
    "word that is none": GX + "    type: expect_column_pair_values_to_be_equal\n    kwargs:\n      column_A: id\n"
    "      column_B: id\n      ignore_row_if: nothing  #! wrong-type",
    "unknown column": GX
    + "    type: expect_column_values_to_be_null\n    kwargs:\n      column: ids  #! unknown-property",
    "unknown column of several": GX + "    type: expect_compound_columns_to_be_unique\n    kwargs:\n"
    "      column_list: [id, day]  #! unknown-property",
    "one column of several": GX + "    type: expect_multicolumn_values_to_be_equal\n    kwargs:\n"
    "      column_list: [id]  #! wrong-type",
    "condition": NULLS_OF + "      column: id\n      row_condition: id > 2 and id % 2 = 0",
    "condition on an unknown column": NULLS_OF + "      column: id\n      row_condition: ids > 2  #! bad-condition",
    "condition in the library's own words": NULLS_OF + "      column: id\n      condition_parser: great_expectations\n"
    """      row_condition: col("ids") > 2  #! bad-condition""",
    "condition for pandas": NULLS_OF
    + "      column: id\n      row_condition: id > 2\n      condition_parser: pandas  #! wrong-type",
    "condition that is none": NULLS_OF + "      column: id\n      row_condition: id > (  #! bad-condition",
    "query of another table": GX + "    type: unexpected_rows_expectation\n    kwargs:\n"
    "      unexpected_rows_query: table orders  #! bad-query",
    "severity of its own": BETWEEN + "      min_value: 1\n    severity: info",
    "severity that is none": BETWEEN + "      min_value: 1\n    severity: error  #! unknown-severity",
    "two severities": "- type: custom\n  severity: warning\n"
    + BETWEEN[len("- type: custom\n") :]
    + "      min_value: 1\n    severity: critical  #! two-severities",
    "same id twice": (BETWEEN + "      min_value: 1\n")
    + BETWEEN.replace("- type: custom", "- type: custom  #! check-id-clash")
    + "      max_value: 2",
}


@pytest.mark.parametrize("quality", EXPECTATIONS.values(), ids=EXPECTATIONS.keys())
def test_wrong_expectation_is_found_in_its_line(quality: str) -> None:
    text = a_document(quality=quality)
    assert reported(text) == expected(text)


def test_expectation_says_what_it_costs_and_what_says_the_same() -> None:
    findings = {
        (f.line, f.code, f.fix)
        for f in compiled(a_document(quality=EXPECTATIONS["as text, as the standard has it"])).findings
    }
    assert findings == {
        (15, "own-scans", "`metric: rowCount` says it without."),
        (17, "other-spelling", "Write `min_value`."),
    }


def test_expectation_under_a_property_is_about_it() -> None:
    entry = "quality:\n" + BETWEEN.replace("column: id", "column: y  #! wrong-place")
    text = a_property("\n".join([entry + "      min_value: 1"]), "integer")
    assert reported(text) == expected(text)


@pytest.mark.parametrize("quality", FILE_QUALITY.values(), ids=FILE_QUALITY.keys())
def test_wrong_quality_of_a_file_is_found(quality: str) -> None:
    text = a_document(quality=quality)
    text = text.replace("    quality:\n      []\n      relationships", "    quality: []\n    relationships")
    assert reported(text) == expected(text)


@pytest.mark.parametrize("drop", BLOCK.values(), ids=BLOCK.keys())
def test_wrong_drop_block_is_found_in_its_line(drop: str) -> None:
    text = a_document(drop=drop)
    assert reported(text) == expected(text)


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS.keys())
def test_wrong_heading_is_found_in_its_line(head: str) -> None:
    text = a_document(head=head)
    assert reported(text) == expected(text)


PROMISES = {
    "promise misspelt": "{property: loadDat, value: 4, unit: h}  #! unknown-value",
    "promise of the author's own": "{property: courtesy, value: 4, unit: h}  #! not-held",
    "promise without a number": "{property: loadDate, value: PT24H}  #! wrong-type",
    "promise of nothing": "{property: loadDate, value: 0}  #! wrong-type",
    "promise of too much": "{property: loadDate, value: 101, unit: y}  #! bad-value",
    "promise of no unit": "{property: loadDate, value: 1, unit: dy}  #! unknown-value",
    "half a month": "{property: loadDate, value: 1.5, unit: months}  #! bad-value",
    "half a period": "{property: frequency, value: 1.5, unit: h}  #! bad-value",
    "period that is too short": "{property: frequency, value: 4, unit: min}  #! bad-value",
    "latency of a property": "{property: latency, value: 4, element: orders.x}  #! bad-value",
    "share of no percentage": "{property: errorRate, value: 101, unit: percent}  #! wrong-type",
    "share as a text": "{property: errorRate, value: 1%, unit: percent}  #! wrong-type",
    "share without a unit": "{property: completeness, value: 99}  #! unknown-value",
    "share in another unit": "{property: completeness, value: 99, unit: d}  #! unknown-value",
    "share of each of no time": "{property: completeness, value: 99, unit: percent, valueExt: week}  #! bad-value",
    "share of each moment": "{property: completeness, value: 99, unit: percent, valueExt: 1 s}  #! bad-value",
    "window of no days": "{property: errorRate, value: 1, unit: percent, valueExt: last 36 h}  #! bad-value",
    "window of months": "{property: errorRate, value: 1, unit: percent, valueExt: last 1 mo}  #! bad-value",
    "window that is too long": "{property: errorRate, value: 1, unit: percent, valueExt: last 53 w}  #! bad-value",
    "window of nothing": "{property: errorRate, value: 1, unit: percent, valueExt: 'last '}  #! bad-value",
    "share of files that nobody expects": "{property: fileCompleteness, value: 99, unit: percent}  #! missing-key",
    "time of day that is none": "{property: timeOfAvailability, value: 9 am}  #! bad-value",
    "time of day that no day has": "{property: timeOfAvailability, value: '24:00'}  #! bad-value",
    "facts without their property": "{property: factDate, value: 4}  #! not-held",
    "facts of a property that has none": "{property: factDate, value: 4, element: x}  #! unknown-property",
    "facts of a property that is not there": "{property: factDate, value: 4, element: orders.y}  #! unknown-property",
    "retention of no time": "{property: retention, value: forever}  #! wrong-type",
    "promise of a property": "{property: loadDate, value: 1, element: orders.x}  #! bad-value",
}


@pytest.mark.parametrize("level", PROMISES.values(), ids=PROMISES.keys())
def test_promise_that_cannot_be_held_is_found_in_its_line(level: str) -> None:
    head = HEAD + f"slaProperties:\n  - {{property: frequency, value: 1}}\n  - {level}\n"
    text = a_document(head=head, drop=f"{DROP}slo: enforce")
    assert reported(text) == expected(text)


@pytest.mark.parametrize("period", ["5 min", "12 h", "24 hours", "36 h", "86400 s", "99 min"])
def test_share_of_expected_files_is_of_whole_days(period: str) -> None:
    level = f"{{property: fileCompleteness, value: 99, unit: percent, valueExt: {period}}}  #! bad-value"
    text = a_document(
        head=f"{HEAD}slaProperties:\n  - {level}\n", drop=f'{DROP}slo: enforce\narrival: {{by: "06:00", files: 1}}'
    )
    assert reported(text) == expected(text)


def test_more_promises_than_can_be_held_are_an_error() -> None:
    levels = "".join("  - {property: loadDate, value: 1}\n" for _ in range(13))
    text = a_document(head=f"{HEAD}slaProperties:  #! too-many\n{levels}", drop=f"{DROP}slo: enforce")
    assert reported(text) == expected(text)


@pytest.mark.parametrize("levels", ["", "slaProperties: [{property: endOfLife, value: '2030-01-01'}]\n"])
def test_holding_nothing_is_warned_of(levels: str) -> None:
    findings = compiled(a_document(head=HEAD + levels, drop=f"{DROP}slo: enforce")).findings
    assert [f.code for f in findings if f.level == "warning"] == ["nothing-held"]


def test_zone_of_promises_is_their_own_or_that_of_arrival() -> None:
    head = HEAD + "slaProperties: [{property: loadDate, value: 1.50, unit: hours}, {property: loadDate, value: 2}]\n"
    zones = {
        "": "UTC",
        '\narrival: {by: "06:00", zone: Europe/Berlin}': "Europe/Berlin",
        '\narrival: {by: "06:00", zone: Europe/Berlin}\nsloZone: Asia/Tokyo': "Asia/Tokyo",
    }
    for more, zone in zones.items():
        plan = compiled(a_document(head=head, drop=f"{DROP}slo: enforce{more}")).plan
        assert plan
        assert [(p.name, str(p.span), p.zone) for p in plan.promises] == [
            ("loadDate", "1.5 h", zone),
            ("loadDate-2", "2 d", zone),
        ]


def test_shares_and_times_of_day_are_read_with_their_periods_and_days() -> None:
    levels = """\
slaProperties:
  - {property: timeOfAvailability, value: 10:00}
  - {property: timeOfAvailability, value: 09:00-08:00}
  - {property: errorRate, value: 1.50, unit: percent, valueExt: 7 d}
  - {property: completeness, value: 100, unit: "%"}
  - {property: fileCompleteness, value: 95, unit: percent, valueExt: 1 month}
"""
    drop = f'{DROP}slo: enforce\narrival: {{by: "24:00", files: 2, days: [mon, tue], zone: Europe/Berlin}}'
    plan = compiled(a_document(head=HEAD + levels, drop=drop)).plan
    assert plan
    assert [(p.by, p.zone, str(p.percent), str(p.period), len(p.days), p.files) for p in plan.promises] == [
        ("10:00", "Europe/Berlin", "None", "1 d", 2, 1),
        ("09:00", "-08:00", "None", "1 d", 2, 1),
        ("", "Europe/Berlin", "1.5", "7 d", 7, 1),
        ("", "Europe/Berlin", "100", "1 d", 7, 1),
        ("24:00", "Europe/Berlin", "95", "1 mo", 2, 2),
    ]


@pytest.mark.parametrize(
    ("length", "window"), [("last 7 d", "7 d"), ("last 2 weeks", "14 d"), ("last 1 d", None), ("7 d", None)]
)
def test_share_of_a_window_has_a_result_each_day(length: str, window: str | None) -> None:
    levels = f"slaProperties: [{{property: completeness, value: 99, unit: percent, valueExt: {length}}}]\n"
    plan = compiled(a_document(head=HEAD + levels, drop=f"{DROP}slo: enforce")).plan
    assert plan
    (promise,) = plan.promises
    assert (promise.window and str(promise.window), str(promise.period)) == (
        window,
        "7 d" if length == "7 d" else "1 d",
    )
    assert (
        promise.words
        == f"99% of the rows of {f'the last {window}' if window else f'every {promise.period}'} reach consumers"
    )


def test_level_that_files_do_not_show_is_noted_with_the_reason() -> None:
    names = ("availability", "throughput", "timeToRepair")
    levels = ", ".join(f"{{property: {name}, value: 1}}" for name in ("loadDate", *names))
    text = a_document(head=f"{HEAD}slaProperties: [{levels}]\n", drop=f"{DROP}slo: enforce")
    held = [finding for finding in compiled(text).findings if finding.code == "not-held"]

    assert [finding.level for finding in held] == ["note"] * 3
    assert [name in finding.message for name, finding in zip(names, held, strict=True)] == [True] * 3
    assert ["`timeOfAvailability` and `latency` are held" in finding.fix for finding in held] == [True, False, False]


@pytest.mark.parametrize("element", ["day", "orders.day"])
def test_age_of_facts_is_that_of_a_property(element: str) -> None:
    levels = f"slaProperties: [{{property: factDate, value: 47, unit: hours, element: {element}}}]\n"
    prop = "- {name: day, logicalType: date, classification: restricted}"
    for head in (levels, levels.replace(f", element: {element}", "") + f"slaDefaultElement: {element}\n"):
        plan = compiled(a_document(prop, head=HEAD + head, drop=f"{DROP}slo: enforce")).plan
        assert plan
        assert [(p.kind, p.element, p.hides) for p in plan.promises] == [("factDate", "day", True)]
        assert (plan.marked, plan.watermarks) == (("day",), ())


def test_level_of_another_object_is_held_for_that_one() -> None:
    objects = [{"name": name, "properties": [{"name": "x", "logicalType": "string"}]} for name in ("heads", "lines")]
    blocks = [
        {"object": name, "files": f"shop/{name}/*.csv", "producer": "shop", "format": "csv", "slo": "enforce"}
        for name in ("heads", "lines")
    ]
    levels = [
        {"property": "frequency", "value": 1},
        {"property": "loadDate", "value": 1, "element": "lines"},
    ]
    whole = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "orders",
        "version": "1.0.0",
        "status": "active",
        "slaProperties": levels,
        "schema": objects,
        "customProperties": [{"property": "drop", "value": blocks}],
    }
    plans = [one.plan for one in compile_each(json.dumps(whole).encode(), "orders.v1.yaml")]
    assert [[p.name for p in plan.promises] for plan in plans if plan] == [["frequency"], ["frequency", "loadDate"]]


def test_the_delimiter_as_a_mark_within_quotes_is_noted() -> None:
    findings = compiled(a_document(drop=f"{VALUES}  decimalChar: ','")).findings
    assert [(f.level, f.code) for f in findings if f.level != "note" or "mark" in f.code] == [
        ("note", "mark-is-delimiter")
    ]


def test_service_levels_are_read_and_named() -> None:
    levels = (
        "[{property: latency, value: 4, unit: h}, {property: retention, value: 1.5, unit: y}, {property: frequency, "
    )
    levels += "value: 1}, {property: availability, value: 99}]"
    messages = [f.message for f in compiled(a_document(head=HEAD + f"slaProperties: {levels}\n")).findings]
    assert messages == [
        "`latency` of 4 h is a promise that no file is held against yet.",
        "`retention` of 1.5 y is a promise that no file is held against yet.",
        "`frequency` of 1 d is a promise that no file is held against yet.",
        "`availability` is not used.",
    ]


def test_service_levels_of_arrival_lead_to_the_block() -> None:
    levels = "[{property: frequency, value: 1, unit: d}, {property: timeOfAvailability, value: 09:00-08:00}]"
    findings = compiled(a_document(head=HEAD + f"slaProperties: {levels}\n")).findings

    assert ["`arrival` in the drop block" in f.fix for f in findings] == [True, True]


def test_every_finding_says_what_to_write() -> None:
    texts = [*PROPERTY.values(), *(a_document(drop=d) for d in BLOCK.values())]
    findings = [f for text in texts for f in compiled(text).findings]
    assert all(f.message.endswith(".") and f.fix for f in findings)
    assert not [f for f in findings if "None" in f.message + f.fix]


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("e-mail", "Write `email`."),
        ("UUID", "Write `uuid`."),
        ("url", "Write `uri`."),
        ("domain", "Write `hostname`."),
        ("base64", "Write `byte`."),
    ],
)
def test_unknown_format_of_text_names_the_right_one(name: str, fix: str) -> None:
    (finding,) = compiled(a_property(f"logicalTypeOptions: {{format: {name}}}")).findings
    assert (finding.code, finding.fix) == ("unknown-format", fix)


def test_all_errors_of_a_document_come_at_once() -> None:
    text = a_document(
        "- name: x\n  logicalType: text  #! unknown-value\n- name: y\n  logicalType: date\n"
        "  logicalTypeOptions: {format: YYYY}  #! bad-format\n",
        quality="- metric: rowCount  #! no-operator",
        drop="files: a/b.csv\nproducer: a\nformat: cvs  #! unknown-value",
    )
    assert reported(text) == expected(text)
