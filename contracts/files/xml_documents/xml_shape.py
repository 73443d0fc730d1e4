"""The elements of a record as a contract types them: its properties in, a tree of them out. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from contracts.plan import LogicalType, Plan
from contracts.terms.value_form import ValueForm

TEXT = "#text"
"""The key of the text of an element that has attributes."""


@dataclass(slots=True)
class Shape:
    """The type of a value, and the form of its text; of an object the shapes of its `members`, by the names in files.

    `name` is what the contract calls it within an object. Of an array or a map `each` is the shape of each value. Only
    numbers that are doubles may have an exponent.
    """

    kind: LogicalType
    form: ValueForm | None = None
    is_double: bool = False
    members: dict[str, Shape] = field(default_factory=dict)
    each: Shape | None = None
    name: str = ""

    def within(self, key: str) -> Shape | None:
        """Return the shape under a key of an object or a map; None if the contract has none."""
        return self.each if self.kind == "map" else self.members.get(key)

    def called(self, key: str) -> str:
        """Return what the contract calls the value under a key of a file; a name of its own if it has none."""
        if self.kind != "map" and (own := self.members.get(key)):
            return own.name
        return f"./{key}" if any(key == own.name for own in self.members.values()) else key


def of_plan(plan: Plan) -> Shape:
    """Return the shape of a record."""
    record = Shape("object")
    placed: dict[tuple[str, ...], Shape] = {}
    for prop in plan.properties:
        shape = placed[prop.route] = Shape(prop.type, prop.form, prop.type == "number" and not prop.exact)
        step = prop.route[-1]
        shape.name = step.removeprefix(".") if prop.path else step
        if not prop.path:
            record.members[prop.key] = shape
        elif step in ("[]", "*"):
            placed[prop.route[:-1]].each = shape
        elif step != "~":
            placed[prop.route[:-1]].members[prop.key] = shape
    return record
