"""The words of `dropgate breaking` about a change, held against the fates of drawn files, without Spark.

A change that does not loosen lets no file through that the old contract refuses; one that does not tighten refuses
none that it accepts.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.authoring.compiler.compile import Compiled, compile_text
from contracts.authoring.diff.change import Direction, joined
from contracts.authoring.diff.compare import compare
from contracts.plan import Plan
from contracts.terms.key_pattern import captures
from tests.oracle import files, running
from tests.oracle.cases import MORE_FORMS
from tests.oracle.changing import changed, thinned
from tests.oracle.contracts import Contract, Document, a_contract
from tests.oracle.files import Pools
from tests.oracle.judging import judge
from tests.oracle.records import content
from tests.oracle.rewriting import REWRITES, flagged, rewritten

FORMS = {
    name: form
    for name, form in MORE_FORMS.items()
    if form["format"] != "parquet" and "compression" not in form and len(form.get("csv", {}).get("headerLacks", {})) < 2
}
"""The forms whose contracts may have two columns."""
FILES = 7
"""Files at the edge of a change; one more of each contract is of any kind."""
SHARES = (0, 0.2, 0.6)
KEYS = ("maker/things/a", "maker/more/a")
CASES = 60
TORTURE = 4_000


def compiled(document: Document) -> Compiled:
    return compile_text(json.dumps(document, ensure_ascii=False).encode(), "things.v1.yaml")


def accepts(plan: Plan | None, key: str, body: bytes) -> bool:
    """Return whether a file gets through, at admission and by its records."""
    if plan is None or not any(captures(pattern, key) is not None for pattern in plan.files):
        return False
    admission = running.look(plan, body)
    if admission.refused:
        return False
    verdict = judge(plan, content(plan, admission.header, body), admission.notes).decision.verdict
    return verdict in ("accepted", "accepted_with_warnings")


def some_files(chance: Random, sides: Sequence[Contract]) -> list[bytes]:
    """Files of either contract; most are good under both but for cells that the two judge otherwise."""
    pools = [files.pools(side) for side in sides]
    bodies = [files.a_file(chance, side, _header(chance, side), own) for side, own in zip(sides, pools, strict=True)]
    edge = {name: _at_the_edge(*(own[name] for own in pools if name in own)) for name in {**pools[0], **pools[1]}}
    for _ in range(FILES):
        side = chance.choice(sides)
        bodies.append(files.a_plain_file(chance, side, _header(chance, side), edge, chance.choice(SHARES)))
    return bodies


def _header(chance: Random, side: Contract) -> tuple[str, ...]:
    return chance.choice(files.headers(chance, side.plan))


def _at_the_edge(*both: Pools) -> Pools:
    """Cells that all contracts which have the column find good, and those that only one of them does."""
    one, other = both[0], both[-1]
    good = tuple(t for t in one.good if t in other.good) or one.good
    return Pools(good, tuple(sorted({*one.good} ^ {*other.good})) or one.bad)


@dataclass(frozen=True, slots=True)
class Fates:
    """The direction and the words of a change, and for each file whether it got through before and does after."""

    direction: Direction
    moved: frozenset[tuple[bool, bool]]
    words: str


def fates(seed: object) -> tuple[Fates, Fates]:
    """A contract, a changed one and files of both by chance: what became of the files there and back."""
    chance = Random(f"changes {seed}")
    made = a_contract(chance, chance.choice(list(FORMS.values())), most=2)
    first = thinned(chance, made.document)
    document = changed(chance, first)
    old, new = compiled(first), compiled(document)
    assert old.draft
    assert new.draft
    cells = made.cells | {p.name: ("1", "a", "") for p in new.draft.properties if p.name not in made.cells}
    bodies = some_files(chance, (Contract(first, old.draft, cells), Contract(document, new.draft, cells)))
    keys = KEYS if old.draft.files != new.draft.files else KEYS[:1]
    ways = {(accepts(old.plan, key, body), accepts(new.plan, key, body)) for body in bodies for key in keys}
    return _fates_of(old, new, ways), _fates_of(new, old, {(after, before) for before, after in ways})


def _fates_of(old: Compiled, new: Compiled, ways: set[tuple[bool, bool]]) -> Fates:
    changes = compare(old, new).changes
    words = "\n".join(f"{c.direction} {c.kind} {c.path}: {c.message}" for c in changes)
    return Fates(joined(c.direction for c in changes), frozenset(ways), words)


def hold(seed: object) -> tuple[Fates, Fates]:
    both = fates(seed)
    for one in both:
        if one.direction in ("none", "tightens"):
            assert (False, True) not in one.moved, f"seed {seed}: a file gets through that did not\n{one.words}"
        if one.direction in ("none", "loosens"):
            assert (True, False) not in one.moved, f"seed {seed}: a file is refused that was not\n{one.words}"
    return both


@given(st.integers(0, 10**9))
@settings(max_examples=CASES, deadline=None, derandomize=True)
def test_no_file_goes_another_way_than_is_said(seed: int) -> None:
    hold(seed)


def test_changes_are_of_every_direction() -> None:
    """Each direction is said of some changes, and files go that way in some."""
    counts: Counter[object] = Counter()
    for seed in range(CASES):
        for one in hold(f"survey {seed}"):
            counts[one.direction] += 1
            counts.update((one.direction, way) for way in one.moved if way[0] != way[1])
    assert min(counts[way] for way in ("none", "tightens", "loosens", "both")) > 5, counts
    assert counts["tightens", (True, False)] > 5, counts
    assert counts["loosens", (False, True)] > 5, counts


def hold_rewrite(seed: object) -> tuple[str, ...]:
    """Hold a contract against one of the same meaning: no change has a direction, and each file fares alike."""
    chance = Random(f"rewrites {seed}")
    made = a_contract(chance, chance.choice(list(FORMS.values())), most=2)
    first = flagged(chance, thinned(chance, made.document))
    document, names = rewritten(chance, first)
    old, new = compiled(first), compiled(document)
    assert old.draft
    assert new.draft
    for one, other in ((old, new), (new, old)):
        comparison = compare(one, other)
        ways = [f"{c.direction} {c.kind} {c.path}: {c.message}" for c in comparison.changes if c.step != "patch"]
        loud = [way for way in ways if "check-renamed" not in way]
        assert not loud, f"seed {seed}: {names} {loud}"
        assert not any(change.breaks for change in comparison.changes)
    bodies = some_files(chance, (Contract(first, old.draft, made.cells), Contract(document, new.draft, made.cells)))
    for body in bodies:
        assert accepts(old.draft, KEYS[0], body) == accepts(new.draft, KEYS[0], body), f"seed {seed}: {names}"
    return names


@given(st.integers(0, 10**9))
@settings(max_examples=CASES, deadline=None, derandomize=True)
def test_contract_of_the_same_meaning_has_not_changed(seed: int) -> None:
    hold_rewrite(seed)


def test_contracts_are_rewritten_in_every_way() -> None:
    counts = Counter(name for seed in range(CASES) for name in hold_rewrite(f"survey {seed}"))
    assert set(counts) == set(REWRITES), counts


@pytest.mark.torture
def test_thousands_of_rewrites_change_nothing() -> None:
    first = os.environ.get("ORACLE_SEED", "1")
    for seed in range(TORTURE):
        hold_rewrite(f"{first}-{seed}")


@pytest.mark.torture
def test_no_file_of_thousands_does() -> None:
    first = os.environ.get("ORACLE_SEED", "1")
    for seed in range(TORTURE):
        hold(f"{first}-{seed}")
