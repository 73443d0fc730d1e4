"""Places in a file: one type for receipts, evidence and screens. Pure.

In JSON its fields are among those of the problem or sample that has it, as in the first receipts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts import codec


@dataclass(frozen=True, slots=True)
class Place:
    """A record, counted from 1 (0 is the header), and its first physical line, from 1, if that is known.

    Only text formats have lines; blank lines count, and so do lines within quotes of earlier records. In an archive
    the records of all members are counted, and the line is that of its `member`. A document of elements or a sheet has
    no lines; `element` is the place of the record in it, as its format writes that.
    """

    record: int
    line: int | None = field(default=None, metadata=codec.SPARSE)
    member: str | None = field(default=None, metadata=codec.SPARSE)
    element: str | None = field(default=None, metadata=codec.SPARSE)

    def __str__(self) -> str:
        """Return the place for people: `the header`, `record 3`, `record 3, line 5`, `record 3, b.csv:5`."""
        if not self.record:
            return "the header"
        within = self.element or ("" if self.line is None else f"{self.line:,}")
        if self.member is not None:
            within = f"{self.member}:{within}" if within else self.member
        elif within and not self.element:
            within = f"line {within}"
        return f"record {self.record:,}" + (f", {within}" if within else "")

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Place | None:
        """Return the place of a problem or a sample of a JSON document; None if it has none."""
        return (
            None
            if document["record"] is None
            else cls(document["record"], document.get("line"), document.get("member"), document.get("element"))
        )


HEADER = Place(0)
"""The line of column names."""
FIRST = Place(1)
"""The first record."""
