"""Documents of others on the web: an address in, the bytes of a document out."""

from __future__ import annotations

from typing import Protocol

from contracts.errors import DropgateError


class FormRefused(DropgateError):
    """The receiver of a form does not take it: it answered 400 to 499."""


class WebDocuments(Protocol):
    """Documents at public https addresses."""

    def fetch(self, url: str, most_bytes: int) -> bytes:
        """Return a whole document; ServiceUnavailable if it does not come, or is larger."""
        ...

    def submit(self, url: str, form: bytes, most_bytes: int) -> bytes:
        """Return the answer to an urlencoded form; FormRefused if its fields are refused, else like `fetch`."""
        ...
