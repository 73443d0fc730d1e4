"""Changes of the layout of lines of fixed width between two versions: two versions in, the changes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.authoring.diff import directions
from contracts.authoring.diff.change import Change, Direction, direction
from contracts.authoring.diff.contract_version import ContractVersion, was
from contracts.plan import Plan
from contracts.terms.fixed_width import Field, Fixed, Slice

Setting = tuple[str, Any, Any, Direction]
"""A key, its value before and after, and the direction of a change."""
ROWS = "the number of records"


def changes(old: ContractVersion, new: ContractVersion) -> Iterator[Change]:
    """Yield the changes of layouts; a field that comes or goes is told with its property."""
    if not (old.plan.fixed and new.plan.fixed):
        return
    for key, before, after, turn in _settings(old.plan, new.plan):
        if before != after:
            yield new.change("layout", key, was(key, before, after), new.block(*key.split(".")), turn)
    fields = {field.name: field for field in old.plan.fixed.fields}
    for field in new.plan.fixed.fields:
        if (older := fields.get(field.name, field)) != field:
            message = f"The field of `{field.name}` is {_field(field)}, and was {_field(older)}."
            yield new.change("layout", f"fixed.fields.{field.name}", message, new.block("fixed", "fields"), "both")


def _settings(old: Plan, new: Plan) -> Iterator[Setting]:
    """Yield the settings of lines as they were and are, with the direction of a change."""
    before, after = _layout(old), _layout(new)
    yield "fixed.encoding", old.csv.encoding, new.csv.encoding, "both"
    yield "values.nullValues", sorted(set(old.csv.null_values)), sorted(set(new.csv.null_values)), "both"
    mojibake = directions.of_policies(old.csv.mojibake, new.csv.mojibake)
    yield "fixed.mojibake", old.csv.mojibake, new.csv.mojibake, mojibake
    yield "fixed.unit", before.unit, after.unit, "both"
    yield "fixed.length", before.length, after.length, "both"
    turn = directions.of_malformed(old, new, "lineLength", directions.of_permissions(before.short, after.short))
    yield "fixed.shortLines", _word(before), _word(after), turn
    yield "fixed.record", old.csv.record, new.csv.record, directions.of_record_types(old, new)
    yield "fixed.leader", _leader(old), _leader(new), "both"
    yield "fixed.trailer", _trailer(old), _trailer(new), _turn_of_trailers(old, new)


def _turn_of_trailers(old: Plan, new: Plan) -> Direction:
    """Return the direction of a change of trailers: the more one says, the fewer files agree with it."""
    before, after = _figures(old), _figures(new)
    begins = {plan.csv.trailer and plan.csv.trailer.begins for plan in (old, new)}
    if len(begins) > 1 or any(before[what] != after[what] for what in before.keys() & after.keys()):
        return "both"
    return direction(tightens=bool(after.keys() - before.keys()), loosens=bool(before.keys() - after.keys()))


def _layout(plan: Plan) -> Fixed:
    assert plan.fixed is not None, "both versions are of fixed width"
    return plan.fixed


def _word(fixed: Fixed) -> str:
    return "accept" if fixed.short else "reject"


def _leader(plan: Plan) -> str:
    if not plan.csv.leader:
        return "none"
    texts = zip(_layout(plan).leader, plan.csv.leader.cells.values(), strict=True)
    return ", ".join([plan.csv.leader.begins, *(f"{text} at {stretch.words}" for stretch, text in texts)])


def _trailer(plan: Plan) -> str:
    if not plan.csv.trailer:
        return "none"
    return ", ".join([plan.csv.trailer.begins, *(f"{what} at {at.words}" for what, at in _figures(plan).items())])


def _figures(plan: Plan) -> Mapping[str, Slice]:
    """Return the stretches of a trailer's figures."""
    rule = plan.csv.trailer
    names = [*([ROWS] if rule and rule.rows else []), *(f"the sum of {name}" for name in (rule.sums if rule else ()))]
    return dict(zip(names, _layout(plan).trailer, strict=True))


def _field(field: Field) -> str:
    padding = "" if field.padding == " " else f", filled up with `{field.padding}`"
    side = "" if field.align == "any" else f", on the {field.align}"
    return f"at {field.slice.words}{side}{padding}"
