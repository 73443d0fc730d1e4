"""The page of a contract leaves nothing out: each key of the block, of the standard and of a plan has its words."""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from contracts.authoring.diff.change_kinds import FIELDS, FOLLOWS
from contracts.plan import Plan
from tests.unit.contracts.authoring.documents import HEAD, a_document
from tests.unit.contracts.authoring.exports.test_formats import export
from tests.unit.contracts.authoring.exports.test_page import words

BLOCK = json.loads(
    importlib.resources.files("contracts.authoring.drop_block").joinpath("drop.schema.json").read_text("utf-8")
)
STANDARD = json.loads(
    importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text("utf-8")
)
PROPERTIES = """\
- {name: id, logicalType: integer, logicalTypeOptions: {minimum: 1}}
- {name: name, logicalType: string}
- {name: day, logicalType: date}
- {name: amount, logicalType: number}
- {name: flag, logicalType: boolean}
"""
CSV, JSONL = (f"files: 'shop/{{day}}/{f}-*'\nproducer: shop\nformat: {f}\n" for f in ("csv", "jsonl"))
ALL_FIELDS = "{property: id, length: 4}, {property: name, length: 5}, {property: day, length: 10}"
SUMS = "sums: {amount: 3}"
FIXED = "files: shop/a-*\nproducer: shop\nformat: fixed\n"


def fixed(more: str = "", first: str = "", encoding: str = "utf-8") -> str:
    """Return a block of fixed width, with more keys of `fixed` and of its first field."""
    first = f"{{property: id, length: 4{first}}}"
    rest = "{property: name, length: 5}, {property: day, length: 10}, {property: amount, length: 8}"
    rest += ", {property: flag, length: 5}"
    return FIXED + f"fixed: {{encoding: {encoding}, fields: [{first}, {rest}]{more}}}\n"


def sheet(keys: str) -> str:
    return f"files: shop/a-*\nproducer: shop\nformat: xlsx\nsheet: {{{keys}}}\n"


def xml(more: str) -> str:
    return f"files: shop/a-*\nproducer: shop\nformat: xml\nxml: {{record: orders/order{more}}}\n"


