"""The longest line that is read as a record, and how much is kept of a longer one: of such a line its length decides.

The job makes a dozen copies and more of a line that fails; without a limit one line could take all memory of a core.
"""

from __future__ import annotations

LONGEST = 32 << 20
"""Bytes of a line in UTF-8."""
KEPT = LONGEST + 1
"""Bytes that are kept of a longer line: it is still too long."""
WORDS = f"more than {LONGEST >> 20} MiB"
