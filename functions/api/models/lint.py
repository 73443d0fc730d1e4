"""Lint as the API has it: a contract's text in, findings with places out."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from functions.api.models.base import Model

LARGEST_TEXT = 1_000_000
"""Characters of a contract: API Gateway and Lambda take requests of 6 MB."""


class LintRequest(Model):
    """A contract to check, and the name that its findings give it."""

    text: Annotated[str, Field(max_length=LARGEST_TEXT)]
    name: Annotated[str, Field(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")] = "contract.yaml"


class LintFinding(Model):
    """A finding: its place in the text, counted from 1, and its fix."""

    file: str
    line: int
    column: int
    level: str
    code: str
    message: str
    fix: str


class LintedContract(Model):
    """A contract of the text; `plan` is None if an error keeps it from being compiled."""

    contract: str | None
    version: str | None
    plan: str | None
    checks: list[str]


class LintAnswer(Model):
    """The findings of a text; `failed` is True if one of them keeps it from being published."""

    failed: bool
    findings: list[LintFinding]
    contracts: list[LintedContract]
