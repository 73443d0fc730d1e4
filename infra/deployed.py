"""A deployed stack by name: what CloudFormation says of it in, its functions' variables and its queues out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from contracts.errors import DropgateError
from functions.aws.answers import asking, code


class StackMissing(DropgateError):
    """There is no stack of that name, or it is none of ours; the text says which, and where it was looked for."""


def environment(cloudformation: Any, stack: str) -> dict[str, str]:
    """The variables DROPGATE_* of a stack, from its outputs and parameters; raises StackMissing."""
    with asking("cloudformation"):
        try:
            (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
        except ClientError as error:
            if code(error) != "ValidationError":
                raise
            raise StackMissing(f"There is no stack {stack} in {cloudformation.meta.region_name}.") from error
    outputs = {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}
    parameters = {one["ParameterKey"]: one["ParameterValue"] for one in found.get("Parameters", [])}
    try:
        return variables(outputs, parameters)
    except KeyError as missing:
        said = f"{stack} is no stack of dropgate, or of an older version: it has no {missing.args[0]}"
        raise StackMissing(f"{said} among its outputs and parameters.") from None


def queues(cloudformation: Any, stack: str) -> dict[str, str]:
    """The URLs of the queues of a stack, and of the stacks within it, by logical id."""
    found: dict[str, str] = {}
    with asking("cloudformation"):
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
        for one in (one for page in pages for one in page["StackResourceSummaries"]):
            name = one.get("PhysicalResourceId")  # none of what is not made yet
            if name and one["ResourceType"] == "AWS::SQS::Queue":
                found[one["LogicalResourceId"]] = name
            elif name and one["ResourceType"] == "AWS::CloudFormation::Stack":
                found |= queues(cloudformation, name)
    return found


def variables(outputs: Mapping[str, str], parameters: Mapping[str, str]) -> dict[str, str]:
    """What the template gives the functions; KeyError where an output or a parameter is missing."""
    internal = f"s3://{outputs['InternalBucket']}"
    zones = ("stage", "held", "evidence", "reports", "catalog", "jobs")
    return {
        "DROPGATE_LANDING": f"s3://{outputs['LandingBucket']}/",
        "DROPGATE_PROMOTED": f"s3://{outputs['PromotedBucket']}/",
        **{f"DROPGATE_{zone.upper()}": f"{internal}/{zone}/" for zone in zones},
        "DROPGATE_TABLE": outputs["LedgerTable"],
        "DROPGATE_BATCH_QUEUE": outputs["BatchQueueUrl"],
        "DROPGATE_WINDOW_SECONDS": parameters["WindowSeconds"],
        "DROPGATE_MOST_DROPS": parameters["MostDrops"],
        "DROPGATE_MOST_BATCHES": parameters["MaximumConcurrentRuns"],
        "DROPGATE_APPLICATION": outputs["EmrApplication"],
        "DROPGATE_JOB_ROLE": outputs["JobRoleArn"],
        "DROPGATE_DATA_KEY": outputs["DataKeyArn"],
        "DROPGATE_JOB_ENTRY": f"{internal}/code/entry.py",
        "DROPGATE_JOB_ARCHIVE": f"{internal}/code/dropgate.zip",
    }
