"""Publishing as the API has it: a contract's text in, what is in force because of it out."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from functions.api.models.base import Model
from functions.api.models.lint import LARGEST_TEXT, LintFinding


class PublishRequest(Model):
    """A contract to put in force, or with `status: retired` to withdraw; `dry_run` only says what would change."""

    text: Annotated[str, Field(max_length=LARGEST_TEXT)]
    name: Annotated[str, Field(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")] = "contract.yaml"
    dry_run: bool = False


class PublishAnswer(Model):
    """The changes of what is in force, in names of contracts; `index` names it by its SHA-256.

    `findings` are warnings and notes about the text.
    """

    dry_run: bool
    index: str
    new: list[str]
    changed: list[str]
    withdrawn: list[str]
    findings: list[LintFinding]
