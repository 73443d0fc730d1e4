"""Objects in S3: the ObjectStore port on a boto3 client.

Sources: Amazon S3 API (CopyObject, DeleteObject, GetObject, HeadObject, PutObject), user guide "Conditional requests".
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from contracts.errors import (
    DestinationTaken,
    ObjectArchived,
    ObjectGone,
    ObjectReplaced,
    ObjectUnreadable,
    ServiceUnavailable,
    UploadGone,
)
from functions import keys
from functions.aws.answers import asking, code
from functions.drop import Location
from functions.ports.clock import stamp
from functions.ports.store import CopyTag, ListedVersion, ListingCursor, ListingPage, Stat, StoredVersion

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

DROP, ATTEMPT = "dropgate-drop", "dropgate-attempt"
"""The metadata that a move leaves on its target."""

# A version that is a delete marker answers 405, a key that is a folder's name may answer either.
MISSING = {"404", "NoSuchKey", "NoSuchVersion", "NotFound", "405", "MethodNotAllowed"}
FORBIDDEN = {"403", "AccessDenied", "Forbidden"}
ARCHIVED = {"InvalidObjectState", "ObjectNotInActiveTierError"}
"""The codes of S3 for an object in an archive (S3 API reference, GetObject and CopyObject)."""
REFUSED = {"412", "PreconditionFailed"}
RACING = {"409", "ConditionalRequestConflict"}
RACES = 3
PART = 1024**3
"""Bytes: 10,000 parts, which is all that S3 takes, are more than it lets an object have."""
MOST_PARTS, AT_ONCE = 16, 8
"""Parts that one call copies, and that S3 copies at once: a part takes it some seconds, a function has 40 to spare."""
# How S3 says that a key is not to be used, for good (AWS KMS API, Decrypt); what else KMS answers passes by itself.
KEY_REFUSED = {"KMS.DisabledException", "KMS.InvalidKeyUsageException", "KMS.KMSInvalidStateException"}
KEY_REFUSED |= {"KMS.NotFoundException"}
KEY_ACCOUNT = re.compile(r":kms:[\w-]+:(\d{12}):")


class S3Store:
    """Objects by URI; `accounts` are those of our own keys: a key of another account is not ours.

    A copy in parts has parts of `part` bytes (5 MiB to 5 GiB, but for the last), and one call copies `most` of them.
    """

    def __init__(
        self, client: S3Client, accounts: Collection[str] = (), part: int = PART, most: int = MOST_PARTS
    ) -> None:
        self._s3 = client
        self._accounts = accounts
        self._part = part
        self._most = most

    def head(self, at: Location) -> Stat | None:
        with asking("s3"):
            try:
                answer = self._s3.head_object(**_place(at), ChecksumMode="ENABLED")
            except ClientError as error:
                if code(error) not in MISSING:
                    raise
                self._need_bucket(at)
                return None
        marks = answer.get("Metadata", {})
        attempt = marks.get(ATTEMPT)
        return Stat(
            etag=_bare(answer["ETag"]),
            size=answer["ContentLength"],
            sha256=_hexadecimal(answer.get("ChecksumSHA256")),
            drop=marks.get(DROP),
            attempt=int(attempt) if attempt and attempt.isdecimal() else None,
        )

    def read(self, at: Location, start: int, length: int) -> bytes:
        part: dict[str, Any] = {"Range": f"bytes={start}-{start + length - 1}"}
        if at.etag:
            part["IfMatch"] = _quoted(at.etag)
        with asking("s3"):
            try:
                return self._get(at, **part)["Body"].read()  # type: ignore[no-any-return]
            except ClientError as error:
                if code(error) in REFUSED:
                    raise ObjectReplaced(at.uri) from error
                if self._is_locked(at, error):
                    raise _unreadable(at, error) from error
                if code(error) in ("416", "InvalidRange"):  # an empty object has no first byte
                    return b""
                raise

    def get(self, uri: str) -> bytes:
        with asking("s3"):
            return self._get(Location(uri))["Body"].read()  # type: ignore[no-any-return]

    def get_if_changed(self, uri: str, etag: str | None) -> tuple[bytes, str] | None:
        condition = {"IfNoneMatch": _quoted(etag)} if etag else {}
        with asking("s3"):
            try:
                answer = self._get(Location(uri), **condition)
            except ClientError as error:
                if code(error) in ("304", "NotModified"):
                    return None
                raise
            return answer["Body"].read(), _bare(answer["ETag"])

    def listed(self, folder: str, most: int) -> dict[str, str]:
        bucket, prefix = keys.split(folder)
        pages = self._s3.get_paginator("list_objects_v2").paginate(
            Bucket=bucket, Prefix=prefix, PaginationConfig={"MaxItems": most}
        )
        with asking("s3"):
            each = [item for page in pages for item in page.get("Contents", [])]
        return {f"s3://{bucket}/{item['Key']}": _bare(item["ETag"]) for item in each}

    def versions(self, folder: str, after: ListingCursor | None, most: int) -> ListingPage:
        bucket, prefix = keys.split(folder)
        begin: dict[str, Any] = {"KeyMarker": after[0], "VersionIdMarker": after[1]} if after else {}
        with asking("s3"):
            answer = self._s3.list_object_versions(Bucket=bucket, Prefix=prefix, MaxKeys=most, **begin)
        more = (answer["NextKeyMarker"], answer["NextVersionIdMarker"]) if answer.get("IsTruncated") else None
        each = answer.get("Versions", [])
        return ListingPage(
            tuple(
                ListedVersion(
                    v["Key"], v["VersionId"], _bare(v["ETag"]), v["Size"], stamp(v["LastModified"]), v["IsLatest"]
                )
                for v in each
            ),
            more,
        )

    def remaining(self, place: str) -> tuple[StoredVersion, ...]:
        bucket, key = keys.split(place)
        versions: list[StoredVersion] = []
        with asking("s3"):
            for page in self._s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=key):
                each = [_remains(bucket, version, marker=False) for version in page.get("Versions", [])]
                each += [_remains(bucket, version, marker=True) for version in page.get("DeleteMarkers", [])]
                mine = [version for version in each if key.endswith("/") or version.at.uri == place]
                versions += mine
                if len(mine) < len(each):
                    break  # a key comes before all that it begins
        return tuple(sorted(versions, key=lambda version: version.current))

    def put(self, uri: str, body: bytes, content_type: str, replaces: str | None = None) -> None:
        bucket, key = keys.split(uri)
        condition: dict[str, Any] = {"IfMatch": _quoted(replaces)} if replaces else {}
        with asking("s3"):
            try:
                self._s3.put_object(Bucket=bucket, Key=key, Body=body, **_kind(content_type), **condition)
            except ClientError as error:
                if replaces and code(error) in REFUSED | MISSING | RACING:
                    raise ObjectReplaced(uri) from error
                raise

    def copy(self, source: Location, target: str, tag: CopyTag, replaces: str | None = None) -> Stat:
        with asking("s3"):
            for race in range(RACES):
                try:
                    return self._copy(source, target, tag, replaces)
                except ClientError as error:
                    if code(error) in REFUSED | MISSING:
                        raise self._refused(source, target, replaces, missing=code(error) in MISSING) from error
                    # More than one copy may have, 5 GiB (S3 API reference, CopyObject)
                    is_too_large = code(error) == "InvalidRequest" and "copy source is larger than" in str(error)
                    if self._is_locked(source, error) or is_too_large:
                        raise _unreadable(source, error) from error
                    if code(error) not in RACING or race == RACES - 1:
                        raise
        raise AssertionError(target)

    def begin_copy(self, target: str, tag: CopyTag) -> str:
        bucket, key = keys.split(target)
        with asking("s3"):
            return self._s3.create_multipart_upload(
                Bucket=bucket, Key=key, ChecksumAlgorithm="SHA256", **_described(tag)
            )["UploadId"]

    def copy_parts(
        self, upload: str, source: Location, target: str, size: int, replaces: str | None = None
    ) -> Stat | None:
        with asking("s3"):
            bucket, key = keys.split(target)
            pages = self._s3.get_paginator("list_parts").paginate(Bucket=bucket, Key=key, UploadId=upload)
            try:  # the parts that are there, by their numbers, as their completion names them
                done = {p["PartNumber"]: _part(p["PartNumber"], p) for page in pages for p in page.get("Parts", [])}
            except ClientError as error:
                if code(error) == "NoSuchUpload":
                    raise UploadGone(target) from error
                raise
            missing = [n for n in range(1, -(-size // self._part) + 1) if n not in done]
            copy = partial(self._copy_part, upload, source, target, size)
            with ThreadPoolExecutor(AT_ONCE) as pool:  # S3 copies by itself; we wait
                done |= dict(pool.map(copy, missing[: self._most]))
            return None if missing[self._most :] else self._complete(upload, target, done, replaces)

    def abort_copy(self, upload: str, target: str) -> None:
        bucket, key = keys.split(target)
        with asking("s3"):
            try:
                self._s3.abort_multipart_upload(Bucket=bucket, Key=key, UploadId=upload)
            except ClientError as error:
                if code(error) != "NoSuchUpload":
                    raise

    def _copy_part(self, upload: str, source: Location, target: str, size: int, number: int) -> tuple[int, Any]:
        bucket, key = keys.split(target)
        begin = (number - 1) * self._part
        condition: dict[str, Any] = {"CopySourceIfMatch": _quoted(source.etag)} if source.etag else {}
        try:
            answer = self._s3.upload_part_copy(
                Bucket=bucket,
                Key=key,
                UploadId=upload,
                PartNumber=number,
                CopySource=_place(source),
                CopySourceRange=f"bytes={begin}-{min(begin + self._part, size) - 1}",
                **condition,
            )
        except ClientError as error:
            if code(error) == "NoSuchUpload":
                raise UploadGone(target) from error
            if code(error) in REFUSED:
                raise ObjectReplaced(source.uri) from error
            if code(error) in MISSING:
                raise ObjectGone(source.uri) from error
            if self._is_locked(source, error):
                raise _unreadable(source, error) from error
            raise
        return number, _part(number, answer["CopyPartResult"])

    def _complete(self, upload: str, target: str, parts: Mapping[int, Any], replaces: str | None) -> Stat:
        """Make an object of the parts, on the conditions of the target: those of the source have held for each part."""
        bucket, key = keys.split(target)
        condition: dict[str, Any] = {"IfMatch": _quoted(replaces)} if replaces else {"IfNoneMatch": "*"}
        each: Any = {"Parts": [parts[number] for number in sorted(parts)]}
        try:
            made = self._s3.complete_multipart_upload(
                Bucket=bucket, Key=key, UploadId=upload, MultipartUpload=each, **condition
            )
        except ClientError as error:
            if code(error) == "NoSuchUpload":
                raise UploadGone(target) from error
            if code(error) in REFUSED | MISSING:
                raise DestinationTaken(target) from error
            if code(error) in RACING:  # such an upload must begin again (API reference, CompleteMultipartUpload)
                self.abort_copy(upload, target)
                raise UploadGone(target) from error
            raise
        stat = self.head(Location(target))
        if stat is None or stat.etag != _bare(made["ETag"]):
            raise ServiceUnavailable(f"s3 CompleteMultipartUpload: another object is at {target} by now")
        return stat

    def delete(self, at: Location) -> None:
        with asking("s3"):
            self._s3.delete_object(**_place(at))

    def clear(self, folder: str) -> None:
        bucket, prefix = keys.split(folder)
        with asking("s3"):
            for page in self._s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
                each: list[Any] = [{"Key": item["Key"]} for item in page.get("Contents", [])]
                if not each:
                    continue
                answer = self._s3.delete_objects(Bucket=bucket, Delete={"Objects": each, "Quiet": True})
                if left := answer.get("Errors"):  # though the answer as such is 200
                    raise ServiceUnavailable(f"s3 DeleteObjects: {left[0].get('Code')}")

    def withdraw(self, at: Location) -> None:
        with asking("s3"):
            try:
                self._s3.delete_object(**_place(at), IfMatch=_quoted(at.etag or ""))
            except ClientError as error:
                if code(error) not in REFUSED | MISSING:
                    raise

    def _get(self, at: Location, **more: Any) -> Any:
        try:
            return self._s3.get_object(**_place(at), **more)
        except ClientError as error:
            if code(error) in MISSING:
                raise ObjectGone(at.uri) from error
            raise

    def _copy(self, source: Location, target: str, tag: CopyTag, replaces: str | None) -> Stat:
        bucket, key = keys.split(target)
        condition: dict[str, Any] = {"IfMatch": _quoted(replaces)} if replaces else {"IfNoneMatch": "*"}
        if source.etag:
            condition["CopySourceIfMatch"] = _quoted(source.etag)
        answer = self._s3.copy_object(
            Bucket=bucket,
            Key=key,
            CopySource=_place(source),
            MetadataDirective="REPLACE",
            TaggingDirective="REPLACE",
            ChecksumAlgorithm="SHA256",
            **_described(tag),
            **condition,
        )["CopyObjectResult"]
        sha256 = _hexadecimal(answer.get("ChecksumSHA256"))
        return Stat(_bare(answer["ETag"]), 0, sha256, tag.drop, tag.attempt)

    def _refused(
        self, source: Location, target: str, replaces: str | None, *, missing: bool
    ) -> DestinationTaken | ObjectGone | ObjectReplaced:
        """Return which condition did not hold: S3 answers 412 for either end, 404 also for If-Match on a free key."""
        if missing and not replaces:
            return ObjectGone(source.uri)
        if not missing and not source.etag:
            return DestinationTaken(target)
        stat = self.head(source)
        if stat is None:
            return ObjectGone(source.uri)
        if source.etag and stat.etag != source.etag:
            return ObjectReplaced(source.uri)
        return DestinationTaken(target)

    def _need_bucket(self, at: Location) -> None:
        """Raise ServiceUnavailable if the bucket is missing: HEAD of an object answers 404 for that as well.

        A principal that may list only below some prefixes is refused, which shows that the bucket exists (S3 API
        reference, HeadBucket).
        """
        bucket, _ = keys.split(at.uri)
        try:
            self._s3.head_bucket(Bucket=bucket)
        except ClientError as error:
            if code(error) in FORBIDDEN:
                return
            if code(error) not in MISSING:
                raise
            raise ServiceUnavailable(f"s3 HeadBucket: there is no bucket {bucket}") from error

    def _is_locked(self, at: Location, error: ClientError) -> bool:
        """Return True if the object's own storage class or key caused the refusal, not our key or our rights."""
        message = error.response.get("Error", {}).get("Message", "")
        customers_key = code(error) == "InvalidRequest" and "Server Side Encryption" in message
        if customers_key or code(error) in ARCHIVED:
            return True
        denied = code(error) == "AccessDenied" and "kms:Decrypt" in message
        if not denied and code(error) not in KEY_REFUSED:
            return False
        key = KEY_ACCOUNT.search(message) or KEY_ACCOUNT.search(self._key_of(at))
        return key is not None and bool(self._accounts) and key[1] not in self._accounts

    def _key_of(self, at: Location) -> str:
        """Return the id of an object's encryption key, which S3 gives without that key; empty if it cannot be read."""
        try:
            return self._s3.head_object(**_place(at)).get("SSEKMSKeyId", "")
        except ClientError:
            return ""