SHORT = (
    fixed(", shortLines: accept")
    .replace("}", ", align: left}", 5)
    .replace(", align: left}, shortLines", "}, shortLines")
)
LEADER = "leader: {begins: H, is: {2: north}}"
OF_FIXED = ", leader: {begins: H, is: [{start: 2, length: 5, text: north}]}, record: {begins: D}"
SHOWN: dict[str, tuple[str, str]] = {
    "files": (CSV, "Files shop/{day}/csv-*"),
    "producer": (CSV, "Sent by shop"),
    "consumers": (CSV + "consumers: [risk]", "Read by risk"),
    "format": (JSONL, "Format JSON Lines"),
    "compression": (CSV + "compression: gzip", "compressed with gzip"),
    "archive.format": (CSV + "archive: {format: zip, members: a*}", "in a zip archive"),
    "archive.members": (CSV + "archive: {format: zip, members: a*}", "its files like a*"),
    "archive.others": (
        CSV + "archive: {format: zip, members: a*}",
        "The archive holds other files The file is rejected.",
    ),
    "csv.delimiter": (CSV + "csv: {delimiter: '|'}", "Delimiter pipe"),
    "csv.recordDelimiter": (CSV + "csv: {recordDelimiter: '~'}", "End of a record `~`"),
    "csv.header": (CSV + "csv: {header: false}", "Header none; the columns are in the order below"),
    "csv.encoding": (CSV + "csv: {encoding: iso-8859-1}", "Encoding ISO-8859-1"),
    "csv.mojibake": (CSV + "csv: {encoding: iso-8859-1, mojibake: warn}", "seems to have another one is accepted with"),
    "csv.quote": (CSV + 'csv: {quote: "\'"}', "Quote ' around a cell"),
    "csv.escape": (CSV + "csv: {escape: '\\'}", 'a quote within the cell is written \\"'),
    "csv.unquotedEscape": (CSV + "csv: {unquotedEscape: '\\'}", "Escape \\ before a delimiter"),
    "csv.nullValues": (CSV + "csv: {nullValues: ['', NA]}", "Null an empty cell or “NA”"),
    "csv.trailingDelimiter": (CSV + "csv: {trailingDelimiter: true}", "a delimiter may end the header and each row"),
    "csv.multiLine": (CSV + "csv: {multiLine: true}", "a line break or a quote"),
    "csv.skipRows": (CSV + "csv: {skipRows: 2}", "Above 2 lines, which are not read"),
    "csv.skipRows.until": (CSV + "csv: {skipRows: {until: ^id}}", "up to the one that matches “^id”"),
    "csv.headerRows": (CSV + "csv: {headerRows: [1, 2]}", "the cells of rows 1, 2 together"),
    "csv.commentRows": (CSV + "csv: {commentRows: [2]}", "Comments row 2"),
    "csv.commentChar": (CSV + "csv: {commentChar: '#'}", "lines that begin with “#”"),
    "csv.separatorLine": (CSV + "csv: {separatorLine: true}", "may be “sep=,”"),
    "csv.leader.begins": (CSV + f"csv: {{{LEADER}}}", "begins with “H”"),
    "csv.leader.is": (CSV + f"csv: {{{LEADER}}}", "cell 2: “north”"),
    "csv.record.begins": (CSV + "csv: {record: {begins: D}, skipColumns: 1}", "the first cell of each is “D”"),
    "csv.record.others": (
        CSV + "csv: {record: {begins: D}, skipColumns: 1}",
        "Every row begins with the agreed first cell",
    ),
    "csv.skipColumns": (CSV + "csv: {skipColumns: 1}", "Not read the first 1 cell of each line"),
    "csv.headerLacks.first": (CSV + "csv: {headerLacks: {first: [id]}}", "the first columns, here named “id”"),
    "csv.headerLacks.last": (CSV + "csv: {headerLacks: {last: [flag]}}", "the last columns, here named “flag”"),
    "csv.footer.begins": (CSV + "csv: {footer: {begins: Total, lines: 2}}", "the one that begins with “Total”"),
    "csv.footer.lines": (CSV + "csv: {footer: {begins: Total, lines: 2}}", "the last at most 2 lines"),
    "csv.trailer.begins": (CSV + f"csv: {{trailer: {{begins: T, rows: 2, {SUMS}}}}}", "which begins with “T”"),
    "csv.trailer.rows": (CSV + f"csv: {{trailer: {{begins: T, rows: 2, {SUMS}}}}}", "cell 2: the number of rows"),
    "csv.trailer.sums": (CSV + f"csv: {{trailer: {{begins: T, rows: 2, {SUMS}}}}}", "cell 3: the sum of amount"),
    "json.property": (JSONL.replace("jsonl", "json") + "json: {property: data.rows}", "data.rows leads to the array"),
    "xml.record": (xml(""), "each element orders/order"),
    "xml.namespaces": (xml(", namespaces: {o: 'urn:o'}"), "Namespaces o: urn:o"),
    "fixed.encoding": (fixed(encoding="iso-8859-1"), "Encoding ISO-8859-1"),
    "fixed.unit": (fixed(", unit: bytes"), "32 bytes on each line"),
    "fixed.length": (fixed(", length: 40"), "40 characters on each line"),
    "fixed.shortLines": (SHORT, "blanks at the end aside on each line"),
    "fixed.mojibake": (fixed(", mojibake: warn", encoding="iso-8859-1"), "accepted with a warning Null"),
    "fixed.fields.[].property": (fixed(), ": id"),
    "fixed.fields.[].start": (fixed(first=", start: 1"), "Fields 1-4: id"),
    "fixed.fields.[].length": (fixed(), "1-4: id"),
    "fixed.fields.[].padding": (fixed(first=", padding: '0', align: right"), "filled up with “0”"),
    "fixed.fields.[].align": (fixed(first=", align: right"), "on the right"),
    "fixed.leader.begins": (fixed(OF_FIXED, ", start: 2"), "begins with “H”"),
    "fixed.leader.is.[].start": (fixed(OF_FIXED, ", start: 2"), "2-6: “north”"),
    "fixed.leader.is.[].length": (fixed(OF_FIXED, ", start: 2"), "2-6: “north”"),
    "fixed.leader.is.[].text": (fixed(OF_FIXED, ", start: 2"), "“north”"),
    "fixed.record.begins": (fixed(OF_FIXED, ", start: 2"), "each begins with “D”"),
    "fixed.record.others": (fixed(OF_FIXED, ", start: 2"), "Every row begins with the agreed first cell"),
}
OF_TRAILER = ", trailer: {begins: T, rows: {start: 2, length: 5}, sums: {amount: {start: 7, length: 8}}}"
SHOWN |= {
    "fixed.trailer.begins": (fixed(OF_TRAILER, ", start: 2"), "begins with “T”"),
    "fixed.trailer.rows.start": (fixed(OF_TRAILER, ", start: 2"), "2-6: the number of rows"),
    "fixed.trailer.rows.length": (fixed(OF_TRAILER, ", start: 2"), "2-6: the number of rows"),
    "fixed.trailer.sums.*.start": (fixed(OF_TRAILER, ", start: 2"), "7-14: the sum of amount"),
    "fixed.trailer.sums.*.length": (fixed(OF_TRAILER, ", start: 2"), "7-14: the sum of amount"),
    "sheet.sheetName": (sheet("sheetName: Orders"), "Sheet “Orders”"),
    "sheet.range": (sheet("range: B4:H"), "Range B4:H"),
    "sheet.header": (sheet("header: false"), "Header none; the columns are in the order below"),
    "sheet.skipRows": (sheet("skipRows: 2"), "Rows above 2, which are not read"),
    "sheet.skipRows.until": (sheet("skipRows: {until: ^id}"), "all up to the first that matches ^id"),
    "sheet.headerRows": (sheet("headerRows: [1, 2]"), "Rows of the header 1, 2"),
    "sheet.commentRows": (sheet("commentRows: [2]"), "Comment rows 2"),
    "sheet.footer.begins": (sheet("footer: {begins: Total, lines: 2}"), "begins with “Total”"),
    "sheet.footer.lines": (sheet("footer: {begins: Total, lines: 2}"), "at most 2 rows"),
}
FORMS = {
    "trim": ("id", "trim: true", "blanks around it do not count"),
    "nullValues": ("id", "nullValues: [none]", "in the file: null is “none”"),
    "decimalChar": ("amount", "decimalChar: ','", "“,” before fractions"),
    "groupChar": ("amount", 'groupChar: "\'"', "“'” may stand between groups"),
    "prefixes": ("amount", "prefixes: [EUR]", "“EUR” may stand"),
    "suffixes": ("amount", "suffixes: [EUR]", "“EUR” may stand"),
    "percent": ("amount", "percent: divide", "percent: 5% is 0.05"),
    "negatives": ("amount", "negatives: [brackets]", "negative also as “(5)”"),
    "decimals": ("amount", "decimals: 2", "2 digits"),
    "trueValues": ("flag", "trueValues: [J], falseValues: [N]", "“J” for true"),
    "falseValues": ("flag", "trueValues: [J], falseValues: [N]", "“N” for false"),
    "formats": ("day", "formats: [d.M.yyyy]", "(d.M.yyyy)"),
    "century": ("day", "formats: [d.M.yy], century: 1950", "1950"),
    "language": ("day", "formats: [d MMM yyyy], language: de", "de"),
}
for _key, (_name, _keys, _phrase) in FORMS.items():
    SHOWN[f"values.columns.*.{_key}"] = (CSV + f"values: {{columns: {{{_name}: {{{_keys}}}}}}}", _phrase)
    SHOWN[f"values.{_key}"] = (CSV + f"values: {{{_keys}}}", "Null “none”" if _key == "nullValues" else _phrase)
