"""A request to the embedded cloud in, the actions and resources that IAM would decide on out."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parseaddr
from typing import Any
from urllib.parse import parse_qs, parse_qsl
from xml.etree import ElementTree as ET

from infra.local.loopback import ACCOUNT, Environ
from infra.local.s3.request import S3Request

# Operations whose IAM action has another name:
# docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
_S3_ACTIONS = {
    "HeadObject": "GetObject",
    "ListObjectsV2": "ListBucket",
    "GetBucket": "ListBucket",
    "HeadBucket": "ListBucket",
    "ListParts": "ListMultipartUploadParts",
    "ListObjectVersions": "ListBucketVersions",
    "CopyObject": "PutObject",
    "CreateMultipartUpload": "PutObject",
    "UploadPart": "PutObject",
    "UploadPartCopy": "PutObject",
    "CompleteMultipartUpload": "PutObject",
}
_VERSIONED = frozenset({"GetObject", "DeleteObject", "GetObjectTagging", "PutObjectTagging"})
# docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
_CREATING = {
    "PutObject": "true",
    "CopyObject": "true",
    "CompleteMultipartUpload": "true",
    "CreateMultipartUpload": "false",
    "UploadPart": "false",
    "UploadPartCopy": "false",
}
_CONDITION_HEADERS = ("if-match", "if-none-match", "x-amz-server-side-encryption", "x-amz-storage-class")
_KEY_HEADERS = ("aws-kms-key-id", "customer-algorithm")
_TRANSACTED = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


@dataclass(frozen=True, slots=True)
class Call:
    """One action of one caller (its access key id) on one resource, in the words of an IAM policy.

    `context` are the condition keys that the request brings along.
    """

    caller: str
    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Request:
    """One request of one caller, as AWS counts and bills it, like `dynamodb:TransactWriteItems`."""

    caller: str
    operation: str


@dataclass(frozen=True, slots=True)
class Credential:
    """The signer of a request, and its service and Region."""

    caller: str
    region: str
    service: str


def credential(environ: Environ) -> Credential:
    """Read a Signature Version 4 credential from header or query; as in moto, an unsigned request is one to S3."""
    signed = environ.get("HTTP_AUTHORIZATION", "")
    scope = signed.partition("Credential=")[2].partition(",")[0]
    scope = scope or parse_qs(environ.get("QUERY_STRING", "")).get("X-Amz-Credential", [""])[0]
    match scope.split("/"):
        case [caller, _, region, service, _]:
            return Credential(caller, region, service.lower())
        case _:
            return Credential("", "us-east-1", "s3")


def request_of(who: Credential, environ: Environ, body: bytes) -> Request:
    """Name a request in one of AWS's JSON or query protocols."""
    target = str(environ.get("HTTP_X_AMZ_TARGET", ""))
    operation = target.rpartition(".")[2] or dict(parse_qsl(body.decode("utf-8", "replace"))).get("Action", "")
    return Request(who.caller, f"{who.service}:{operation}")


def s3_calls(who: Credential, request: S3Request) -> Iterator[Call]:
    """Name the S3 actions: a copy reads its source and writes its destination; a condition by If-Match also reads.

    docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html and conditional-deletes.html
    """
    encryption, bucket = "x-amz-server-side-encryption", f"arn:aws:s3:::{request.bucket}"
    headers = (*_CONDITION_HEADERS, *(f"{encryption}-{about}" for about in _KEY_HEADERS))
    context = {f"s3:{name}": value for name in headers if (value := request.header(name))}
    context["aws:SecureTransport"] = "true"  # loopback counts as TLS
    if "prefix" in request.query:
        context["s3:prefix"] = request.query["prefix"]
    if request.operation in _CREATING:
        context["s3:ObjectCreationOperation"] = _CREATING[request.operation]
    if request.source:
        read = "s3:GetObjectVersion" if request.source.version_id else "s3:GetObject"
        yield Call(who.caller, read, f"arn:aws:s3:::{request.source.bucket}/{request.source.key}", context)
    if request.operation == "DeleteObjects":
        for each in ET.fromstring(request.body).iterfind("{*}Object"):  # noqa: S314 (our own clients' request)
            delete = "s3:DeleteObject" if each.find("{*}VersionId") is None else "s3:DeleteObjectVersion"
            yield Call(who.caller, delete, f"{bucket}/{each.findtext('{*}Key', '')}", context)
        return
    action = _S3_ACTIONS.get(request.operation, request.operation)
    version = "Version" if action in _VERSIONED and "versionId" in request.query else ""
    place = f"{bucket}/{request.key}" if request.key else bucket
    if request.operation in (*_CREATING, "DeleteObject") and request.header("if-match"):
        yield Call(who.caller, "s3:GetObject", place, context)
    yield Call(who.caller, f"s3:{action}{version}", place, context)


