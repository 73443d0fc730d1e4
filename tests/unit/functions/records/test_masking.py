"""Evidence without classified values: requested if the stack has the setting, and a contract has such values."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from contracts.job import JobRequest
from contracts.plan import Property
from functions.aws.clients import Clients, ports_from
from infra.stack_admin.deployed import variables
from tests.builders import World, a_plan, a_world

NAMES = ("LandingBucket", "PromotedBucket", "InternalBucket", "LedgerTable", "BatchQueueUrl", "EmrApplication")
OUTPUTS = dict.fromkeys((*NAMES, "JobRoleArn", "DataKeyArn"), "x")
GIVEN = {"WindowSeconds": "60", "MostDrops": "5", "MaximumConcurrentRuns": "1", "Architecture": "arm64"}


def asked(classification: str | None, *, masks: bool) -> tuple[World, JobRequest]:
    plan = a_plan()
    note = Property("note", "string", classification=classification)
    world = a_world([replace(plan, properties=(plan.properties[0], note))])
    world.ports = replace(world.ports, masks_evidence=masks)
    world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.deliver_events()
    world.deliver_windows()
    return world, world.request()


@pytest.mark.parametrize("classification", [None, "public", "restricted"])
@pytest.mark.parametrize("masks", [False, True])
def test_job_is_asked_to_mask_what_is_classified(classification: str | None, *, masks: bool) -> None:
    _, request = asked(classification, masks=masks)
    assert request.mask is (masks and classification == "restricted")
    assert ("mask" in json.loads(request.dumps())) is request.mask
    assert JobRequest.loads(request.dumps()) == request


@pytest.mark.parametrize(("parameter", "masks"), [(None, False), ("false", False), ("true", True)])
def test_parameter_of_a_stack_reaches_whoever_starts_jobs(
    monkeypatch: pytest.MonkeyPatch, parameter: str | None, *, masks: bool
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    given = GIVEN | ({"MaskEvidence": parameter} if parameter else {})
    assert ports_from(variables(OUTPUTS, given), Clients()).masks_evidence is masks


@pytest.mark.parametrize(
    ("path", "keys", "hidden"),
    [
        (("m", "*"), "restricted", True),
        (("m", "~"), "restricted", True),
        (("m", "*"), "public", False),
        (("m", "*"), None, False),
        (("l", "[]", "*"), "restricted", False),
    ],
)
def test_keys_of_a_map_are_values_too(path: tuple[str, ...], keys: str | None, *, hidden: bool) -> None:
    inner = Property("m.*", "integer", path=("m", "*"))
    named = Property("m.~", "string", path=("m", "~"), classification=keys)
    other = Property("l[].*", "integer", path=("l", "[]", "*"))
    plan = replace(a_plan(), properties=(Property("m", "map"), named, inner, other))
    of = {("m", "*"): inner, ("m", "~"): named, ("l", "[]", "*"): other}[path]
    assert plan.hides_keys(of) is hidden
