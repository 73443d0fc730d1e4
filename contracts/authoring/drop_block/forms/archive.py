"""The archive of a `drop` block: the document and the block in, findings out."""

from __future__ import annotations

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block.block import DropBlock
from contracts.errors import PatternInvalid
from contracts.terms.key_pattern import tokens


def read(document: Document, path: Path, block: DropBlock) -> None:
    """Report an archive that contradicts the rest of the block, or whose pattern no member can fit."""
    archive, at = block.archive, (*path, "archive")
    if archive is None:
        return
    if block.compression != "none":
        message = (
            f"`archive` beside `compression: {block.compression}`: the members of an archive are compressed already."
        )
        document.error((*path, "compression"), "bad-value", message, "Leave `compression` out.", on_key=True)
    try:
        members = tokens(archive.members)
    except PatternInvalid as error:
        message = f"{str(error)[:1].upper()}{str(error)[1:]}."
        document.error((*at, "members"), "bad-pattern", message, "See the patterns in docs/reference/drop-block.md.")
        return
    if archive.members.startswith("/") or archive.members.endswith("/") or ".." in archive.members.split("/"):
        message = f"`{archive.members}` fits no member: their names have no `/` at the ends, and no `..`."
        document.error((*at, "members"), "bad-pattern", message, 'Write the pattern of their names, as `"*.csv"`.')
    elif block.sheet is None and block.csv.is_alone and any(token.kind != "literal" for token in members):
        message = "An archive of such files holds one of them: they have rows that are no records, or UTF-16."
        document.note(
            (*at, "members"), "one-member", message, "Tell the producer to send each in an archive of its own."
        )
