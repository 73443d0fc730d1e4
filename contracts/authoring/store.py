"""The contract store: contracts in, the keys and texts to keep out; a name and a version in, the kept document out.

The key of a document is `contracts/<version>/<id>/<object>.yaml`: version first, then the data product, then the table,
in the order in which outside readers search. The `id` names the data product: every document has one, it is valid in a
key, and only one contract has it; ODCS `dataProduct` is optional text that several contracts may share and a new
version may change. A version is never written twice: the document under a key does not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from urllib.parse import quote, unquote

from contracts.authoring.compiler import reference_checks, schema_objects
from contracts.authoring.compiler.compile import Compiled, compile_each
from contracts.authoring.compiler.lint import contract_files
from contracts.authoring.diff.compare import compare
from contracts.authoring.diff.contract_version import ContractVersion
from contracts.authoring.document import source, versions
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding
from contracts.authoring.document.metadata import ID, VERSION
from contracts.authoring.document.versions import Step
from contracts.authoring.drop_block import parse
from contracts.errors import ContractInvalid, DocumentInvalid
from contracts.plan import Plan, Promoted
from contracts.problem import quoted

FOLDER = "contracts/"
LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Title:
    """The title of a published document: its id, its version in one spelling, its table."""

    id: str
    version: str
    table: str

    @property
    def contract(self) -> str:
        """The contract that it is a version of."""
        return f"{self.id}.v{versions.numbers(self.version)[0]}"

    @property
    def key(self) -> str:
        """The key of the document in the catalog zone."""
        return f"{FOLDER}{self.version}/{self.id}/{quote(self.table, safe='')}.yaml"


def title_of_key(key: str) -> Title | None:
    """Return the title of the document under a key of the catalog zone; None if the key is not that of a document."""
    parts = key.removeprefix(FOLDER).split("/")
    if not key.startswith(FOLDER) or not key.endswith(".yaml") or len(parts) != 3 or not VERSION.fullmatch(parts[0]):
        return None
    candidate = Title(parts[1], parts[0], unquote(parts[2].removesuffix(".yaml")))
    return candidate if candidate.key == key else None


def title(document: Document) -> Title | None:
    """Return the title of a document; None if it lacks id, version or table."""
    data = document.data if isinstance(document.data, dict) else {}
    version, table = (document.value(path) for path in (("version",), ("schema", 0, "name")))
    id_ = document.id if data else None
    if not (isinstance(id_, str) and isinstance(version, str) and isinstance(table, str)):
        return None
    if not VERSION.fullmatch(version) or not ID.fullmatch(id_) or not table:
        return None
    return Title(id_, versions.plain(version), table)


def titles_in(document: Document) -> list[Title]:
    """Return the titles of a document, one for each of its schema objects that has one."""
    if not isinstance(document.data, dict):
        return []
    return [of_object for part in schema_objects.parts(document) if (of_object := title(part))]


def documents(contracts: Sequence[Compiled]) -> dict[str, bytes]:
    """Return the files to keep of contracts in force, by key: their unchanged text and their reference files."""
    kept = reference_checks.files(contracts)
    for compiled in contracts:
        if compiled.plan and compiled.document and (published := title(compiled.document)):
            kept[published.key] = compiled.document.raw
    return kept


def rewritten(contracts: Sequence[Compiled], kept: Mapping[str, bytes], titles: Sequence[Title]) -> tuple[Finding, ...]:
    """Return findings on contracts whose version was published with another text, each with the version to write.

    `kept` holds the texts under the keys of these contracts, `titles` everything that was ever published.
    """
    findings = []
    for compiled in contracts:
        document = compiled.document
        own = title(document) if compiled.plan and document else None
        if document and own and (text := kept.get(own.key)) is not None and text != document.raw:
            try:
                before = compile_each(text, compiled.file)
                contract = compiled.plan and compiled.plan.contract
                same = (old for old in before if old.draft and old.draft.contract == contract)
                step: Step = compare(next(same, before[0]), compiled).step or "patch"
            except ContractInvalid:  # another edition of dropgate published it and read it otherwise
                step = "minor"
            fix = _fix(own, step, titles)
            message = f"{own.id} {own.version} was published with another text; a published version stays as it is."
            findings.append(document.finding("error", ("version",), "published", message, fix))
    return tuple(findings)


def breaking(compiled: Compiled, in_force: bytes, titles: Sequence[Title]) -> tuple[Finding, ...]:
    """Return the finding on a new version that breaks the one in force without a waiver, with the ways out."""
    document = compiled.document
    own = title(document) if compiled.plan and document else None
    if own is None or own in titles or compiled.plan is None or document is None:
        return ()
    contract = compiled.plan.contract
    try:
        before = compile_each(in_force, compiled.file)
        old = next((each for each in before if each.draft and each.draft.contract == contract), None)
        comparison = compare(old, compiled) if old else None
    except ContractInvalid:  # another edition of dropgate published it and read it otherwise
        return ()
    if comparison is None or not (changes := comparison.unwaived):
        return ()
    names = {side: names for change in changes for side, names in comparison.touched(change).items()}
    sides = " and ".join(f"{side}s" + (f" ({', '.join(own)})" if own else "") for side, own in names.items())
    message = f"{contract} {own.version} breaks {sides} of {comparison.old}: {quoted([c.name for c in changes])}."
    fix = f"{_fix(own, 'major', titles)} Or let it through: `dropgate breaking OLD NEW --accept CHANGE --because TEXT`."
    return (document.finding("error", ("version",), "breaks", message, fix),)


def leaving_tables(contracts: Sequence[Compiled], left: Sequence[Plan], titles: Sequence[Title]) -> tuple[Finding, ...]:
    """Return findings on contracts that would leave their tables, each with the version to write.

    `left` are the plans of these contracts.
    """
    findings = []
    for compiled in contracts:
        own = title(compiled.document) if compiled.plan in left and compiled.document else None
        if compiled.plan and own:
            version, fix = ContractVersion.of(compiled), f"{_fix(own, 'major', titles)} Or write `promote: table`."
            at, message = version.block("promote"), reason_to_stay(compiled.plan)
            findings.append(version.document.finding("error", at, "leaves-table", message, fix, on_key=True))
    return tuple(findings)


def reason_to_stay(plan: Plan) -> str:
    """Return the message for a plan whose contract is promoted into a table and would leave it."""
    files = f"files of `promote: {plan.promote}`"
    return f"{plan.contract} is promoted into a table: its rows and {files} would not take each other's place."


def promoted(plan: Plan, text: bytes) -> Promoted | None:
    """Return how a published text promotes the contract of a plan; None if the text can no longer be read."""
    drafts = (compiled.draft for compiled in compile_each(text, plan.contract))
    return next((draft.promote for draft in drafts if draft and draft.contract == plan.contract), None)


def _fix(own: Title, step: Step, titles: Sequence[Title]) -> str:
    """Return the fix: the first free version that is high enough for the changes."""
    wanted = versions.after(own.version, step)
    major = versions.numbers(wanted)[0]
    taken = [t.version for t in titles if t.id == own.id and (step == "major" or _major(t) == major)]
    if newer := [v for v in taken if versions.order(v) >= versions.order(wanted)]:
        wanted = versions.after(max(newer, key=versions.order), step)
    if step != "major":
        return f'Write version: "{wanted}".'
    file = f"{own.id}.v{versions.numbers(wanted)[0]}.yaml"
    return f'Write version: "{wanted}" into a file of its own, {file}; `dropgate breaking` lists what breaks.'


def _major(title: Title) -> int:
    return versions.numbers(title.version)[0]


# ---- reading back


def published_versions(titles: Iterable[Title], name: str) -> list[Title]:
    """Return the published versions of an id, a contract (`orders.v1`) or a table (`orders/lines`), oldest first."""
    matching = [t for t in titles if name in (t.id, t.contract, f"{t.id}/{t.table}")]
    return sorted(matching, key=lambda t: versions.order(t.version))


def versions_of(titles: Iterable[Title], plan: Plan) -> list[Title]:
    """Return the published versions of a plan's id, which may be one of several in a document, oldest first."""
    own = [t for t in titles if plan.id in (t.id, f"{t.id}.{t.table}")]
    return sorted(own, key=lambda t: versions.order(t.version))


