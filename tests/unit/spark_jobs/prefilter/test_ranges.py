"""Ranges of objects by their addresses: bytes as a file has them, and errors that name no address."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bench.deployed.storage import Storage, serving
from spark_jobs.prefilter.ranges import TRIES, RangeReader, Source, Unreachable

CONTENT = bytes(range(256)) * 100


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    folder = tmp_path_factory.mktemp("bucket")
    (folder / "a").write_bytes(CONTENT)
    with serving(folder) as storage:
        yield storage


@pytest.fixture
def source(storage: Storage) -> Source:
    return Source(f"{storage.endpoint}/bench/a?X-Amz-Signature=secret", len(CONTENT))


@pytest.mark.parametrize("ahead", [True, False])
def test_reader_is_a_file_of_the_object(source: Source, ahead: bool) -> None:
    file = io.BytesIO(CONTENT)

    with RangeReader(source, ahead=ahead) as reader:
        for place, whence, size in (
            (0, 0, 10),
            (0, 1, 5),
            (300, 0, 7),
            (-20, 2, 100),
            (0, 1, 1),
            (1, 0, 0),
            (9, 0, -1),
        ):
            assert reader.seek(place, whence) == file.seek(place, whence)
            assert reader.read(size) == file.read(size)
            assert reader.tell() == file.tell()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": len(CONTENT) + 1}, "another size"),
        ({"address": "/bench/missing?X-Amz-Signature=secret"}, "answered with 404"),
    ],
)
def test_other_object_than_agreed_is_an_error(
    storage: Storage, source: Source, change: dict[str, object], message: str
) -> None:
    if "address" in change:
        change = {"address": f"{storage.endpoint}{change['address']}"}

    with pytest.raises(Unreachable, match=message) as error, RangeReader(replace(source, **change)) as reader:  # type: ignore[arg-type]
        reader.read(1)

    assert "secret" not in f"{error.value!r}{source!r}"


class Breaking(BaseHTTPRequestHandler):
    """A storage that ends each connection after some bytes, or, from a place on, at once."""

    dead_from = len(CONTENT)

    def do_GET(self) -> None:
        start = int(self.headers["Range"].removeprefix("bytes=").partition("-")[0])
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(CONTENT[start : start + 5000] if start < self.dead_from else b"")

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


@pytest.mark.parametrize(("dead_from", "tries"), [(len(CONTENT), 1), (10_000, TRIES)])
def test_reader_goes_on_where_a_connection_broke(dead_from: int, tries: int) -> None:
    asked: list[str] = []
    handler = type(
        "Handler", (Breaking,), {"dead_from": dead_from, "log_request": lambda one, *_: asked.append(one.path)}
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        reader = RangeReader(Source(f"http://127.0.0.1:{server.server_port}/a?b", len(CONTENT)))
        if tries == 1:
            assert reader.read() == CONTENT
        else:
            with pytest.raises(Unreachable, match="from byte 10000 on: the connection ended"):
                reader.read()
            assert len(asked) == 1 + TRIES
        reader.close()
        server.shutdown()


def test_address_is_in_no_text(source: Source) -> None:
    assert "secret" not in repr(source)
