"""One contract file to its plan: the text of an ODCS document in; findings, and a plan if none of them is an error, out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Any, Literal

from contracts import catalog, plan
from contracts.authoring import drop, properties, quality, schema, source
from contracts.authoring.drop import DropBlock
from contracts.authoring.finding import Finding, Path
from contracts.authoring.lift import OLDER, lift
from contracts.authoring.source import Document
from contracts.errors import ContractInvalid, PatternInvalid
from contracts.plan import RECORD_CHECKS, Check, Plan, Property
from contracts.problem import nearest

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
VERSION = re.compile(r"v?(\d{1,9})(\.\d+){0,2}([-+][0-9A-Za-z.+-]+)?", re.ASCII)
VENDOR = "dropgate"
STATUSES = ("proposed", "draft", "active", "deprecated", "retired")
UNUSED = ("servers", "support", "price", "team", "roles", "slaProperties", "slaDefaultElement", "tags", "authoritativeDefinitions", "context")
"""Sections that describe and are not checked; each that is there is named once, in a note."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What became of a contract file; `plan` is None if an error stands among the findings or the contract matches no files."""

    file: str
    plan: Plan | None
    findings: tuple[Finding, ...]
    places: tuple[Finding, ...] = ()
    """Where each pattern of the plan stands, for findings about two contracts."""

    @property
    def failed(self) -> bool:
        """Whether an error keeps the contract from being published."""
        return any(f.level == "error" for f in self.findings)


def compile_file(path: File) -> Compiled:
    """Compile the contract in a file."""
    return compile_text(path.read_bytes(), str(path))


def load_plan(path: File) -> Plan:
    """The plan of a contract file that must have one; ContractInvalid with its first error, or with why it matches nothing."""
    compiled = compile_file(path)
    if compiled.plan:
        return compiled.plan
    first = next((f for f in compiled.findings if f.level == "error"), compiled.findings[0])
    raise ContractInvalid(f"{first.file}:{first.line}: {first.message} {first.fix}")


def compile_text(raw: bytes, file: str) -> Compiled:
    """Compile the contract in a file's bytes."""
    document, findings = source.read(raw, file)
    if document is None:
        return _done(file, None, findings)
    document.findings += findings
    if not isinstance(document.data, dict):
        document.error((), "not-odcs", "The file is no ODCS document.", "Write keys and values, beginning with `apiVersion: v3.2.0`.")
        return _done(file, None, document.findings)
    document.findings += lift(document)
    wrong, broken = schema.check(document)
    document.findings += wrong
    _prune(document.data, broken)
    _booleans(document)
    return _compile(document, whole=not broken)


def _done(file: str, made: Plan | None, findings: list[Finding], places: tuple[Finding, ...] = ()) -> Compiled:
    ordered = tuple(sorted(dict.fromkeys(findings), key=lambda f: (f.line, f.column, f.code, f.message)))
    failed = any(f.level == "error" for f in ordered)
    return Compiled(file, None if failed else made, ordered, places)


def _prune(data: Any, broken: list[Path]) -> None:
    """Take out what the standard refuses, so that the rest can be read for further findings."""
    for path in sorted(set(broken), key=lambda p: (len(p), tuple(map(str, p))), reverse=True):
        owner = data
        for part in path[:-1]:
            owner = owner[part]
        if path and isinstance(owner, dict):
            owner.pop(path[-1], None)
        elif path:
            owner[path[-1]] = None


def _booleans(document: Document) -> None:
    """Warn of yes, no, on and off where they were taken as booleans."""
    flagged = {(f.line, f.column) for f in document.findings}
    for path, mark in document.marks.items():
        if (word := document.word(path)) and (mark.line, mark.column) not in flagged and _at(document.data, path) in (True, False):
            meant = "true" if word.casefold() in ("yes", "on") else "false"
            message = f"The bare `{word}` is read as {meant} here; other YAML readers take it as text."
            document.findings.append(document.finding("warning", path, "yaml-boolean", message, f"Write `{meant}`."))


def _at(data: Any, path: Path) -> Any:
    for part in path:
        if isinstance(data, dict) and part in data or isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]  # type: ignore[index]
        else:
            return None
    return data


def _compile(document: Document, whole: bool) -> Compiled:
    data = document.data
    _notes(document)
    found = _block(document)
    one = _schema_object(document, found is not None)
    props, checks = _checks(document, one) if one is not None else ([], [])
    if found is None:
        return _done(document.file, None, document.findings)
    path, value = found
    block, wrong = drop.read(document, path, value)
    document.findings += wrong
    identity = _identity(document, path)
    if block is None:
        return _done(document.file, None, document.findings)
    places = _patterns(document, path, block)
    checks = _unique_ids(document, checks)
    if whole:
        checks = _overridden(document, (*path, "checks"), block, checks)
    if block.tolerance or any(c.tolerance for c in checks):
        message = "With `promote: object` the rejected rows within the tolerance travel with the file to its consumers."
        at: Path = (*path, "tolerance") if block.tolerance else (*path, "checks")
        document.findings.append(document.finding("warning", at, "tolerated-rows-travel", message, "Consumers should know; without a tolerance one bad row rejects the file.", on_key=True))
    if identity is None or one is None or data.get("status") not in ("active", "deprecated"):
        return _done(document.file, None, document.findings)
    return _done(document.file, _plan(data, identity, data["schema"][0]["name"], block, props, checks), document.findings, places)