def _unreadable(at: Location, error: ClientError) -> ObjectUnreadable:
    """The error for an object that no principal of ours can read; S3 names the archived ones."""
    return (ObjectArchived if code(error) in ARCHIVED else ObjectUnreadable)(at.uri)


def _described(tag: CopyTag) -> Any:
    """Return the metadata that a move writes with the bytes."""
    return {"Metadata": {DROP: tag.drop, ATTEMPT: str(tag.attempt)}, **_kind(tag.kind)}


def _kind(media_type: str) -> Any:
    """Return the headers for a browser: the media type, and to save the object instead of showing it as a page."""
    return {"ContentType": media_type, "ContentDisposition": "attachment"}


def _part(number: int, answer: Any) -> Any:
    checksum = {"ChecksumSHA256": answer["ChecksumSHA256"]} if "ChecksumSHA256" in answer else {}
    return {"PartNumber": number, "ETag": answer["ETag"], **checksum}


def _remains(bucket: str, version: Any, *, marker: bool) -> StoredVersion:
    return StoredVersion(Location(f"s3://{bucket}/{version['Key']}", version["VersionId"]), version["IsLatest"], marker)


def _place(at: Location) -> Any:
    bucket, key = keys.split(at.uri)
    return {"Bucket": bucket, "Key": key} | ({"VersionId": at.version} if at.version else {})


def _quoted(etag: str) -> str:
    return f'"{etag}"'


def _bare(etag: str) -> str:
    return etag.strip('"')


def _hexadecimal(checksum: str | None) -> str | None:
    """A checksum of the whole object; that of a multipart upload (`...-N`) is one of its parts' checksums."""
    return base64.b64decode(checksum).hex() if checksum and "-" not in checksum else None
