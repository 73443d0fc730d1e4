"""The cells of lines of fixed width: a plan and the text of a line in; its length, its slices, its cells out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contracts.files import encodings
from contracts.plan import Plan
from contracts.terms.fixed_width import Fixed, Slice


def layout(plan: Plan) -> Fixed:
    """Return the layout of a plan's lines, which a plan of this format has."""
    assert plan.fixed is not None, "the format is fixed width"
    return plan.fixed


def length(plan: Plan, line: str) -> int:
    """Return the length of a line, in the unit of the layout."""
    return len(_units(plan, line))


def cells(plan: Plan, line: str) -> tuple[str, ...]:
    """Return the cells of a record, in the order of the fields; of a line that is too short the last are empty."""
    fields = layout(plan).fields
    texts = slices(plan, line, [field.slice for field in fields])
    return tuple(field.cell(text) for field, text in zip(fields, texts, strict=True))


def leader(plan: Plan, line: str) -> tuple[str, ...]:
    """Return the cells of the leader: how it begins, and the agreed stretches."""
    return _of_stretches(plan, line, plan.csv.leader.begins if plan.csv.leader else "", layout(plan).leader)


def trailer(plan: Plan, line: str) -> tuple[str, ...]:
    """Return the cells of the trailer: how it begins, and the agreed stretches."""
    return _of_stretches(plan, line, plan.csv.trailer.begins if plan.csv.trailer else "", layout(plan).trailer)


def slices(plan: Plan, line: str, stretches: Iterable[Slice]) -> list[str]:
    """Return stretches of a line; half a character is U+FFFD."""
    units = _units(plan, line)
    texts = [units[stretch.start - 1 : stretch.end] for stretch in stretches]
    return [text if isinstance(text, str) else text.decode(plan.csv.encoding, "replace") for text in texts]


def written(plan: Plan, cells: Sequence[str]) -> str:
    """Return a line of cells, in the order of the fields."""
    fixed, units = layout(plan), [" "] * layout(plan).length
    for field, cell in zip(fixed.fields, cells, strict=True):
        units[field.start - 1 : field.slice.end] = field.filled(cell)
    begins = plan.csv.record
    return "".join([begins, *units[len(begins) :]])


def _of_stretches(plan: Plan, line: str, begins: str, stretches: Sequence[Slice]) -> tuple[str, ...]:
    """Return the start of a line that is as long as `begins`, and stretches without the blanks around them."""
    return line[: len(begins)], *(text.strip(" ") for text in slices(plan, line, stretches))


def _units(plan: Plan, line: str) -> str | bytes:
    """Return a line as what its positions count."""
    return line if layout(plan).unit == "characters" else line.encode(encodings.read_as(plan.csv.encoding), "replace")