TWO_LIMITS = "checks: {id.minimum: {tolerance: {error: 9, warning: 3}}}"
MATCHED = "blanks around a name and the case"
SHOWN |= {
    "columns.extra": (CSV + "columns: {extra: warn}", "does not name The file is accepted with a warning."),
    "columns.missing": (CSV + "columns: {missing: warn}", "A column is missing The file is accepted with a warning."),
    "columns.order": (CSV + "columns: {order: exact}", "The columns are in another order The file is rejected."),
    "columns.match": (CSV + "columns: {match: anyCase}", MATCHED),
    "columns.source": (CSV + "columns: {source: physicalName}", "id: “NUMBER”"),
    "columns.aliases": (CSV + "columns: {aliases: {id: [num]}}", "id: “id” or “num”"),
    "empty": (CSV + "empty: warn", "The file has no rows The file is accepted with a warning."),
    "tolerance.rows": (CSV + "tolerance: {rows: 7}", "More than 7"),
    "checks.*.severity": (CSV + "checks: {id.logicalType: {severity: warning}}", "(only a warning)"),
    "checks.*.tolerance": (CSV + "checks: {id.logicalType: {tolerance: 3}}", "3 rows may break this"),
    "checks.*.tolerance.error": (CSV + TWO_LIMITS, "up to 9 rows may break this"),
    "checks.*.tolerance.warning": (CSV + TWO_LIMITS, "up to 3 rows without a warning"),
    "checks.*.filter": (CSV + "checks: {id.minimum: {filter: amount > 1}}", "only rows where amount > 1"),
    "checks.*.watermark": (CSV + "checks: {id.minimum: {watermark: day}}", "whose day is newer than in every file"),
    "checks.*.referenceColumns": (
        CSV + "checks: {id.logicalType: {referenceColumns: [day]}}",
        "of a failing row day is shown as well",
    ),
    "references": (CSV + "references: {lands: {file: lands.csv}}", "Compared with lands: lands.csv"),
    "promote": (CSV + "promote: table", "Readers get the valid rows, in the table of the contract"),
    "mode": (CSV + "mode: observe", "only observed"),
    "lane": (CSV + "lane: spark", "Judged by Spark alone"),
    "slo": (CSV + "slo: enforce", "Promised the newest accepted file is at most 26 h old"),
    "sloZone": (CSV + "slo: enforce\nsloZone: Europe/Berlin", "by 09:00 (Europe/Berlin)"),
    "waivers.[].change": (CSV + "waivers: [{change: a:b, version: 1.0.0, because: All agreed.}]", "a:b"),
    "waivers.[].version": (CSV + "waivers: [{change: a:b, version: 1.0.0, because: All agreed.}]", "1.0.0: a:b"),
    "waivers.[].because": (CSV + "waivers: [{change: a:b, version: 1.0.0, because: All agreed.}]", "All agreed."),
    "sameKey": (CSV + "sameKey: version", "same name comes again If it is accepted, readers get both"),
    "sameContent": (CSV + "sameContent: reject", "the content of one that was accepted before The file is rejected."),
    "arrival.days": (CSV + "arrival: {days: [mon, fri], by: '06:00'}", "each Monday and each Friday"),
    "arrival.from": (CSV + "arrival: {from: '04:00', by: '06:00'}", "from 04:00 by 06:00"),
    "arrival.by": (CSV + "arrival: {by: '06:00'}", "Expected 1 file each day by 06:00"),
    "arrival.zone": (CSV + "arrival: {by: '06:00', zone: Europe/Rome}", "(Europe/Rome)"),
    "arrival.files": (CSV + "arrival: {by: '06:00', files: 3}", "3 files each day"),
    "arrival.outside": (
        CSV + "arrival: {by: '06:00', outside: reject}",
        "another time than expected The file is rejected.",
    ),
    "set.of": (CSV + "set: {of: [day], parts: 4}", "files with the same day in their names belong together"),
    "set.marker": (CSV + "set: {of: [day], marker: 'shop/{day}/_DONE'}", "the marker shop/{day}/_DONE has come"),
    "set.manifest": (
        CSV + "set: {of: [day], manifest: 'shop/{day}/all.json'}",
        "all files of the manifest shop/{day}/all.json have",
    ),
    "set.sums": (CSV + "set: {of: [day], manifest: 'shop/{day}/all.json', sums: [amount]}", "the sums of amount"),
    "set.parts": (CSV + "set: {of: [day], parts: 4}", "whole once it has 4 files"),
    "set.within": (CSV + "set: {of: [day], parts: 4, within: 90m}", "must be within 1 h 30 min"),
    "notify.producer": (CSV + "notify: {producer: 'slack:orders'}", "The sender Slack (orders)"),
    "notify.consumer": (CSV + "notify: {consumer: 'slack:risk'}", "The readers Slack (risk)"),
    "notify.operator": (CSV + "notify: {operator: 'slack:ops'}", "The people who run the checks Slack (ops)"),
}
ELSEWHERE = {
    "object": "the page of an entry of a list is that of its object",
    "alias": "the name of the contract, which the page has",
}


