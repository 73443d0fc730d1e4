"""Addresses that the job signs for its Python workers, against the policy of the run in the embedded cloud."""

from __future__ import annotations

import pytest

from functions.aws.emr_serverless import JobCode, run_policy
from functions.ports.jobs import Reach
from spark_jobs.prefilter.ranges import RangeReader, Source, Unreachable
from spark_jobs.spark.presigning import addresses
from tests.e2e.conftest import World


def test_address_reads_what_the_policy_of_its_run_permits(world: World) -> None:
    embedded, content = world.embedded, b"a,b\n1,2\n"
    zone = world.ports.zones.stage
    bucket = zone.removeprefix("s3://").partition("/")[0]
    uris = [f"{zone}presigned/{drop}/a%20b.csv" for drop in ("own", "other")]
    for uri in uris:
        key = uri.removeprefix(f"s3://{bucket}/").replace("%20", " ")
        embedded.client("s3").put_object(Bucket=bucket, Key=key, Body=content)
    code = JobCode("app", "arn:aws:iam::123456789012:role/job", f"s3://{bucket}/e.py", f"s3://{bucket}/d.zip")
    policy = run_policy(code, Reach((f"{zone}presigned/own/",), ()))

    with embedded.asleep(), embedded.guard.running(embedded.stack, policy):
        own, other = (Source(address, len(content)) for address in addresses(embedded.spark(), uris).values())
        with RangeReader(own) as reader:
            assert reader.read() == content
        with pytest.raises(Unreachable, match="answered with 403"), RangeReader(other) as reader:
            reader.read()
    del embedded.guard.denied[-1:]
