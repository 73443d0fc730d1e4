"""Presigned requests of S3: the Links port on a boto3 client.

A presigned request ends with the credentials that signed it, so that links are for minutes (Amazon S3 user guide,
"Download and upload objects with presigned URLs"). The client must sign by version 4, which objects under a key of KMS
need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions import keys
from functions.aws.answers import asking

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Links:
    """Links to objects in S3, signed with the rights of the caller."""

    def __init__(self, client: S3Client) -> None:
        self._s3 = client

    def download(self, uri: str, name: str, seconds: int) -> str:
        bucket, key = keys.split(uri)
        asked = {
            "Bucket": bucket,
            "Key": key,
            "ResponseContentDisposition": f'attachment; filename="{name}"',
            "ResponseContentType": keys.media_type(name),
            "ResponseCacheControl": "private, no-store",
        }
        with asking("s3"):
            return self._s3.generate_presigned_url("get_object", Params=asked, ExpiresIn=seconds)
