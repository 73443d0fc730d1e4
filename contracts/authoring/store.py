"""The contract store: a contract to the name that it is kept under, and a name and a version to what is kept.

A document lies under `contracts/<version>/<id>/<object>.yaml`: version first, then the data product, then the table, as
people who look from outside ask for it. The `id` stands for the data product: every document has one, it is fit for a
key, and one contract alone has it; ODCS `dataProduct` is optional text that several may share and a new version change.
A version is never written twice: what a name stands for stays.
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
from contracts.authoring.diff.edition import Edition
from contracts.authoring.document import source, versions
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding
from contracts.authoring.document.heading import ID, VERSION
from contracts.authoring.document.versions import Step
from contracts.authoring.drop_block import parse
from contracts.errors import ContractInvalid, DocumentInvalid
from contracts.plan import Plan, Promoted

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
        """The contract that it is an edition of."""
        return f"{self.id}.v{versions.numbers(self.version)[0]}"

    @property
    def key(self) -> str:
        """The key of the document in the catalog zone."""
        return f"{FOLDER}{self.version}/{self.id}/{quote(self.table, safe='')}.yaml"


def titled(key: str) -> Title | None:
    """Return the title of the document under a key of the catalog zone; None if the key is not that of a document."""
    parts = key.removeprefix(FOLDER).split("/")
    if not key.startswith(FOLDER) or not key.endswith(".yaml") or len(parts) != 3 or not VERSION.fullmatch(parts[0]):
        return None
    found = Title(parts[1], parts[0], unquote(parts[2].removesuffix(".yaml")))
    return found if found.key == key else None


def title(document: Document) -> Title | None:
    """Return the title of a document; None if it lacks id, version or table."""
    data = document.data if isinstance(document.data, dict) else {}
    id_, version, table = (document.value(path) for path in (("id",), ("version",), ("schema", 0, "name")))
    if not data or not all(isinstance(v, str) for v in (id_, version, table)):
        return None
    if not VERSION.fullmatch(version) or not ID.fullmatch(id_) or not table:
        return None
    return Title(id_, versions.plain(version), table)


def titles_in(document: Document) -> list[Title]:
    """Return the titles of a document, one for each of its schema objects that has one."""
    if not isinstance(document.data, dict):
        return []
    return [found for part in schema_objects.parts(document) if (found := title(part))]


def documents(contracts: Sequence[Compiled]) -> dict[str, bytes]:
    """Return the files to keep of contracts that are put in force, by key: their unchanged text and reference files."""
    found = reference_checks.files(contracts)
    for one in contracts:
        if one.plan and one.document and (called := title(one.document)):
            found[called.key] = one.document.raw
    return found


def rewritten(contracts: Sequence[Compiled], kept: Mapping[str, bytes], titles: Sequence[Title]) -> tuple[Finding, ...]:
    """Findings on contracts whose version was published with another text, each with the version to write.

    `kept` is what lies under the keys of these contracts, `titles` is all that was ever published.
    """
    found = []
    for one in contracts:
        called = title(one.document) if one.plan and one.document else None
        if one.document and called and (text := kept.get(called.key)) is not None and text != one.document.raw:
            step = _step(text, one)
            message = (
                f"{called.id} {called.version} was published with another text; a published version stays as it is."
            )
            found.append(one.document.finding("error", ("version",), "published", message, _fix(called, step, titles)))
    return tuple(found)


def leaving(contracts: Sequence[Compiled], left: Sequence[Plan], titles: Sequence[Title]) -> tuple[Finding, ...]:
    """Findings on contracts that would leave their tables, whose plans are `left`, each with the version to write."""
    found = []
    for one in contracts:
        called = title(one.document) if one.plan in left and one.document else None
        if one.plan and called:
            side, fix = Edition.of(one), f"{_fix(called, 'major', titles)} Or write `promote: table`."
            at = side.block("promote")
            found.append(side.document.finding("error", at, "leaves-table", tabled(one.plan), fix, on_key=True))
    return tuple(found)


def tabled(plan: Plan) -> str:
    """The sentence for a plan whose contract is promoted into a table, and would not be any more."""
    files = f"files of `promote: {plan.promote}`"
    return f"{plan.contract} is promoted into a table: its rows and {files} would not take each other's place."


def promoted(plan: Plan, text: bytes) -> Promoted | None:
    """Return how a published text promotes the contract of a plan; None if the text can no longer be read."""
    drafts = (one.draft for one in compile_each(text, plan.contract))
    return next((one.promote for one in drafts if one and one.contract == plan.contract), None)


def _step(text: bytes, new: Compiled) -> Step:
    """The number of the version that the changes since a published text have to raise."""
    try:
        before = compile_each(text, new.file)
        same = (old for old in before if old.draft and new.plan and old.draft.contract == new.plan.contract)
        return compare(next(same, before[0]), new).step or "patch"
    except ContractInvalid:
        return "minor"  # published by an edition of dropgate that read it otherwise: what changed cannot be told


def _fix(called: Title, step: Step, titles: Sequence[Title]) -> str:
    """The first version that says what changed and is free."""
    wanted = versions.after(called.version, step)
    major = versions.numbers(wanted)[0]
    taken = [t.version for t in titles if t.id == called.id and (step == "major" or _major(t) == major)]
    if newer := [v for v in taken if versions.order(v) >= versions.order(wanted)]:
        wanted = versions.after(max(newer, key=versions.order), step)
    if step != "major":
        return f'Write version: "{wanted}".'
    own = f"{called.id}.v{versions.numbers(wanted)[0]}.yaml"
    return f'Write version: "{wanted}" into a file of its own, {own}; `dropgate breaking` says what breaks.'


def _major(one: Title) -> int:
    return versions.numbers(one.version)[0]


# ---- reading back


def editions(titles: Iterable[Title], name: str) -> list[Title]:
    """All that was published of an id, of a contract (`orders.v1`) or of a table (`orders/lines`); oldest first."""
    found = [t for t in titles if name in (t.id, t.contract, f"{t.id}/{t.table}")]
    return sorted(found, key=lambda t: versions.order(t.version))


def latest(titles: Iterable[Title], plan: Plan) -> Title | None:
    """The latest edition of the contract that a plan is of, which may be one of several in a document."""
    major = versions.numbers(plan.version)[0]
    return chosen([t for t in titles if plan.id in (t.id, f"{t.id}.{t.table}") and _major(t) == major])


def chosen(several: Sequence[Title], version: str = LATEST) -> Title | None:
    """The edition of a version; `latest` is the highest, one with a hyphen (`2.0.0-rc.1`) only if there is no other."""
    if version == LATEST:
        done = [t for t in several if "-" not in t.version]
        return max(done or several, key=lambda t: versions.order(t.version), default=None)
    wanted = versions.plain(version) if VERSION.fullmatch(version) else None
    return next((t for t in several if t.version == wanted), None)


def whole(called: Title, text: bytes) -> bytes:
    """A document's text as it was kept; DocumentInvalid if it is not what its name says, or lacks its `drop` block."""
    document = source.read(text, called.key)
    broken = any(f.level == "error" for f in document.findings) or called not in titles_in(document)
    if broken or not isinstance(document.data.get("customProperties"), list) or parse.find(document) is None:
        raise DocumentInvalid(f"{called.key} is not what its name says: bring back the published text, and read again.")
    return text


def of_folder(folder: File) -> dict[Title, bytes]:
    """The documents of a folder by what they are, however its files are named; all of them or ContractInvalid."""
    found: dict[Title, bytes] = {}
    for path in contract_files([folder]):
        document = source.read(path.read_bytes(), str(path))
        several = titles_in(document)
        if not several or any(f.level == "error" for f in document.findings):
            raise ContractInvalid(
                f"{path} cannot be read as a contract (`dropgate lint` gives the reason): nothing was read."
            )
        for called in several:
            if found.setdefault(called, document.raw) != document.raw:
                message = f"{path} is {called.id} {called.version}, too, with another text: nothing was read."
                raise ContractInvalid(message)
    return found
