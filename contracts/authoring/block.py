"""The model of the `drop` block: keys and values as docs/contracts.md has them, nothing else."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from contracts.plan import Limit

ENCODINGS = {
    "utf8": "utf-8",
    "iso8859-1": "iso-8859-1",
    "latin-1": "iso-8859-1",
    "latin1": "iso-8859-1",
}
PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?) ?%")
WHOLE = 100


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
    if len(value) > 1 or value in "\r\n\0" or value > "\uffff":
        raise PydanticCustomError(
            "bad-value", "must be one character, not above U+FFFF", {"fix": 'Write one in quotes, as ";" or "\\t".'}
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
        if self.delimiter == "\\":
            message = "has a backslash for its delimiter, which is not built yet"
            raise PydanticCustomError("not-built-yet", message, {"fix": "Use another delimiter, as `,` or `;`."})
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
