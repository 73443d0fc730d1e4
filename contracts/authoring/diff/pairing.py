"""Contract files before and after: two paths in, each contract held against its other version out.

Of folders, contracts are paired by id and major version. One that is gone while a higher major version of its id is
new is compared with that: so a contract breaks, and says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as File

from contracts.authoring.compiler.compile import compile_file
from contracts.authoring.compiler.lint import contract_files
from contracts.authoring.diff import waivers
from contracts.authoring.diff.compare import Comparison, added, compare, removed
from contracts.authoring.diff.contract_version import ContractVersion
from contracts.authoring.document.finding import Finding
from contracts.authoring.document.versions import after, is_raised_by, numbers


@dataclass(frozen=True, slots=True)
class Compared:
    """All contracts of two sides; `unread` are the reasons why some of them were not read.

    `aside` names the files without a `drop` block, which name no files.
    """

    contracts: tuple[Comparison, ...]
    unread: tuple[Finding, ...] = ()
    aside: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that is to be mended before the new contracts are published."""
        return (*self.unread, *(f for c in self.contracts for f in c.findings))

    @property
    def failed(self) -> bool:
        """Return True if the new contracts break somebody without announcing it, or cannot be compared."""
        return bool(self.unread) or any(c.failed for c in self.contracts)


def compare_paths(old: File, new: File) -> Compared:
    """Compare two contract files, or the contracts of folders by name; of a file and a folder, the file's contract."""
    before, after = ([one for f in contract_files([p]) for one in compile_file(f)] for p in (old, new))
    every = [*before, *after]
    unread = tuple(f for c in every if c.failed for f in c.findings if f.level == "error")
    aside = tuple(dict.fromkeys(c.file for c in every if not c.failed and c.draft is None))
    if unread:
        return Compared((), unread, aside)
    if len(every) == 2 and not old.is_dir() and not new.is_dir() and not aside:
        return Compared((compare(before[0], after[0]),))
    gone, more = ({c.draft.contract: c for c in side if c.draft} for side in (before, after))
    comparisons = [compare(gone.pop(name), more.pop(name)) for name in list(gone) if name in more]
    if len(after) > 1 or new.is_dir():
        for name, one in list(gone.items()):
            assert one.draft
            number = numbers(one.draft.version)[0]
            plans = ((called, c.draft) for called, c in more.items() if c.draft)
            later = {numbers(p.version)[0]: called for called, p in plans if p.id == one.draft.id}
            # the next major version among new contracts of the same id
            if following := [n for n in sorted(later) if n > number]:
                comparisons.append(compare(gone.pop(name), more.pop(later[following[0]])))
        comparisons += [removed(c) for c in gone.values()]
    if len(before) > 1 or old.is_dir():
        comparisons += [added(c) for c in more.values()]
    return Compared(tuple(sorted(comparisons, key=lambda c: c.contract)), (), aside)


def waived_text(comparison: Comparison, new: File, names: Sequence[str], because: str) -> bytes | str:
    """Return the text of a contract file with waivers of some changes, or the reason why there can be none."""
    for name in names:
        change = next((c for c in comparison.changes if c.name == name), None)
        if change is None or not change.breaks:
            message, fix = waivers.no_such_change(name, comparison.changes)
            return f"`{name}` breaks nobody and needs no waiver." if change else f"{message} {fix}"
    if comparison.announced:
        return f"{comparison.contract} is another contract, whose new major version announces its changes."
    old, now = str(comparison.old), str(comparison.new)
    if not is_raised_by(old, now, "minor"):
        return f'A waiver is of a version: write version: "{after(old, "minor")}" first, then accept the change.'
    compiled = next(each for each in compile_file(new) if each.draft and each.draft.contract == comparison.contract)
    version = ContractVersion.of(compiled)
    text = waivers.written(version.document, version, names, because)
    return text or f"There is no place for a waiver in {new}: write `waivers` into its block by hand."
