"""template.yaml and an embedded AWS in, a deployed stack out: its names, and each function's Lambda settings.

moto's CloudFormation makes buckets, queues, rules, table, bus and the job's role, and resolves every reference of the
parts that are played here; so a variable or a name that the template gets wrong breaks here, before anything runs.
"""

import json
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError

from infra.local.s3.cors import CorsRule
from infra.local.template.nested_templates import Template
from infra.local.template.template import (
    expand,
    made_by_moto,
    of_type,
    policy_statements,
    role_statements,
    schedules,
    statements_of,
)
from infra.parameters import wrong

ClientFor = Callable[[str], Any]
"""A service's name in, a boto3 client for the embedded AWS out; the composition root makes them."""


ANSWER = "Answer"
"""The name of our additional output, with the resolved values."""


class TemplateError(Exception):
    """The template, or a parameter given for it, cannot be made into a stack; the message names the place."""


@dataclass(frozen=True, slots=True)
class Function:
    """One Lambda function: `handler` is its dotted path, `statements` the policy of its role, resolved."""

    name: str
    handler: str
    memory_mb: int
    timeout_seconds: int
    environment: Mapping[str, str]
    statements: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, name: str, answer: Mapping[str, Any]) -> Self:
        """Return the function of a name, by CloudFormation's answer."""
        return cls(
            name=name,
            handler=answer["Handler"],
            memory_mb=int(answer["MemorySize"]),
            timeout_seconds=int(answer["Timeout"]),
            environment={key: str(value) for key, value in answer["Variables"].items()},
            statements=_made(answer["Statements"]),
        )


@dataclass(frozen=True, slots=True)
class PolledQueue:
    """An event source mapping: the queue that Lambda polls for a function, with its settings."""

    function: str
    url: str
    arn: str
    batch_size: int
    partial_failures: bool

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Self:
        """Return the mapping, by CloudFormation's answer."""
        return cls(
            function=answer["Function"],
            url=answer["Url"],
            arn=answer["Arn"],
            batch_size=int(answer["BatchSize"]),
            partial_failures="ReportBatchItemFailures" in answer["ResponseTypes"],
        )


@dataclass(frozen=True, slots=True)
class Pipe:
    """The pipe from the table's stream through a function to the bus; a record passes if any of `patterns` lets it.

    A batch that fails is tried `retries` times again, and then its position is sent to the queue `dlq_arn`.
    """

    stream_arn: str
    start: str
    patterns: tuple[Mapping[str, Any], ...]
    batch_size: int
    retries: int
    dlq_arn: str
    function: str
    input_template: str
    bus_arn: str
    source: str
    detail_type: str

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Self:
        """Return the pipe, by CloudFormation's answer."""
        source, target = answer["SourceParameters"], answer["TargetParameters"]
        stream = source["DynamoDBStreamParameters"]
        return cls(
            stream_arn=answer["Source"],
            start=stream["StartingPosition"],
            patterns=tuple(json.loads(each["Pattern"]) for each in source["FilterCriteria"]["Filters"]),
            batch_size=int(stream["BatchSize"]),
            retries=int(stream["MaximumRetryAttempts"]),
            dlq_arn=stream["DeadLetterConfig"]["Arn"],
            function=answer["Enrichment"],
            input_template=target["InputTemplate"],
            bus_arn=answer["Target"],
            source=target["EventBridgeEventBusParameters"]["Source"],
            detail_type=target["EventBridgeEventBusParameters"]["DetailType"],
        )


