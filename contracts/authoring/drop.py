"""The `drop` block of a contract: the document in, a strict model out, or findings.

Keys and values are those of docs/contracts.md. What the design knows and this version does not do yet is said so.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from contracts.authoring.document import Document
from contracts.authoring.finding import Finding, Path
from contracts.errors import PatternInvalid
from contracts.pattern import literal_folder
from contracts.plan import Limit

VENDOR = "dropgate"
ENCODINGS = {
    "utf8": "utf-8",
    "iso8859-1": "iso-8859-1",
    "latin-1": "iso-8859-1",
    "latin1": "iso-8859-1",
}
PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?) ?%")
WHOLE = 100
LONGEST_KEY = 1024


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _encoding(value: Any) -> Any:
    return ENCODINGS.get(value.casefold(), value.casefold()) if isinstance(value, str) else value


def _limit(value: Any) -> Limit:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Limit(Decimal(value), "rows")
    if isinstance(value, str) and (match := PERCENT.fullmatch(value)) and Decimal(match[1]) <= WHOLE:
        return Limit(Decimal(match[1]), "percent")
    fix = 'Write a count of rows, as `10`, or a percentage in quotes, as "1%".'
    raise PydanticCustomError("bad-value", "is no tolerance", {"fix": fix})


def _one_character(value: str) -> str:
    if not value:
        fix = "Write the one character that is used."
        raise PydanticCustomError("not-built-yet", "is empty, which is not built yet", {"fix": fix})
    if len(value) > 1 or value in "\r\n\0":
        raise PydanticCustomError(
            "bad-value", "must be one character", {"fix": 'Write one in quotes, as ";" or "\\t".'}
        )
    return value


Tolerance = Annotated[Limit, BeforeValidator(_limit)]
Character = Annotated[str, AfterValidator(_one_character)]
Encoding = Annotated[Literal["utf-8", "iso-8859-1"], BeforeValidator(_encoding)]
Policy = Literal["reject", "warn", "ignore"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True)


class CsvBlock(_Strict):
    """How the CSV is written."""

    delimiter: Character = ","
    header: Literal[True] = True
    encoding: Encoding = "utf-8"
    quote: Character = '"'
    escape: Character = '"'
    null_values: Annotated[list[str], Field(alias="nullValues")] = [""]
    multi_line: Annotated[Literal[False], Field(alias="multiLine")] = False

    @model_validator(mode="after")
    def _apart(self) -> CsvBlock:
        if self.delimiter in {self.quote, self.escape}:
            message = "has one character for the delimiter and for the quote or escape"
            raise PydanticCustomError("bad-value", message, {"fix": "Write the characters that the file really uses."})
        return self


class ColumnsBlock(_Strict):
    """What happens when the header is not the contract's."""

    extra: Policy = "reject"
    missing: Policy = "reject"
    order: Literal["any", "exact"] = "any"


class ToleranceBlock(_Strict):
    """How many rejected rows a file may carry."""

    rows: Tolerance


class CheckBlock(_Strict):
    """Severity and tolerance of one check, for which ODCS has no place on schema constraints."""

    severity: Literal["error", "warning"] | None = None
    tolerance: Tolerance | None = None


class DropBlock(_Strict):
    """Everything that ODCS has no room for: which files, how they are written, what becomes of them."""

    files: Annotated[list[str], BeforeValidator(_as_list), Field(min_length=1)]
    producer: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
    format: Literal["csv"]
    csv: CsvBlock = CsvBlock()
    columns: ColumnsBlock = ColumnsBlock()
    empty: Literal["reject", "warn", "accept"] = "reject"
    tolerance: ToleranceBlock | None = None
    checks: dict[str, CheckBlock] = {}
    promote: Literal["object"] = "object"
    same_key: Annotated[Literal["supersede", "version"], Field(alias="sameKey")] = "supersede"


def find(document: Document) -> Path | None:
    """Where the value of the block stands; None, and a finding, where there is none."""
    entries = [e if isinstance(e, dict) else {} for e in document.data.get("customProperties") or []]
    ours = [n for n, e in enumerate(entries) if e.get("vendor", VENDOR) == VENDOR and e.get("property") == "drop"]
    for n, entry in enumerate(entries):
        if entry.get("vendor") == VENDOR and n not in ours:
            message = f"`{entry.get('property')}` is no property of dropgate."
            document.error(("customProperties", n, "property"), "unknown-value", message, "Write `drop`.")
    if len(ours) > 1:
        message = "A second `drop` block stands here."
        document.error(("customProperties", ours[1]), "two-blocks", message, "Keep one; its `files` may be a list.")
    if ours:
        return ("customProperties", ours[0], "value") if "value" in entries[ours[0]] else None
    message = "The contract has no `drop` block; it matches no files."
    document.note((), "matches-nothing", message, "Add one under `customProperties` (docs/contracts.md).")
    return None


def read(document: Document, path: Path) -> DropBlock | None:
    """The block at a path; None, and findings, if anything in it is wrong."""
    from contracts.authoring.drop_errors import say  # noqa: PLC0415 (the two know each other)

    value = document.data["customProperties"][path[1]]["value"]
    if not isinstance(value, dict):
        document.wrong_type(path, "a mapping")
        return None
    try:
        return DropBlock.model_validate(value)
    except ValidationError as error:
        for one in error.errors(include_url=False):
            say(document, path, one)
    return None


def places(document: Document, path: Path, block: DropBlock) -> tuple[Finding, ...]:
    """Where each key pattern stands, and findings about those that cannot be read or do not begin with a folder."""
    found = []
    for n, pattern in enumerate(block.files):
        at: Path = (*path, "files", n) if (*path, "files", n) in document.marks else (*path, "files")
        found.append(document.finding("error", at, "overlap", "", ""))
        _pattern(document, at, pattern, block.producer)
    return tuple(found)


def _pattern(document: Document, at: Path, pattern: str, producer: str) -> None:
    try:
        folder = literal_folder(pattern)
    except PatternInvalid as error:
        message = f"{str(error)[:1].upper()}{str(error)[1:]}."
        document.error(at, "bad-pattern", message, "See the patterns in docs/contracts.md.")
        return
    if pattern.startswith("/") or "//" in pattern:
        fix = f"Write `{re.sub('/+', '/', pattern).lstrip('/')}`."
        document.error(at, "bad-pattern", f"`{pattern}` has a folder without a name.", fix)
    elif not folder:
        fix = f"Write the producer's folder first, as `{producer}/{pattern}`."
        document.error(at, "no-folder", f"`{pattern}` does not begin with a folder.", fix)
    elif len(pattern.encode()) > LONGEST_KEY:
        document.error(at, "bad-pattern", f"The pattern is longer than any key ({LONGEST_KEY:,} bytes).", "Shorten it.")
