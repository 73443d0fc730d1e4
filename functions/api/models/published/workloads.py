"""Workloads as the thesis' Data Contract Manager has them: a workload and its receipt in, its status and result out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, RootModel

from functions.api.models.published.base import CamelModel
from functions.api.models.uploads import LONGEST_HEAD, UploadTarget
from functions.operations.workload import Outcome, RuleOutcome, Status, Workload, metric, rule_outcomes
from functions.ports.web.links import LARGEST_UPLOAD

LONGEST_ID = 300
SUCCESS: Mapping[str, str] = {"OK": "pass", "WARNING": "warn", "NOK": "fail"}


class DataSummary(CamelModel):
    """The facts of a file before it comes, as `POST /uploads` takes them; for one that came, its own."""

    key: Annotated[str, Field(min_length=1, max_length=1024)]
    size: Annotated[int, Field(ge=0, le=LARGEST_UPLOAD)]
    sha256: Annotated[str | None, Field(pattern=r"^[0-9a-f]{64}$")] = None
    head: Annotated[str | None, Field(max_length=LONGEST_HEAD)] = None


class WorkloadRequest(CamelModel):
    """A workload whose file is announced, and checked as far as it is at hand."""

    data_contract_id: Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]
    data_summary: DataSummary


class WorkloadBody(RootModel[Annotated[str, Field(min_length=1, max_length=LONGEST_ID)] | WorkloadRequest]):
    """The id of a data contract as a plain text, or with a summary of the file."""


class SeverityOutcome(CamelModel):
    """If a rule holds by a severity; None if it was not run."""

    success: bool | None
    exception_info_model: None = None


class SeverityOutcomes(CamelModel):
    """The outcomes of a rule by its severities; None for one that it does not have."""

    fail: SeverityOutcome | None
    warn: SeverityOutcome | None


class RuleResult(CamelModel):
    """The result of a rule on a column, None for a rule of the table; `metric` is what was measured."""

    id: str
    column: str | None
    metric: Any
    severity: SeverityOutcomes


class WorkloadError(CamelModel):
    """A fault that is of no rule, as a missing column."""

    code: str
    message: str
    fix: str


class WorkloadInfo(CamelModel):
    """The information on a workload: before its file comes the way to send it, afterwards its receipt.

    `files` are the patterns of keys that the contract claims; `success` is `pass`, `warn` or `fail`.
    """

    data_summary: DataSummary | None = None
    errors: list[WorkloadError] = Field(default=[])
    results: list[RuleResult] = Field(default=[])
    success: str | None = None
    files: list[str] = Field(default=[])
    upload: UploadTarget | None = None


class WorkloadResult(CamelModel):
    """The result of a workload in its state; None is no information yet."""

    result: Outcome
    info: WorkloadInfo | None


class WorkloadAnswer(CamelModel):
    """A workload, its status and its result; `drop` is the drop that its file has become."""

    workload_id: str
    data_contract_id: str
    status: Status
    result: WorkloadResult
    drop: str | None = None


def answer(workload: Workload, stands: tuple[Status, Outcome], info: WorkloadInfo | None) -> WorkloadAnswer:
    """Return a workload as it stands."""
    status, outcome = stands
    result = WorkloadResult(result=outcome, info=info)
    return WorkloadAnswer(
        workload_id=workload.id,
        data_contract_id=workload.data_contract,
        status=status,
        result=result,
        drop=workload.drop,
    )


def judged(receipt: Mapping[str, Any], outcome: Outcome) -> WorkloadInfo:
    """Return the information of a receipt."""
    file = receipt["file"]
    return WorkloadInfo(
        data_summary=DataSummary.model_construct(
            key=file["name"], size=file["size"], sha256=file.get("sha256"), head=None
        ),
        errors=[
            WorkloadError(**{name: problem[name] for name in ("code", "message", "fix")})
            for problem in receipt["problems"]
            if problem["level"] == "error"
        ],
        results=[_result(rule) for rule in rule_outcomes(receipt["checks"])],
        success=SUCCESS.get(outcome),
    )


def _result(rule: RuleOutcome) -> RuleResult:
    of = {
        name: SeverityOutcome(success=getattr(rule, name)) if name in rule.severities else None
        for name in ("fail", "warn")
    }
    return RuleResult(id=rule.id, column=rule.column, metric=metric(rule.metric), severity=SeverityOutcomes(**of))
