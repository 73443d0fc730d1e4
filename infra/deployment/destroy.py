"""`python -m infra.deployment.deploy down`: delete a stack by its name, with or without its data.

The resources come from CloudFormation's record of the stack and its nested stacks, which also covers a deleted stack
for 90 days (CloudFormation API, ListStackResources): so an interrupted run continues when it is run again.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError, WaiterError

from contracts.errors import DropgateError
from functions.aws.answers import asking, code
from infra.stack_admin import deployed
from infra.stack_admin.deployed import StackMissing, Thing

BUCKET, TABLE, NESTED = "AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::CloudFormation::Stack"
LOGS = "LogsBucket"
"""The bucket of infra/aws/storage.yaml that S3 itself writes into."""
POLICY, ROLE = "AWS::IAM::ManagedPolicy", "AWS::IAM::Role"
ATTACHED = {"PolicyUsers": "UserName", "PolicyGroups": "GroupName", "PolicyRoles": "RoleName"}
"""The lists of ListEntitiesForPolicy, each with the key of an entry's name."""
GONE = ("NoSuchBucket", "NoSuchEntity", "ResourceNotFoundException", "404")


class NotDeleted(DropgateError):
    """A resource could not be deleted; the text names it, the reason and the fix."""


def down(options: argparse.Namespace, session: Any, tell: Any) -> None:
    """Delete the stack. Buckets, key and ledger are kept unless they are to be deleted."""
    cloudformation = session.client("cloudformation")
    stack = _stack(cloudformation, options.stack, ended=options.with_data)
    things = list(deployed.resources(cloudformation, stack["StackId"]))
    buckets, tables = _names(things, BUCKET), _names(things, TABLE)
    logs = [thing.name for thing in things if thing.logical_id == LOGS]
    kept = ", ".join([*buckets, *(f"the table {table}" for table in tables)])
    if options.with_data and options.confirm != options.stack:
        loss = f"--with-data deletes {kept or 'all data'}, for good"
        raise NotDeleted(f"{loss}: add --confirm {options.stack} to confirm. Nothing was deleted.")
    if stack["StackStatus"] != "DELETE_COMPLETE":
        if held := attached(session.client("iam"), things):
            raise NotDeleted(f"Detach first, or CloudFormation cannot delete: {'; '.join(held)}. Nothing was deleted.")
        _delete(cloudformation, stack["StackId"], options.stack)
        failed = stack["StackStatus"].startswith("ROLLBACK_")
        tell(f"deleted the stack {options.stack}{', whose creation had failed' if failed else ''}")
    if not options.with_data:
        tell(f"kept: {kept}, the key" if kept else "kept: nothing, as there was nothing")
        return
    for nested in reversed(_names(things, NESTED)):  # those that keep data outlive the one that they are in
        _delete(cloudformation, nested, nested)
    for bucket in sorted(buckets, key=lambda name: name in logs):  # S3 writes down what is asked of the others
        tell(f"deleted the bucket {bucket}" if empty(session.client("s3"), bucket) else f"{bucket} had gone before")
    for table in tables:
        done = forget(session.client("dynamodb"), table)
        tell(f"deleted the table {table}" if done else f"the table {table} had gone before")
    tell("the key stays, until you schedule its deletion")


def attached(iam: Any, things: Sequence[Thing]) -> list[str]:
    """Return the principals outside the stack that have a policy of it, one phrase per policy."""
    own, users = set(_names(things, ROLE)), []
    for arn in _names(things, POLICY):
        with asking("iam"):
            try:
                pages = list(iam.get_paginator("list_entities_for_policy").paginate(PolicyArn=arn))
            except ClientError as error:
                if code(error) not in GONE:
                    raise
                continue
        who = [f"{kind[6:-1].lower()} {one[name]}" for p in pages for kind, name in ATTACHED.items() for one in p[kind]]
        if others := [one for one in who if one.removeprefix("role ") not in own]:
            users.append(f"{arn} is attached to {', '.join(others)}")
    return users


def empty(s3: Any, bucket: str) -> bool:
    """Delete a bucket with every version of its objects; return False if it does not exist."""
    with asking("s3"):
        try:
            for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
                versions = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
                if versions:
                    keys = [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in versions]
                    _refused(bucket, s3.delete_objects(Bucket=bucket, Delete={"Objects": keys, "Quiet": True}))
            s3.delete_bucket(Bucket=bucket)
        except ClientError as error:
            if code(error) == "BucketNotEmpty":
                why = "S3 delivers access logs for some hours more, and others may write"
                raise NotDeleted(f"{bucket} was written to while it was emptied: {why}. Run it again later.") from error
            if code(error) not in GONE:
                raise
            return False
    return True


def forget(dynamodb: Any, table: str) -> bool:
    """Delete a protected table; return False if it does not exist."""
    with asking("dynamodb"):
        try:
            dynamodb.update_table(TableName=table, DeletionProtectionEnabled=False)
            dynamodb.get_waiter("table_exists").wait(TableName=table)
            dynamodb.delete_table(TableName=table)
        except ClientError as error:
            if code(error) not in GONE:
                raise
            return False
    return True


def _stack(cloudformation: Any, name: str, *, ended: bool) -> Mapping[str, Any]:
    """Return the stack of a name; if there is none and `ended`, the one that was deleted last."""
    if described := deployed.described(cloudformation, name):
        return described
    with asking("cloudformation"):
        pages = cloudformation.get_paginator("list_stacks").paginate(StackStatusFilter=["DELETE_COMPLETE"])
        gone = [one for page in pages for one in page["StackSummaries"] if one["StackName"] == name]
    if not (ended and gone):
        raise StackMissing(f"There is no stack {name} in {cloudformation.meta.region_name}.")
    last: Mapping[str, Any] = max(gone, key=lambda one: one["CreationTime"])
    return last


def _delete(cloudformation: Any, stack: str, name: str) -> None:
    with asking("cloudformation"):
        cloudformation.delete_stack(StackName=stack)
        try:
            cloudformation.get_waiter("stack_delete_complete").wait(StackName=stack)
        except WaiterError as error:
            raise NotDeleted(
                f"CloudFormation did not delete {name}: its events have the reason. Then run it again."
            ) from error


def _refused(bucket: str, answer: Mapping[str, Any]) -> None:
    """Raise NotDeleted for refused keys: S3 answers 200 even if it refused some (Amazon S3 API, DeleteObjects)."""
    if errors := answer.get("Errors", []):
        first = errors[0]
        refusal = f"{first.get('Key')}: {first.get('Code')}, {first.get('Message')}"
        raise NotDeleted(
            f"S3 did not delete {len(errors)} objects of {bucket} ({refusal}). Correct that, then run it again."
        )


def _names(things: Sequence[Thing], kind: str) -> list[str]:
    return [thing.name for thing in things if thing.kind == kind]