def look_call(who: Credential, bucket: str, key: str) -> Call:
    """Name the right that S3 checks before it answers that an object is missing: to list, with its key as prefix.

    docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html; no page of AWS documents the prefix: ceph/ceph, pull
    request 68577, followed S3 in it, and apache/polaris, 1391, gets its 404 by a condition on s3:prefix.
    """
    context = {"aws:SecureTransport": "true", "s3:prefix": key}
    return Call(who.caller, "s3:ListBucket", f"arn:aws:s3:::{bucket}", context)


def service_calls(who: Credential, environ: Environ, body: bytes) -> Iterator[Call]:
    """Name the actions of a request in one of AWS's JSON or query protocols."""
    target = str(environ.get("HTTP_X_AMZ_TARGET", ""))
    if environ["PATH_INFO"].startswith("/v2/email/"):
        yield from _mail_calls(who, environ, body)
        return
    if not target:
        form = dict(parse_qsl(body.decode("utf-8", "replace")))
        if "RoleArn" in form:
            yield Call(who.caller, f"{who.service}:{form.get('Action', '')}", form["RoleArn"])
            return
        stack = f"arn:aws:cloudformation:{who.region}:{ACCOUNT}:stack/{form.get('StackName')}/{'0' * 8}"
        yield Call(who.caller, f"{who.service}:{form.get('Action', '')}", stack if "StackName" in form else "*")
        return
    yield from _json_calls(who, target.rpartition(".")[2], json.loads(body or b"{}"))


def _json_calls(who: Credential, operation: str, asked: Mapping[str, Any]) -> Iterator[Call]:
    if who.service == "dynamodb":
        yield from _table_calls(who, operation, asked)
    elif who.service == "sqs":
        name = str(asked.get("QueueUrl", asked.get("QueueName", "*"))).rpartition("/")[2]
        yield Call(who.caller, f"sqs:{operation.removesuffix('Batch')}", f"arn:aws:sqs:{who.region}:{ACCOUNT}:{name}")
    elif who.service == "events" and operation == "PutEvents":
        for entry in asked["Entries"]:
            bus = f"arn:aws:events:{who.region}:{ACCOUNT}:event-bus/{entry.get('EventBusName', 'default')}"
            yield Call(who.caller, "events:PutEvents", bus)
    elif who.service == "ssm" and "Name" in asked:
        parameter = f"arn:aws:ssm:{who.region}:{ACCOUNT}:parameter/{asked['Name'].removeprefix('/')}"
        yield Call(who.caller, f"ssm:{operation}", parameter)
    else:
        yield Call(who.caller, f"{who.service}:{operation}", "*")


def _table_calls(who: Credential, operation: str, asked: Mapping[str, Any]) -> Iterator[Call]:
    if "TransactItems" in asked:
        for entry in asked["TransactItems"]:
            for kind, item in entry.items():
                yield Call(who.caller, f"dynamodb:{_TRANSACTED.get(kind, 'GetItem')}", _table(who, item))
    elif "RequestItems" in asked:
        for table in asked["RequestItems"]:
            yield Call(who.caller, f"dynamodb:{operation}", _table(who, {"TableName": table}))
    else:
        yield Call(who.caller, f"dynamodb:{operation}", _table(who, asked))


def _mail_calls(who: Credential, environ: Environ, body: bytes) -> Iterator[Call]:
    """Name the actions of GetAccount and SendEmail of SES's API v2; a raw message has an action of its own.

    docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsimpleemailservicev2.html; that both are asked
    for is in aws/aws-cdk, aws-ses/grants.json.
    """
    if environ["REQUEST_METHOD"] == "GET":
        yield Call(who.caller, "ses:GetAccount", "*")
        return
    asked = json.loads(body)
    sender = parseaddr(str(asked.get("FromEmailAddress", "")))[1]
    places = [f"identity/{sender}"]
    places += [f"configuration-set/{name}"] if (name := asked.get("ConfigurationSetName")) else []
    actions = ["SendEmail", *(["SendRawEmail"] if "Raw" in asked.get("Content", {}) else [])]
    for action in actions:
        for place in places:
            resource = f"arn:aws:ses:{who.region}:{ACCOUNT}:{place}"
            yield Call(who.caller, f"ses:{action}", resource, {"ses:FromAddress": sender})


def _table(who: Credential, asked: Mapping[str, Any]) -> str:
    index = f"/index/{asked['IndexName']}" if "IndexName" in asked else ""
    return f"arn:aws:dynamodb:{who.region}:{ACCOUNT}:table/{asked.get('TableName', '*')}{index}"
