"""Publishing: contracts that lint clean in, a catalog in force and its changes out.

In the catalog zone `plans/<sha>.json`, `index/<sha>.json`, `routes/<sha>.json` (who hears of what) and
`contracts/<version>/<id>/<object>.yaml` (the documents themselves) never change once written. `current.json` names the
index and the routes in force. It is moved last, and only if nobody else moved it meanwhile: a publish that stops
halfway changes nothing. Its time only moves forward, even if older contracts are put in force, so an older pointer was
restored by somebody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from contracts import codec
from contracts.authoring import store as contract_store
from contracts.authoring.compiler.compile import Compiled
from contracts.authoring.compiler.lint import index_of
from contracts.authoring.document.finding import Finding
from contracts.catalog import AHEAD, Authority, Index, Pointer
from contracts.errors import ContractInvalid, DocumentInvalid, StaleWrite
from contracts.plan import Plan, Promoted
from contracts.problem import quoted
from contracts.terms.notices import Routes

POINTER = "current.json"


class CatalogStore(Protocol):
    """The catalog zone, by name below it."""

    def get(self, name: str) -> tuple[bytes, str] | None:
        """Return a document and its ETag; None if there is none."""
        ...

    def create(self, name: str, body: bytes) -> bool:
        """Write a new document; return False, without a write, if it exists."""
        ...

    def swap(self, name: str, body: bytes, etag: str | None) -> None:
        """Replace the document that still has `etag` (None: there is none); raise StaleWrite if it has changed."""
        ...

    def names(self, prefix: str) -> tuple[str, ...]:
        """Return the names of all documents that start so."""
        ...


@dataclass(frozen=True, slots=True)
class Publication:
    """The changes of a publish, in contract names, and the index that is now in force.

    `routes` names the document of who hears of what, which is another one if `rerouted`. `mended` describes the former
    catalog, if that could not be read.
    """

    index: str
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    mended: str | None = None
    routes: str | None = None
    rerouted: bool = False

    @property
    def moved(self) -> bool:
        """Return True if anything is in force now that was not before."""
        return bool(self.new or self.changed or self.withdrawn or self.rerouted)

    @classmethod
    def of(cls, before: Index, after: Index, name: str) -> Publication:
        """Return what has changed between two indexes; `name` is that of the second."""
        old = {e.contract: e for e in before.entries}
        new = {e.contract: e for e in after.entries}
        return cls(
            index=name,
            new=tuple(c for c in new if c not in old),
            changed=tuple(c for c in new if c in old and new[c] != old[c]),
            unchanged=tuple(c for c in new if old.get(c) == new[c]),
            withdrawn=tuple(c for c in old if c not in new),
        )


def publish(
    plans: Sequence[Plan],
    store: CatalogStore,
    now: datetime,
    documents: Mapping[str, bytes] | None = None,
    routes: Routes | None = None,
) -> Publication:
    """Put the plans and routes, and no others, in force; raise StaleWrite if somebody else published meanwhile.

    `documents` are the contracts that the plans were made from, by their names in the store; they are kept as well.
    After the API has published, nothing of its contracts is withdrawn: ContractInvalid.
    """
    in_force_then = {plan.contract for plan in plans}
    for plan in plans:
        for other in (one.contract for one in plan.references if one.contract and one.contract not in in_force_then):
            raise ContractInvalid(
                f"{plan.contract} looks for values in {other}, which would not be in force: publish both together."
            )
    index = index_of(plans)
    before = in_force_in(store)
    if before.pointer and before.pointer.authority == "api":
        _refuse_withdrawals(before.index, index)
    if left := leaving(plans, before.index, store):
        raise ContractInvalid(
            f"{contract_store.reason_to_stay(left[0])} It needs a new major version, or `promote: table`."
        )
    keep(store, documents or {})
    return move(store, before, index, plans, routes or Routes(), now)


def keep(store: CatalogStore, documents: Mapping[str, bytes]) -> None:
    """Keep published texts by their names; StaleWrite if somebody else has published one with another text."""
    for name, text in documents.items():
        if not store.create(name, text) and (there := store.get(name)) is not None and there[0] != text:
            # `refusals` ran before, so this is a concurrent publish.
            raise StaleWrite(
                f"Somebody else has just published {name} with another text: take over their changes, raise `version` "
                "in your contract above theirs, then publish again."
            )


def move(
    store: CatalogStore,
    before: InForce,
    index: Index,
    plans: Sequence[Plan],
    routes: Routes,
    now: datetime,
    authority: Authority = "repository",
) -> Publication:
    """Write new plans, an index and routes, and put them in force in place of those before; StaleWrite as `publish`."""
    for plan in plans:
        _write(store, f"plans/{plan.sha}.json", codec.canonical(plan).encode())
    name = codec.sha256(index)
    _write(store, f"index/{name}.json", codec.canonical(index).encode())
    heard = _write_routes(store, routes)
    pointer = Pointer(name, _after(before.pointer, now).isoformat(), routes=heard, authority=authority)
    store.swap(POINTER, codec.canonical(pointer).encode(), before.etag)
    rerouted = heard != (before.pointer.routes if before.pointer else None)
    return replace(Publication.of(before.index, index, name), mended=before.broken, routes=heard, rerouted=rerouted)


def _refuse_withdrawals(before: Index, after: Index) -> None:
    """Raise ContractInvalid if contracts that the API has put in force would be withdrawn."""
    kept_names = {entry.contract for entry in after.entries}
    if gone := [entry.contract for entry in before.entries if entry.contract not in kept_names]:
        raise ContractInvalid(
            f"The API has published since: {quoted(gone)} would be withdrawn. Take the texts over from `dropgate "
            "contract NAME`, or publish them by the API with `status: retired`; nothing was published."
        )


def _write_routes(store: CatalogStore, routes: Routes) -> str | None:
    """Write who hears of what; return its name, None if nobody does."""
    if routes == Routes():
        return None
    name = codec.sha256(routes)
    _write(store, f"routes/{name}.json", codec.canonical(routes).encode())
    return name


def _after(former: Pointer | None, now: datetime) -> datetime:
    """Return now in whole seconds, or one second after the former pointer if its publisher's clock was ahead."""
    at = now.replace(microsecond=0)
    try:
        ahead = former.moment() - at if former else -AHEAD
    except DocumentInvalid:
        return at
    return at + ahead + timedelta(seconds=1) if timedelta(0) <= ahead <= AHEAD else at