def latest(titles: Iterable[Title], plan: Plan) -> Title | None:
    """Return the latest version of a plan's contract."""
    major = versions.numbers(plan.version)[0]
    return of_version([t for t in versions_of(titles, plan) if _major(t) == major])


def of_version(several: Sequence[Title], version: str = LATEST) -> Title | None:
    """Return the title of a version; `latest` is the highest, a pre-release (`2.0.0-rc.1`) only if all are."""
    if version == LATEST:
        released = [t for t in several if "-" not in t.version]
        return max(released or several, key=lambda t: versions.order(t.version), default=None)
    wanted = versions.plain(version) if VERSION.fullmatch(version) else None
    return next((t for t in several if t.version == wanted), None)


def verified(wanted: Title, text: bytes) -> bytes:
    """Return the kept text of a document; raise DocumentInvalid if it has another title, or no `drop` block."""
    document = source.read(text, wanted.key)
    broken = any(f.level == "error" for f in document.findings) or wanted not in titles_in(document)
    if broken or not isinstance(document.data.get("customProperties"), list) or parse.find(document) is None:
        raise DocumentInvalid(f"{wanted.key} is not what its name says: bring back the published text, and read again.")
    return text


def of_folder(folder: File) -> dict[Title, bytes]:
    """Return the documents of a folder by title; the names of their files do not matter.

    Raise ContractInvalid if any cannot be read.
    """
    documents_by_title: dict[Title, bytes] = {}
    for path in contract_files([folder]):
        document = source.read(path.read_bytes(), str(path))
        several = titles_in(document)
        if not several or any(f.level == "error" for f in document.findings):
            raise ContractInvalid(
                f"{path} cannot be read as a contract (`dropgate lint` gives the reason): nothing was read."
            )
        for own in several:
            if documents_by_title.setdefault(own, document.raw) != document.raw:
                message = f"{path} is also {own.id} {own.version}, with another text: nothing was read."
                raise ContractInvalid(message)
    return documents_by_title
