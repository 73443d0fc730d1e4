"""Lines of JSON whose objects hold single values only: lines in, the values under each key as JSON writes them out.

Most lines of a file have the keys of an earlier one, in its order. A pattern cuts such a line into its values, several
times faster than a parser of JSON makes an object of it; any other line is left to the parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

VALUE = r'("[^"\\\x00-\x1f]*+"|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?|true|false|null)'
"""A single value; a text has no escapes."""
BLANKS = r"[ \t]*+"
MOST_PATTERNS = 4
"""The orders of keys that are tried for each line."""
WIDE = 500
"""Keys from which on no pattern is made."""


@dataclass(frozen=True, slots=True)
class _Like:
    """The lines of a piece with the same keys in the same order."""

    keys: tuple[str, ...]
    pattern: re.Pattern[str]
    rows: list[tuple[str, ...]] = field(default_factory=list)


@dataclass(slots=True)
class FlatLines:
    """The patterns of the lines so far, and the lines of a piece that one of them cut."""

    _likes: list[_Like] = field(default_factory=list)

    def take(self, line: str) -> bool:
        """Cut a line; return False if no pattern fits it."""
        for like in self._likes:
            if match := like.pattern.fullmatch(line):
                like.rows.append(match.groups())
                return True
        return False

    def learn(self, line: str, record: Mapping[str, object]) -> None:
        """Take lines like one more from now on, of which the parser made a record, if it is flat."""
        if len(self._likes) >= MOST_PATTERNS or not 0 < len(record) <= WIDE:
            return
        keys = (re.escape(json.dumps(key, ensure_ascii=False)) for key in record)
        members = f",{BLANKS}".join(f"{key}:{BLANKS}{VALUE}{BLANKS}" for key in keys)
        pattern = re.compile(rf"\{{{BLANKS}{members}\}}")
        if pattern.fullmatch(line):
            self._likes.append(_Like(tuple(record), pattern))

    @property
    def count(self) -> int:
        """The number of lines that were cut since the last time."""
        return sum(len(like.rows) for like in self._likes)

    def drain(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield the values under each key, of all lines that were cut since the last time."""
        for like in self._likes:
            yield from zip(like.keys, zip(*like.rows, strict=True), strict=False)
            like.rows.clear()
