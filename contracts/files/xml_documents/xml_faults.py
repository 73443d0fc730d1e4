"""The problems of XML documents: what the parser and the reader report in, words for the producer out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError, errors

from contracts.files.xml_documents.xml_names import Names, in_words, split
from contracts.plan import Xml
from contracts.problem import Problem, nearest, quoted, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

WHOLE = "Send the file again, and send it whole."
WELL = "Write the file with a library for XML, not as text, and check it with `xmllint --noout`."
CODES: Mapping[str, tuple[str, str]] = {
    errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: (
        "something follows the end of the root element: a second root, or other text",
        "Write one root element around all records, and nothing behind it.",
    ),
    errors.XML_ERROR_TAG_MISMATCH: ("an end tag is not that of the element that is open", WELL),
    errors.XML_ERROR_UNDEFINED_ENTITY: (
        "an entity is not one of XML's own, which are `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&apos;`",
        "Write the character itself, or its number, as `&#160;`; and write `&` as `&amp;`.",
    ),
    errors.XML_ERROR_INVALID_TOKEN: (
        "a character is where XML does not allow it",
        f"Write `&` as `&amp;` and `<` as `&lt;` in texts, and no control characters. {WELL}",
    ),
    errors.XML_ERROR_BAD_CHAR_REF: ("a character reference names no character", WELL),
    errors.XML_ERROR_DUPLICATE_ATTRIBUTE: ("an element has an attribute twice", WELL),
    errors.XML_ERROR_UNBOUND_PREFIX: (
        "a prefix has no namespace",
        'Declare it in the root element, as `xmlns:prefix="URI"`.',
    ),
    errors.XML_ERROR_MISPLACED_XML_PI: (
        "something stands before `<?xml`, or it is there twice",
        "Let the file begin with `<?xml`, and join no files.",
    ),
}
"""The parser's errors that have words of their own: what is wrong, and how to mend it."""
NUMBERS = {code: text for text, code in errors.codes.items()}
EARLY = (errors.XML_ERROR_NO_ELEMENTS, errors.XML_ERROR_UNCLOSED_TOKEN, errors.XML_ERROR_PARTIAL_CHAR)


def broken(error: ExpatError, skipped: int, inside: str, count: int) -> Problem:
    """Return the problem of a document that is not well-formed."""
    text = NUMBERS.get(error.code, "")
    at = f"line {error.lineno + skipped:,}, behind record {count:,}" if count else f"line {error.lineno + skipped:,}"
    if text in EARLY or text == errors.XML_ERROR_UNCLOSED_CDATA_SECTION:
        within = f" within `{visible(inside, 60)}`" if inside else ""
        message = f"The XML ends too early{within} ({at}); it was cut short."
        return Problem("broken-xml", message, WHOLE)
    if text in (errors.XML_ERROR_SYNTAX, errors.XML_ERROR_INVALID_TOKEN) and not inside and not count:
        message = "The file is not XML: it does not begin with an element, as `<name>`."
        return Problem("broken-xml", message, WELL)
    what, fix = CODES.get(text, (text, WELL))
    return Problem("broken-xml", f"The file is not XML that can be read ({at}): {what}.", fix)


def doctype(name: str) -> Problem:
    """Return the problem of a document with a document type, through which files and bombs could be brought in."""
    message = (
        f"The file has a document type (`<!DOCTYPE {visible(name, 60)}`), which is refused: it can name other files."
    )
    fix = "Leave the line with `<!DOCTYPE` out, and write the characters that its entities stand for."
    return Problem("xml-doctype", message, fix)


def other_root(xml: Xml, agreed: str, name: str) -> Problem:
    """Return the problem of a document with another root, or one in another namespace."""
    if split(agreed)[1] == split(name)[1]:
        uri, wanted = split(name)[0], split(agreed)[0]
        in_file = f"in the namespace `{visible(uri)}`" if uri else "without a namespace"
        to_be = f"the namespace `{wanted}`" if wanted else "none"
        message = f"The root `{visible(split(name)[1], 60)}` is {in_file}; the contract requires {to_be}."
        fix = "Send the agreed version, or ask for the new one to be agreed." if uri else "Declare it in the root."
        return Problem("wrong-namespace", message, fix)
    message = f"The root element is {visible(in_words(name), 200)}; the contract requires {in_words(agreed)}."
    return Problem("wrong-root", message, f"Send the document whose records are `{xml.record}`.")


def other_namespace(xml: Xml, depth: int, name: str, step: str) -> Problem:
    """Return the problem of an element on the path to records that has the agreed name in another namespace."""
    above = "/".join(xml.record.split("/")[:depth])
    text = f"An element in `{above}` is {visible(in_words(name), 200)}; the contract requires {in_words(step)}."
    return Problem("wrong-namespace", text, "Send the agreed version, or ask for the new one to be agreed.")


def no_record(xml: Xml, names: Names, reached: int, seen: Sequence[str]) -> Problem | None:
    """Return the problem of a path that leads to nothing; None if a document just has no records.

    It leads to nothing if elements are at the place of a step, and none of them is the step; at the last step only if
    one of them is named much like it.
    """
    step = names.steps[reached]
    above = "/".join(xml.record.split("/")[:reached])
    wanted = xml.record.split("/")[reached]
    close = nearest(split(step)[1], [split(name)[1] for name in seen])
    if close is None and (reached + 1 == len(names.steps) or not seen):
        return None
    there = (
        f"the nearest is `{visible(close, 60)}`" if close else f"it has {quoted([split(n)[1] for n in seen], most=5)}"
    )
    message = f"`{above}` has no element `{wanted}`, in which records are ({xml.record}); {there}."
    return Problem("no-record-element", message, f"Name the elements as agreed, from the root: `{xml.record}`.")


def too_deep(most: int) -> Problem:
    """Return the problem of elements within elements without end."""
    text = f"Elements are nested more than {most} deep."
    return Problem("xml-too-deep", text, "Write flatter records.")


def too_large(most: int, number: int) -> Problem:
    """Return the problem of a record that is too large."""
    text = f"Record {number:,} has more than {most >> 20} MiB."
    return Problem("record-too-long", text, "Write smaller records.")


def endless(most: int) -> Problem:
    """Return the problem of a tag or a comment that is too long."""
    text = f"A tag, a comment or a processing instruction has more than {most >> 20} MiB."
    return Problem("record-too-long", text, "Write values as texts of elements, and no comments of this length.")


def too_many_names(most: int) -> Problem:
    """Return the problem of a document that has a name of its own for each value."""
    text = f"The file has more than {most:,} different names of elements and attributes."
    return Problem("xml-names", text, "Write values as texts of elements, not as their names.")