def resolved(shape: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the schema, with what it refers to, in its long form and that with keys."""
    if "$ref" in shape:
        target: Any = BLOCK
        for step in shape["$ref"].split("/")[1:]:
            target = target[step]
        shape = {**target, **{key: value for key, value in shape.items() if key != "$ref"}}
    ways = [way for way in shape.get("anyOf", ()) if way.get("$comment") != "short form"]
    keyed = ways if len(ways) == 1 else [way for way in ways if way.get("properties")]
    return {**shape, **keyed[0], "also": len(ways) > 1} if keyed else shape


def leaves(shape: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the path of each key of the block that has no keys within it; a reference file is one."""
    shape = resolved(shape)
    inner = [(key, value) for key, value in shape.get("properties", {}).items()]
    for step, key in (("[]", "items"), ("*", "additionalProperties")):
        each = shape.get(key)
        each = resolved(each) if isinstance(each, dict) else {}
        inner += [(step, each)] if each.get("properties") and path != ("references",) else []
    for key, value in inner:
        yield from leaves(value, (*path, key))
    if not inner or shape.get("also"):
        yield ".".join(path)


LEAVES = sorted(set(leaves({"properties": BLOCK["properties"]})))


def test_each_key_of_the_block_has_words() -> None:
    assert set(LEAVES) == SHOWN.keys() | ELSEWHERE.keys()


LEVELS = "slaProperties: [{property: loadDate, value: 26, unit: h}, {property: timeOfAvailability, value: '09:00'}]\n"


@pytest.mark.parametrize("path", SHOWN)
def test_page_names_each_key_of_the_block(path: str) -> None:
    block, phrase = SHOWN[path]
    properties = (
        PROPERTIES.replace("name: id,", "name: id, physicalName: NUMBER,") if "physicalName" in block else PROPERTIES
    )
    if "references" in block:
        properties = properties.replace("minimum: 1}", "minimum: 1}, relationships: [{to: lands.id}]")
    properties = properties.replace("date}", "date, required: true}") if "watermark" in block else properties
    shown = words(a_document(properties, drop=block, head=HEAD + LEVELS))

    assert phrase in shown, shown


TOP = {
    "name": "name: Orders of shops",
    "tenant": "tenant: Acme",
    "tags": "tags: [gold]",
    "status": "",
    "domain": "domain: sales",
    "dataProduct": "dataProduct: basket",
    "description": "description: {purpose: Billing, limitations: None known, usage: Daily}",
    "servers": "servers: [{server: lake, type: s3, location: 's3://acme/orders'}]",
    "price": "price: {priceAmount: 3, priceCurrency: EUR, priceUnit: GB}",
    "team": "team: {name: desk, members: [{username: ana, role: owner}]}",
    "roles": "roles: [{role: reader, access: read}]",
    "slaProperties": "slaProperties: [{property: latency, value: 4, unit: h}]",
    "slaDefaultElement": "slaDefaultElement: orders.day",
    "support": "support: [{channel: help, url: 'https://help.example.org', tool: web}]",
    "authoritativeDefinitions": "authoritativeDefinitions: [{url: 'https://def.example.org', type: policy}]",
    "contractCreatedTs": "contractCreatedTs: '2026-01-31T10:00:00Z'",
}
NAMED = {"apiVersion", "kind", "id", "version", "status", "schema", "customProperties", "context"}
"""Keys whose values are in the name of the contract or in other sections, and a key that lint knows no value of."""


def test_each_key_of_the_standard_has_a_document() -> None:
    assert set(STANDARD["properties"]) == TOP.keys() | NAMED


def texts(value: Any) -> Iterator[str]:
    """Yield the texts of a value, at any depth."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(inner)
    if not isinstance(value, dict | list):
        yield str(value)


@pytest.mark.parametrize("key", TOP)
def test_page_has_each_text_of_the_document(key: str) -> None:
    line = TOP[key]
    shown = words(a_document(PROPERTIES, head=HEAD + line + "\n"))
    assert [text for text in texts(yaml.safe_load(line) or {}) if text not in shown] == []


OF_PROPERTY = """\
- name: id
  logicalType: integer
  physicalType: BIGINT
  businessName: Number of the order
  description: Counts up.
  classification: public
  tags: [key]
  examples: ['77']
  transformLogic: max of ids
  transformDescription: As the shop has it.
  transformSourceObjects: [shop.raw]
  criticalDataElement: true
  encryptedName: id_hash
  partitioned: true
  partitionKeyPosition: 1
  synonyms: [{synonym: order number}]
  authoritativeDefinitions: [{url: 'https://id.example.org', type: policy}]
  customProperties: [{property: owner, value: ana}]
"""


def test_page_has_each_text_of_a_property() -> None:
    shown = words(a_document(OF_PROPERTY))
    (source,) = yaml.safe_load(OF_PROPERTY)
    said = {"logicalType", "criticalDataElement", "partitioned"}
    assert [key for key, value in source.items() if key not in said for t in texts(value) if t not in shown] == []
    assert "criticalDataElement: true partitioned: true" in shown or "partitioned: true" in shown


def test_page_loses_nothing() -> None:
    head = HEAD + "".join(f"{line}\n" for line in TOP.values())
    assert export("html", a_document(OF_PROPERTY, head=head)).losses == ()


def test_each_field_of_a_plan_is_one_of_the_block_or_the_standard() -> None:
    """A new field has a key, or it follows from others: then the sweep above has its words."""
    keys = {leaf.partition(".")[0].casefold() for leaf in LEAVES} | {"id", "object", "checks", "properties", "promises"}
    others = {name for name, kind in FIELDS[Plan].items() if kind.startswith(FOLLOWS)} | {"file_format", "deprecated"}
    names = {field.name.replace("_", "") for field in dataclasses.fields(Plan) if field.name not in others}
    assert names <= keys, names - keys
