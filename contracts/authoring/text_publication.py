"""One contract published by its text, as the API does: a text in; findings, or the catalog with it in force, out.

Every other contract stays in force as it is. Nothing that the text names is read: a contract that looks for values in
another document or file needs the publish of a repository, where both are at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from contracts import codec, rules
from contracts.authoring.compiler import reference_checks
from contracts.authoring.compiler.compile import Compiled, compile_each
from contracts.authoring.compiler.lint import between_two, index_of
from contracts.authoring.document.finding import Finding
from contracts.authoring.publication import CatalogStore, InForce, Publication, in_force_in, keep, move, refusals, unfit
from contracts.authoring.store import documents
from contracts.catalog import Entry, Index
from contracts.errors import DocumentInvalid
from contracts.plan import Plan
from contracts.problem import quoted
from contracts.terms.key_pattern import literal_folder
from contracts.terms.notices import Routes


@dataclass(frozen=True, slots=True)
class TextPublication:
    """The findings on a text, and the changes of the catalog; they are None if a finding is an error."""

    findings: tuple[Finding, ...]
    publication: Publication | None


def publish_text(
    text: bytes, name: str, store: CatalogStore, now: datetime, *, has_expectations: bool, dry_run: bool
) -> TextPublication:
    """Put the contracts of a text in force, or withdraw those that it retires; `dry_run` only says what would change.

    StaleWrite if somebody else published meanwhile, DocumentInvalid if the catalog in force cannot be read.
    """
    contracts = compile_each(text, name, alone=True)
    before = in_force_in(store)
    if before.broken:
        raise DocumentInvalid(f"What is in force cannot be read: {before.broken}.")
    findings = {finding for each in contracts for finding in each.findings}
    if not any(each.failed for each in contracts):
        findings |= set(_faults(contracts, before, store, has_expectations=has_expectations))
    ordered = tuple(sorted(findings))
    if any(finding.level == "error" for finding in ordered):
        return TextPublication(ordered, None)
    plans = [each.plan for each in contracts if each.plan]
    named = _names(contracts)
    staying = [entry for entry in before.index.entries if entry.contract not in named]
    index = Index(tuple(sorted((*staying, *index_of(plans).entries), key=lambda entry: entry.contract)))
    if dry_run:
        return TextPublication(ordered, Publication.of(before.index, index, codec.sha256(index)))
    routes = _routes(contracts, before, store)
    keep(store, documents(contracts))
    return TextPublication(ordered, move(store, before, index, plans, routes, now, "api"))


def _names(contracts: Sequence[Compiled]) -> set[str]:
    return {each.draft.contract for each in contracts if each.draft}


def _faults(
    contracts: Sequence[Compiled], before: InForce, store: CatalogStore, *, has_expectations: bool
) -> Iterator[Finding]:
    """Yield the faults of a text that compiles, next to what is in force."""
    names = _names(contracts)
    if not names:
        message = "The text has no contract with a `drop` block, so it names no files."
        yield Finding(contracts[0].file, 1, 1, "error", "no-contract", message, "Add the `drop` block.")
    for each in contracts:
        if each.draft is None or each.document is None:
            continue
        if each.plan is None and str(each.document.value(("status",))).casefold() != "retired":
            message, fix = "A contract that is not in force is not published.", "Write `status: active`, or `retired`."
            yield each.document.finding("error", ("status",), "not-in-force", message, fix)
        if away := [r.name for r in each.draft.references if r.path or r.contract not in names]:
            message = f"It looks for values in {quoted(away)}, which is not in this text."
            fix = "Publish both from a repository, by `dropgate publish`."
            yield each.document.finding("error", ("schema", 0), "refers-elsewhere", message, fix, on_key=True)
            return
    yield from reference_checks.between(contracts)
    for a, b in combinations(contracts, 2):
        yield from between_two(a, b)
    near = [entry for entry in before.index.entries if entry.contract not in names and _is_near(entry, contracts)]
    for entry in near:
        other = _in_force(_plan(store, entry))
        yield from (finding for each in contracts for finding in between_two(other, each))
    yield from refusals(contracts, store)
    yield from _left_alone(contracts, before, store)
    ready = {"DROPGATE_JOB_ENVIRONMENT": "built" if has_expectations else ""}
    if why := unfit([each.plan for each in contracts if each.plan], ready):
        yield Finding(contracts[0].file, 1, 1, "error", "no-expectations", why, "Leave these checks out until then.")


def _is_near(entry: Entry, contracts: Sequence[Compiled]) -> bool:
    """Return True if a contract in force has a folder within one of the text's, or around it."""
    here = {literal_folder(pattern) for each in contracts if each.plan for pattern in each.plan.files}
    there = {literal_folder(pattern) for pattern in entry.claims}
    return any(a.startswith(b) or b.startswith(a) for a in here for b in there)


def _in_force(plan: Plan) -> Compiled:
    """Return a contract in force as one of a file of its name."""
    at = Finding(f"{plan.contract} in force", 1, 1, "error", "overlap", "", "")
    signals = 1 if plan.set and plan.set.signal else 0
    return Compiled(at.file, plan, (), (at,) * (len(plan.files) + signals))


def _left_alone(contracts: Sequence[Compiled], before: InForce, store: CatalogStore) -> Iterator[Finding]:
    """Yield a fault for a contract in force that looks for values in one that is withdrawn, or in a lost property."""
    names, present = _names(contracts), {entry.contract for entry in before.index.entries}
    changed = {each.draft.contract: each for each in contracts if each.draft and each.draft.contract in present}
    others = (entry for entry in before.index.entries if changed and entry.contract not in names)
    for plan in (_plan(store, entry) for entry in others):
        for reference in plan.references:
            each = changed.get(reference.contract or "")
            if each is None or each.document is None:
                continue
            have = {prop.name for prop in each.plan.properties} if each.plan else set()
            keys = [check.rule for check in plan.checks if isinstance(check.rule, rules.ForeignKey)]
            wanted = {name for key in keys if key.to == reference.name for name in key.columns}
            if not each.plan or not wanted <= have:
                lost = "would be withdrawn" if not each.plan else f"lacks {quoted(sorted(wanted - have))}"
                message = f"{plan.contract} looks for values in {reference.contract}, which {lost}."
                fix = "Publish that contract without the relationship first."
                yield each.document.finding("error", ("status",), "needed-elsewhere", message, fix)


def _plan(store: CatalogStore, entry: Entry) -> Plan:
    name = f"plans/{entry.plan}.json"
    stored = store.get(name)
    if stored is None:
        raise DocumentInvalid(f"{name} is named and not there.")
    return codec.loads(Plan, stored[0], name)


def _routes(contracts: Sequence[Compiled], before: InForce, store: CatalogStore) -> Routes:
    """Return who hears of what, with the routes of the text's contracts in place of theirs before."""
    sha = before.pointer.routes if before.pointer else None
    stored = store.get(f"routes/{sha}.json") if sha else None
    former = codec.loads(Routes, stored[0], f"routes/{sha}.json") if stored else Routes()
    names = _names(contracts)
    own = [
        each.routes for each in contracts if each.plan and each.routes and (each.routes.routes or each.routes.contact)
    ]
    staying = [each for each in former.contracts if each.contract not in names]
    return Routes(tuple(sorted((*staying, *own), key=lambda each: each.contract)), former.operators)
