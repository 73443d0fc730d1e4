"""The `format` of text, integers and numbers: a name in, its words for people out (dates have patterns)."""

from __future__ import annotations

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import Property
from contracts.problem import nearest, quoted
from contracts.values.text_formats import INTEGERS, TEXT, UNCHECKED

AS_WE_DO = {"integer": "i64", "number": "f64"}
"""Formats of numbers that every value of the type is checked for anyway."""
NOT_BUILT = ("i128", "u128")
"""Formats of integers beyond the 38 digits of the longest decimal."""
MEANT = {
    **dict.fromkeys(("url", "iri", "uri-reference"), "uri"),
    **dict.fromkeys(("guid", "uuid4"), "uuid"),
    **dict.fromkeys(("mail", "idn-email"), "email"),
    **dict.fromkeys(("base64", "bytes"), "byte"),
    **dict.fromkeys(("ip", "inet"), "ipv4"),
    **dict.fromkeys(("domain", "fqdn", "host", "idn-hostname"), "hostname"),
}
OTHERS = (
    "time",
    "duration",
    "regex",
    "json-pointer",
    "uri-template",
    "phone",
    "iban",
    "json",
    "xml",
    "html",
    "markdown",
)
"""Formats of text that JSON Schema, OpenAPI and others name, and nothing here checks."""
TYPES = {"time": "time", "date": "date", "date-time": "timestamp", "datetime": "timestamp", "timestamp": "timestamp"}
"""Names that are a logical type of their own rather than a format of text."""


def read(document: Document, path: Path, name: str, prop: Property) -> str | None:
    """Return the name of a value format for people; None if there is nothing to check."""
    if prop.type != "string":
        if name == AS_WE_DO[prop.type] and not (prop.exact and prop.type == "integer"):
            return None
        if name in NOT_BUILT:
            message = f"`format: {name}` is not built yet; integers have at most 38 digits here."
            document.error(path, "not-built-yet", message, "Write `physicalType: decimal(38,0)` instead.")
            return None
        if name == "f32":
            return "a number of 32 bits"
        least, most = INTEGERS[name]
        return f"a whole number from {least} to {most}"
    if name in TEXT:
        return TEXT[name].words
    if name in UNCHECKED:
        message = f"`format: {name}` says nothing about the text; no value is checked for it."
        document.note(path, "not-checked", message, "It may stay, for people and tools; write a `pattern` to check.")
        return None
    close = MEANT.get(name.casefold()) or nearest(name, (*TEXT, *UNCHECKED, *OTHERS))
    if name.casefold() in TYPES:
        fix = f"Write `logicalType: {TYPES[name.casefold()]}` to hold values to it."
    elif close and close not in OTHERS:
        document.error(path, "unknown-format", f"`{name}` is not a format of text.", f"Write `{close}`.")
        return None
    else:
        fix = f"Write one of {quoted(TEXT)}, or a `pattern`, to hold values to it."
    document.warning(path, "not-checked", f"`format: {name:.40}` of text is not checked; any text passes.", fix)
    return None
