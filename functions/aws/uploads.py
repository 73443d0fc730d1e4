"""Presigned uploads to S3: the UploadLinks port on STS and boto3.

Each address is signed in a session of a role that may put one object: who has the address, and whoever might get hold
of the session, can write that key alone. Size and SHA-256 are signed headers, so that S3 refuses other bytes (Amazon S3
API reference, "Authenticating Requests: Using Query Parameters"; user guide, "Checking object integrity").
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from functions import keys
from functions.aws.answers import asking, code
from functions.ports.clock import Clock
from functions.ports.web.links import UploadLink

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

SECONDS = 600
"""The time for which an upload may begin; S3 looks at it when the request arrives (user guide, "Expiration time")."""
SESSION_SECONDS = 900
"""The shortest session of a role (STS API reference, "AssumeRole"); it outlives the address that it signs."""
LONGEST_POLICY = 2048
"""Characters of a session policy (STS API reference, "AssumeRole")."""
LONGEST_SESSION = 64
SPECIAL = re.compile(r"[$*?]")


class S3Uploads:
    """Addresses for uploads, each signed in a session of `role`; `signer` makes S3's client of a session's keys."""

    def __init__(self, sts: Any, signer: Callable[[Mapping[str, str]], S3Client], role: str, clock: Clock) -> None:
        self._sts = sts
        self._signer = signer
        self._role = role
        self._clock = clock

    def upload(self, uri: str, size: int, sha256: str, session: str) -> UploadLink | None:
        bucket, key = keys.split(uri)
        policy = session_policy(self._role.split(":")[1], bucket, key)
        if len(policy) > LONGEST_POLICY:
            return None
        name = f"upload-{session}"[:LONGEST_SESSION]
        now = self._clock.now()
        with asking("sts"):
            try:
                answer = self._sts.assume_role(
                    RoleArn=self._role, RoleSessionName=name, Policy=policy, DurationSeconds=SESSION_SECONDS
                )
            except ClientError as error:
                if code(error) == "PackedPolicyTooLarge":
                    return None
                raise
        checksum = base64.b64encode(bytes.fromhex(sha256)).decode()
        asked = {"Bucket": bucket, "Key": key, "ContentLength": size, "ChecksumSHA256": checksum}
        with asking("s3"):
            client = self._signer(answer["Credentials"])
            url = client.generate_presigned_url("put_object", Params=asked, ExpiresIn=SECONDS)
        headers = {"Content-Length": str(size), "x-amz-checksum-sha256": checksum}
        return UploadLink(url, headers, now + timedelta(seconds=SECONDS))


def session_policy(partition: str, bucket: str, key: str) -> str:
    """Return the policy of a session that puts one object, in ASCII, which session policies must be close to.

    A sign that would stand for others is written as a variable (IAM user guide, "IAM policy elements: Variables and
    tags", special characters). The role itself narrows the data key.
    """
    place = f"arn:{partition}:s3:::{bucket}/{SPECIAL.sub(lambda sign: f'${{{sign[0]}}}', key)}"
    statements = [
        {"Effect": "Allow", "Action": "s3:PutObject", "Resource": place},
        {"Effect": "Allow", "Action": "kms:GenerateDataKey", "Resource": "*"},
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":"))
