"""The template's resources in an embedded AWS, once for these tests; each test has names of its own in them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import cache

import boto3
import pytest

from functions.aws.clients import Clients
from infra.local.cloud import Cloud
from infra.local.template.stack import Stack, deploy
from infra.packaging.bundles import ROOT

TEMPLATE = ROOT / "template.yaml"


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    """The embedded AWS."""
    with Cloud() as running:
        yield running


@pytest.fixture(scope="module")
def environment(cloud: Cloud) -> Iterator[pytest.MonkeyPatch]:
    """An environment whose clients all go to the embedded AWS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", cloud.endpoint)
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ACCESS_KEY_ID", "functions")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "none")
        yield patch


@pytest.fixture(scope="module")
def clients(environment: pytest.MonkeyPatch) -> Clients:  # noqa: ARG001
    """The clients as the functions have them."""
    return Clients(boto3.Session())


@pytest.fixture(scope="module")
def stack(environment: pytest.MonkeyPatch) -> Stack:  # noqa: ARG001
    """The stack that template.yaml deploys."""
    return deploy(TEMPLATE, cache(boto3.client), "00dropgate01", name=f"functions{uuid.uuid4().hex[:8]}")
