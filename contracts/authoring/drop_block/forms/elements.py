"""The XML of a `drop` block: its path, its namespaces and the names of properties in, findings out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block.block import DropBlock
from contracts.files.xml_documents.xml_names import XML, XSI
from contracts.files.xml_documents.xml_shape import TEXT
from contracts.plan import CONTAINERS, Property, Xml
from contracts.problem import nearest, visible

NAME = re.compile(r"(?:(?P<prefix>[^\W\d][\w.-]*):)?[^\W\d][\w.-]*")
"""A name with or without a prefix (Namespaces in XML, 4)."""
RESERVED = {"xml": XML, "xmlns": "http://www.w3.org/2000/xmlns/"}


def read(document: Document, path: Path, block: DropBlock) -> None:
    """Report what is wrong with the path to records, or with the prefixes of names; the block is at `path`."""
    if block.format == "xml" and block.xml is None:
        message = "The drop block lacks `xml.record`, the path to the elements that are records."
        document.error(path, "missing-key", message, "Add it from the root on, as `xml: {record: orders/order}`.")
    elif block.format != "xml" and document.value((*path, "xml")) is not None:
        message = f"`xml` means nothing for the format {block.format}."
        document.error((*path, "xml"), "bad-value", message, "Leave it out.", on_key=True)
    if block.xml is None:
        return
    _namespaces(document, (*path, "xml", "namespaces"), block.xml.namespaces)
    _record(document, (*path, "xml", "record"), block.xml)


def _namespaces(document: Document, at: Path, namespaces: Mapping[str, str]) -> None:
    seen: dict[str, str] = {}
    for prefix, uri in namespaces.items():
        place = (*at, prefix)
        if prefix and not (NAME.fullmatch(prefix) and ":" not in prefix):
            message = f"`{visible(prefix, 40)}` cannot be a prefix."
            document.error(place, "bad-value", message, "Write letters and digits, or an empty text for no prefix.")
        elif prefix in RESERVED:
            document.error(place, "bad-value", f"The prefix `{prefix}` is XML's own.", "Leave it out.", on_key=True)
        elif not uri.strip() or uri != uri.strip() or "}" in uri:
            message = f"`{visible(uri, 60)}` is no namespace."
            document.error(place, "bad-value", message, "Write the URI that the files have in `xmlns`, exactly so.")
        elif uri in seen:
            message = f"`{prefix}` and `{seen[uri]}` are one namespace, so that an element would have two names."
            document.error(place, "bad-value", message, "Keep one of the prefixes.", on_key=True)
        seen.setdefault(uri, prefix)


def _record(document: Document, at: Path, xml: Xml) -> None:
    for step in xml.record.split("/"):
        match = NAME.fullmatch(step)
        if match is None:
            message = f"`{visible(xml.record, 120)}` is not a path of names from the root to the records."
            slim = "/".join(part for part in xml.record.split("/") if part)
            is_path = all(NAME.fullmatch(part) for part in slim.split("/"))
            fix = f"Write `{slim}`." if is_path else "Write names with `/` between them, as `orders/order`."
            document.error(at, "bad-value", message, fix)
            return
        if match["prefix"] and match["prefix"] not in xml.namespaces:
            _no_prefix(document, at, match["prefix"], xml)
            return


def _no_prefix(document: Document, at: Path, prefix: str, xml: Xml) -> None:
    message = f"The prefix `{prefix}` has no namespace."
    close = nearest(prefix, [own for own in xml.namespaces if own])
    fix = f"Write `{close}:`." if close else f"Add it, as `xml: {{namespaces: {{{prefix}: URI}}}}`."
    if prefix == "xsi":
        fix = f"Add it, as `xml: {{namespaces: {{xsi: {XSI}}}}}`."
    document.error(at, "unknown-prefix", message, fix)


def property_at(document: Document, at: Path, prop: Property, xml: Xml) -> None:
    """Report a property that no element, attribute or text of XML can be."""
    step = prop.route[-1]
    if step == "[]" and prop.type == "array":
        message = f"`{prop.name}` is an array within an array, and an element of XML is a single value."
        fix = "Write an object as `items`, and the array as a property of it."
        document.error((*at, "logicalType"), "bad-value", message, fix)
    if step in ("[]", "*", "~"):
        return
    name, key = prop.key, "physicalName" if prop.header_names else "name"
    bare = name.removeprefix("@")
    match = NAME.fullmatch(bare)
    if name != TEXT and match is None:
        message = f"`{visible(name, 60)}` is the name of no element and no attribute."
        fix = f"Write it as the files do; an attribute as `@name`, the text beside attributes as `{TEXT}`."
        document.error((*at, key), "bad-name", message, fix)
    elif match and match["prefix"] and match["prefix"] not in {*xml.namespaces, "xml"}:
        _no_prefix(document, (*at, key), match["prefix"], xml)
    if (name == TEXT or name.startswith("@")) and prop.type in CONTAINERS:
        what = "The text of an element" if name == TEXT else "An attribute"
        message = f"{what} is a single value, and `{prop.name}` is of the type {prop.type}."
        document.error((*at, "logicalType"), "bad-value", message, "Write the type of a single value.")