def unfit(plans: Sequence[Plan], environment: Mapping[str, str]) -> str | None:
    """Return why a stack, by the variables of its functions, cannot judge by some plans; None if it can."""
    asking_for = [plan.contract for plan in plans if plan.needs_expectations]
    if not asking_for or environment.get("DROPGATE_JOB_ENVIRONMENT"):
        return None
    return (
        f"{', '.join(asking_for)} asks for Great Expectations, which the stack lacks: run `make build GX=1`, then "
        "`make deploy`, or start `dropgate up` again."
    )


def refusals(contracts: Sequence[Compiled], store: CatalogStore) -> tuple[Finding, ...]:
    """Return the reasons against publishing contracts.

    They are versions with a changed text, tables that would be left, and breaking changes without a waiver.
    """
    titles = kept(store)
    wanted = contract_store.documents(contracts).keys() & {t.key for t in titles}
    there = {name: document[0] for name in wanted if (document := store.get(name))}
    left = leaving([c.plan for c in contracts if c.plan], in_force_in(store).index, store)
    return (
        *contract_store.rewritten(contracts, there, titles),
        *contract_store.leaving_tables(contracts, left, titles),
        *_breaks(contracts, left, store, titles),
    )


def _breaks(
    contracts: Sequence[Compiled], left: Sequence[Plan], store: CatalogStore, titles: Sequence[contract_store.Title]
) -> Iterator[Finding]:
    """Yield a finding for each new version that breaks those who rely on the contract in force, without a waiver.

    A version that was published before may come back as it was.
    """
    in_force_now = {entry.contract: entry.plan for entry in in_force_in(store).index.entries}
    for compiled in contracts:
        sha = in_force_now.get(compiled.plan.contract) if compiled.plan and compiled.plan not in left else None
        text = _text_of_plan(sha, store, titles) if sha and compiled.plan and sha != compiled.plan.sha else None
        if text is not None:
            yield from contract_store.breaking(compiled, text, titles)


