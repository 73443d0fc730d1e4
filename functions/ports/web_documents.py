"""Documents of others on the web: an address in, the bytes of a document out."""

from __future__ import annotations

from typing import Protocol


class WebDocuments(Protocol):
    """Documents at public https addresses."""

    def fetch(self, url: str, most_bytes: int) -> bytes:
        """Return a whole document; ServiceUnavailable if it does not come, or is larger."""
        ...
