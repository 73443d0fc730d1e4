"""Contracts and an ARN in, the policies that make it a producer or a consumer out: JSON, nothing is applied.

Pure. Of each right there are two sides, one to attach to the principal and one for the bucket: in the account of the
stack the first is enough, across accounts AWS asks for both (IAM user guide, "Cross-account policy evaluation logic").
The template has the denials for everybody, such as other keys. No policy of S3 can limit the size or number
of uploads: dropgate refuses by size itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.plan import Plan
from contracts.terms.key_pattern import literal_folder

Statement = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Buckets:
    """The names of the three buckets, and the ARN of the key that encrypts them, where it is a customer key."""

    landing: str
    internal: str
    promoted: str
    key: str | None = None
    partition: str = "aws"

    def arn(self, bucket: str, below: str = "") -> str:
        """Return the ARN of a bucket, or of the objects below a prefix in it."""
        return f"arn:{self.partition}:s3:::{bucket}" + (f"/{below}*" if below else "")


@dataclass(frozen=True, slots=True)
class Access:
    """The rights of a principal: its own policy, and statements to add to the buckets' and the key's policies."""

    principal: str
    identity: tuple[Statement, ...]
    buckets: Mapping[str, tuple[Statement, ...]]
    key: tuple[Statement, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the whole as plain JSON types."""
        return {
            "principal": self.principal,
            "identityPolicy": {"Version": "2012-10-17", "Statement": list(self.identity)},
            "bucketPolicyStatements": {name: list(statements) for name, statements in self.buckets.items()},
            "keyPolicyStatements": list(self.key),
        }


def folders_of(plans: Iterable[Plan], producer: str) -> tuple[str, ...]:
    """Return the folders that a producer uploads to, each once; empty if no contract names the producer."""
    folders = {literal_folder(pattern) for plan in plans if plan.producer == producer for pattern in plan.files}
    return tuple(sorted(folders))


def for_producer(
    buckets: Buckets, producer: str, folders: Sequence[str], principal: str, *, overwrite: bool = True
) -> Access:
    """Let a producer upload to its own folders and read its own receipts, but not read or list its uploads.

    Without `overwrite` an upload must say `If-None-Match: *` (Amazon S3 user guide, "Enforce conditional writes").
    """
    if not all(folders):
        raise ValueError(f"{producer} has a pattern without a folder; nothing would bound its uploads")
    own, reports = [buckets.arn(buckets.landing, folder) for folder in folders], f"reports/{producer}/"
    put = _allow("PutOwn", ["s3:PutObject", "s3:AbortMultipartUpload"], own)
    read = _allow("ReadReports", "s3:GetObject", buckets.arn(buckets.internal, reports))
    listed = _listing("ListReports", buckets.arn(buckets.internal), reports)
    landing = [_to(principal, put, producer)]
    if not overwrite:
        guard = {"Sid": "NoOverwrite", "Effect": "Deny", "Principal": "*", "Action": "s3:PutObject", "Resource": own}
        # The parts of a multipart upload make no object yet, and cannot bring the header.
        conditions = {"Null": {"s3:if-none-match": "true"}, "Bool": {"s3:ObjectCreationOperation": "true"}}
        landing.append({**guard, "Sid": _sid(producer, guard), "Condition": conditions})
    internal = [_to(principal, each, producer) for each in (read, listed)]
    use = (
        *_use("PutWithKey", buckets, ["kms:Decrypt", "kms:GenerateDataKey"], buckets.landing),
        *_use("ReadWithKey", buckets, ["kms:Decrypt"], buckets.internal),
    )
    both = {buckets.landing: tuple(landing), buckets.internal: tuple(internal)}
    return Access(principal, (put, read, listed, *use), both, tuple(_on_key(principal, each, producer) for each in use))


def for_consumer(buckets: Buckets, principal: str, contract: str | None = None) -> Access:
    """Let a consumer read the promoted files of one contract or of all, but not older versions of files."""
    folder = f"{contract}/" if contract else ""
    bucket = buckets.arn(buckets.promoted)
    read = _allow("ReadPromoted", "s3:GetObject", buckets.arn(buckets.promoted, folder) if folder else f"{bucket}/*")
    listed = _listing("ListPromoted", bucket, folder) if folder else _allow("ListPromoted", "s3:ListBucket", bucket)
    name, use = contract or "All", _use("ReadWithKey", buckets, ["kms:Decrypt"], buckets.promoted)
    both = {buckets.promoted: tuple(_to(principal, each, f"{name} consumer") for each in (read, listed))}
    keys = tuple(_on_key(principal, each, f"{name} consumer") for each in use)
    return Access(principal, (read, listed, *use), both, keys)


def _allow(sid: str, action: str | list[str], resource: str | list[str], **condition: Any) -> Statement:
    more = {"Condition": condition} if condition else {}
    return {"Sid": sid, "Effect": "Allow", "Action": action, "Resource": resource} | more


def _listing(sid: str, bucket: str, folder: str) -> Statement:
    return _allow(sid, "s3:ListBucket", bucket, StringLike={"s3:prefix": f"{folder}*"})


def _use(sid: str, buckets: Buckets, actions: list[str], bucket: str) -> tuple[Statement, ...]:
    """Return the right to use the key through S3 for one bucket, by the ARN of the bucket key (S3 user guide)."""
    if not buckets.key:
        return ()
    via = f"s3.{buckets.key.split(':')[3]}.amazonaws.com"
    conditions = {"kms:ViaService": via, "kms:EncryptionContext:aws:s3:arn": buckets.arn(bucket)}
    return (_allow(sid, actions, buckets.key, StringEquals=conditions),)


def _to(principal: str, statement: Statement, whose: str) -> Statement:
    return {**statement, "Sid": _sid(whose, statement), "Principal": {"AWS": principal}}


def _on_key(principal: str, statement: Statement, whose: str) -> Statement:
    return _to(principal, {**statement, "Resource": "*"}, whose)  # in a key's policy the key itself


def _sid(whose: str, statement: Statement) -> str:
    """Return a unique id in a policy that several share; letters and digits only."""
    return "".join(part[:1].upper() + part[1:] for part in re.findall(r"[A-Za-z0-9]+", whose)) + str(statement["Sid"])
