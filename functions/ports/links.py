"""Links to objects: a URI in, an address that anybody may use for a short time out."""

from __future__ import annotations

from typing import Protocol


class Links(Protocol):
    """Signed addresses of objects."""

    def download(self, uri: str, name: str, seconds: int) -> str:
        """Return an address under which an object can be downloaded, as an attachment of this name, for so long."""
        ...
