"""Links to objects: a URI in, an address that anybody may use for a short time out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

LARGEST_UPLOAD = 5 * 1024**3
"""Bytes of one PutObject (Amazon S3 user guide, "Uploading objects")."""
Checked = Literal["name", "head", "file"]
"""The part of an announced file that was checked: name and size; the first bytes as well; all bytes."""


@dataclass(frozen=True, slots=True)
class UploadLink:
    """An address to which one file can be uploaded by PUT with these headers, until it expires."""

    url: str
    headers: Mapping[str, str]
    expires: datetime


class Links(Protocol):
    """Signed addresses of objects."""

    def download(self, uri: str, name: str, seconds: int) -> str:
        """Return an address under which an object can be downloaded, as an attachment of this name, for so long."""
        ...


class UploadLinks(Protocol):
    """Signed addresses for uploads."""

    def upload(self, uri: str, size: int, sha256: str, session: str) -> UploadLink | None:
        """Return an address for a file of this key, size and SHA-256 (hexadecimal) alone, under a session's name.

        None if the key is too long for a policy that allows nothing else.
        """
        ...
