"""Where in a file something is: one type for all that tells of records, in receipts, evidence and on screens. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A record, counted from 1 (0 is the header), and the physical line that it begins in, from 1, where it is known.

    Only formats of text have lines; blank ones count, and so do those within the quotes of earlier records.
    """

    record: int
    line: int | None = None

    def __str__(self) -> str:
        """Return the place for people: `record 3`, or `record 3 (line 5)` where lines and records differ."""
        if not self.record:
            return "the header"
        return f"record {self.record:,}" + (f" (line {self.line:,})" if self.line is not None else "")