@dataclass(frozen=True, slots=True)
class Stack:
    """A deployed stack; `names` gives Ref's value for a logical id: bucket and table names, queue URLs.

    `roles` holds the statements of each role by logical id, `people` those of each policy for people, `bucket_policies`
    those of each bucket by name, `bucket_keys` the ARNs of customer keys by bucket, `lifecycles` the rules by bucket.
    `trusts` holds the trust policies of roles that others than Lambda assume, `role_arns` their ARNs,
    `cors` the rules for pages by bucket.
    `template` is what it was made of, expanded and not resolved.
    """

    region: str
    names: Mapping[str, str]
    functions: Mapping[str, Function]
    queues: tuple[PolledQueue, ...]
    schedules: Mapping[str, str]
    pipe: Pipe
    application_id: str
    application: Mapping[str, Any]
    roles: Mapping[str, tuple[Mapping[str, Any], ...]]
    people: Mapping[str, tuple[Mapping[str, Any], ...]]
    bucket_policies: Mapping[str, tuple[Mapping[str, Any], ...]]
    bucket_keys: Mapping[str, str]
    lifecycles: Mapping[str, tuple[Mapping[str, Any], ...]]
    trusts: Mapping[str, tuple[Mapping[str, Any], ...]]
    role_arns: Mapping[str, str]
    cors: Mapping[str, tuple[CorsRule, ...]]
    template: Template

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables of all functions; those of one name are equal."""
        return {name: value for each in self.functions.values() for name, value in each.environment.items()}


def deploy(
    template_path: Path,
    client_for: ClientFor,
    application_id: str,
    region: str = "us-east-1",
    parameters: Mapping[str, str | int] | None = None,
    name: str = "dropgate",
) -> Stack:
    """Make the template's resources in the embedded AWS; the EMR Serverless double goes by `application_id`."""
    template = expand(template_path, region, {key: str(value) for key, value in (parameters or {}).items()})
    made = made_by_moto(template)
    answer = _create(name, template, made, parameters or {}, application_id, client_for("cloudformation"))
    _finish_buckets(made, answer["names"], client_for("s3"))
    return Stack(
        region=region,
        names=answer["names"],
        functions={name: Function.of(name, function) for name, function in answer["functions"].items()},
        queues=tuple(PolledQueue.of(queue) for queue in answer["queues"]),
        schedules={
            name: rule["Properties"]["Targets"][0]["Arn"]["Fn::GetAtt"][0] for name, rule in schedules(template).items()
        },
        pipe=Pipe.of(answer["pipe"]),
        application_id=application_id,
        application=answer["application"],
        roles={name: _made(statements) for name, statements in answer["roles"].items()},
        people={name: tuple(statements) for name, statements in answer["people"].items()},
        bucket_policies={policy["Bucket"]: tuple(policy["Statements"]) for policy in answer["bucket_policies"]},
        bucket_keys={key["Bucket"]: key["Key"] for key in answer["bucket_keys"]},
        lifecycles={lifecycle["Bucket"]: tuple(lifecycle["Rules"]) for lifecycle in answer["lifecycles"]},
        trusts={name: tuple(statements) for name, statements in answer["trusts"].items()},
        role_arns=answer["role_arns"],
        cors={each["Bucket"]: tuple(map(CorsRule.of, each["Rules"])) for each in answer["cors"]},
        template=template,
    )


def _create(
    name: str,
    template: Template,
    made: Template,
    parameters: Mapping[str, str | int],
    application_id: str,
    cloudformation: Any,
) -> dict[str, Any]:
    """Let CloudFormation make resources; return its answers to our questions, which an additional output asks for.

    The application is a parameter of its own.
    """
    if mistakes := wrong({key: str(value) for key, value in parameters.items()}, template["Parameters"]):
        raise TemplateError(" ".join(mistakes))
    document = {
        "Parameters": template["Parameters"] | {"EmrApplication": {"Type": "String", "Default": application_id}},
        "Conditions": template.get("Conditions", {}),
        "Resources": made,
        "Outputs": _answerable(template) | {ANSWER: {"Value": {"Fn::ToJsonString": _questions(template, made)}}},
    }
    cloudformation.create_stack(
        StackName=name,
        TemplateBody=json.dumps(document),
        Parameters=[{"ParameterKey": key, "ParameterValue": str(value)} for key, value in parameters.items()],
    )
    try:
        described = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    except (ClientError, ResponseParserError) as error:
        # moto answers a name that it cannot resolve with HTTP 500 and a page.
        raise TemplateError("template.yaml names something that the embedded stack lacks: try cfn-lint") from error
    outputs = {one["OutputKey"]: one["OutputValue"] for one in described["Outputs"]}
    answer: dict[str, Any] = json.loads(outputs[ANSWER])
    return answer


def _answerable(template: Template) -> dict[str, Any]:
    """Return the outputs without those that name an HTTP API, which moto does not make from templates."""
    return {name: output for name, output in template["Outputs"].items() if not _names_api(template, output)}


def _made(statements: Iterable[Mapping[str, Any] | None]) -> tuple[Mapping[str, Any], ...]:
    """Return statements without those that their condition leaves out (`AWS::NoValue`, which moto resolves to null)."""
    return tuple(statement for statement in statements if statement is not None)


