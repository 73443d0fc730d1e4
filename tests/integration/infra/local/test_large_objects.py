"""Objects of the emulated S3 that are larger than what it may keep in memory: the same bytes, ETags and checksums."""

from __future__ import annotations

import base64
import hashlib
import pickle
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from awscrt import checksums  # type: ignore[import-untyped]
from moto.s3.models import s3_backends

from infra.local.cloud import Cloud
from infra.local.embedded import PATHS, session
from infra.local.loopback import ACCOUNT
from infra.local.moto_patches.large_objects import LARGE

MIB = 1 << 20
PART = 8 * MIB
BODY = b"".join(n.to_bytes(4, "big") * (MIB // 4) for n in range(LARGE // MIB + 9))
"""More than is kept in memory, and another text in each MiB."""
PARTS = [BODY[n : n + PART] for n in range(0, len(BODY), PART)]
WHOLE: dict[str, tuple[Callable[[bytes], int], int]] = {
    "CRC32": (checksums.crc32, 4),
    "CRC32C": (checksums.crc32c, 4),
    "CRC64NVME": (checksums.crc64nvme, 8),
}


md5 = partial(hashlib.md5, usedforsecurity=False)


@pytest.fixture(scope="module")
def s3() -> Iterator[Any]:
    with Cloud() as cloud:
        client = session().client("s3", endpoint_url=cloud.endpoint, config=PATHS)
        client.create_bucket(Bucket="large")
        yield client


def completed(s3: Any, key: str, parts: list[bytes], **how: str) -> dict[str, Any]:
    """Upload an object in parts."""
    upload = {"Bucket": "large", "Key": key}
    upload["UploadId"] = s3.create_multipart_upload(**upload, **how)["UploadId"]
    algorithm = {"ChecksumAlgorithm": how["ChecksumAlgorithm"]} if how else {}
    made = [s3.upload_part(**upload, PartNumber=n, Body=body, **algorithm) for n, body in enumerate(parts, 1)]
    named = [{"PartNumber": n, "ETag": part["ETag"]} for n, part in enumerate(made, 1)]
    answer: dict[str, Any] = s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": named})
    return answer


def body(s3: Any, key: str, **how: str) -> bytes:
    """Read an object."""
    content: bytes = s3.get_object(Bucket="large", Key=key, **how)["Body"].read()
    return content


def test_upload_in_parts_has_the_etag_and_the_bytes_of_its_parts(s3: Any) -> None:
    of_parts = md5(b"".join(md5(p).digest() for p in PARTS)).hexdigest()

    assert completed(s3, "parts", PARTS)["ETag"] == f'"{of_parts}-{len(PARTS)}"'
    assert s3.head_object(Bucket="large", Key="parts")["ContentLength"] == len(BODY)
    assert body(s3, "parts") == BODY


@pytest.mark.parametrize(
    ("begin", "end"),
    [(0, 0), (PART - 3, PART + 3), (5, LARGE + 5), (5, LARGE + 4), (0, len(BODY) - 1), (len(BODY) - 1, len(BODY) + 99)],
)
def test_ranges_are_those_of_the_bytes(s3: Any, begin: int, end: int) -> None:
    s3.put_object(Bucket="large", Key="ranges", Body=BODY)
    answer = s3.get_object(Bucket="large", Key="ranges", Range=f"bytes={begin}-{end}")

    assert answer["Body"].read() == BODY[begin : end + 1]
    assert answer["ContentRange"] == f"bytes {begin}-{min(end, len(BODY) - 1)}/{len(BODY)}"


@pytest.mark.parametrize("algorithm", WHOLE)
def test_checksum_of_the_whole_is_that_of_its_bytes(s3: Any, algorithm: str) -> None:
    completed(s3, algorithm, PARTS, ChecksumAlgorithm=algorithm, ChecksumType="FULL_OBJECT")
    head = s3.head_object(Bucket="large", Key=algorithm, ChecksumMode="ENABLED")
    checksum, size = WHOLE[algorithm]

    assert head[f"Checksum{algorithm}"] == base64.b64encode(checksum(BODY).to_bytes(size, "big")).decode()
    assert head["ChecksumType"] == "FULL_OBJECT"


def test_checksum_of_parts_is_one_of_their_checksums(s3: Any) -> None:
    completed(s3, "composite", PARTS, ChecksumAlgorithm="SHA256", ChecksumType="COMPOSITE")
    head = s3.head_object(Bucket="large", Key="composite", ChecksumMode="ENABLED")
    of_parts = hashlib.sha256(b"".join(hashlib.sha256(p).digest() for p in PARTS)).digest()

    assert head["ChecksumSHA256"].partition("-")[0] == base64.b64encode(of_parts).decode()


def test_copies_have_the_same_bytes(s3: Any) -> None:
    s3.put_object(Bucket="large", Key="original", Body=BODY)
    s3.copy_object(Bucket="large", Key="copy", CopySource="large/original")
    upload = {"Bucket": "large", "Key": "copy in parts"}
    upload["UploadId"] = s3.create_multipart_upload(**upload)["UploadId"]
    ranges = [(0, LARGE + 1), (LARGE + 2, len(BODY) - 1)]
    made = [
        s3.upload_part_copy(**upload, PartNumber=n, CopySource="large/original", CopySourceRange=f"bytes={b}-{e}")
        for n, (b, e) in enumerate(ranges, 1)
    ]
    named = [{"PartNumber": n, "ETag": part["CopyPartResult"]["ETag"]} for n, part in enumerate(made, 1)]
    s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": named})

    assert body(s3, "copy") == body(s3, "copy in parts") == BODY
    assert s3.head_object(Bucket="large", Key="copy")["ETag"] == f'"{md5(BODY).hexdigest()}"'


def test_missing_part_and_wrong_etag_are_refused(s3: Any) -> None:
    upload = {"Bucket": "large", "Key": "wrong"}
    upload["UploadId"] = s3.create_multipart_upload(**upload)["UploadId"]
    etags = [s3.upload_part(**upload, PartNumber=n, Body=part)["ETag"] for n, part in enumerate(PARTS, 1)]
    right = [{"PartNumber": n, "ETag": etag} for n, etag in enumerate(etags, 1)]

    for wrong in ([*right, {"PartNumber": 99, "ETag": etags[0]}], [*right[:-1], right[-1] | {"ETag": '"0"'}]):
        with pytest.raises(s3.exceptions.ClientError) as refused:
            s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": wrong})
        assert refused.value.response["Error"]["Code"] == "InvalidPart"
    s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": right})
    assert body(s3, "wrong") == BODY


def test_object_that_a_folder_keeps_has_its_bytes(s3: Any) -> None:
    s3.put_object(Bucket="large", Key="kept", Body=BODY)
    stored = s3_backends[ACCOUNT]["aws"].get_object("large", "kept")

    assert bytes(memoryview(pickle.loads(pickle.dumps(stored)).value)) == BODY  # noqa: S301 (made here)


def test_memory_of_an_object_is_that_of_a_part(s3: Any) -> None:
    many = PARTS[:-1] * 5
    tracemalloc.start()
    try:
        completed(s3, "memory", many)
        s3.copy_object(Bucket="large", Key="memory too", CopySource="large/memory")
        digest = md5()
        for piece in s3.get_object(Bucket="large", Key="memory too")["Body"].iter_chunks(MIB):
            digest.update(piece)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert digest.hexdigest() == md5(b"".join(many)).hexdigest()
    assert peak < 10 * PART < len(many) * PART / 2
