"""The catalog zone in S3, for publishers: a name and a document in, written only if it is new or unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from contracts.errors import StaleWrite
from functions.aws.answers import asking, code
from functions.keys import CONTENT_TYPES

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CHANGED = ("PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey")
"""S3's answers to a conditional write whose condition does not hold (412, 409, and 404 for If-Match on nothing)."""


class S3Catalog:
    """The catalog zone in a bucket; `zone` is its URI. Other errors of S3 become ServiceUnavailable."""

    def __init__(self, client: S3Client, zone: str) -> None:
        self._client = client
        self._bucket, _, self._prefix = zone.removeprefix("s3://").partition("/")

    def get(self, name: str) -> tuple[bytes, str] | None:
        with asking("S3"):
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + name)
            except self._client.exceptions.NoSuchKey:
                return None
            return answer["Body"].read(), answer["ETag"]

    def create(self, name: str, body: bytes) -> bool:
        return self._put(name, body, {"IfNoneMatch": "*"})

    def swap(self, name: str, body: bytes, etag: str | None) -> None:
        if not self._put(name, body, {"IfMatch": etag} if etag else {"IfNoneMatch": "*"}):
            raise StaleWrite(
                "Somebody else has just published: take over their changes, raise the `version` of each contract that "
                "both of you changed above theirs, then publish again."
            )

    def names(self, prefix: str) -> tuple[str, ...]:
        pages = self._client.get_paginator("list_objects_v2")
        with asking("S3"):
            keys = [
                item["Key"].removeprefix(self._prefix)
                for page in pages.paginate(Bucket=self._bucket, Prefix=self._prefix + prefix)
                for item in page.get("Contents", [])
            ]
        return tuple(sorted(keys))

    def _put(self, name: str, body: bytes, condition: dict[str, Any]) -> bool:
        """Write on a condition; return False if it does not hold."""
        # For YAML by RFC 9512, for a reference file that of its format.
        media_type = CONTENT_TYPES.get(name.rpartition(".")[2], "application/octet-stream")
        media_type = "application/yaml" if name.endswith(".yaml") else media_type
        place: dict[str, Any] = {"Bucket": self._bucket, "Key": self._prefix + name, **condition}
        with asking("S3"):
            try:
                self._client.put_object(Body=body, ContentType=media_type, **place)
            except ClientError as error:
                if code(error) not in CHANGED:
                    raise
                return False
        return True
