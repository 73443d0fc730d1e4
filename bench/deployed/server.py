"""`python -m bench.deployed.server FOLDER`: the files of a folder as the objects of one bucket, for readers of S3.

Bytes go from the page cache into the socket (`sendfile`), so that a reader is as fast as with local files. A thread
answers each connection. The server reads only: GetObject with ranges, HeadObject, ListObjectsV2, HeadBucket. It checks
no signature. The port is printed; the server ends with its standard input.
"""

from __future__ import annotations

import sys
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

from bench.deployed.listing import BUCKET, etag_of, listing


class UnsatisfiableRange(Exception):
    """A range that begins behind an object."""


def byte_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Return the first and the last byte that are asked for, or None for a whole object; raise UnsatisfiableRange.

    docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, `Range`: one range, in the form of RFC 9110, 14.1.2. A
    header of another form is ignored (14.2).
    """
    unit, _, asked = (header or "").partition("=")
    first, dash, last = asked.strip().partition("-")
    if unit.strip() != "bytes" or not dash or not (first or last) or not (first + last).isascii():
        return None
    if not (first + last).isdigit() or (first and last and int(first) > int(last)):
        return None
    start, end = (int(first), int(last or size)) if first else (max(0, size - int(last)), size)
    if start >= size:
        raise UnsatisfiableRange
    return start, min(end, size - 1)


class Objects(BaseHTTPRequestHandler):
    """One connection of a reader; `folder` has the objects."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    folder: Path

    def do_GET(self) -> None:
        """Answer GetObject and ListObjectsV2."""
        if not self._key:
            query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            self._answer(HTTPStatus.OK, listing(self.folder, query).encode())
        else:
            self._object(with_body=True)

    def do_HEAD(self) -> None:
        """Answer HeadObject and HeadBucket."""
        if self._key:
            self._object(with_body=False)
        else:
            self._answer(HTTPStatus.OK if self._bucket == BUCKET else HTTPStatus.NOT_FOUND)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""

    @property
    def _bucket(self) -> str:
        return urlsplit(self.path).path.lstrip("/").partition("/")[0]

    @property
    def _key(self) -> str:
        return unquote(urlsplit(self.path).path.lstrip("/").partition("/")[2])

    def _object(self, *, with_body: bool) -> None:
        """Answer with an object or a part of it.

        docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html: errors of HEAD have no body.
        """
        path = (self.folder / self._key).resolve()
        if self._bucket != BUCKET or not path.is_relative_to(self.folder) or not path.is_file():
            self._error(HTTPStatus.NOT_FOUND, "NoSuchKey", with_body=with_body)
            return
        with path.open("rb") as file:
            status = path.stat()
            etag = etag_of(status)
            if self.headers.get("If-Match", etag) != etag:
                self._error(HTTPStatus.PRECONDITION_FAILED, "PreconditionFailed", with_body=with_body)
                return
            try:
                part = byte_range(self.headers.get("Range"), status.st_size)
            except UnsatisfiableRange:
                self._error(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, "InvalidRange", with_body=with_body)
                return
            start, end = part or (0, status.st_size - 1)
            self.send_response(HTTPStatus.PARTIAL_CONTENT if part else HTTPStatus.OK)
            if part:
                self.send_header("Content-Range", f"bytes {start}-{end}/{status.st_size}")
            self.send_header("Content-Length", str(end - start + 1))
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("ETag", etag)
            self.send_header("Last-Modified", formatdate(status.st_mtime, usegmt=True))
            self.end_headers()
            if with_body and end >= start:
                try:
                    self.connection.sendfile(file, start, end - start + 1)
                except OSError:  # a reader that needs no more closes the connection
                    self.close_connection = True

    def _answer(self, status: HTTPStatus, body: bytes = b"", content_type: str = "application/xml") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _error(self, status: HTTPStatus, code: str, *, with_body: bool) -> None:
        """Answer with an error: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html; HEAD has no body."""
        self._answer(status, f"<Error><Code>{code}</Code></Error>".encode() if with_body else b"")


class Server(ThreadingHTTPServer):
    """A thread for each connection; many may wait."""

    daemon_threads = True
    request_queue_size = 128


def main(folder: Path) -> None:
    """Serve a folder until the standard input ends."""
    handler = type("ObjectsOfFolder", (Objects,), {"folder": folder.resolve()})
    with Server(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_port, flush=True)  # noqa: T201 (this is its answer)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
