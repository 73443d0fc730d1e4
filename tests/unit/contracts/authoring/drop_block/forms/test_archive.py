"""The archive of a contract: what lint notes about files of which an archive holds one."""

from __future__ import annotations

import pytest

from tests.unit.contracts.authoring.documents import DROP, a_document, compiled

ALONE = {
    "a title": "csv: {skipRows: 1}",
    "a title up to a pattern": "csv: {skipRows: {until: ^id}}",
    "units": "csv: {commentRows: [2]}",
    "a total": "csv: {footer: {begins: Total}}",
    "a leader": "csv: {leader: {begins: H}}",
    "records by their first cell": "csv: {record: {begins: D}}",
    "a trailer": "csv: {trailer: {begins: T, rows: 2}}",
    "UTF-16": "csv: {encoding: utf-16}",
}
SEVERAL = {"plain lines": "csv: {header: true}", "UTF-8 over lines": "csv: {multiLine: true, encoding: utf-8}"}


def notes(dialect: str, members: str) -> list[str]:
    block = f'{DROP}archive: {{format: zip, members: "{members}"}}\n{dialect}\n'
    return [finding.code for finding in compiled(a_document(drop=block)).findings]


@pytest.mark.parametrize("dialect", ALONE.values(), ids=ALONE)
@pytest.mark.parametrize("members", ["orders*.csv", "{region}/orders.csv", "orders-{day:%Y%m%d}.csv"])
def test_pattern_of_several_members_is_noted_where_an_archive_holds_one(dialect: str, members: str) -> None:
    assert notes(dialect, members) == ["one-member"]


@pytest.mark.parametrize("dialect", ALONE.values(), ids=ALONE)
def test_name_of_one_member_is_not_noted(dialect: str) -> None:
    assert notes(dialect, "orders.csv") == []


@pytest.mark.parametrize("dialect", SEVERAL.values(), ids=SEVERAL)
def test_pattern_is_not_noted_where_an_archive_may_hold_several(dialect: str) -> None:
    assert notes(dialect, "orders*.csv") == []
