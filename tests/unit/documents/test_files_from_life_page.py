"""docs/how-to/files-from-life.md: each contract lints clean and accepts its file, with the values that the page shows.

Admission and the oracle judge them, which agrees with the job (tests/oracle/test_oracle.py).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest

from contracts.authoring.compiler.compile import compile_text
from contracts.plan import Plan, Property
from functions.admission.admit import admit
from infra.packaging.bundles import ROOT
from tests import workbooks
from tests.oracle import elements
from tests.oracle.judging import judge
from tests.oracle.nested import Number, Pairs
from tests.oracle.records import content
from tests.packing import PACK, zipped

PAGE = ROOT / "docs" / "how-to" / "files-from-life.md"
TEXT = PAGE.read_text(encoding="utf-8")
BEGIN = "apiVersion: v3.2.0\nkind: DataContract\nid: life\nversion: 1.0.0\nstatus: active\n"
SECTION = re.compile(r"^## (.*?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A section: its files, by their names in an archive ("" for a file alone), their contract, and their values.

    Of a workbook the names are those of its sheets, and a file is the cells of one.
    """

    title: str
    files: Mapping[str, str]
    contract: str
    values: str

    @classmethod
    def of(cls, title: str, section: str) -> Example:
        """Return a section's example; its last block has the values, the one before the contract."""
        *files, (_, _, contract), (_, _, values) = BLOCK.findall(section)
        return cls(title, {name: text for _, name, text in files}, contract, values)

    def body(self, plan: Plan) -> bytes:
        """Return what the partner sends."""
        if plan.sheet:
            sheets = {
                name: [list(map(cell, row.split("\t"))) for row in text.split("\n")]
                for name, text in self.files.items()
            }
            return workbooks.made(plan.file_format, {"Notes": [["Hello"]], **sheets})
        encoded = {name: text.encode(plan.csv.encoding) for name, text in self.files.items()}
        return zipped(encoded) if plan.archive else PACK[plan.compression](encoded[""])


def cell(text: str) -> str | float | date | None:
    """A cell of a workbook as the page shows it: a number, a date, else text."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return date.fromisoformat(text)
    return float(text) if re.fullmatch(r"[1-9]\d*\.\d+", text) else text or None


EXAMPLES = [Example.of(*section) for section in SECTION.findall(TEXT)]


def plan_of(contract: str) -> Plan:
    """The plan of a contract without its first lines, which has no finding but notes."""
    compiled = compile_text((BEGIN + contract).encode(), "life.v1.yaml")
    assert [finding for finding in compiled.findings if finding.level != "note"] == []
    assert compiled.plan
    return compiled.plan


def shown(prop: Property, value: Any) -> Any:
    """A value of the oracle as JSON."""
    if value is None or isinstance(value, str | bool):
        return value
    if prop.type == "date":
        return str((datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=int(value))).date())
    if prop.type == "timestamp":
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(value))).strftime("%Y-%m-%dT%H:%M:%SZ")
    return int(value) if Fraction(value).denominator == 1 else float(value)


def plain(value: Any) -> Any:
    """A value of XML as JSON."""
    if isinstance(value, Pairs):
        return {key: plain(one) for key, one in value}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return float(value.text) if isinstance(value, Number) else value


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.title for example in EXAMPLES])
def test_contract_accepts_its_file_with_these_values(example: Example) -> None:
    plan = plan_of(example.contract)
    body, name = example.body(plan), plan.files[0].replace("*", "a").replace("{day:%Y-%m-%d}", "2026-01-31")
    admission = admit(plan, name, len(body), lambda start, length: body[start : start + length])
    assert admission.problems == ()
    records = content(plan, admission.header, body)
    opinion = judge(plan, records, admission.notes)
    assert opinion.decision.verdict == "accepted", opinion.rows
    rows: list[Any]
    if plan.xml:
        rows = [plain(one) for one in elements.records(plan, body)]
    else:
        rows = [{p.name: shown(p, record.cells[p.name].value) for p in plan.properties} for record in records.records]
    values = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        page = PAGE.read_text(encoding="utf-8")
        begin = page.index(f"## {example.title}\n")
        start = page.rindex("```json\n", begin, page.find("\n## ", begin)) + len("```json\n")
        PAGE.write_text(page[:start] + values + page[page.index("```", start) :], encoding="utf-8")
    else:
        assert example.values == values, "DROPGATE_WRITE_DOCS=1 writes the values again"


OTHER_SIGNS = {",": ";"}
PAGE_OF_A_SERVER = b"<!DOCTYPE html><html><body><table><tr><td>1</td></tr></table></body></html>"


def damaged(example: Example, plan: Plan) -> dict[str, tuple[bytes, str]]:
    """Return what may come in place of a text file, each with the code of the door's one problem."""
    text, csv = example.files[""], plan.csv
    lines, first = text.split("\n"), "leader-missing" if csv.leader else "missing-header"
    bodies = {
        "UTF-16": (text.encode("utf-16"), "wrong-encoding"),
        "another UTF-16": (text.encode("utf-16-be"), "wrong-encoding"),
        "a page of a server": (PAGE_OF_A_SERVER, "wrong-format"),
        "nothing": (b"", "empty-file"),
    }
    if plan.file_format == "csv":
        other = OTHER_SIGNS.get(csv.delimiter, ",")
        unmarked = text.replace(",", "") if csv.delimiter != "," else text
        bodies["another delimiter"] = (unmarked.replace(csv.delimiter, other).encode(csv.encoding), "wrong-delimiter")
    if plan.file_format == "csv" and csv.skip_until is None:
        blank = "leader-missing" if csv.leader else "blank-header"
        bodies["no first line"] = ("\n".join(lines[1:]).encode(csv.encoding), first)
        bodies["a blank line above"] = (f"\n{text}".encode(csv.encoding), blank)
    return bodies


TEXTS = [one for one in EXAMPLES if [*one.files] == [""] and "compression:" not in one.contract]


@pytest.mark.parametrize("example", TEXTS, ids=[example.title for example in TEXTS])
def test_door_names_the_one_thing_that_is_wrong(example: Example) -> None:
    plan = plan_of(example.contract)
    name = plan.files[0].replace("*", "a").replace("{day:%Y-%m-%d}", "2026-01-31")
    for damage, (body, code) in damaged(example, plan).items():
        if code == "wrong-encoding" and plan.csv.encoding == "utf-16":
            continue
        admission = admit(plan, name, len(body), lambda start, length, body=body: body[start : start + length])  # type: ignore[misc]

        assert [problem.code for problem in admission.problems] == [code], (damage, admission.problems)
        (problem,) = admission.problems
        own = [text for prop in plan.roots for text in prop.headings[:1] if text not in problem.fix]
        assert not own or code not in ("missing-header", "blank-header"), problem.fix


def test_page_has_ten_examples_and_more() -> None:
    assert len(EXAMPLES) >= 10
