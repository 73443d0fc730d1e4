"""Lines of fixed width: the rule of their fields; a slice of a line in, the cell in it out. Pure.

Positions count from 1, in characters or in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from contracts import codec

Align = Literal["left", "right", "any"]
"""The side of a field on which its value stands; `any`: on either, or in the middle."""
Measure = Literal["characters", "bytes"]
ZERO = "0"


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of a line: its first position, and its length."""

    start: int
    length: int

    @property
    def end(self) -> int:
        """The last position."""
        return self.start + self.length - 1

    @property
    def words(self) -> str:
        """The stretch for people, as layouts write it: 11-22."""
        return f"{self.start}-{self.end}" if self.length > 1 else f"{self.start}"


@dataclass(frozen=True, slots=True)
class Field:
    """The field of a property, `name`: its stretch, the character that fills it up, the side of its value."""

    name: str
    start: int
    length: int
    padding: str = field(default=" ", metadata=codec.SPARSE)
    align: Align = field(default="any", metadata=codec.SPARSE)

    @property
    def slice(self) -> Slice:
        """The stretch of a line that it is."""
        return Slice(self.start, self.length)

    @property
    def may_be_cut(self) -> bool:
        """Return True if blanks at its end are no part of its value, so that a line may end within it."""
        return self.padding == " " and self.align == "left"

    def cell(self, text: str) -> str:
        """Return the cell in a slice: without its padding; of nothing but zeros one stays, of blanks nothing."""
        if not text.strip(" "):
            return ""
        left = text.rstrip(self.padding) if self.align != "right" else text
        bare = left.lstrip(self.padding) if self.align != "left" else left
        return bare or (ZERO if self.padding == ZERO else "")

    def filled(self, cell: str) -> str:
        """Return a cell as the field holds it: an empty one is blank."""
        if not cell:
            return " " * self.length
        return cell.rjust(self.length, self.padding) if self.align == "right" else cell.ljust(self.length, self.padding)


@dataclass(frozen=True, slots=True)
class Fixed:
    """The layout of lines: fields in their order, and the length of a line in characters or in bytes.

    Positions of no field are not read. If a line may be `short`, blanks at its end may be missing, but not a part of a
    value. `leader` and `trailer` are the stretches of the cells of these lines, behind the first cell.
    """

    fields: tuple[Field, ...]
    length: int
    unit: Measure = field(default="characters", metadata=codec.SPARSE)
    short: bool = field(default=False, metadata=codec.SPARSE)
    leader: tuple[Slice, ...] = field(default=(), metadata=codec.SPARSE)
    trailer: tuple[Slice, ...] = field(default=(), metadata=codec.SPARSE)

    @property
    def names(self) -> tuple[str, ...]:
        """The properties, in the order of their fields."""
        return tuple(f.name for f in self.fields)

    @property
    def wanted(self) -> str:
        """The length of a line for people."""
        noun = self.unit if self.length > 1 else self.unit[:-1]
        return f"{self.length:,} {noun}" if not self.short else f"{self.length:,} {noun}, blanks at the end aside"

    def fits(self, length: int) -> bool:
        """Return True if a line may have a length: it does not end within a value."""
        if not self.short:
            return length == self.length
        return length <= self.length and not any(f.start <= length < f.slice.end for f in self.whole)

    @property
    def whole(self) -> tuple[Field, ...]:
        """The fields within which no line may end."""
        return tuple(f for f in self.fields if not f.may_be_cut)
