"""A StartJobRun request in, the job in terms of a local Spark out, or the ValidationException that refuses it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import botocore.session
from botocore.model import ListShape, MapShape, Shape, StructureShape

from infra.local.emr.errors import ValidationException
from infra.local.emr.run import DEFAULT_TIMEOUT_MINUTES, JobSpec
from infra.local.emr.spark_parameters import read_parameters

_MAX_TIMEOUT_MINUTES = 7 * 24 * 60
# Monitoring says where logs go. All else that a request may override or add would change what runs on EMR, not here.
_OVERRIDES_PLAYED = frozenset({"monitoringConfiguration"})
_NOT_PLAYED = frozenset({"flexExecution"})


def read_start(asked: Mapping[str, Any], exists: Callable[[str], bool]) -> JobSpec:
    """Check a request against the API's model and the double's lists, and check that its objects exist."""
    broken = list(_violations(_start_shape(), asked, ""))
    if broken:
        raise ValidationException(f"{len(broken)} validation error(s) detected: {'; '.join(broken)}")
    refused = (_NOT_PLAYED & asked.keys()) or (asked.get("configurationOverrides", {}).keys() - _OVERRIDES_PLAYED)
    if refused:
        raise ValidationException(f"The local EMR Serverless does not play {', '.join(sorted(refused))}.")
    if "sparkSubmit" not in asked.get("jobDriver", {}):
        raise ValidationException("A job of a Spark application needs jobDriver.sparkSubmit.")
    if asked.get("mode", "BATCH") != "BATCH" or asked.get("retryPolicy", {}).get("maxAttempts", 1) != 1:
        raise ValidationException("The local EMR Serverless plays batch jobs of one attempt only.")
    if not 1 <= asked.get("executionTimeoutMinutes", DEFAULT_TIMEOUT_MINUTES) <= _MAX_TIMEOUT_MINUTES:
        raise ValidationException(
            f"executionTimeoutMinutes must lie within 1 and {_MAX_TIMEOUT_MINUTES} for batch jobs."
        )
    submit = asked["jobDriver"]["sparkSubmit"]
    _check_objects([submit["entryPoint"]], exists)
    parameters = read_parameters(submit.get("sparkSubmitParameters", ""))
    _check_objects((*parameters.py_files, *parameters.archives), exists)
    return JobSpec(
        token=asked["clientToken"],
        name=asked.get("name", ""),
        entry_point=submit["entryPoint"],
        arguments=tuple(submit.get("entryPointArguments", ())),
        py_files=parameters.py_files,
        archives=parameters.archives,
        settings=parameters.settings,
        execution_role=asked["executionRoleArn"],
        iam_policy=asked.get("executionIamPolicy", {}).get("policy"),
        tags=asked.get("tags", {}),
    )


def _check_objects(uris: Iterable[str], exists: Callable[[str], bool]) -> None:
    for uri in uris:
        if not uri.startswith("s3://") or not exists(uri):
            raise ValidationException(f"{uri} is not an object in S3.")


@cache
def _start_shape() -> Shape:
    return botocore.session.get_session().get_service_model("emr-serverless").shape_for("StartJobRunRequest")


def _violations(shape: Shape, value: Any, path: str) -> Iterator[str]:
    """Check a value against the API's model: required members, lengths, patterns, enumerations."""
    if isinstance(shape, StructureShape):
        for name in shape.required_members:
            if name not in value:
                yield f"Value null at '{path}{name}' failed to satisfy constraint: Member must not be null"
        for name in shape.members.keys() & value.keys():
            yield from _violations(shape.members[name], value[name], f"{path}{name}.")
    elif isinstance(shape, ListShape):
        for number, item in enumerate(value, 1):
            yield from _violations(shape.member, item, f"{path}{number}.member.")
    elif isinstance(shape, MapShape):
        for key, item in value.items():
            yield from _violations(shape.key, key, f"{path}key.")
            yield from _violations(shape.value, item, f"{path}{key}.")
    if not isinstance(shape, StructureShape):
        yield from _limits(shape, value, path.rstrip("."))


def _limits(shape: Shape, value: Any, path: str) -> Iterator[str]:
    size = value if shape.type_name in {"integer", "long"} else len(value) if hasattr(value, "__len__") else 0
    rules = shape.metadata
    if not rules.get("min", size) <= size <= rules.get("max", size):
        yield f"Value at '{path}' failed to satisfy constraint: Member must have length or value within its bounds"
    if "pattern" in rules and not re.fullmatch(rules["pattern"], value):
        yield f"Value at '{path}' failed to satisfy constraint: Member must satisfy pattern {rules['pattern']}"
    if "enum" in rules and value not in rules["enum"]:
        yield f"Value at '{path}' failed to satisfy constraint: Member must satisfy enum value set {rules['enum']}"
