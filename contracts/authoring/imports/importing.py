"""Import of contracts: a format and a source in; ODCS documents as text and findings out.

After an error there is no document. A note names a part of the source without equivalent, and is a comment in the text.
A warning names a line of the text that `dropgate lint` refuses because dropgate does not support it yet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Any, Literal, get_args

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.document import source
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Position
from contracts.authoring.drop_block import parse
from contracts.authoring.imports import signs, writing
from contracts.authoring.imports.formats import FORMATS, ImportFormat
from contracts.authoring.imports.imported import Imported
from contracts.authoring.imports.suites import dbt_manifest
from contracts.plan import OF_JSON
from contracts.problem import nearest, quoted

TRIAL = {"files": "trial/*", "producer": "trial"}
"""The files of a trial block for a contract without one, to report what lint would refuse."""
PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
"""A character beyond 16 bits as JSON escapes it, which YAML cannot read."""
HOW = (
    "Name its files with --files, --producer and --format, or add a `drop` block by hand (docs/reference/drop-block.md)"
)


FileKind = Literal["csv", "json", "jsonl", "parquet", "xlsx", "xls", "ods"]
"""The formats of files that a drop block need say no more of; XML has a path to its records, fixed width a layout."""
KINDS: tuple[str, ...] = get_args(FileKind)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of an imported contract."""

    patterns: tuple[str, ...]
    producer: str
    format: str


@dataclass(frozen=True, slots=True)
class ImportedContract:
    """An imported contract: its name, `<id>.v<major>`, and the text of its document."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import: contracts and findings; there are no contracts if a finding is an error."""

    contracts: tuple[ImportedContract, ...]
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> bool:
        """Return True if no contract could be made of the source."""
        return any(f.level == "error" for f in self.findings)


def import_source(
    name: str, raw: bytes, file: str, files: Files | None = None, status: str = "draft", tables: Sequence[str] = ()
) -> ImportResult:
    """Import the contracts of a source whose format is text; of all its tables, or of those named."""
    if not FORMATS[name].text:
        return import_document(name, _values(raw, file), raw, files, status, tables)
    document = Document(file, positions={(): Position(1, 1)})
    if len(raw) > source.MOST_BYTES:
        message = f"The file has {len(raw):,} bytes; a source has at most {source.MOST_BYTES:,}."
        document.error((), "too-large", message, "Check that it is the right file.")
    try:
        document.data = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        document.error((), "not-utf-8", "The file is not UTF-8 text.", "Save it as UTF-8.")
    return import_document(name, document, raw, files, status, tables)


def format_of(raw: bytes, file: str) -> str | None:
    """Return the format of a source by what its text says; None if it says none."""
    if name := signs.format_of(raw):
        return name
    text = raw[: source.MOST_BYTES].decode("utf-8-sig", "replace")
    return signs.format_of(text) or signs.format_of(_values(raw, file).data)


def import_sources(
    name: str,
    sources: Sequence[tuple[bytes, str]],
    files: Files | None = None,
    status: str = "draft",
    tables: Sequence[str] = (),
) -> list[ImportResult]:
    """Import the contracts of some sources: each by itself, or merged if the format spreads over files."""
    together = FORMATS[name].together
    if together is None:
        return [import_source(name, raw, file, files, status, tables) for raw, file in sources]
    document = together([_values(raw, file) for raw, file in sources])
    return [import_document(name, document, b"", files, status, tables)]


def import_document(
    name: str,
    document: Document,
    raw: bytes,
    files: Files | None = None,
    status: str = "draft",
    tables: Sequence[str] = (),
) -> ImportResult:
    """Import the contracts of a document that is already read."""
    form = FORMATS[name]
    made: list[Imported] = []
    if not document.errors() and form.recognizes(document.data):
        made = form.read(document)
    elif not document.errors():
        text = raw[: source.MOST_BYTES].decode("utf-8", "replace")
        resembled = signs.format_of(raw) or signs.format_of(document.data) or signs.format_of(text)
        looks = f"; it looks like {resembled}" if resembled not in (None, name) else ""
        fix = signs.fix(None if resembled == name else resembled, tuple(FORMATS))
        document.error((), "wrong-format", f"The file is no {form.title}{looks}.", fix)
    if not made and not document.errors():
        fix = "Check that it is the right file."
        document.error((), "nothing-there", f"The file says nothing that {name} makes a contract of.", fix)
    made = _chosen(document, made, tables)
    notes = sorted(dict.fromkeys(document.findings))
    if document.errors():
        return ImportResult((), tuple(notes))
    contracts, findings = [], [*notes]
    for imported in made:
        contract, refusals = _written(form, document, imported, files, status)
        contracts.append(contract)
        findings += refusals
    return ImportResult(tuple(contracts), tuple(findings))