def _without_apis(template: Template, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return variables with an empty text for those that name an HTTP API; whoever starts one says where it is."""
    return {name: "" if _names_api(template, value) else value for name, value in variables.items()}


def _names_api(template: Template, expression: Any) -> bool:
    return any(f"${{{api}}}" in json.dumps(expression) for api in of_type(template, "AWS::ApiGatewayV2::Api"))


def _questions(template: Template, made: Template) -> dict[str, Any]:
    """Collect the expressions to resolve."""
    functions = of_type(template, "AWS::Lambda::Function")
    mappings = [each["Properties"] for each in of_type(template, "AWS::Lambda::EventSourceMapping").values()]
    (pipe,) = of_type(template, "AWS::Pipes::Pipe").values()
    (application,) = of_type(template, "AWS::EMRServerless::Application").values()
    return {
        # moto resolves Ref for every type but a bus, where it is the name.
        "names": {
            name: {"Fn::GetAtt": [name, "Name"]} if resource["Type"] == "AWS::Events::EventBus" else {"Ref": name}
            for name, resource in made.items()
        },
        "functions": {
            name: {
                **{key: function["Properties"][key] for key in ("Handler", "MemorySize", "Timeout")},
                "Variables": _without_apis(template, function["Properties"]["Environment"]["Variables"]),
                "Statements": statements_of(template, function["Properties"]),
            }
            for name, function in functions.items()
        },
        "queues": [
            {
                "Function": mapping["FunctionName"]["Ref"],
                "Url": {"Ref": mapping["EventSourceArn"]["Fn::GetAtt"][0]},
                "Arn": mapping["EventSourceArn"],
                "BatchSize": mapping["BatchSize"],
                "ResponseTypes": mapping.get("FunctionResponseTypes", []),
            }
            for mapping in mappings
        ],
        "pipe": {
            **{key: value for key, value in pipe["Properties"].items() if key != "RoleArn"},
            "Enrichment": pipe["Properties"]["Enrichment"]["Fn::GetAtt"][0],
        },
        "application": application["Properties"],
        "roles": _named(
            {name: role_statements(template, name) for name in of_type(template, "AWS::IAM::Role")}, functions
        ),
        "trusts": {
            name: role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
            for name, role in of_type({"Resources": made}, "AWS::IAM::Role").items()
        },
        "role_arns": {name: {"Fn::GetAtt": [name, "Arn"]} for name in of_type({"Resources": made}, "AWS::IAM::Role")},
        "people": {name: policy_statements(template, name) for name in of_type(template, "AWS::IAM::ManagedPolicy")},
        **_bucket_questions(template),
    }


def _named(node: Any, functions: Container[str]) -> Any:
    """Return a piece of a template with the ARNs of functions, which moto does not make, under their logical ids."""
    match node:
        case {"Fn::GetAtt": [str(name), "Arn"]} if name in functions:
            return {"Fn::Sub": f"arn:aws:lambda:${{AWS::Region}}:${{AWS::AccountId}}:function:{name}"}
        case dict():
            return {key: _named(value, functions) for key, value in node.items()}
        case list():
            return [_named(value, functions) for value in node]
    return node


def _bucket_questions(template: Template) -> dict[str, Any]:
    """Collect the expressions about buckets: who may use them, the keys of their objects, what expires in them."""
    buckets = of_type(template, "AWS::S3::Bucket")
    return {
        "bucket_policies": [
            {"Bucket": each["Properties"]["Bucket"], "Statements": each["Properties"]["PolicyDocument"]["Statement"]}
            for each in of_type(template, "AWS::S3::BucketPolicy").values()
        ],
        "bucket_keys": [
            {"Bucket": {"Ref": name}, "Key": rule["ServerSideEncryptionByDefault"]["KMSMasterKeyID"]}
            for name, bucket in buckets.items()
            for rule in bucket["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
            if "KMSMasterKeyID" in rule["ServerSideEncryptionByDefault"]
        ],
        "lifecycles": [
            {"Bucket": {"Ref": name}, "Rules": bucket["Properties"]["LifecycleConfiguration"]["Rules"]}
            for name, bucket in buckets.items()
            if "VersioningConfiguration" in bucket["Properties"]
        ],
        "cors": [
            {"Bucket": {"Ref": name}, "Rules": {"Fn::If": [condition, rules["CorsRules"], []]}}
            for name, bucket in buckets.items()
            if "CorsConfiguration" in bucket["Properties"]
            for condition, rules, _ in [bucket["Properties"]["CorsConfiguration"]["Fn::If"]]
        ],
    }


def _finish_buckets(made: Template, names: Mapping[str, str], s3: Any) -> None:
    """Set the bucket properties that moto's CloudFormation leaves out: versions, and events to EventBridge."""
    for name, bucket in of_type({"Resources": made}, "AWS::S3::Bucket").items():
        properties = bucket["Properties"]
        if "VersioningConfiguration" in properties:
            s3.put_bucket_versioning(Bucket=names[name], VersioningConfiguration=properties["VersioningConfiguration"])
        if properties.get("NotificationConfiguration", {}).get("EventBridgeConfiguration"):
            s3.put_bucket_notification_configuration(
                Bucket=names[name], NotificationConfiguration={"EventBridgeConfiguration": {}}
            )
