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
    the records of all members are counted, and the line is that of its `member`.
    """

    record: int
    line: int | None = field(default=None, metadata=codec.SPARSE)
    member: str | None = field(default=None, metadata=codec.SPARSE)

    def __str__(self) -> str:
        """Return the place for people: `the header`, `record 3`, `record 3, line 5`, `record 3, b.csv:5`."""
        if not self.record:
            return "the header"
        line = "" if self.line is None else f"{self.line:,}"
        if self.member is not None:
            return f"record {self.record:,}, {self.member}" + (f":{line}" if line else "")
        return f"record {self.record:,}" + (f", line {line}" if line else "")

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Place | None:
        """Return the place of a problem or a sample of a JSON document; None if it has none."""
        return (
            None
            if document["record"] is None
            else cls(document["record"], document.get("line"), document.get("member"))
        )


HEADER = Place(0)
"""The line of column names."""
FIRST = Place(1)
"""The first record."""
