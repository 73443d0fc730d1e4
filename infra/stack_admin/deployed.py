"""A deployed stack by name: CloudFormation's description in, its functions' variables and its parts out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from contracts.errors import DropgateError
from functions.aws.answers import asking, code


class StackMissing(DropgateError):
    """There is no stack of that name, or it is not a dropgate stack; the text names it and its Region."""


def environment(cloudformation: Any, stack: str) -> dict[str, str]:
    """Return the variables DROPGATE_* of a stack, from its outputs and parameters; raise StackMissing."""
    description = described(cloudformation, stack)
    if description is None:
        raise StackMissing(f"There is no stack {stack} in {cloudformation.meta.region_name}.")
    outputs = {one["OutputKey"]: one["OutputValue"] for one in description.get("Outputs", [])}
    try:
        return {**variables(outputs, parameters(description)), **_of_notices(stack, outputs, parameters(description))}
    except KeyError as missing:
        text = f"{stack} is not a stack of dropgate, or of an older version: it has no {missing.args[0]}"
        state = description["StackStatus"]
        raise StackMissing(f"{text} among its outputs and parameters, and is in {state}.") from None


def described(cloudformation: Any, stack: str) -> Mapping[str, Any] | None:
    """Return CloudFormation's description of a stack; None if there is no stack of that name."""
    with asking("cloudformation"):
        try:
            description: Mapping[str, Any] = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]
        except ClientError as error:
            if code(error) != "ValidationError":
                raise
            return None
    return description


def parameters(description: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the parameters of a deployed stack; empty if there is no stack."""
    return {one["ParameterKey"]: one["ParameterValue"] for one in (description or {}).get("Parameters", [])}


def defaults(cloudformation: Any, stack: str) -> dict[str, str]:
    """Return the default parameters of a stack's own template."""
    with asking("cloudformation"):
        declared = cloudformation.get_template_summary(StackName=stack)["Parameters"]
    return {one["ParameterKey"]: one["DefaultValue"] for one in declared if "DefaultValue" in one}


@dataclass(frozen=True, slots=True)
class Thing:
    """A resource of a stack: its type, its logical id, and its name as AWS knows it."""

    kind: str
    logical_id: str
    name: str


def resources(cloudformation: Any, stack: str) -> Iterator[Thing]:
    """Yield the resources of a stack and its nested stacks, without deleted and uncreated ones."""
    with asking("cloudformation"):
        pages = list(cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack))
    for one in (one for page in pages for one in page["StackResourceSummaries"]):
        name = one.get("PhysicalResourceId")
        if name and one["ResourceStatus"] != "DELETE_COMPLETE":
            yield Thing(one["ResourceType"], one["LogicalResourceId"], name)
            if one["ResourceType"] == "AWS::CloudFormation::Stack":
                yield from resources(cloudformation, name)


def queues(cloudformation: Any, stack: str) -> dict[str, str]:
    """Return the URLs of the queues of a stack and its nested stacks, by logical id."""
    things = resources(cloudformation, stack)
    return {thing.logical_id: thing.name for thing in things if thing.kind == "AWS::SQS::Queue"}


def bus(cloudformation: Any, stack: str) -> str | None:
    """Return the name of the bus of a stack; None if there is no such stack, or it has none."""
    outputs = (described(cloudformation, stack) or {}).get("Outputs", [])
    return next((one["OutputValue"] for one in outputs if one["OutputKey"] == "NoticesBus"), None)


def variables(outputs: Mapping[str, str], parameters: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the template gives the functions; KeyError if an output or a parameter is missing."""
    internal = f"s3://{outputs['InternalBucket']}"
    environment, arrow = (
        f"{internal}/code/{n}-{parameters['Architecture']}.tar.gz" for n in ("great-expectations", "arrow")
    )
    zones = ("stage", "held", "evidence", "results", "reports", "catalog", "jobs")
    return {
        "DROPGATE_LANDING": f"s3://{outputs['LandingBucket']}/",
        "DROPGATE_PROMOTED": f"s3://{outputs['PromotedBucket']}/",
        **{f"DROPGATE_{zone.upper()}": f"{internal}/{zone}/" for zone in zones},
        "DROPGATE_TABLE": outputs["LedgerTable"],
        "DROPGATE_BATCH_QUEUE": outputs["BatchQueueUrl"],
        "DROPGATE_WINDOW_SECONDS": parameters["WindowSeconds"],
        "DROPGATE_MOST_DROPS": parameters["MostDrops"],
        "DROPGATE_MOST_BATCHES": parameters["MaximumConcurrentRuns"],
        "DROPGATE_MASK_EVIDENCE": parameters.get("MaskEvidence", "false"),
        "DROPGATE_CONTRACTS_FROM": parameters.get("ContractsFrom", "repository"),
        "DROPGATE_APPLICATION": outputs["EmrApplication"],
        "DROPGATE_JOB_ROLE": outputs["JobRoleArn"],
        "DROPGATE_DATA_KEY": outputs["DataKeyArn"],
        "DROPGATE_JOB_ENTRY": f"{internal}/code/entry.py",
        "DROPGATE_JOB_ARCHIVE": f"{internal}/code/dropgate.zip",
        "DROPGATE_JOB_ENVIRONMENT": environment if parameters.get("GreatExpectations") == "true" else "",
        "DROPGATE_JOB_ARROW": arrow if parameters.get("Arrow") == "true" else "",
    }


def _of_notices(stack: str, outputs: Mapping[str, str], parameters: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the functions of notices; none of a stack of a version that had no notices."""
    if "NoticesTable" not in outputs:
        return {}
    return {
        "DROPGATE_NOTICES_TABLE": outputs["NoticesTable"],
        "DROPGATE_SECRETS": f"/{stack}/notify/",
        "DROPGATE_MAIL_FROM": parameters["MailFrom"],
        "DROPGATE_MAIL_SET": f"{stack}-mails",
    }
