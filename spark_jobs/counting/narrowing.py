"""The part of a plan that Spark judges: a plan and the columns that are not sure in, a smaller plan and its bits out.

Spark takes longer to plan thousands of checks than to judge a file. A check that no open line can fail needs no plan.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contracts.plan import Plan
from spark_jobs.counting import bitmask, sums


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The `whole` plan, and the `plan` that Spark judges open lines by: of few columns, or the whole one.

    `bits` are the numbers in the whole plan of the row checks of the plan, `places` those of its sums.
    """

    whole: Plan
    plan: Plan
    bits: tuple[int, ...]
    places: Collection[int]

    @classmethod
    def of(cls, plan: Plan, names: Collection[str] | None) -> Narrowing:
        """Return the narrowing of a plan to the properties of some names; None for all."""
        if names is None or all(prop.name in names for prop in plan.properties):
            return cls(plan, plan, (), ())
        own = (c for c in plan.checks if c.property in names or (c.property is None and c.scope != "set"))
        here = tuple(prop for prop in plan.properties if prop.name in names)
        narrow = replace(plan, properties=here, checks=tuple(own))
        bits = {check.id: n for n, check in enumerate(plan.row_checks())}
        places = {key: n for n, key in enumerate(_sums(plan))}
        return cls(
            plan, narrow, tuple(bits[c.id] for c in narrow.row_checks()), tuple(places[key] for key in _sums(narrow))
        )

    @property
    def is_whole(self) -> bool:
        """Return True if Spark judges open lines by the whole plan."""
        return self.plan is self.whole

    def row(self, counts: Sequence[Any]) -> Sequence[Any]:
        """Return counts by the plan (file, mask columns, n, sums) as counts by the whole plan."""
        if self.is_whole:
            return counts
        width, whole = len(bitmask.mask_columns(self.plan)), len(bitmask.mask_columns(self.whole))
        masks, n, addends = counts[1 : 1 + width], counts[1 + width], counts[2 + width :]
        every: list[Any] = [0] * len(sums.columns(self.whole))
        for place, addend in zip(self.places, addends, strict=True):
            every[place] = addend
        if masks[0] is None:
            return [counts[0], *[None] * whole, n, *every]
        mask = bitmask.joined(masks)
        own = sum(1 << bit for n, bit in enumerate(self.bits) if mask >> n & 1)
        return [counts[0], *bitmask.split(own, whole), n, *every]

    def mask(self, column: str) -> str:
        """Return a mask column of the whole plan, in SQL, from the mask columns of the plan."""
        if self.is_whole:
            return column
        numbered = [(n, *divmod(bit, bitmask.WIDTH)) for n, bit in enumerate(self.bits)]
        own = [(divmod(n, bitmask.WIDTH), place) for n, whole, place in numbered if f"m{whole}" == column]
        return " | ".join(f"if((m{k} & {1 << at}L) != 0, {1 << to}L, 0L)" for (k, at), to in own) or "0L"


def _sums(plan: Plan) -> list[tuple[str, str]]:
    """Return what the sums of a prefiltered plan count: nulls by the names of properties, and letters."""
    return [
        (column.counted, plan.properties[column.number].name if column.counted == "null" else column.name)
        for column in sums.columns(plan)
    ]
