"""Versions of contracts as the API shows them: titles and comparisons in, models out."""

from __future__ import annotations

from typing import Literal

from functions.api.models.base import Model
from functions.api.models.lint import LintFinding

ExportName = Literal["json-schema", "avro", "spark", "spark-ddl", "dbt", "odcs", "html", "great-expectations"]
"""The formats of `dropgate export`, as contracts.authoring.exports.formats has them."""


class ContractVersionItem(Model):
    """A published version of a contract; one of them is in force."""

    version: str
    in_force: bool


class ContractVersions(Model):
    """The published versions of a contract, newest first."""

    contract: str
    versions: list[ContractVersionItem]


class ContractText(Model):
    """The text of a published version, which never changes."""

    contract: str
    version: str
    in_force: bool
    document: str


class ContractChange(Model):
    """A change between two versions: its place in the newer text, and `breaking` for the sides that it may break.

    `waived` is the reason for which the newer version lets it through all the same.
    """

    kind: str
    path: str
    message: str
    direction: Literal["none", "tightens", "loosens", "both"]
    producer: Literal["none", "compatible", "breaking"]
    consumer: Literal["none", "compatible", "breaking"]
    line: int
    column: int
    name: str
    waived: str | None


class ContractComparison(Model):
    """Two versions as `dropgate breaking` compares them: the sides that the changes may break, and what they need.

    `raises` is the number of the version that the changes have to raise, `needed_version` the first version that does;
    both are None if nothing has changed. `announced`: the newer one is another major version, so nobody who stays with
    the older one is concerned. `failed` if `dropgate breaking` would fail; `findings` are the faults of the version.
    `producer` and `consumers` are those whom the older version names. With the direction `none` the same files pass.
    """

    contract: str
    old: str
    new: str
    breaks: list[Literal["producer", "consumer"]]
    producer: str
    consumers: list[str]
    direction: Literal["none", "tightens", "loosens", "both"]
    raises: Literal["major", "minor", "patch"] | None
    needed_version: str | None
    announced: bool
    failed: bool
    changes: list[ContractChange]
    findings: list[LintFinding]


class ContractExport(Model):
    """A contract in another format, as `dropgate export` writes it; `losses` are what the format cannot express.

    `checks` are the ids of the checks that the text has with the same meaning.
    """

    contract: str
    version: str
    format: ExportName
    title: str
    name: str
    text: str
    checks: list[str]
    losses: list[str]
