"""Results of contract checks of ports, as a data mesh's service has published them."""

from __future__ import annotations

from typing import Literal

from pydantic import RootModel

from contracts.plan import Plan
from functions.api.models.base import Model
from functions.operations.port_check import PortTest, TestType


class PortCheckResult(Model):
    """A test of a port: of its table, or of a column of it."""

    data_product: str
    database: str
    table_name: str
    column_name: str | None
    test_type: TestType
    result: Literal["Passed", "Failed"]
    severity: Literal["Critical"]
    message: str


class PortCheck(RootModel[list[PortCheckResult]]):
    """All tests of a port, those that passed as well."""


def result(product: str, database: str, plan: Plan, test: PortTest) -> PortCheckResult:
    """Return the result of a test."""
    return PortCheckResult(
        data_product=product,
        database=database,
        table_name=plan.object,
        column_name=test.column,
        test_type=test.kind,
        result="Passed" if test.passed else "Failed",
        severity="Critical",
        message=test.message,
    )
