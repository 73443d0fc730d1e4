"""template.yaml and its nested templates in, their resources out: moto's, and those of our doubles."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

from infra.local.template.nested_templates import Template, flattened

Resources = dict[str, dict[str, Any]]

KEPT = "RetainExceptOnCreate"
"""moto deletes resources with this policy, as it supports only `Retain`."""

_MADE = frozenset(
    {
        "AWS::DynamoDB::Table",
        "AWS::Events::EventBus",
        "AWS::Events::Rule",
        "AWS::IAM::ManagedPolicy",
        "AWS::IAM::Role",
        "AWS::KMS::Key",
        "AWS::Logs::LogGroup",
        "AWS::S3::Bucket",
        "AWS::SNS::Topic",
        "AWS::SQS::Queue",
    }
)
# By us: functions, their polling and the pipe by the pump, the application by the EMR Serverless double.
# By the gateway: the API with its stage.
# By nobody: policies of buckets and queues (TLS and senders mean nothing on loopback), the archive of events, alarms
# and whom they tell, what SES says of mails that came back, the description of the table of results for Athena.
_NOT_MADE = frozenset(
    {
        "AWS::ApiGatewayV2::Api",
        "AWS::ApiGatewayV2::Stage",
        "AWS::CloudWatch::Alarm",
        "AWS::CloudWatch::Dashboard",
        "AWS::EMRServerless::Application",
        "AWS::Events::Archive",
        "AWS::Glue::Database",
        "AWS::Glue::Table",
        "AWS::Lambda::EventInvokeConfig",
        "AWS::Lambda::EventSourceMapping",
        "AWS::Lambda::Function",
        "AWS::Lambda::Permission",
        "AWS::Pipes::Pipe",
        "AWS::S3::BucketPolicy",
        "AWS::SES::ConfigurationSet",
        "AWS::SES::ConfigurationSetEventDestination",
        "AWS::SNS::Subscription",
        "AWS::SQS::QueuePolicy",
    }
)


class UnknownResourceType(Exception):
    """The template holds a resource type that neither moto nor a double is assigned to."""


def parameters_of(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the parameters that a template declares."""
    parameters: Mapping[str, Mapping[str, Any]] = yaml_parse(path.read_text(encoding="utf-8"))["Parameters"]
    return parameters


def expand(path: Path, region: str, given: Mapping[str, str] | None = None) -> Template:
    """Translate the templates into one of CloudFormation, as the service does on deployment with some parameters."""

    def translated(file: Path) -> Template:  # SAM's short forms of one file
        template: Template = yaml_parse(file.read_text(encoding="utf-8"))
        if "Transform" not in template:
            return template
        # Deployment uploads the bundle and writes its place here; the translator refuses a folder.
        template["Globals"]["Function"]["CodeUri"] = "s3://bundles/functions.zip"
        translator = Translator({}, Parser(), boto_session=boto3.Session(region_name=region))
        expanded: Template = translator.translate(template, {})
        translator.metrics.publish()  # to nobody; kept back, they are complained about when the process ends
        return expanded

    return flattened(path, translated, given)


def of_type(template: Template, resource_type: str) -> Resources:
    """Pick the resources of one CloudFormation type."""
    return {name: resource for name, resource in template["Resources"].items() if resource["Type"] == resource_type}


def made_by_moto(template: Template) -> Resources:
    """Pick the resources that moto's CloudFormation makes; refuse a type that is on neither list."""
    unknown = {resource["Type"] for resource in template["Resources"].values()} - _MADE - _NOT_MADE
    if unknown:
        raise UnknownResourceType(f"{', '.join(sorted(unknown))}: say in {__name__} who makes or plays it")
    variables = [
        value
        for function in of_type(template, "AWS::Lambda::Function").values()
        for value in function["Properties"]["Environment"]["Variables"].values()
    ]
    named = {value["Fn::GetAtt"][0] for value in variables if isinstance(value, dict) and "Fn::GetAtt" in value}
    # Nothing here uses schedules, and roles that only Lambda or Pipes would assume: no function has them as a variable.
    played = schedules(template).keys() | (of_type(template, "AWS::IAM::Role").keys() - named)
    return {
        name: resource | {"DeletionPolicy": "Retain"} if resource.get("DeletionPolicy") == KEPT else resource
        for name, resource in template["Resources"].items()
        if resource["Type"] in _MADE and name not in played
    }


def schedules(template: Template) -> Resources:
    """Pick the rules that fire by the clock; the pump plays them."""
    rules = of_type(template, "AWS::Events::Rule")
    return {name: rule for name, rule in rules.items() if "ScheduleExpression" in rule["Properties"]}


def statements_of(template: Template, function: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Collect the policy statements that the template gives a function's role."""
    return role_statements(template, function["Role"]["Fn::GetAtt"][0])


def policy_statements(template: Template, policy: str) -> list[dict[str, Any]]:
    """Collect the statements of a managed policy."""
    statements: list[dict[str, Any]] = template["Resources"][policy]["Properties"]["PolicyDocument"]["Statement"]
    return statements


def role_statements(template: Template, role: str) -> list[dict[str, Any]]:
    """Collect the policy statements that the template gives a role."""
    policies = template["Resources"][role]["Properties"].get("Policies", [])
    statements = [policy["PolicyDocument"]["Statement"] for policy in policies]
    return [one for each in statements for one in (each if isinstance(each, list) else [each])]