def _chosen(document: Document, made: list[Imported], tables: Sequence[str]) -> list[Imported]:
    """Return the documents of the named tables, with the findings about them alone; an unknown name is an error."""
    if not tables or document.errors():
        return made
    names = sorted({imported.data["schema"][0]["name"] for imported in made})
    for table in tables:
        if not any(table in imported.names for imported in made):
            close = nearest(table, names)
            fix = f"Write `--table {close}`." if close else f"It has {quoted(names, most=12)}."
            document.error((), "no-such-table", f"The source has no table `{table:.60}`.", fix)
    chosen = [imported for imported in made if imported.names & set(tables)]
    if not document.errors() and all(imported.notes is not None for imported in chosen):
        document.findings = [finding for imported in chosen for finding in imported.notes or ()]
    return chosen


def _values(raw: bytes, file: str) -> Document:
    """Read YAML, or JSON, which is YAML except for tabs between values and characters in two escapes."""
    if dbt_manifest.SIGN in raw[: dbt_manifest.HEAD]:
        return dbt_manifest.document(raw, file)
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        text = raw.decode("utf-8-sig", "surrogateescape").replace("\t", " ")
        raw = PAIR.sub(_joined, text).encode("utf-8", "surrogateescape")
    return source.read(raw, file)


def _joined(pair: re.Match[str]) -> str:
    high, low = (int(pair[n], 16) for n in (2, 3))
    return pair[1] + chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))


def _written(
    form: ImportFormat, document: Document, imported: Imported, files: Files | None, status: str
) -> tuple[ImportedContract, list[Finding]]:
    """Return a contract as text, and warnings of lines that lint would refuse.

    The comments above it are its source, the losses, and what a person must still do.
    """
    comments = [f"From {File(document.file).name} ({form.name}), by dropgate import."]
    own = document.findings if imported.notes is None else imported.notes
    shown = [f for f in sorted(dict.fromkeys(own)) if f.level != "error"]
    comments += ["Not carried over, or worth a look (by line of that file):"] if shown else []
    others = {f.file: f"{File(f.file).name}:" * (f.file != document.file) for f in shown}
    comments += [f"  {others[f.file]}{f.line}: {f.message}" for f in shown]
    if not files:
        also = f", with `{_flow(imported.block)}`" if imported.block else ""
        comments.append(f"It matches no files yet. {HOW}{also}.")
    data = {**imported.data, "status": status}
    text = writing.text(_with_block(data, imported.block, files) if files else data, comments)
    major = int(re.sub(r"\D.*", "", str(data["version"]).removeprefix("v"))[:9] or 0)
    name = f"{data['id']}.v{major}"
    trial = writing.text(_with_block(data, imported.block, files or Files((), "", form.files or "jsonl")))
    refused = [f for f in compile_text(trial.encode(), f"{name}.yaml").findings if f.level == "error"]
    return ImportedContract(name, text), [replace(f, level="warning", line=f.line + len(comments)) for f in refused]


def _with_block(data: dict[str, Any], settings: dict[str, Any], files: Files) -> dict[str, Any]:
    """Return a document with a `drop` block: its files, and the settings that the source gives."""
    patterns = list(files.patterns)
    named = {"files": patterns[0] if len(patterns) == 1 else patterns, "producer": files.producer}
    of_others = {"csv"} - {files.format} | ({"values"} if files.format == "parquet" else set())
    own = {key: value for key, value in settings.items() if key not in of_others}
    if files.format in OF_JSON and "columns" in own:  # keys of an object have no order
        own["columns"] = {key: value for key, value in own["columns"].items() if key != "order"}
    value = {**(named if patterns else TRIAL), "format": files.format, **own}
    block = {"property": "drop", "vendor": parse.VENDOR, "value": value}
    return {**data, "customProperties": [*data.get("customProperties", ()), block]}


def _flow(block: dict[str, Any]) -> str:
    """Return a few keys of a block on one line."""
    return ", ".join(f"{k}: {{{_flow(v)}}}" if isinstance(v, dict) else f"{k}: {v}" for k, v in block.items())