def _plan(data: dict[str, Any], contract: str, name: str, block: DropBlock, props: list[Property], checks: list[Check]) -> Plan:
    return Plan(
        contract=contract,
        id=data["id"],
        version=data["version"],
        object=name,
        producer=block.producer,
        files=tuple(block.files),
        properties=tuple(props),
        checks=tuple(checks),
        csv=plan.Csv(block.csv.delimiter, block.csv.encoding, block.csv.quote, block.csv.escape, tuple(block.csv.nullValues)),
        columns=plan.Columns(block.columns.extra, block.columns.missing, block.columns.order),
        empty=block.empty,
        tolerance=block.tolerance.rows if block.tolerance else None,
        promote=block.promote,
        same_key=block.sameKey,
        deprecated=data["status"] == "deprecated",
        file_format=block.format,
    )


def _notes(document: Document) -> None:
    """What a steward should know and need not mend: sections that are not used, a status that matches no files."""
    data = document.data
    for key in UNUSED:
        if key in data:
            document.findings.append(document.finding("note", (key,), "not-used", f"`{key}` is not used.", "It may stay, for people and other tools.", on_key=True))
    status = data.get("status")
    if status == "deprecated":
        document.findings.append(document.finding("warning", ("status",), "deprecated", "The contract is deprecated; it still matches files.", "Write `status: retired` when no file is to match any more."))
    elif status == "active":
        return
    elif status is None:
        document.findings.append(document.finding("note", (), "not-active", "The contract has no `status`; it matches no files.", "Write `status: active` to put it in force."))
    elif status in STATUSES:
        document.findings.append(document.finding("note", ("status",), "not-active", f"The contract is `{status}`; it matches no files.", "Write `status: active` to put it in force."))
    else:
        close = nearest(str(status), STATUSES)
        document.error(("status",), "unknown-value", f"`{status}` is not a status.", f"Write `{close}`." if close else "Write `active`, `deprecated`, `draft`, `proposed` or `retired`.")


def _block(document: Document) -> tuple[Path, Any] | None:
    """The value of the `drop` property and where it stands."""
    entries = [(n, e) for n, e in enumerate(document.data.get("customProperties") or []) if isinstance(e, dict)]
    ours = [(n, e) for n, e in entries if e.get("property") == "drop" and e.get("vendor", VENDOR) == VENDOR]
    for n, entry in entries:
        close = entry.get("vendor") == VENDOR and entry.get("property") != "drop"
        if close:
            document.error(("customProperties", n, "property"), "unknown-key", f"`{entry.get('property')}` is no property of dropgate.", "Write `drop`.")
    if len(ours) > 1:
        document.error(("customProperties", ours[1][0]), "two-blocks", "A second `drop` block stands here.", "Keep one; its `files` may be a list.")
    if not ours:
        document.findings.append(document.finding("note", (), "matches-nothing", "The contract has no `drop` block; it matches no files.", "Add one under `customProperties` (docs/contracts.md)."))
        return None
    n, entry = ours[0]
    return (("customProperties", n, "value"), entry["value"]) if "value" in entry else None


def _identity(document: Document, path: Path) -> str | None:
    """`<id>.v<major>`, which names the contract in keys, and whether the file is named so."""
    name, version = document.data.get("id"), document.data.get("version")
    if not isinstance(name, str) or not isinstance(version, str):
        return None
    match = VERSION.fullmatch(version)
    if not ID.fullmatch(name):
        document.error(("id",), "bad-id", f"The id `{name:.90}` cannot stand in keys.", "Write letters, digits, `.`, `_` and `-`, at most 80, the first a letter or digit.")
    if not match:
        document.error(("version",), "bad-version", f"`{version:.40}` is no version.", 'Write it as "1.0.0"; the first number goes into the contract\'s name.')
    if not match or not ID.fullmatch(name):
        return None
    contract = f"{name}.v{int(match[1])}"
    if File(document.file).name not in (f"{contract}.yaml", f"{contract}.yml"):
        document.findings.append(document.finding("warning", ("id",), "file-name", f"The contract is {contract}; its file has another name.", f"Name it `{contract}.yaml`."))
    return contract


def _schema_object(document: Document, needed: bool) -> dict[str, Any] | None:
    objects = document.data.get("schema") or []
    if len(objects) > 1 and needed:
        document.error(("schema", 1), "not-built-yet", "Several schema objects in one contract are not built yet.", "Write one contract for each.")
    first = objects[0] if objects else None
    if not isinstance(first, dict) or not first.get("properties") or "name" not in first:
        if needed:
            document.error(("schema",) if objects else (), "no-properties", "The contract names no properties.", "Write a `schema` with one object and its `properties`.")
        return None
    for key in ("relationships",):
        if key in first:
            document.error(("schema", 0, key), "not-built-yet", f"`{key}` are not built yet.", "Leave them out; they would not be checked.", on_key=True)
    return first


