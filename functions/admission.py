"""The checks that need no Spark: a plan, a file's name, size and first bytes in, all that is wrong out.

Pure, and the same at the door and in `dropgate test`. Refused is what the rows could not be judged without, or what
they are sure to be rejected for: so the verdict is the one that the job would give.
"""

from __future__ import annotations

import codecs
import csv
import unicodedata
from dataclasses import dataclass

from contracts import columns
from contracts.plan import Plan
from contracts.problem import Problem, quoted
from functions import keys

SAMPLE = 64 * 1024
"""Bytes of the head that are looked at; the header line must end within them."""

MOST_COLUMNS = 2000
"""Columns of a header; a wider one is no table that anybody agreed on."""

LONGEST_KEY = 1024
"""Bytes of an object's key (Amazon S3 user guide, "Naming Amazon S3 objects")."""

LARGEST_FILE = 5 * 1024**3
"""Bytes that one CopyObject moves (Amazon S3 API, CopyObject)."""

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
"""Byte order marks that no CSV here may begin with; the longer first, one begins with another."""


@dataclass(frozen=True, slots=True)
class Admission:
    """What admission found. Problems of level error refuse the drop, those of level warning travel with it."""

    problems: tuple[Problem, ...] = ()
    header: tuple[str, ...] = ()
    header_line: str = ""

    @property
    def refused(self) -> bool:
        """Whether the drop goes no further."""
        return any(p.level == "error" for p in self.problems)

    @property
    def notes(self) -> tuple[Problem, ...]:
        """The warnings."""
        return tuple(p for p in self.problems if p.level == "warning")


def notes(plan: Plan, header: tuple[str, ...]) -> tuple[Problem, ...]:
    """The warnings of an admitted drop again, which travel with it to the verdict."""
    return (*_deprecated(plan), *(p for p in columns.problems(plan, header) if p.level == "warning"))


def admit(plan: Plan, name: str, size: int, head: bytes, room: int = LONGEST_KEY) -> Admission:
    """Look at a drop's name below landing, its size and its first bytes (SAMPLE of them, or the whole file).

    `room` is how many bytes the promoted zone leaves for a key.
    """
    named = (*_deprecated(plan), *_name_problems(plan, name, room), *_size_problems(size))
    if size == 0:
        return Admission((*named, _empty("The file is empty (0 bytes).")))
    content = _content(plan, size, head)
    return Admission((*named, *content.problems), content.header, content.header_line)


def _content(plan: Plan, size: int, head: bytes) -> Admission:
    sample = head[:SAMPLE]
    if sample in (codecs.BOM_UTF8, *(mark for mark, _ in MARKS)) and len(sample) == size:
        return Admission((_empty("The file holds a byte order mark and nothing else."),))
    if other := _other_encoding(plan, sample):
        text = f"The file is written in {other}; agreed is {plan.csv.encoding.upper()}."
        return Admission((_wrong_encoding(plan, text),))
    end = _line_end(sample)
    if end < 0 and len(sample) < size:
        return Admission((_endless(),))
    line = sample if end < 0 else sample[:end]
    return _header(plan, size, sample, line)


def _header(plan: Plan, size: int, sample: bytes, line: bytes) -> Admission:
    if problem := _undecodable(plan, line, 1, whole=True):
        return Admission((problem,))
    text = line.decode(plan.csv.encoding)
    names = split(plan, text)
    if isinstance(names, Problem):
        return Admission((names,), (), text)
    if len(names) > MOST_COLUMNS:
        return Admission((_too_wide(len(names)),), (), text)
    found = [*_names(plan, names, text), *_no_records(plan, size, sample, line)]
    if plan.tolerance is None and (problem := _bad_body(plan, sample, len(line), whole=len(sample) == size)):
        found.append(problem)
    return Admission(tuple(found), names, text)


def split(plan: Plan, header_line: str, delimiter: str | None = None) -> tuple[str, ...] | Problem:
    """The column names in a header line, a byte order mark aside; a problem if its quotes do not close."""
    dialect = plan.csv
    doubled = dialect.escape == dialect.quote
    reader = csv.reader(
        [header_line.removeprefix("\ufeff")],
        delimiter=delimiter or dialect.delimiter,
        quotechar=dialect.quote,
        doublequote=doubled,
        escapechar=None if doubled else dialect.escape,
        strict=True,
    )
    try:
        return tuple(next(reader, []))
    except csv.Error:
        text = "A quote in the header is not closed in its line, or text follows a closed one."
        return Problem("header-quotes", text, "Write each column name plain, or wholly between two quotes.", record=0)


def _names(plan: Plan, names: tuple[str, ...], line: str) -> list[Problem]:
    if not line.removeprefix("\ufeff").strip():
        text = "The first line is blank; the column names must stand there."
        agreed = quoted(p.name for p in plan.properties)
        return [Problem("blank-header", text, f"Begin the file with the header: {agreed}.", record=0)]
    if "\0" in line:
        text = "The header holds NUL characters."
        return [Problem("header-nul", text, "Write the file again as plain text, without NUL.", record=0)]
    found = _wrong_delimiter(plan, names, line)
    if found is None:
        return list(columns.problems(plan, names))
    problem, better = found
    return [problem, *columns.problems(plan, better)]


