"""JSON documents, and each way in which one can be otherwise than agreed: an array, or one that keys lead to."""

from __future__ import annotations

import json

from tests.e2e.cases import EVENTS, GOOD, Case

RECORDS = [json.loads(line) for line in EVENTS.splitlines()]
LIST = json.dumps(RECORDS).encode()
WHOLE = b'{"source": {"n": [0]}, "data": {"v": 1, "items": ' + LIST + b'}, "done": true}\n'
LARGE = WHOLE.replace(
    LIST, b"[" + b", ".join(b'{"id": %d, "name": "%b"}' % (n, b"x" * 60) for n in range(2_000)) + b"]"
)
"""A document whose end admission does not read."""

SPOKEN = json.dumps(
    {
        "data": [
            {"Nr.": "1", "Betrag": "1.234,50", "Gebucht": "3.7.2024", "Bezahlt": "J"},
            {"Nr.": 2, "Betrag": 17.5, "Gebucht": "", "Bezahlt": True},
        ]
    }
).encode()
"""Texts that are numbers, dates and booleans in the form of the contract."""


def _refused(name: str, folder: str, body: bytes, code: str, where: str = "admission") -> Case:
    key = f"{folder}/{name.lower().replace(' ', '-').replace(',', '').replace('`', '')}.json"
    return Case(name, key, body, "rejected", (code,), where)


CASES = (
    Case("a JSON document with the agreed path", "documents/good.json", WHOLE, "accepted", (), "job"),
    Case("a JSON array", "lists/array.json", LIST, "accepted", (), "job"),
    Case(
        "a JSON array over several lines",
        "lists/pretty.json",
        json.dumps(RECORDS, indent=2).encode(),
        "accepted",
        (),
        "job",
    ),
    Case(
        "JSON objects one after another",
        "lists/objects.json",
        "".join(json.dumps(record, indent=1) for record in RECORDS).encode(),
        "accepted",
        (),
        "job",
    ),
    _refused("a JSON array where an object around it is agreed", "documents", LIST, "not-json-document"),
    _refused("JSON Lines where an object around an array is agreed", "documents", EVENTS, "not-json-document"),
    _refused(
        "an object around an array where JSON is agreed without",
        "lists",
        b'{"rows": ' + LIST + b"}",
        "not-json-document",
    ),
    _refused("CSV where JSON is agreed", "lists", GOOD, "not-json-document"),
    _refused("XML where JSON is agreed", "lists", b'<?xml version="1.0"?><orders/>', "wrong-format"),
    _refused("a JSON document in UTF-16", "lists", LIST.decode().encode("utf-16"), "wrong-encoding"),
    _refused(
        "a JSON document without the agreed key", "documents", WHOLE.replace(b'"items"', b'"rows"'), "json-no-array"
    ),
    _refused("a JSON document with null for its array", "documents", WHOLE.replace(LIST, b"null"), "json-no-array"),
    _refused("a JSON document without records", "documents", WHOLE.replace(LIST, b"[]"), "no-records"),
    _refused(
        "a JSON document with a key twice",
        "documents",
        WHOLE.replace(b'"v"', b'"items"').replace(b"1, ", b"[], "),
        "json-key-twice",
    ),
    _refused("a JSON document that is cut short", "documents", WHOLE[:-20], "json-cut-short"),
    _refused("a JSON document that is cut short beyond 64 KiB", "documents", LARGE[:-20], "json-cut-short", "job"),
    _refused("text behind a JSON document", "documents", LARGE + b"OK\n", "json-damaged", "job"),
    _refused("a comma too many in a JSON array", "lists", LIST[:-1] + b",]", "json-damaged"),
    _refused(
        "an object in a JSON array that is not closed", "lists", LIST.replace(b"null}", b"null"), "json-cut-short"
    ),
    _refused(
        "a JSON array with elements that are no objects", "lists", LIST[:-1] + b", null, [1], 7]", "check-object", "job"
    ),
    _refused(
        "NaN in a JSON document", "documents", WHOLE.replace(b"null}", b'null, "amount": NaN}'), "check-object", "job"
    ),
    _refused("a wrong value in a JSON document", "documents", WHOLE.replace(b"10.5", b"-10.5"), "check-minimum", "job"),
    Case("texts of JSON as values, as agreed", "spoken/good.json", SPOKEN, "accepted", (), "job"),
    _refused(
        "a text of JSON in another form of numbers",
        "spoken",
        SPOKEN.replace(b"1.234,50", b"1,234.50"),
        "check-logicalType",
        "job",
    ),
    _refused("a key of JSON in other letters", "spoken", SPOKEN.replace(b"Betrag", b"betrag"), "unknown-key"),
)
