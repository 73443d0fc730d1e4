"""Bytes of objects read by their presigned addresses: an address and a place in, bytes out; the standard library only.

Workers have no credentials of their own here: an address is signed by the driver for one object, for a time.
"""

from __future__ import annotations

import http.client
import io
import re
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

SECONDS = 60
"""Seconds that a server may be silent."""
TRIES = 3
"""Times that a connection may bring no byte before a worker gives up."""
CLASSES = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}


class Unreachable(RuntimeError):
    """An object that this worker cannot read, while Spark perhaps can; an OSError is of its content."""


@dataclass(frozen=True, slots=True)
class Source:
    """An object: its presigned address, which no text must show, and its bytes."""

    address: str = field(repr=False)
    size: int


class RangeReader(io.RawIOBase):
    """A file of the bytes of an object; it reads on where a connection breaks. Raises Unreachable without the address.

    With `ahead` a request is for all bytes from a place on, and the connection is closed when no more are needed, as
    S3A does; otherwise it is for the bytes of one read.
    """

    def __init__(self, source: Source, *, ahead: bool = True) -> None:
        super().__init__()
        self._source = source
        self._ahead = ahead
        self._at = 0
        self._connection: http.client.HTTPConnection | None = None
        self._answer: http.client.HTTPResponse | None = None

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place; another place than that of the next byte takes another request."""
        at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._source.size}[whence]
        if at != self._at and self._ahead:
            self._leave()
        self._at = at
        return at

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, fewer at the end only."""
        left = self._source.size - self._at
        wanted = left if size < 0 else min(size, left)
        pieces, failures = [], 0
        while wanted > 0:
            try:
                piece = self._opened(wanted).read(wanted)
                reason = "the connection ended"
            except (http.client.HTTPException, OSError) as error:
                piece, reason = b"", type(error).__name__
            failures = 0 if piece else failures + 1
            if failures:
                self._leave()
                if failures == TRIES:
                    raise Unreachable(f"an object could not be read from byte {self._at} on: {reason}")
            pieces.append(piece)
            self._at += len(piece)
            wanted -= len(piece)
        if not self._ahead:
            self._answer = None  # it is read to its end; the connection serves the next request
        return b"".join(pieces)

    def close(self) -> None:
        """Close the connection."""
        self._leave()
        super().close()

    def _opened(self, wanted: int) -> http.client.HTTPResponse:
        """Return the answer with the bytes from the place on; raise Unreachable if it is another one.

        docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html: `Range`, `Content-Range`. A presigned address allows
        headers that are not signed: docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html.
        """
        if self._answer is None:
            parts = urlsplit(self._source.address)
            self._connection = self._connection or CLASSES[parts.scheme](parts.netloc, timeout=SECONDS)
            last = "" if self._ahead else self._at + wanted - 1
            headers = {"Range": f"bytes={self._at}-{last}", "Accept-Encoding": "identity"}
            self._connection.request("GET", f"{parts.path}?{parts.query}", headers=headers)
            answer = self._connection.getresponse()
            place = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", answer.headers.get("Content-Range", ""))
            if answer.status != http.client.PARTIAL_CONTENT or place is None:
                self._leave()
                raise Unreachable(f"an object could not be read: the storage answered with {answer.status}")
            if (int(place[1]), int(place[2])) != (self._at, self._source.size):
                self._leave()
                raise Unreachable("an object has another size than before")
            self._answer = answer
        return self._answer

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._answer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
