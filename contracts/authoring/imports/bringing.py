"""Bringing contracts in: a format and a source in; ODCS documents as text and findings out.

An error makes nothing of a source; a note names what has no equivalent, and stands in the text as a comment; a warning
names a line of the text that `dropgate lint` refuses, as the contract language has not come so far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Any

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.document import source
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Mark
from contracts.authoring.drop_block import parse
from contracts.authoring.imports import signs, writing
from contracts.authoring.imports.formats import FORMATS, Format
from contracts.authoring.imports.imported import Imported

TRIAL = {"files": "trial/*", "producer": "trial"}
"""The files of a block with which a contract without one is tried, to say what lint would refuse."""
PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
"""A character beyond 16 bits as JSON escapes it, which YAML cannot read."""
HOW = (
    "Name its files with --files, --producer and --format, or add a `drop` block by hand (docs/reference/drop-block.md)"
)


@dataclass(frozen=True, slots=True)
class Files:
    """The files that an imported contract is for."""

    patterns: tuple[str, ...]
    producer: str
    format: str


@dataclass(frozen=True, slots=True)
class Contract:
    """An imported contract: its name, `<id>.v<major>`, and the text of its document."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Brought:
    """The result of an import: contracts and findings; there are no contracts if a finding is an error."""

    contracts: tuple[Contract, ...]
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> bool:
        """Return True if no contract could be made of the source."""
        return any(f.level == "error" for f in self.findings)


def bring_in(name: str, raw: bytes, file: str, files: Files | None = None, status: str = "draft") -> Brought:
    """Bring in the contracts of a source whose format is text."""
    form = FORMATS[name]
    read: Callable[[bytes, str], Document] = _plain_text if form.text else _values
    return bring(name, read(raw, file), raw, files, status)


def bring_in_all(
    name: str, sources: Sequence[tuple[bytes, str]], files: Files | None = None, status: str = "draft"
) -> list[Brought]:
    """Bring in the contracts of some sources: each for itself, or all as one where the format is spread over files."""
    together = FORMATS[name].together
    if together is None:
        return [bring_in(name, raw, file, files, status) for raw, file in sources]
    document = together([_values(raw, file) for raw, file in sources])
    return [bring(name, document, b"", files, status)]


def bring(name: str, document: Document, raw: bytes, files: Files | None = None, status: str = "draft") -> Brought:
    """Bring in the contracts of a document that was read."""
    form = FORMATS[name]
    made: list[Imported] = []
    if not document.errors() and _is_of(form, document, raw):
        made = form.read(document)
    if not made and not document.errors():
        fix = "Check that it is the right file."
        document.error((), "nothing-there", f"The file says nothing that {name} makes a contract of.", fix)
    notes = sorted(dict.fromkeys(document.findings))
    if document.errors():
        return Brought((), tuple(notes))
    contracts, findings = [], [*notes]
    for one in made:
        contract, said = _written(form, document, one, notes, files, status)
        contracts.append(contract)
        findings += said
    return Brought(tuple(contracts), tuple(findings))


def _plain_text(raw: bytes, file: str) -> Document:
    document = Document(file, marks={(): Mark(1, 1)})
    if len(raw) > source.MOST_BYTES:
        message = f"The file has {len(raw):,} bytes; a source has at most {source.MOST_BYTES:,}."
        document.error((), "too-large", message, "Check that it is the right file.")
    try:
        document.data = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        document.error((), "not-utf-8", "The file is not UTF-8 text.", "Save it as UTF-8.")
    return document


def _values(raw: bytes, file: str) -> Document:
    """YAML, or JSON, which is YAML but for tabs between values and for characters in two escapes."""
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        text = raw.decode("utf-8-sig", "surrogateescape").replace("\t", " ")
        raw = PAIR.sub(_one, text).encode("utf-8", "surrogateescape")
    return source.read(raw, file)


def _one(pair: re.Match[str]) -> str:
    high, low = (int(pair[n], 16) for n in (2, 3))
    return pair[1] + chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))


def _is_of(form: Format, document: Document, raw: bytes) -> bool:
    """Return True if a source is of the format; else report a finding that names the format that it resembles."""
    if form.known(document.data):
        return True
    found = signs.format_of(raw) or signs.format_of(document.data) or signs.format_of(_text(raw))
    looks = f"; it looks like {found}" if found else ""
    document.error((), "wrong-format", f"The file is no {form.what}{looks}.", signs.fix(found, tuple(FORMATS)))
    return False


def _text(raw: bytes) -> str:
    return raw[: source.MOST_BYTES].decode("utf-8", "replace")


def _written(
    form: Format, document: Document, one: Imported, notes: list[Finding], files: Files | None, status: str
) -> tuple[Contract, list[Finding]]:
    """A contract as text, and what lint would refuse of it."""
    data = {**one.data, "status": status}
    blocked = _with_block(data, one.block, files) if files else data
    comments = _comments(form, document, notes, one.block if not files else {}, bare=not files)
    text = writing.text(blocked, comments)
    major = int(re.sub(r"\D.*", "", str(data["version"]).removeprefix("v"))[:9] or 0)
    name = f"{data['id']}.v{major}"
    trial = writing.text(_with_block(data, one.block, files or Files((), "", form.files or "jsonl")))
    refused = [f for f in compile_text(trial.encode(), f"{name}.yaml").findings if f.level == "error"]
    return Contract(name, text), [replace(f, level="warning", line=f.line + len(comments)) for f in refused]


def _with_block(data: dict[str, Any], known: dict[str, Any], files: Files) -> dict[str, Any]:
    """A document with a `drop` block: whose files, and what the source says of them."""
    patterns = list(files.patterns)
    named = {"files": patterns[0] if len(patterns) == 1 else patterns, "producer": files.producer}
    value = {**(named if patterns else TRIAL), "format": files.format, **known}
    block = {"property": "drop", "vendor": parse.VENDOR, "value": value}
    return {**data, "customProperties": [*data.get("customProperties", ()), block]}


def _comments(
    form: Format, document: Document, notes: list[Finding], block: dict[str, Any], *, bare: bool
) -> list[str]:
    """Return the comments above a document: its source, the losses, and what a person must still do."""
    lines = [f"From {File(document.file).name} ({form.name}), by dropgate import."]
    told = [f for f in notes if f.level != "error"]
    lines += ["Not carried over, or worth a look (by line of that file):"] if told else []
    others = {f.file: f"{File(f.file).name}:" * (f.file != document.file) for f in told}
    lines += [f"  {others[f.file]}{f.line}: {f.message}" for f in told]
    if bare:
        also = f", with `{_flow(block)}`" if block else ""
        lines.append(f"It matches no files yet. {HOW}{also}.")
    return lines


def _flow(block: dict[str, Any]) -> str:
    """A few keys of a block on one line."""
    return ", ".join(f"{k}: {{{_flow(v)}}}" if isinstance(v, dict) else f"{k}: {v}" for k, v in block.items())
