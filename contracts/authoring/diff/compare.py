"""Two versions of a contract: the compiled contracts in, all changes between them out.

Plans are compared field by field, as contracts.authoring.diff.change_kinds defines; parts of a contract that no plan
holds are compared by the documents. A change has its place in the new file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from contracts.authoring.compiler.compile import Compiled
from contracts.authoring.diff import (
    block_changes,
    check_changes,
    layout_changes,
    property_changes,
    text_changes,
    waivers,
)
from contracts.authoring.diff.change import Change, Direction, Level, joined
from contracts.authoring.diff.contract_version import ContractVersion
from contracts.authoring.document import versions
from contracts.authoring.document.finding import Finding
from contracts.authoring.document.versions import Step
from contracts.plan import Plan


@dataclass(frozen=True, slots=True)
class Comparison:
    """A contract before and after; a version is None if there is no document on that side.

    `announced` is True if the new version is another contract (a new major version, another id): its breaks concern
    nobody who stays with the old one. `findings` are the faults of the new version. `producer` and `consumers` are
    those of the old version, whom a change may touch.
    """

    contract: str
    old: str | None
    new: str | None
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...] = ()
    announced: bool = False
    producer: str = ""
    consumers: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Return True if the version is wrong, or does not announce a change that hurts somebody."""
        return bool(self.findings) or bool(self.unwaived)

    @property
    def unwaived(self) -> tuple[Change, ...]:
        """The changes that hurt somebody without an announcement and without a waiver."""
        return () if self.announced else tuple(c for c in self.changes if c.breaks and c.waived is None)

    @property
    def direction(self) -> Direction:
        """The direction of all changes together."""
        return joined(c.direction for c in self.changes)

    def touched(self, change: Change) -> dict[str, tuple[str, ...]]:
        """Return the sides that a change breaks, each with those who are named in the contract."""
        names = {"producer": (self.producer,) if self.producer else (), "consumer": self.consumers}
        return {side: names[side] for side in names if getattr(change, side) == "breaking"}

    @property
    def step(self) -> Step | None:
        """The number of the version that the changes have to raise."""
        return versions.wanted(c.step for c in self.changes)


def compare(old: Compiled, new: Compiled) -> Comparison:
    """Everything that changed between two contracts that compile; ContractInvalid for one that does not."""
    before, after = ContractVersion.of(old), ContractVersion.of(new)
    several = [c for part in PARTS for c in part.changes(before, after)]
    several += text_changes.changes(before, after, several)
    if not old.plan:
        several = [_unbound(c) for c in several]
    several = list(waivers.waived(before, after, several))
    changes = tuple(sorted(several, key=lambda c: (not c.breaks, c.step == "patch", c.line, c.column, c.path)))
    announced = before.plan.contract != after.plan.contract
    findings = _version(before.plan, after, changes) if before.plan.id == after.plan.id else ()
    findings += () if announced else waivers.faults(after, changes)
    ends = (before.plan.version, after.plan.version)
    sides = before.plan.producer, before.plan.consumers
    return Comparison(after.plan.contract, *ends, changes, findings, announced, *sides)


def added(new: Compiled) -> Comparison:
    """A contract that was not there before."""
    side = ContractVersion.of(new)
    one = side.change("contract-added", "", "The contract is new.", ())
    return Comparison(side.plan.contract, None, side.plan.version, (one,))


def removed(old: Compiled) -> Comparison:
    """The change for a contract that no longer exists; if it was not in force, the change breaks nobody."""
    side = ContractVersion.of(old)
    one = side.change("contract-removed", "", "The contract is gone: its files match nothing.", ())
    change, sides = one if old.plan else _unbound(one), (side.plan.producer, side.plan.consumers)
    return Comparison(side.plan.contract, side.plan.version, None, (change,), (), False, *sides)


def _unbound(change: Change) -> Change:
    """A change of a contract that was not in force: nobody relied on it, so it breaks nobody."""
    calm: dict[Level, Level] = {"breaking": "compatible", "compatible": "compatible", "none": "none"}
    return replace(change, producer=calm[change.producer], consumer=calm[change.consumer])


PARTS = (block_changes, layout_changes, property_changes, check_changes)


def _version(old: Plan, new: ContractVersion, changes: tuple[Change, ...]) -> tuple[Finding, ...]:
    """Return the faults of the new version number: a step too small for the changes, or a lower version."""
    step, now = versions.wanted(c.step for c in changes), new.plan.version
    if step is None:
        if new.document.part:
            return ()  # another object of the document may have changed
        if versions.order(now) >= versions.order(old.version):
            return ()
        message = f"Version {now} comes after {old.version}, and nothing has changed."
        return (new.document.finding("error", ("version",), "version", message, f'Write version: "{old.version}".'),)
    if versions.is_raised_by(old.version, now, step):
        return ()
    number = sum(c.step == step for c in changes)
    some = f"{'1 change' if number == 1 else f'{number} changes'} since {old.version}"
    what = {
        "major": f"{some} {'breaks' if number == 1 else 'break'} producers or consumers",
        "minor": f"{some} {'has' if number == 1 else 'have'} another meaning",
        "patch": f"{some} {'is' if number == 1 else 'are'} of words alone",
    }[step]
    wanted = versions.after(old.version, step)
    fix = f'Write version: "{wanted}".'
    if step == "major":
        file = f"{new.document.id}.v{versions.numbers(wanted)[0]}.yaml"
        fix = f'Write version: "{wanted}" into a file of its own, {file}; who relies on {new.plan.contract} needs it.'
        breaking = next(c.name for c in changes if c.step == "major")
        fix += f" Or let it through with `--accept {breaking} --because REASON`."
    return (new.document.finding("error", ("version",), "version", f"{what}; `version: {now}` does not say so.", fix),)
