"""Sample files in, a profile of all their records out: format, dialect, and what stands in each column.

CSV and JSON Lines are read here, whole and in pieces: a piece is cut into columns at once, and the texts of a column
are counted rather than looked at one by one. Parquet has no reader here: Spark writes it as JSON Lines first.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from contracts.authoring.drafting import dialect
from contracts.authoring.drafting.cells import by_record, columns, over_lines
from contracts.authoring.drafting.column import Column
from contracts.authoring.drafting.profile import Found, Profile, Sample, SampleRefused, null_words, settle
from contracts.plan import Compression, Csv, FileFormat, LogicalType
from contracts.problem import quoted
from functions import parquet_footer
from functions.packed import MAGIC
from functions.parquet_head import FITTING, LARGEST_FOOTER
from functions.texts import MARKS, STARTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HEAD = 256 * 1024
PIECE = 128 * 1024
"""Characters that are cut at once: so many stay in a processor's cache with all that is made of them."""
LARGE, PARTS = 32 << 20, 2
"""Bytes from which on a CSV file is read in parts, each by a process of its own, and how many there are."""
MOST_BROKEN = 10
"""The percentage of lines that may be no records before a file is no CSV, or no JSON Lines."""
MOST_COLUMNS = 2000
FORMS = {str: "text", int: "number", float: "number", bool: "boolean", dict: "objects", list: "lists"}


@dataclass(frozen=True, slots=True)
class Looked:
    """What the first bytes of a file say of it; of CSV, in how many parts it is read side by side."""

    path: Path
    format: FileFormat
    compression: Compression = "none"
    encoding: str = "utf-8"
    head: str = ""
    parts: int = 1


def profile(paths: Sequence[Path], session: Callable[[], SparkSession], large: int = LARGE) -> Profile:
    """Look through sample files of one kind; Spark is asked for only for Parquet. SampleRefused."""
    looked = [_look(path, large) for path in paths]
    first = looked[0]
    for other in looked[1:]:
        if (other.format, other.compression) != (first.format, first.compression):
            raise SampleRefused(
                f"{first.path.name} is {_kind(first)} and {other.path.name} is {_kind(other)}; "
                "a contract is for files of one kind, so give those of one kind"
            )
    try:
        if first.format == "csv":
            return _of_csv(looked)
        if first.format == "jsonl":
            return _of_json(looked)
        return _of_parquet(paths, session)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SampleRefused(f"A sample cannot be unpacked ({error}); compress it with gzip again") from None


def _kind(looked: Looked) -> str:
    name = {"csv": "CSV", "jsonl": "JSON Lines", "parquet": "Parquet"}[looked.format]
    return f"{name}, compressed by gzip," if looked.compression == "gzip" else name


def _look(path: Path, large: int) -> Looked:
    with path.open("rb") as file:
        raw = file.read(HEAD)
    if raw.startswith(parquet_footer.MAGIC):
        return Looked(path, "parquet")
    packed: Compression = "gzip" if raw.startswith(MAGIC) else "none"
    if packed == "gzip":
        try:
            with gzip.open(path) as file:
                raw = file.read(HEAD)
        except (OSError, EOFError, zlib.error) as error:
            raise SampleRefused(f"{path.name} cannot be unpacked ({error}); compress it with gzip again") from None
    _is_text(path, raw)
    encoding = _encoding(path, packed)
    head = raw.decode(encoding, "ignore").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(raw) == HEAD and "\n" not in head:
        raise SampleRefused(
            f"{path.name}: its first line does not end within {HEAD:,} bytes, so it is no table of text"
        )
    head = head.rpartition("\n")[0] if len(raw) == HEAD else head
    if not head.strip():
        raise SampleRefused(f"{path.name} is empty; give a file with records")
    parts = PARTS if packed == "none" and path.stat().st_size >= large else 1
    return Looked(path, _format(path, head), packed, encoding, head, parts)


