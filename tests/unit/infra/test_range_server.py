"""The bench's range server: the requests of S3A and its answers, in the forms of Amazon's pages."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest

from bench.deployed.listing import listing
from bench.deployed.server import UnsatisfiableRange, byte_range
from bench.deployed.storage import Storage, serving

Answer = tuple[int, dict[str, str], bytes]


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    folder = tmp_path_factory.mktemp("bucket")
    (folder / "a").mkdir()
    (folder / "a" / "x é.csv").write_bytes(b"0123456789")
    (folder / "empty").write_bytes(b"")
    with serving(folder) as storage:
        yield storage


def ask(storage: Storage, method: str, path: str, **headers: str) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(storage.endpoint).netloc)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), body


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, None),
        ("bytes=0-0", (0, 0)),
        ("bytes=3-", (3, 9)),
        ("bytes=3-99", (3, 9)),
        ("bytes=-4", (6, 9)),
        ("bytes=-99", (0, 9)),
        ("bytes=5-4", None),
        ("bytes=0-1,3-4", None),
        ("lines=0-1", None),
        ("bytes=-", None),
    ],
)
def test_one_range_is_served_and_others_ignored(header: str | None, expected: tuple[int, int] | None) -> None:
    assert byte_range(header, 10) == expected


@pytest.mark.parametrize(("header", "size"), [("bytes=10-", 10), ("bytes=0-", 0), ("bytes=-0", 10)])
def test_range_behind_the_object_cannot_be_satisfied(header: str, size: int) -> None:
    with pytest.raises(UnsatisfiableRange):
        byte_range(header, size)


def test_part_of_an_object_comes_with_its_place(storage: Storage) -> None:
    status, headers, body = ask(storage, "GET", "/bench/a/x%20%C3%A9.csv", Range="bytes=2-4")

    assert (status, headers["Content-Range"], body) == (206, "bytes 2-4/10", b"234")
    assert storage.uri(storage.folder / "a" / "x é.csv") == "s3://bench/a/x%20%C3%A9.csv"


def test_head_has_the_size_and_no_body(storage: Storage) -> None:
    status, headers, body = ask(storage, "HEAD", "/bench/a/x%20%C3%A9.csv")

    assert (status, headers["Content-Length"], body) == (200, "10", b"")


def test_entity_tag_is_kept_and_compared(storage: Storage) -> None:
    tag = ask(storage, "HEAD", "/bench/empty")[1]["ETag"]

    assert ask(storage, "GET", "/bench/empty", **{"If-Match": tag})[0] == 200
    assert ask(storage, "GET", "/bench/empty", **{"If-Match": '"other"'})[0] == 412


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/bench/nothing", 404, b"NoSuchKey"),
        ("HEAD", "/bench/nothing", 404, b""),
        ("GET", "/bench/../../etc/passwd", 404, b"NoSuchKey"),
        ("GET", "/bench/%2e%2e/%2e%2e/etc/passwd", 404, b"NoSuchKey"),
        ("GET", "/other/empty", 404, b"NoSuchKey"),
        ("HEAD", "/bench", 200, b""),
    ],
)
def test_missing_objects_are_named_so(storage: Storage, method: str, path: str, status: int, code: bytes) -> None:
    got, _, body = ask(storage, method, path)

    assert got == status
    assert code in body


def test_range_that_cannot_be_satisfied_is_an_error(storage: Storage) -> None:
    status, _, body = ask(storage, "GET", "/bench/empty", Range="bytes=0-")

    assert (status, b"InvalidRange" in body) == (416, True)


def names(folder: Path, **query: str) -> tuple[list[str], list[str], str | None]:
    parameters = {name.replace("_", "-"): value for name, value in query.items()}
    answer = ET.fromstring(listing(folder, parameters))  # noqa: S314 (our own answer)
    keys = [str(key.text) for key in answer.iterfind("{*}Contents/{*}Key")]
    prefixes = [str(prefix.text) for prefix in answer.iterfind("{*}CommonPrefixes/{*}Prefix")]
    return keys, prefixes, answer.findtext("{*}NextContinuationToken")


def test_listing_rolls_up_and_goes_on_behind_its_token(tmp_path: Path) -> None:
    for name in ("a/1", "a/2", "b", "c/d/1"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")

    assert names(tmp_path) == (["a/1", "a/2", "b", "c/d/1"], [], None)
    assert names(tmp_path, delimiter="/") == (["b"], ["a/", "c/"], None)
    assert names(tmp_path, prefix="c/", delimiter="/") == ([], ["c/d/"], None)
    assert names(tmp_path, delimiter="/", max_keys="2") == (["b"], ["a/"], "b")
    assert names(tmp_path, delimiter="/", continuation_token="b") == ([], ["c/"], None)


def test_listing_encodes_keys_if_asked_to(tmp_path: Path) -> None:
    (tmp_path / "é&").write_bytes(b"")

    assert names(tmp_path)[0] == ["é&"]
    assert names(tmp_path, encoding_type="url")[0] == ["%C3%A9%26"]


def test_server_is_measured_beside_the_file(storage: Storage) -> None:
    (storage.folder / "large").write_bytes(bytes(3_000_001))

    assert all(rate > 0 for rate in storage.rates(storage.folder / "large"))