def _text_of_plan(sha: str, store: CatalogStore, titles: Sequence[contract_store.Title]) -> bytes | None:
    """Return the document of a plan; None if it cannot be read, as one of another edition of dropgate."""
    name = f"plans/{sha}.json"
    try:
        plan = codec.loads(Plan, stored[0], name) if (stored := store.get(name)) else None
    except DocumentInvalid:
        return None
    own = contract_store.of_version(contract_store.versions_of(titles, plan), plan.version) if plan else None
    document = store.get(own.key) if own else None
    return document[0] if document else None


def leaving(plans: Sequence[Plan], index: Index, store: CatalogStore) -> list[Plan]:
    """Return the plans of contracts that were last promoted into a table and would not be any more."""
    former = {entry.contract: entry.plan for entry in index.entries}
    others = [plan for plan in plans if plan.promote != "table" and former.get(plan.contract) != plan.sha]
    titles = kept(store) if others else ()
    return [plan for plan in others if _promoted(plan, former.get(plan.contract), titles, store) == "table"]


def _promoted(
    plan: Plan, sha: str | None, titles: Sequence[contract_store.Title], store: CatalogStore
) -> Promoted | None:
    """Return what consumers get by the plan in force, `sha`, else by the latest document; None without both."""
    name = f"plans/{sha}.json"
    if sha and (stored := store.get(name)):
        try:
            return codec.loads(Plan, stored[0], name).promote
        except DocumentInvalid:
            pass  # of another edition of dropgate, or damaged: the document says it, too
    latest = contract_store.latest(titles, plan)
    document = store.get(latest.key) if latest else None
    return contract_store.promoted(plan, document[0]) if document else None


def kept(store: CatalogStore) -> tuple[contract_store.Title, ...]:
    """Return all contract documents that were ever published."""
    titles = map(contract_store.title_of_key, store.names(contract_store.FOLDER))
    return tuple(t for t in titles if t)


def text_of(store: CatalogStore, title: contract_store.Title) -> bytes:
    """Return a published document, whole; raise DocumentInvalid if it is missing or differs from its name."""
    document = store.get(title.key)
    if document is None:
        raise DocumentInvalid(f"{title.key} is not there any more; publish the contract again as it was.")
    return contract_store.verified(title, document[0])


def in_force(store: CatalogStore) -> tuple[str, ...] | None:
    """Return the contracts in force; None if nothing was ever published. Raises DocumentInvalid if unreadable."""
    current = in_force_in(store)
    if current.broken:
        raise DocumentInvalid(f"What is in force cannot be read: {current.broken}.")
    return tuple(entry.contract for entry in current.index.entries) if current.etag else None


@dataclass(frozen=True, slots=True)
class InForce:
    """The index in force, its pointer and ETag, and the reason if the pointer has no readable index."""

    index: Index = field(default_factory=Index)
    etag: str | None = None
    pointer: Pointer | None = None
    broken: str | None = None


def in_force_in(store: CatalogStore) -> InForce:
    """Return what is in force, with the reason if it cannot be read."""
    stored = store.get(POINTER)
    if stored is None:
        return InForce()
    text, etag = stored
    pointer = None
    try:
        pointer = codec.loads(Pointer, text, POINTER)
        index = store.get(f"index/{pointer.index}.json")
        if index is None:
            broken = f"{POINTER} names an index that is not there: {pointer.index}"
            return InForce(etag=etag, pointer=pointer, broken=broken)
        return InForce(codec.loads(Index, index[0], f"index/{pointer.index}.json"), etag, pointer)
    except DocumentInvalid as error:
        return InForce(etag=etag, pointer=pointer, broken=str(error))


def _write(store: CatalogStore, name: str, body: bytes) -> None:
    """Write a document that its hash names; an existing one must be equal."""
    if store.create(name, body):
        return
    there = store.get(name)
    if there is not None and there[0] != body:
        raise DocumentInvalid(
            f"{name} in the catalog does not match the hash in its name: delete it, then publish again; "
            "nothing was published."
        )