def _wrong_delimiter(plan: Plan, names: tuple[str, ...], line: str) -> tuple[Problem, tuple[str, ...]] | None:
    """The delimiter under which the header says more of the contract's names, and those names."""
    best, better = _known(plan, names), None
    for delimiter in DELIMITERS:
        other = split(plan, line, delimiter)
        if not isinstance(other, Problem) and len(other) > 1 and _known(plan, other) > best:
            best, better = _known(plan, other), (delimiter, other)
    if better is None:
        return None
    found, agreed = DELIMITERS[better[0]], DELIMITERS.get(plan.csv.delimiter, f"`{plan.csv.delimiter}`")
    text = f"The columns are separated by {found}, agreed are {agreed}."
    return Problem("wrong-delimiter", text, f"Write the file with {agreed} between the cells."), better[1]


def _known(plan: Plan, names: tuple[str, ...]) -> int:
    return len({p.name.casefold() for p in plan.properties} & {n.casefold() for n in names})


def _no_records(plan: Plan, size: int, sample: bytes, line: bytes) -> list[Problem]:
    """A header alone, where the contract wants rows; the job would say the same."""
    if plan.empty != "reject" or len(sample) < size or sample[len(line) :].strip():
        return []
    return [Problem("no-records", "The file holds a header and no records.", "Send the file with its records.")]


def _bad_body(plan: Plan, sample: bytes, begin: int, *, whole: bool) -> Problem | None:
    """The first bytes of the rows that are no text: without a tolerance the job would reject the file for them."""
    if any(c.kind == "text" and (c.tolerance or c.severity == "warning") for c in plan.checks):
        return None
    return _undecodable(plan, sample[begin:], 1 + sample[:begin].count(b"\n"), whole=whole)


def _undecodable(plan: Plan, text: bytes, first_line: int, *, whole: bool) -> Problem | None:
    """The first byte that is not in the agreed encoding; a character cut off at the sample's end is none."""
    try:
        codecs.getincrementaldecoder(plan.csv.encoding)().decode(text, final=whole)
    except UnicodeDecodeError as error:
        at = first_line + text[: error.start].count(b"\n")
        byte, agreed = text[error.start], plan.csv.encoding.upper()
        return _wrong_encoding(plan, f"Line {at} holds the byte 0x{byte:02X}, which is no text in {agreed}.", at - 1)
    return None


def _wrong_encoding(plan: Plan, message: str, record: int | None = None) -> Problem:
    agreed = plan.csv.encoding.upper()
    hint = "; in a spreadsheet, save as “CSV UTF-8”" if agreed == "UTF-8" else ""
    return Problem("wrong-encoding", message, f"Write the file in {agreed}{hint}.", record=record)


def _other_encoding(plan: Plan, sample: bytes) -> str | None:
    """UTF-16 or UTF-32, by its mark or by the zero bytes that ASCII text has in it; UTF-8 where it is not agreed."""
    if sample.startswith(codecs.BOM_UTF8) and plan.csv.encoding != "utf-8":
        return "UTF-8"
    for mark, name in MARKS:
        if sample.startswith(mark):
            return name
    head = sample[:64]
    half, zeros = len(head) // 2, max(head[0::2].count(0), head[1::2].count(0))
    if not half or zeros * 10 < half * 8:
        return None
    return "UTF-32" if head.count(0) * 3 >= len(head) * 2 else "UTF-16"


def _line_end(head: bytes) -> int:
    """Where the first line ends: at LF, CR or CRLF, as Spark's text reader sees it; -1 if it does not."""
    ends = [at for at in (head.find(b"\n"), head.find(b"\r")) if at >= 0]
    return min(ends, default=-1)


def _deprecated(plan: Plan) -> list[Problem]:
    if not plan.deprecated:
        return []
    text = f"The contract {plan.contract} is deprecated."
    return [Problem("deprecated-contract", text, "Ask its owner which version to move to, and until when.", "warning")]


def _name_problems(plan: Plan, name: str, room: int) -> list[Problem]:
    found = []
    if any(unicodedata.category(c) in ("Cc", "Cs", "Cn") for c in name):
        text = "The key holds control characters, or characters that are none."
        found.append(Problem("name-characters", text, "Name the file with letters, digits, blanks and `._-+%=@`."))
    if any(part in (".", "..") for part in name.split("/")):
        text = "The key has a part `.` or `..`, which tools on the way would resolve into another folder."
        found.append(Problem("name-dot-parts", text, "Upload the file under the folder's own name."))
    target = keys.promoted_key(plan, "x" * keys.ID_LENGTH, name)
    if (length := len(target.encode("utf-8", "surrogatepass"))) > room:
        text = f"The key would be {length:,} bytes long where consumers find it; there is room for {room:,}."
        found.append(Problem("name-too-long", text, f"Shorten the file's name by {length - room:,} bytes or more."))
    return found


def _size_problems(size: int) -> list[Problem]:
    if size <= LARGEST_FILE:
        return []
    text = f"The file has {size:,} bytes; files of more than 5 GiB are not taken."
    return [Problem("file-too-large", text, "Send it in parts that each fit, as files of their own.")]


def _empty(text: str) -> Problem:
    return Problem("empty-file", text, "Look whether the export ran to its end, and send the file again.")


def _endless() -> Problem:
    text = f"The first line does not end within {SAMPLE:,} bytes, so it is no header."
    return Problem("header-too-long", text, "Check that this is the CSV file, with one record on each line.")


def _too_wide(count: int) -> Problem:
    text = f"The header names {count:,} columns; files of more than {MOST_COLUMNS:,} are not taken."
    return Problem("too-many-columns", text, "Check the delimiter, and send only the contract's columns.", record=0)
