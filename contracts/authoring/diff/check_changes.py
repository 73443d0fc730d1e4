"""Changes of checks between two versions: two versions in, the changes for properties that both have out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from contracts import rules
from contracts.authoring.diff import conditions, directions
from contracts.authoring.diff.change import Change, Direction
from contracts.authoring.diff.contract_version import OBJECT, ContractVersion, was
from contracts.plan import Check

FOLLOWS = rules.Required | rules.LogicalType
"""The rules that come and go with the property's flag and type, or the file's format, whose own change reports it."""


def changes(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    """All of them; those that follow from a property's own change are left to it."""
    # those of a property that both plans have, or of none: the others are left to the property's own change
    names = [{None, *(p.name for p in s.plan.properties)} for s in (old, new)]
    before, after = ({c.id: c for c in s.plan.checks if all(c.property in n for n in names)} for s in (old, new))
    if old.plan.file_format != new.plan.file_format:
        before, after = ({i: c for i, c in s.items() if c.scope != "record"} for s in (before, after))
    for check, other in _matched(before, after):
        if check and other:
            yield from _check(old, new, check, other)
        elif other and not isinstance(other.rule, FOLLOWS):
            at = new.check_path(other)
            if is_implied(other, new, old):
                message = f"`{other.id}` is new, and refuses no file that passed before: {other.expected}."
                yield new.change("rewritten", other.id, message, at)
                continue
            message = f"`{other.id}` is new: {other.expected}{_warns(other)}."
            yield new.change("check-added", other.id, message, at, _comes(old, new, other, "tightens"))
        elif check and not isinstance(check.rule, FOLLOWS):
            at = new.property_path(check.property) if check.property else OBJECT
            if is_implied(check, old, new):
                message = f"`{check.id}` is gone, and other rules refuse the same files: {check.expected}."
                yield new.change("rewritten", check.id, message, at)
                continue
            message = f"`{check.id}` is gone: {check.expected}{_warns(check)}."
            yield new.change("check-removed", check.id, message, at, _comes(old, new, check, "loosens"))


def is_implied(check: Check, version: ContractVersion, other: ContractVersion) -> bool:
    """Return True if the other version refuses all files that a check refuses; False if the check only warns."""
    return check.refuses and conditions.are_implied(conditions.of_check(check, version.plan), other.conditions)


def _comes(old: ContractVersion, new: ContractVersion, check: Check, turn: Direction) -> Direction:
    """Return the direction of a check that comes or goes; one that makes lines malformed keeps others from them."""
    if not check.refuses:
        return "none"
    return directions.of_malformed(old.plan, new.plan, check.kind, turn) if check.scope == "record" else turn


def _matched(before: dict[str, Check], after: dict[str, Check]) -> list[tuple[Check | None, Check | None]]:
    """The checks in pairs: those of one id, those that are equal except for their id, and those without a partner.

    Equal is also a check that bounds the same property on the same side, with or without the bound itself.
    """
    same = [n for n, check in before.items() if n in after and _kindred(check) == _kindred(after[n])]
    pairs: list[tuple[Check | None, Check | None]] = [(before[n], after[n]) for n in same]
    left, right = ({n: c for n, c in side.items() if n not in same} for side in (before, after))
    for name, check in list(left.items()):
        other_end = (directions.OTHER_END.get(check.kind), check.property)
        twin = next((n for n, c in right.items() if _rule(c) == _rule(check)), None)
        twin = twin or next((n for n, c in right.items() if _kindred(c) == other_end), None)
        if twin:
            pairs.append((left.pop(name), right.pop(twin)))
    return [*pairs, *((c, None) for c in left.values()), *((None, c) for c in right.values())]


def _kindred(check: Check) -> tuple[str, str | None]:
    return check.kind, check.property


def _rule(check: Check) -> str:
    return repr((*_kindred(check), check.scope, check.rule, check.filter, check.threshold))


def _warns(check: Check) -> str:
    return " (a warning)" if check.severity == "warning" else ""


def _check(old: ContractVersion, new: ContractVersion, before: Check, after: Check) -> Iterator[Change]:
    at = new.check_path(after)
    refuses = before.refuses and after.refuses
    if before.id != after.id:
        message = f"`{before.id}` is called `{after.id}` now; the history of the one does not go on in the other."
        yield new.change("check-renamed", after.id, message, at)
    if before.severity != after.severity:
        words = "rejects now; before it warned" if after.severity == "error" else "only warns now; before it rejected"
        way: Direction = "tightens" if after.refuses else "loosens" if before.refuses else "none"
        where = new.override(after) or at
        yield new.change("severity", f"{after.id}.severity", f"`{after.id}` {words}.", where, way)
    if _rule(before) != _rule(after):
        way = directions.of_rules((before, old.plan), (after, new.plan))
        kind = "rule" if way != "none" else "words"
        message = f"`{after.id}` asks for: {after.expected}. Before: {before.expected}."
        yield new.change(kind, after.id, message, at, way if refuses else "none")
    elif after.expected != before.expected and _says_it_alone(old, new, after):
        message = f"`{after.id}` asks for the same in other words: {after.expected}."
        yield new.change("words", after.id, message, at)
    if before.tolerance != after.tolerance:
        way = directions.of_tolerances((before, old.plan), (after, new.plan)) if refuses else "none"
        message = f"`{after.id}` tolerates {_tolerated(after)}, and tolerated {_tolerated(before)}."
        kind = "rewritten" if refuses and way == "none" else "tolerance"
        yield new.change(kind, f"{after.id}.tolerance", message, new.override(after) or at, way)
    elif before.quiet != after.quiet:
        message = f"`{after.id}` warns beyond {after.quiet or 'none'}, and did beyond {before.quiet or 'none'}."
        yield new.change("tolerance", f"{after.id}.tolerance", message, new.override(after) or at)
    if before.reference != after.reference:
        message = f"`{after.id}` shows other columns of a failing record."
        yield new.change("words", f"{after.id}.referenceColumns", message, at)
    if before.dimension != after.dimension:
        message = was(f"{after.id}.dimension", before.dimension, after.dimension)
        yield new.change("dimension", f"{after.id}.dimension", message, at)


def _says_it_alone(old: ContractVersion, new: ContractVersion, check: Check) -> bool:
    """Return True if no other change (labels of values, the property's type or format) explains a check's new words."""
    name = check.property
    if name is None or isinstance(check.rule, rules.Enum):
        return False
    before, after = (replace(s.plan.property_named(name), classification=None, required=False) for s in (old, new))
    return before == after


def _tolerated(check: Check) -> str:
    return f"{check.tolerance}" if check.tolerance else "what the file does"