def _is_text(path: Path, raw: bytes) -> None:
    for mark, name in MARKS:
        if raw.startswith(mark):
            raise SampleRefused(f"{path.name} is written in {name}, which is not read here; save it as UTF-8")
    for start, name in STARTS.items():
        if raw.startswith(start):
            raise SampleRefused(f"{path.name} is {name}; give plain CSV, JSON Lines or Parquet (gzip is fine for text)")
    controls = sum(raw.count(bytes([n])) for n in (*range(9), *range(14, 27)))
    if raw.count(b"\0") or controls * 50 > len(raw):
        raise SampleRefused(f"{path.name} is no text: it holds control characters; give CSV, JSON Lines or Parquet")


def _encoding(path: Path, packed: Compression) -> str:
    """UTF-8 if the whole file is, else ISO-8859-1, which any bytes are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with gzip.open(path) if packed == "gzip" else path.open("rb") as file:
        try:
            while piece := file.read(8 << 20):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "iso-8859-1"
        except (OSError, EOFError, zlib.error) as error:
            raise SampleRefused(f"{path.name} cannot be unpacked ({error}); compress it with gzip again") from None
    return "utf-8"


def _format(path: Path, head: str) -> FileFormat:
    first = next(line for line in head.split("\n") if line.strip())
    try:
        found = json.loads(first)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return "jsonl"
    if first.lstrip()[:1] in ("{", "[") and path.suffix.startswith(".json"):
        raise SampleRefused(
            f"{path.name} is JSON, not JSON Lines: write one object in each line, and no list around them"
        )
    return "csv"


def _opened(looked: Looked) -> IO[str]:
    encoding = "utf-8-sig" if looked.encoding == "utf-8" else looked.encoding
    if looked.compression == "gzip":
        return gzip.open(looked.path, "rt", encoding=encoding)
    return looked.path.open(encoding=encoding)


def _pieces(file: IO[str]) -> Iterator[str]:
    """Whole lines, about PIECE characters at a time."""
    while piece := file.read(PIECE):
        yield piece + file.readline()


# ---- CSV


def _of_csv(looked: Sequence[Looked]) -> Profile:
    encoding = "utf-8" if all(one.encoding == "utf-8" for one in looked) else "iso-8859-1"
    looked = [replace(one, encoding=encoding) for one in looked]
    guess = _guess(looked[0])
    tried = [_read_csv(looked, guess)]
    for other in dialect.others(guess) if tried[0].broken else ():
        written = replace(other, header=guess.header)
        if [_names(one, written) for one in looked] == [_names(one, guess) for one in looked]:
            tried.append(_read_csv(looked, written))
    fit = [one for one in tried if not (one.broken and one.csv and one.csv.multi_line)]  # the job refuses such whole
    best = min(fit or tried, key=lambda one: one.broken)
    if not fit or 100 * best.broken > MOST_BROKEN * (best.records + best.broken):
        raise SampleRefused(
            f"{best.broken:,} of {best.records + best.broken:,} lines of the samples have other than "
            f"{len(best.columns)} cells, however they are cut; give CSV files with as many cells in every line"
        )
    return best


def _guess(one: Looked) -> Csv:
    found = dialect.guessed(one.head, one.encoding)
    records = dialect.first_records(one.head, found)
    if not records:
        raise SampleRefused(
            f"{one.path.name}: its first line cannot be read as CSV as the others are; look at its quotes and cells"
        )
    if dialect.has_header(records):
        return replace(found, header=True)
    if why := dialect.unclear_header(records):
        raise SampleRefused(f"{one.path.name}: in its header {why}; give every column a name of its own")
    return replace(found, header=False)


def _read_csv(looked: Sequence[Looked], written: Csv) -> Profile:
    names = _names(looked[0], written)
    seen = {name: Column() for name in names}
    samples, is_same_order = [], True
    for one in looked:
        theirs = _names(one, written)
        _are_alike(looked[0], names, one, theirs, written)
        is_same_order &= theirs == names
        samples.append(_read_one(one, written, {name: seen[name] for name in theirs}))
    for column in seen.values():
        column.done()
    nulls = null_words(seen)
    records = sum(sample.records for sample in samples)
    found = tuple(settle(name, column, records, frozenset(nulls)) for name, column in seen.items())
    order: Any = "exact" if is_same_order and written.header else "any"
    return Profile(tuple(samples), "csv", found, replace(written, null_values=nulls), looked[0].compression, order)


def _names(one: Looked, written: Csv) -> list[str]:
    records = dialect.first_records(one.head, written)
    if not records:
        return []
    if len(records[0]) > MOST_COLUMNS:
        raise SampleRefused(f"{one.path.name} has {len(records[0]):,} columns; {MOST_COLUMNS:,} are taken at most")
    if written.header and not all(name.isprintable() for name in records[0]):
        raise SampleRefused(f"{one.path.name}: a name in its header cannot be printed; name the columns plainly")
    return records[0] if written.header else [f"column_{n}" for n in range(1, len(records[0]) + 1)]


def _are_alike(first: Looked, names: list[str], one: Looked, theirs: list[str], written: Csv) -> None:
    if sorted(names) == sorted(theirs):
        return
    if not written.header:
        raise SampleRefused(
            f"{first.path.name} has {len(names)} columns and {one.path.name} has {len(theirs)}; "
            "a contract is for files with the same columns, so give those alone"
        )
    more, fewer = ([n for n in a if n not in b] for a, b in ((theirs, names), (names, theirs)))
    said = [f"{quoted(some)} {verb}" for some, verb in ((fewer, "missing"), (more, "added")) if some]
    raise SampleRefused(
        f"{one.path.name} has another header than {first.path.name} ({', '.join(said)}); "
        "a contract is for files with the same columns, so give those alone"
    )


def _read_one(one: Looked, written: Csv, seen: dict[str, Column]) -> Sample:
    records = broken = 0
    for counted, good, bad in _counted(one, written, len(seen)):
        records += good
        broken += bad
        for column, more in zip(seen.values(), counted, strict=True):
            column.merge(more)
    if not records and not broken:
        raise SampleRefused(f"{one.path.name} has a header and no records; give a file with records")
    return Sample(one.path.name, records, broken)


def _counted(one: Looked, written: Csv, width: int) -> Iterator[tuple[list[Column], int, int]]:
    """The columns of a file, how many lines are records and how many not; of a large one by parts, side by side."""
    ends = _ends(one, written)
    dialects = [replace(written, header=written.header and not n) for n in range(len(ends))]
    parts = zip(dialects, [0, *ends[:-1]], ends, strict=True)
    if len(ends) == 1:
        yield _count(one, width, *next(parts))
        return
    with ProcessPoolExecutor(len(ends)) as pool:
        yield from [f.result() for f in [pool.submit(_count, one, width, *part) for part in parts]]


def _ends(one: Looked, written: Csv) -> list[int]:
    """Where the parts of a file end that are read side by side: behind a line, nothing behind the last."""
    size = one.path.stat().st_size
    if one.parts == 1 or written.multi_line:
        return [size]
    ends = []
    with one.path.open("rb") as file:
        for n in range(1, one.parts):
            file.seek(size * n // one.parts)
            file.readline()
            ends.append(file.tell())
    return sorted({*ends, size})


def _count(one: Looked, width: int, written: Csv, start: int, end: int) -> tuple[list[Column], int, int]:
    """The columns of a part of a file, how many lines of it are records and how many not."""
    seen = [Column() for _ in range(width)]
    records = broken = 0
    with _opened(one) if one.compression == "gzip" else _part(one, start, end) as file:
        for found, good, bad in _cut(file, written, width):
            records += good
            broken += bad
            for column, texts in zip(seen, found, strict=True):
                column.add(texts)
    return seen, records, broken


def _part(one: Looked, start: int, end: int) -> IO[str]:
    mark = "utf-8-sig" if one.encoding == "utf-8" and not start else one.encoding
    return io.TextIOWrapper(io.BufferedReader(_Part(one.path, start, end)), encoding=mark)


class _Part(io.RawIOBase):
    """The bytes of a file from one place to another."""

    def __init__(self, path: Path, start: int, end: int) -> None:
        self.file, self.left = path.open("rb"), end - start
        self.file.seek(start)

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        piece = self.file.read(min(len(room), self.left))
        room[: len(piece)] = piece
        self.left -= len(piece)
        return len(piece)

    def close(self) -> None:
        self.file.close()
        super().close()


def _cut(file: IO[str], written: Csv, width: int) -> Iterator[tuple[list[list[str]], int, int]]:
    """The cells of each column, how many lines are records and how many not, piece by piece, without the header."""
    if written.multi_line:
        yield from _cut_over_lines(file, written, width)
        return
    if written.header:
        file.readline()
    for piece in _pieces(file):
        yield columns(piece, written, width)


def _cut_over_lines(file: IO[str], written: Csv, width: int) -> Iterator[tuple[list[list[str]], int, int]]:
    records = over_lines(file, written)
    some: list[list[str]] = []
    try:
        if written.header:
            next(records, None)
        for record in records:
            some.append(record)
            if len(some) == HEAD // 64:
                yield by_record(some, width)
                some = []
    except csv.Error:  # the rest cannot be read, so every line of it is no record
        yield by_record([], width)[0], 0, 1 + sum(1 for _ in file)
    yield by_record(some, width)


# ---- JSON Lines


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _constant(text: str) -> Any:
    raise ValueError(text)


DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_Number, parse_float=_Number, parse_constant=_constant)


def _of_json(looked: Sequence[Looked]) -> Profile:
    for one in looked:
        if one.encoding != "utf-8":
            raise SampleRefused(f"{one.path.name} is not UTF-8, as JSON Lines are; write it in UTF-8")
    seen: dict[str, Column] = {}
    samples = []
    for one in looked:
        with _opened(one) as file:
            samples.append(_read_json(one.path.name, file, seen))
    records, broken = (sum(counts) for counts in zip(*((s.records, s.broken) for s in samples), strict=True))
    if 100 * broken > MOST_BROKEN * (records + broken):
        raise SampleRefused(
            f"{broken:,} of {records + broken:,} lines of the samples are no JSON objects; write one in each line"
        )
    found, left = _settled(seen, records)
    return Profile(tuple(samples), "jsonl", found, compression=looked[0].compression, left=left)


def _read_json(name: str, file: IO[str], seen: dict[str, Column]) -> Sample:
    records = broken = 0
    for piece in _pieces(file):
        values: dict[str, list[Any]] = {}
        for line in piece.split("\n"):
            if not line:
                continue
            try:
                found = DECODER.decode(line.strip(" \t"))
            except (ValueError, RecursionError):
                found = None
            if not isinstance(found, dict):
                broken += 1
                continue
            records += 1
            for key, value in found.items():
                values.setdefault(key, []).append(value)
        for key, some in values.items():
            _add(seen.setdefault(key, Column(frozenset())), some)
    if not records and not broken:
        raise SampleRefused(f"{name} holds no records; give a file with records")
    return Sample(name, records, broken)


def _add(column: Column, values: list[Any]) -> None:
    column.forms |= {"number" if kind is _Number else FORMS[kind] for kind in set(map(type, values)) - {type(None)}}
    column.add([str(v).lower() if isinstance(v, bool) else v for v in values if isinstance(v, (str, bool))])


def _settled(
    seen: dict[str, Column], records: int, given: dict[str, LogicalType] | None = None
) -> tuple[tuple[Found, ...], tuple[tuple[str, str], ...]]:
    """The columns that have a type, and those that have none with the reason."""
    found: list[Found] = []
    left: list[tuple[str, str]] = []
    for name, column in seen.items():
        column.done()
        if not name.strip():
            left.append((name, "it has no name"))
        elif column.forms & {"objects", "lists"}:
            left.append((name, f"it holds {' and '.join(sorted(column.forms & {'objects', 'lists'}))}"))
        elif len(column.forms) > 1:
            left.append((name, f"its values are of several types ({', '.join(sorted(column.forms))})"))
        else:
            found.append(settle(name, column, records, frozenset(), (given or {}).get(name)))
    if not found:
        why = "; ".join(f"`{name}`: {said}" for name, said in left[:3]) or "no record has a key"
        raise SampleRefused(f"No column of the samples has a type that a contract can have ({why})")
    return tuple(found), tuple(left)


# ---- Parquet


def _of_parquet(paths: Sequence[Path], session: Callable[[], SparkSession]) -> Profile:
    types = _types(paths)
    left = tuple((name, f"it is {kind}") for name, kind in types.items() if _logical(kind) is None)
    given = {name: kind for name, found in types.items() if (kind := _logical(found))}
    if not given:
        raise SampleRefused(f"{paths[0].name}: no column has a type that a contract can have")
    seen = {name: Column(frozenset()) for name in given}
    samples = [_read_parquet(path, session(), seen) for path in paths]
    if unfit := [name for name, c in seen.items() if given[name] in ("number", "integer") and len(c.forms) > 1]:
        raise SampleRefused(f"{quoted(unfit)} of the samples holds NaN or infinity, which is no number; write null")
    for column in seen.values():
        column.forms.clear()
    found, more = _settled(seen, sum(sample.records for sample in samples), given)
    exact = {name: _scale(types[name]) for name in given}
    columns_found = tuple(replace(one, exact=exact[one.name]) for one in found)
    return Profile(tuple(samples), "parquet", columns_found, order="exact", left=(*left, *more))


def _types(paths: Sequence[Path]) -> dict[str, str]:
    found = [[(c.name, c.type) for c in _footer(path).columns] for path in paths]
    for path, theirs in zip(paths, found, strict=True):
        if theirs != found[0]:
            raise SampleRefused(
                f"{path.name} has other columns or types than {paths[0].name}; "
                "a contract is for files with the same columns, so give those alone"
            )
    return dict(found[0])


def _footer(path: Path) -> parquet_footer.Footer:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(size - parquet_footer.TAIL, 0))
        tail = file.read()
        long = parquet_footer.length(tail)
        if not tail.endswith(parquet_footer.MAGIC) or not 0 < long <= min(size - parquet_footer.TAIL, LARGEST_FOOTER):
            raise SampleRefused(f"{path.name} does not end as a Parquet file does; it was cut short, write it again")
        file.seek(size - parquet_footer.TAIL - long)
        try:
            found = parquet_footer.parse(file.read(long))
        except parquet_footer.FooterInvalid as error:
            raise SampleRefused(f"{path.name}: its footer cannot be read ({error}); write it again") from None
    if not found.rows:
        raise SampleRefused(f"{path.name} holds no records; give a file with records")
    return found


def _logical(kind: str) -> LogicalType | None:
    if kind.startswith("decimal"):
        return "integer" if kind.endswith(",0)") and int(kind[8:-3]) <= 18 else "number"
    order: tuple[LogicalType, ...] = ("string", "integer", "number", "boolean", "date", "timestamp")
    return next((one for one in order if kind in FITTING[one]), None)


def _scale(kind: str) -> tuple[int, int] | None:
    if not kind.startswith("decimal") or _logical(kind) == "integer":
        return None
    precision, scale = (int(n) for n in kind[8:-1].split(","))
    return precision - scale, scale


def _read_parquet(path: Path, spark: SparkSession, seen: dict[str, Column]) -> Sample:
    """Let Spark write the columns as JSON Lines, and read these."""
    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        link = Path(folder, "1.parquet")
        link.symlink_to(path.resolve())
        frame = spark.read.parquet(link.as_uri())
        frame.select([frame[f"`{name}`"] for name in seen]).write.json(Path(folder, "out").as_uri())
        total = 0
        for part in sorted(Path(folder, "out").glob("part-*")):
            if part.stat().st_size:
                with part.open(encoding="utf-8") as file:
                    total += _read_json(path.name, file, seen).records
    return Sample(path.name, total)