def _checks(document: Document, one: dict[str, Any]) -> tuple[list[Property], list[Check]]:
    props: list[Property] = []
    checks = list(RECORD_CHECKS)
    for n, source_ in enumerate(one["properties"]):
        path: Path = ("schema", 0, "properties", n)
        if not isinstance(source_, dict) or "name" not in source_:
            continue
        read = properties.read(document, path, source_)
        if read:
            props.append(read[0])
            checks += read[1]
            checks += _quality(document, path, source_, read[0])
    checks += _quality(document, ("schema", 0), one, None)
    _names(document, one)
    return props, checks


def _quality(document: Document, path: Path, owner: dict[str, Any], prop: Property | None) -> list[Check]:
    entries = [((*path, "quality", n), e) for n, e in enumerate(owner.get("quality") or []) if isinstance(e, dict)]
    return [c for at, entry in entries if (c := quality.read(document, at, entry, prop))]


def _names(document: Document, one: dict[str, Any]) -> None:
    """Names that stand twice, and keys of more than one property."""
    seen: set[str] = set()
    keys = 0
    for n, prop in enumerate(one["properties"]):
        if not isinstance(prop, dict) or "name" not in prop:
            continue
        path: Path = ("schema", 0, "properties", n)
        if prop["name"] in seen:
            document.error((*path, "name"), "duplicate-property", f"The property `{prop['name']}` stands twice.", "Keep one of them.")
        seen.add(prop["name"])
        keys += bool(prop.get("primaryKey"))
        if prop.get("primaryKey") and keys == 2:
            document.error((*path, "primaryKey"), "not-built-yet", "A primary key of several properties is not built yet.", "Mark one property, or none.")


def _patterns(document: Document, path: Path, block: DropBlock) -> tuple[Finding, ...]:
    """Whether the key patterns can be read and begin with a folder; and where each stands."""
    places = []
    for n, pattern in enumerate(block.files):
        at: Path = (*path, "files", n) if (*path, "files", n) in document.marks else (*path, "files")
        places.append(document.finding("error", at, "overlap", "", ""))
        try:
            folder = catalog.literal_folder(pattern)
        except PatternInvalid as error:
            document.error(at, "bad-pattern", f"{str(error)[:1].upper()}{str(error)[1:]}.", "See the patterns in docs/contracts.md.")
            continue
        if pattern.startswith("/") or "//" in pattern:
            document.error(at, "bad-pattern", f"`{pattern}` has an empty folder name.", f"Write `{re.sub('/+', '/', pattern).lstrip('/')}`.")
        elif not folder:
            document.error(at, "no-folder", f"`{pattern}` does not begin with a folder.", f"Write the producer's folder first, as `{block.producer}/{pattern}`.")
        elif len(pattern.encode()) > 1024:
            document.error(at, "bad-pattern", "The pattern is longer than any key (1,024 bytes).", "Shorten it.")
    return tuple(places)


def _unique_ids(document: Document, checks: list[Check]) -> list[Check]:
    seen: dict[str, Check] = {}
    for check in checks:
        if check.id in seen:
            about = f" of `{check.property}`" if check.property else ""
            place = _of_property(document, check.property)
            document.error(place, "check-id-clash", f"Two checks have the id `{check.id}`{about}.", "Give one of the quality entries an `id:` of its own.")
        seen[check.id] = check
    return list(seen.values())


def _of_property(document: Document, name: str | None) -> Path:
    props = document.data["schema"][0]["properties"]
    return next((("schema", 0, "properties", n) for n, p in enumerate(props) if isinstance(p, dict) and p.get("name") == name), ("schema", 0))


def _overridden(document: Document, path: Path, block: DropBlock, checks: list[Check]) -> list[Check]:
    """The checks with the severities and tolerances of `drop.checks`; ids never change by it."""
    by_id = {c.id: c for c in checks}
    for name, wanted in block.checks.items():
        at: Path = (*path, name)
        check = by_id.get(name)
        if check is None:
            close = nearest(name, by_id)
            document.error(at, "unknown-check", f"The contract has no check `{name}`.", f"Write `{close}`." if close else "See `dropgate lint --format json` for the ids.", on_key=True)
            continue
        if check.scope == "record" and wanted.severity == "warning":
            document.error((*at, "severity"), "bad-value", f"`{name}` cannot be a warning: the line is no record.", "Write `tolerance:` if some may be lost.")
        if check.threshold and wanted.tolerance:
            document.error((*at, "tolerance"), "bad-value", f"`{name}` has a threshold of its own in its quality entry.", "Change the entry's operator.")
        by_id[name] = replace(check, severity=wanted.severity or check.severity, tolerance=wanted.tolerance or check.tolerance)
    return list(by_id.values())
