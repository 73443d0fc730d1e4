"""Sample files in, a profile of all their records out: format, dialect, and the content of each column.

CSV and JSON Lines are read whole and in pieces: a piece is cut into columns at once, and the texts of a column are
counted, not read one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.authoring.draft.profile import Profile, SampleRefused
from contracts.plan import FileFormat
from infra.sampling import archives, delimited, documents, fixed_width, json_lines, parquet, sheets, xml_documents
from infra.sampling.sample_heads import LARGE, UNPACKABLE, SampleHead, head_of, kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OF_TEXT: dict[FileFormat, Callable[[Sequence[SampleHead]], Profile]] = {
    "csv": delimited.profile_of,
    "jsonl": json_lines.profile_of,
    "xml": xml_documents.profile_of,
}
"""The profile of samples of a format of text."""


def profile(paths: Sequence[Path], session: Callable[[], SparkSession], large: int = LARGE) -> Profile:
    """Read sample files of one kind; Spark starts only for Parquet. Raises SampleRefused."""
    if _all_are(paths, "a workbook", sheets.is_workbook):
        return sheets.profile(paths)
    if _all_are(paths, "a zip archive", archives.is_archive):
        return archives.profile(paths, lambda files: profile(files, session, large))
    if form := documents.form_of(paths[0]):
        return documents.profile(paths, form, lambda lines: profile(lines, session, large))
    heads = [head_of(path, large) for path in paths]
    first = heads[0]
    for other in heads[1:]:
        if (other.format, other.compression) != (first.format, first.compression):
            raise SampleRefused(
                f"{first.path.name} is {kind(first)} and {other.path.name} is {kind(other)}; "
                "a contract is for files of one kind, so give those of one kind"
            )
    try:
        if first.format == "csv" and (layout := fixed_width.layout_of(heads)):
            return fixed_width.profile(heads, layout, lambda files: profile(files, session, large))
        if first.format == "parquet":
            return parquet.profile_of(paths, session)
        return OF_TEXT[first.format](heads)
    except UNPACKABLE as error:
        if first.compression == "none":
            raise
        text = f"A sample cannot be unpacked ({error}); compress it with {first.compression} again"
        raise SampleRefused(text) from None


def _all_are(paths: Sequence[Path], what: str, fits: Callable[[Path], bool]) -> bool:
    """Return True if all samples are of a kind, False if the first is not; raise SampleRefused if only some are."""
    if not fits(paths[0]):
        return False
    if odd := next((path for path in paths if not fits(path)), None):
        raise SampleRefused(f"{paths[0].name} is {what} and {odd.name} is none; give files of one kind")
    return True
