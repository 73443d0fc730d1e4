"""Variables of ODCS 3.2: values of a named file stand in the plan and in the text that is published."""

from __future__ import annotations

import json

import pytest
import yaml

from contracts.authoring.compiler.compile import Compiled, compile_each
from contracts.authoring.document import variables
from contracts.authoring.store import documents
from tests.unit.contracts.authoring.documents import DROP, FILE, HEAD, a_document

FILES = DROP.replace("shop/orders/*.csv", '"${FOLDER}/orders/*.csv"')


def compiled(text: str, **values: str) -> Compiled:
    return compile_each(text.encode(), FILE, values=values)[0]


def test_value_stands_in_the_plan_and_in_the_published_text() -> None:
    result = compiled(a_document(drop=FILES), FOLDER="shop-eu")

    assert result.plan
    assert result.plan.files == ("shop-eu/orders/*.csv",)
    (published,) = documents([result]).values()
    assert b"${" not in published
    assert compiled(published.decode()).plan == result.plan


def test_default_holds_without_a_value() -> None:
    plans = [
        compiled(a_document(drop=FILES.replace("${FOLDER}", "${FOLDER:-shop}")), **values).plan
        for values in ({}, {"FOLDER": ""}, {"FOLDER": "eu"})
    ]

    assert [plan.files if plan else None for plan in plans] == [
        ("shop/orders/*.csv",), ("shop/orders/*.csv",), ("eu/orders/*.csv",),
    ]  # fmt: skip


@pytest.mark.parametrize("values", [{}, {"FOLDER": ""}])
def test_variable_without_a_value_is_an_error_with_its_line(values: dict[str, str]) -> None:
    text = a_document(drop=FILES)
    result = compiled(text, **values)

    (finding,) = [f for f in result.findings if f.level == "error"]
    assert finding.code == "unset-variable"
    assert "${FOLDER}" in text.split("\n")[finding.line - 1]


def test_environment_has_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLDER", "shop")

    assert compiled(a_document(drop=FILES)).plan is None


VALUES = (
    "shop",
    'a"b',
    "a: b # c",
    "é \U0001f600",
    "\x85\u2028x",
    "  ",
    "yes",
    "007",
    "{x}",
    "*a",
    "a\nb",
    "${FOLDER}",
)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    "written",
    ["x ${A}", "'x ${A}'", '"x ${A}"', "&x x ${A}", "|-\n    x ${A}", ">-\n    x\n    ${A}", "x ${A} # note"],
)
def test_resolved_text_reads_as_what_was_resolved(written: str, value: str) -> None:
    head = f"{HEAD}description:\n  purpose: {written}\n  usage: after\n"
    result = compiled(a_document(head=head), A=value)

    assert result.document
    read = yaml.safe_load(result.document.raw)
    assert read["description"] == {"purpose": f"x {value}", "usage": "after"}
    assert result.document.data["description"] == read["description"]


def test_placeholders_and_parameters_of_queries_stay() -> None:
    quality = (
        "- {type: sql, query: 'select count(*) from ${table} where id > ${LEAST} and id < ${most}', mustBe: 0,"
        " customProperties: [{property: parameters, value: {most: 7}}]}"
    )

    result = compiled(a_document(quality=quality), LEAST="3", table="x", most="9")

    assert result.plan
    assert "7" in result.plan.checks[-1].expected or "most" in result.plan.checks[-1].expected
    assert result.document
    assert b"${table} where id > 3 and id < ${most}" in result.document.raw


def test_older_documents_have_no_variables() -> None:
    head = HEAD.replace("v3.2.0", "v3.1.0") + "description: {purpose: 'x ${A}'}\n"
    result = compiled(a_document(head=head))

    assert result.plan
    assert result.document
    assert result.document.raw == a_document(head=head).encode()


def test_document_without_a_block_keeps_its_variables() -> None:
    server = "servers: [{server: a, type: postgresql, host: '${HOST}', port: 5432, database: b, schema: c}]\n"
    text = f"{HEAD}{server}schema: [{{name: x, properties: [{{name: a, logicalType: string}}]}}]\n"

    assert {f.level for f in compiled(text).findings} == {"note"}


def test_file_of_variables_has_texts_as_they_are_written() -> None:
    values, about = variables.read(b"A: 007\nB: 'yes'\nC: no\n", "v.yaml")

    assert values == {"A": "007", "B": "yes", "C": "no"}
    assert about.findings == []


@pytest.mark.parametrize("text", ["- a", "A: [1]", "1a: x", "A: 1\nA: 2", "a: b: c"])
def test_file_of_variables_that_is_none_is_an_error(text: str) -> None:
    _, about = variables.read(text.encode(), "v.yaml")

    assert [f.level for f in about.findings] == ["error"], json.dumps(text)
