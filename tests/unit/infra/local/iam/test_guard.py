"""The guard of the embedded stack: buckets' keys in the caller's name, what was used, strangers let pass."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.iam.calls import Call
from infra.local.iam.guard import Guard, Rights
from infra.local.iam.policy_evaluator import read

KEY = "arn:aws:kms:us-east-1:123456789012:key/0a1b"
S3 = {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"], "Resource": "arn:aws:s3:::drops/*"}


def guarding(*statements: dict[str, Any]) -> Guard:
    guard = Guard()
    guard._rights["door"] = Rights("arn:aws:iam::123456789012:role/door", read(list(statements)))
    guard._keys["arn:aws:s3:::drops"] = KEY
    return guard


def use(*actions: str, **condition: Any) -> dict[str, Any]:
    more = {"Condition": condition} if condition else {}
    return {"Sid": "Key", "Effect": "Allow", "Action": list(actions), "Resource": KEY} | more


READ = Call("door", "s3:GetObject", "arn:aws:s3:::drops/a")
WRITE = Call("door", "s3:PutObject", "arn:aws:s3:::drops/a", {"s3:ObjectCreationOperation": "true"})
PART = Call("door", "s3:PutObject", "arn:aws:s3:::drops/a", {"s3:ObjectCreationOperation": "false"})


@pytest.mark.parametrize(
    ("call", "lacking"),
    [(READ, "kms:Decrypt"), (WRITE, "kms:GenerateDataKey"), (PART, "kms:Decrypt"), (PART, "kms:GenerateDataKey")],
)
def test_key_of_a_bucket_is_used_in_the_callers_name(call: Call, lacking: str) -> None:
    others = [action for action in ("kms:Decrypt", "kms:GenerateDataKey") if action != lacking]
    refused = guarding(S3, use(*others)).refused([call])

    assert refused is not None
    assert (refused.action, refused.resource) == (lacking, KEY)
    assert guarding(S3, use(*others, lacking)).refused([call]) is None


def test_writing_whole_reads_nothing() -> None:
    assert guarding(S3, use("kms:GenerateDataKey")).refused([WRITE]) is None


def test_use_of_a_key_is_noted_as_used() -> None:
    via = {"StringEquals": {"kms:ViaService": "s3.us-east-1.amazonaws.com"}}
    guard = guarding(S3, use("kms:Decrypt", **via))

    assert guard.refused([READ]) is None
    assert ("door", ("Key", "kms:Decrypt", KEY)) in guard.used


def test_stranger_passes_and_leaves_no_trace() -> None:
    guard = guarding()

    assert guard.refused([Call("somebody", "s3:GetObject", "arn:aws:s3:::drops/a")]) is None
    assert (guard.used, guard.denied) == (set(), [])


def test_refused_call_is_kept() -> None:
    guard = guarding()

    assert guard.refused([READ]) is READ
    assert guard.denied == [READ]
