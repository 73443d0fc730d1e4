"""Validations as the thesis' Data Contract Validator has them: rules and a workload in, metrics and outcomes out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from functions.api.models.base import Model
from functions.api.models.published.base import CamelModel
from functions.operations.workload import RuleOutcome, metric

MOST_RULES = 500
Execution = Literal["OK", "NOK", "Running"]
"""If the validation was carried out, whatever its rules say."""


class ValidationRule(CamelModel):
    """A rule to validate: of the contract in force, whatever the other fields say."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")

    id: Annotated[str, Field(min_length=1, max_length=300)]
    columns: Annotated[list[str], Field(max_length=2000)] = Field(default=[])


class ValidationAccess(Model):
    """The place of the data: the folder of the contract's keys, or the key of the file."""

    model_config = ConfigDict(extra="allow")

    path: Annotated[str, Field(max_length=1024)] = ""


class ValidationRequest(CamelModel):
    """A validation to start: a workload, and those rules of its contract that are asked for (none: all)."""

    workload_id: Annotated[str, Field(min_length=1, max_length=100)]
    validations: Annotated[list[ValidationRule], Field(max_length=MOST_RULES)] = Field(default=[])
    access: ValidationAccess = ValidationAccess()


class ExceptionInfo(Model):
    """If the rule could not be run."""

    raised_exception: bool


class ValidationOutcome(Model):
    """If a rule holds by a severity; None if it was not run."""

    success: bool | None
    exception_info: ExceptionInfo


class ValidationSeverities(Model):
    """The outcomes of a rule by its severities; None for one that it does not have."""

    fail: ValidationOutcome | None
    warn: ValidationOutcome | None


class ValidationResult(Model):
    """The result of a rule on a column, None for a rule of the table; `metric` is what was measured."""

    id: str
    column: str | None
    metric: Any
    severity: ValidationSeverities


class ValidationAnswer(CamelModel):
    """A validation: if it was carried out, and the results of its rules once it was."""

    workload_id: str
    status: Execution
    result: list[ValidationResult]


def result(rule: RuleOutcome) -> ValidationResult:
    """Return the result of a rule."""
    of = {
        name: ValidationOutcome(
            success=getattr(rule, name),
            exception_info=ExceptionInfo(raised_exception=rule.crashed),
        )
        if name in rule.severities
        else None
        for name in ("fail", "warn")
    }
    return ValidationResult(
        id=rule.id, column=rule.column, metric=metric(rule.metric), severity=ValidationSeverities(**of)
    )
