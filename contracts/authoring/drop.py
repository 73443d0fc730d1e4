"""The `drop` block of a contract: the value of its custom property in, a strict model or findings out."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from contracts.authoring.finding import Finding, Path, dotted
from contracts.authoring.schema import wrong_type
from contracts.authoring.source import Document
from contracts.plan import Limit
from contracts.problem import nearest, quoted

LATER: dict[str, set[Any]] = {
    "format": {"jsonl", "parquet", "json", "orc", "avro", "xml", "xlsx", "fixed"},
    "csv.encoding": {"utf-16", "utf-16le", "utf-16be", "utf-32", "windows-1252", "cp1252", "iso-8859-15", "us-ascii", "ascii", "gb18030", "shift_jis"},
    "csv.header": {False},
    "csv.multiLine": {True},
    "promote": {"rows", "table"},
    "sameKey": {"reject"},
}
"""What the design knows and this version does not do yet, by the key it stands under."""
ENCODINGS = {"utf-8": "utf-8", "utf8": "utf-8", "iso-8859-1": "iso-8859-1", "iso8859-1": "iso-8859-1", "latin-1": "iso-8859-1", "latin1": "iso-8859-1"}
PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%")


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _encoding(value: Any) -> Any:
    return ENCODINGS.get(value.casefold(), value.casefold()) if isinstance(value, str) else value


def _limit(value: Any) -> Limit:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Limit(Decimal(value), "rows")
    if isinstance(value, str) and (match := PERCENT.fullmatch(value)) and Decimal(match[1]) <= 100:
        return Limit(Decimal(match[1]), "percent")
    raise PydanticCustomError("limit", "is no tolerance", {"fix": 'Write a count of rows, as `10`, or a percentage in quotes, as "1%".'})


def _one_character(value: str) -> str:
    if len(value) == 1 and value not in "\r\n\0":
        return value
    if not value:
        raise PydanticCustomError("later", "is empty, which is not built yet", {"fix": "Write the one character that is used."})
    raise PydanticCustomError("character", "must be one character", {"fix": 'Write one character in quotes, as ";" or "\\t".'})


Tolerance = Annotated[Limit, BeforeValidator(_limit)]
Character = Annotated[str, AfterValidator(_one_character)]
Policy = Literal["reject", "warn", "ignore"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True)


class CsvBlock(_Strict):
    """How the CSV is written."""

    delimiter: Character = ","
    header: Literal[True] = True
    encoding: Annotated[Literal["utf-8", "iso-8859-1"], BeforeValidator(_encoding)] = "utf-8"
    quote: Character = '"'
    escape: Character = '"'
    nullValues: list[str] = [""]
    multiLine: Literal[False] = False

    @model_validator(mode="after")
    def _apart(self) -> CsvBlock:
        if self.delimiter in (self.quote, self.escape):
            raise PydanticCustomError("apart", "uses one character as delimiter and as quote or escape", {"fix": "Write the characters that the file really uses."})
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
    sameKey: Literal["supersede", "version"] = "supersede"


MODELS: dict[tuple[str, ...], type[BaseModel]] = {
    (): DropBlock, ("csv",): CsvBlock, ("columns",): ColumnsBlock, ("tolerance",): ToleranceBlock, ("checks", "*"): CheckBlock,
}  # fmt: skip


def read(document: Document, path: Path, value: Any) -> tuple[DropBlock | None, list[Finding]]:
    """The block at `path`, or everything that is wrong with it."""
    if not isinstance(value, dict):
        return None, [wrong_type(document, path, "a mapping", text=False)]
    try:
        return DropBlock.model_validate(value), []
    except ValidationError as error:
        return None, [_said(document, path, one) for one in error.errors(include_url=False)]


def _said(document: Document, path: Path, error: ErrorDetails) -> Finding:
    inner: Path = error["loc"]
    if error["type"] in ("list_type", "string_type") and inner and inner[-1] == "files":
        return wrong_type(document, (*path, *inner), "text or a list of texts", text=True)
    at: Path = (*path, *(p for n, p in enumerate(inner) if (*path, *inner[: n + 1]) in document.marks))
    name = dotted(inner)
    context: dict[str, Any] = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            return _unknown(document, at, inner)
        case "missing":
            return document.finding("error", path, "missing-key", f"The drop block lacks `{name}`.", f"Add {MISSING.get(name, f'`{name}: ...`')}.")
        case "literal_error":
            return _unknown_value(document, at, name, error["input"], str(context["expected"]))
        case "string_type" | "dict_type" | "model_type" | "model_attributes_type" | "list_type" as kind:
            expected = {"string_type": "text", "list_type": "a list"}.get(kind, "a mapping")
            return wrong_type(document, at, expected, kind == "string_type")
        case "string_pattern_mismatch":
            return document.finding("error", at, "bad-producer", f"`{error['input']}` cannot be a folder of receipts.", "Write letters, digits, `.`, `_` and `-`, at most 63.")
        case "too_short":
            return document.finding("error", at, "no-pattern", "`files` names no keys.", "Write the pattern of its keys, as `orders/*.csv`.")
        case "later":
            return document.finding("error", at, "not-built-yet", f"`{name}` {error['msg']}.", context["fix"])
    return document.finding("error", at, "bad-value", f"`{name}` {error['msg']}.", context.get("fix", "See docs/contracts.md."))


MISSING = {
    "files": "the pattern of the keys that the contract is for, as `files: orders/*.csv`",
    "producer": "who uploads the files, as `producer: inmet`; receipts go there",
    "format": "`format: csv`",
    "tolerance.rows": '`rows: 10` or `rows: "1%"`',
}


def _unknown(document: Document, at: Path, inner: Path) -> Finding:
    owner: tuple[str, ...] = ("checks", "*") if inner[0] == "checks" else tuple(str(p) for p in inner[:-1])
    known = list(MODELS[owner].model_fields)
    close = nearest(str(inner[-1]), known)
    where = "The drop block" if len(inner) == 1 else f"`{dotted(inner[:-1])}`"
    fix = f"Write `{close}`." if close else f"Leave it out; the keys are {quoted(known, most=12)}."
    return document.finding("error", at, "unknown-key", f"{where} has no key `{inner[-1]}`.", fix, on_key=True)


def _unknown_value(document: Document, at: Path, name: str, value: Any, expected: str) -> Finding:
    if isinstance(value, (bool, str)) and value in LATER.get(name, set()):
        shown = str(value).lower() if isinstance(value, bool) else value
        return document.finding("error", at, "not-built-yet", f"`{name}: {shown}` is not built yet.", f"Only {expected.replace(chr(39), '`').lower()} so far.")
    if document.word(at) or not isinstance(value, str):
        boolean = expected in ("True", "False")
        return wrong_type(document, at, expected.lower() if boolean else f"one of {expected}", text=not boolean)
    words = re.findall(r"'([^']*)'", expected)
    close = nearest(value, [*words, *(str(v) for v in LATER.get(name, ()))])
    fix = f"Write `{close}`." if close in words else f"Write one of {quoted(words)}." if words else f"Write {expected.lower()}."
    return document.finding("error", at, "unknown-value", f"`{value:.60}` is not a value of `{name}`.", fix)
