"""Sample files in, a profile of all their records out: format, dialect, and the content of each column.

Lines are read whole and in pieces: a piece is cut into columns at once, and the texts of a column are counted, not read
one by one. Of large documents and workbooks only the begin is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from contracts.authoring.draft.profile import Profile, SampleRefused
from contracts.plan import FileFormat
from infra.sampling import archives, delimited, documents, fixed_width, json_lines, parquet, sheets, xml_documents
from infra.sampling.sample_heads import LARGE, UNPACKABLE, SampleHead, by_letters, head_of, kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OF_TEXT: dict[FileFormat, Callable[[Sequence[SampleHead]], Profile]] = {
    "csv": delimited.profile_of,
    "jsonl": json_lines.profile_of,
}
"""The profile of samples of a format of text."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The sizes of samples from which on they are read in another way.

    CSV of `large` bytes or more is read in parts. Of documents that one process must read from their begin on, only so
    many bytes of `json` (as lines) and `xml`, and so many `cells` of a sheet, are read: as many as take about the time
    of 200 MiB of CSV. None stands for all.
    """

    large: int = LARGE
    json: int | None = 48 << 20
    xml: int | None = 24 << 20
    cells: int | None = 300_000


BOUNDS, WHOLE = Bounds(), Bounds(json=None, xml=None, cells=None)


def profile(paths: Sequence[Path], session: Callable[[], SparkSession], bounds: Bounds = BOUNDS) -> Profile:
    """Read sample files of one kind; Spark starts only for Parquet. Raises SampleRefused."""
    if _all_are(paths, "a workbook", sheets.is_workbook):
        return sheets.profile(paths, bounds.cells)
    if _all_are(paths, "a zip archive", archives.is_archive):
        return archives.profile(paths, lambda files: profile(files, session, bounds))
    form = documents.form_of(paths[0])
    with TemporaryDirectory(prefix="dropgate-") as folder:
        if form:
            heads = partial(head_of, large=bounds.large, folder=Path(folder))
            return documents.profile(
                paths, form, bounds.json, lambda lines: json_lines.profile_of([*map(heads, lines)])
            )
        return _of_files(paths, session, bounds, Path(folder))


def _of_files(paths: Sequence[Path], session: Callable[[], SparkSession], bounds: Bounds, folder: Path) -> Profile:
    """Return the profile of samples that are files of a single form, of which packed ones are unpacked to a folder."""
    heads = by_letters([head_of(path, bounds.large, folder) for path in paths])
    first = heads[0]
    for other in heads[1:]:
        if (other.format, other.compression) != (first.format, first.compression):
            raise SampleRefused(
                f"{first.path.name} is {kind(first)} and {other.path.name} is {kind(other)}; "
                "a contract is for files of one kind, so give those of one kind"
            )
    try:
        if first.format == "csv" and (layout := fixed_width.layout_of(heads)):
            return fixed_width.profile(heads, layout)
        if first.format == "parquet":
            return parquet.profile_of(paths, session)
        if first.format == "xml":
            return xml_documents.profile_of(heads, bounds.xml)
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
