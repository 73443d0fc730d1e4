"""What is wrong with a `drop` block, in words: an error of pydantic's in, a finding with place and fix out."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from contracts.authoring.block import CheckBlock, ColumnsBlock, CsvBlock, DropBlock, ToleranceBlock
from contracts.authoring.document import Document
from contracts.authoring.finding import Path, dotted
from contracts.problem import nearest, quoted

LATER: dict[str, tuple[Any, ...]] = {
    "format": ("jsonl", "parquet", "json", "orc", "avro", "xml", "xlsx", "fixed"),
    "csv.encoding": (
        "utf-16", "utf-16le", "utf-16be", "utf-32", "windows-1252", "cp1252", "iso-8859-15", "us-ascii", "ascii",
        "gb18030", "shift_jis",
    ),
    "csv.header": (False,),
    "csv.multiLine": (True,),
    "promote": ("rows", "table"),
    "sameKey": ("reject",),
}  # fmt: skip
"""What the design knows and this version does not do yet, by the key it stands under."""
MODELS: dict[str, type[BaseModel]] = {
    "": DropBlock,
    "csv": CsvBlock,
    "columns": ColumnsBlock,
    "tolerance": ToleranceBlock,
    "checks": CheckBlock,
}
MISSING = {
    "files": "the pattern of the keys that the contract is for, as `files: orders/*.csv`",
    "producer": "who uploads the files, as `producer: inmet`; receipts go there",
    "format": "`format: csv`",
    "tolerance.rows": '`rows: 10` or `rows: "1%"`',
}
TYPES = {"string_type": "text", "list_type": "a list", "dict_type": "a mapping", "model_type": "a mapping"}


def say(document: Document, path: Path, error: ErrorDetails) -> None:
    """Say one error of a block that stands at `path`."""
    inner: Path = error["loc"]
    at: Path = (*path, *(p for n, p in enumerate(inner) if (*path, *inner[: n + 1]) in document.marks))
    name, kind = dotted(inner), error["type"]
    context: dict[str, Any] = error.get("ctx", {})
    if kind == "extra_forbidden":
        _unknown_key(document, at, inner)
    elif kind == "missing":
        document.error(at, "missing-key", f"The drop block lacks `{name}`.", f"Add {MISSING.get(name, name)}.")
    elif kind == "literal_error":
        _unknown_value(document, at, name, error["input"], str(context["expected"]))
    elif kind in TYPES:
        document.wrong_type(at, "text or a list" if name == "files" else TYPES[kind], text=kind == "string_type")
    elif kind == "string_pattern_mismatch":
        fix = "Write letters, digits, `.`, `_` and `-`, at most 63."
        document.error(at, "bad-value", f"`{error['input']!s:.70}` cannot be a folder of receipts.", fix)
    elif kind == "too_short":
        document.error(at, "bad-value", "`files` names no keys.", "Write the pattern of its keys, as `orders/*.csv`.")
    else:
        code = kind if kind in {"not-built-yet", "bad-value"} else "bad-value"
        document.error(at, code, f"`{name}` {error['msg']}.", context.get("fix", "See docs/contracts.md."))


def _unknown_key(document: Document, at: Path, inner: Path) -> None:
    owner = str(inner[0]) if len(inner) > 1 else ""
    known = [field.alias or name for name, field in MODELS[owner].model_fields.items()]
    close = nearest(str(inner[-1]), known)
    where = f"`{dotted(inner[:-1])}`" if len(inner) > 1 else "The drop block"
    fix = f"Write `{close}`." if close else f"Leave it out; the keys are {quoted(known, most=12)}."
    document.error(at, "unknown-key", f"{where} has no key `{inner[-1]}`.", fix, on_key=True)


def _unknown_value(document: Document, at: Path, name: str, value: Any, expected: str) -> None:
    later = LATER.get(name, ())
    words = re.findall(r"'([^']*)'", expected)
    only = quoted(words) if words else f"`{expected.lower()}`"
    if value in later and (isinstance(value, str) or document.word(at) is None):
        shown = str(value).lower() if isinstance(value, bool) else value
        document.error(at, "not-built-yet", f"`{name}: {shown}` is not built yet.", f"Write {only}.")
    elif not isinstance(value, str):
        document.wrong_type(at, f"one of {only}" if words else "true or false", text=bool(words))
    else:
        close = nearest(value, [*words, *(v for v in later if isinstance(v, str))])
        fix = f"Write `{close}`." if close in words else f"Write one of {only}." if words else f"Write {only}."
        document.error(at, "unknown-value", f"`{value:.60}` is not a value of `{name}`.", fix)
