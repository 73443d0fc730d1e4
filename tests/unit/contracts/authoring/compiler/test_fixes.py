"""Fixes that name a replacement: whoever types it has repaired the fault, and one fault has one finding."""

from __future__ import annotations

import json
import random
import re

import pytest

from contracts.authoring.document.finding import Finding
from contracts.authoring.imports.formats import FORMATS as FORMATS_BY_NAME
from contracts.authoring.imports.importing import import_source
from tests.unit.contracts.authoring.compiler.test_never_a_crash import CODED, RICH
from tests.unit.contracts.authoring.documents import DROP, a_document, compiled

REPLACEMENT = re.compile(r"Write `([^`]+)`(?: if that is meant; .*|, if that is meant)?\.?")
FORMATS = (
    "%dd.%mm.%yyyy", "%yyyy-%mm-%dd", "%d.%m.%Y", "DD.MM.YYYY", "ddate", "date", "yyyy-mm-dd", "YYYY/MM/DD HH24:MI:SS",
    "d.M.yy", "%Y%m%d", "%%d", "dd/MM/yyyy hh:mm a", "YYYY-DDD", "HH:MM", "hh:mm", "Mon DD, YYYY", "y-M-d", "ddd",
    "yyyy-MM-ddTHH:mm:ssZ", "yyyy-MM-dd HH:mm:ss.fff", "dd.mm.yyyyy", "iso8601", "epoch", "unixtime", "yyyy", "%s",
    "MM/yyyy", "yyyy-'W'ww", "yyyy-MM-dd'", "[yyyy]", "%b %d %Y", "%-d.%-m.%Y", "%H:%M", "HH24:MI", "%x", "date-time",
)  # fmt: skip
TYPES = ("ddate", "Date", "dat", "int", "str", "varchar", "float", "bool", "timestmap", "nubmer", "strin", "time stamp")
FORMATS_IN = [form for form in FORMATS_BY_NAME if form != "parquet"]
SOURCES = {key: f"{key}: x" for key in ("dataset", "datasetDomain", "quantumName", "specVersion", "entities", "fields")}
SOURCES |= {"ddl": "create view x as select 1", "schema": "$schema: x", "record": "{type: record, name: x, fields: y}"}
TYPOS = 40
"""Misspelt words of each long contract in the test command; all words were tried once."""


def _misspelt(text: str, chance: random.Random) -> str:
    """Return a text with one wrong letter in one word."""
    word = chance.choice(list(re.finditer(r"[A-Za-z]{5,}", text)))
    at = chance.randrange(word.start() + 1, word.end())
    return chance.choice([text[:at] + text[at + 1 :], text[:at] + "x" + text[at + 1 :], text[:at] + text[at - 1 :]])


CHANCE = random.Random(7)
DOCUMENTS = {
    **{
        f"{kind} {form}": a_document(
            f"- name: x\n  logicalType: {kind}\n  logicalTypeOptions: {{format: {json.dumps(form)}}}"
        )
        for form in FORMATS
        for kind in ("date", "timestamp", "time")
    },
    **{
        f"{kind} in files {form}": a_document(
            f"- name: x\n  logicalType: {kind}",
            drop=f"{DROP}values: {{columns: {{x: {{formats: [{json.dumps(form)}]}}}}}}",
        )
        for form in FORMATS
        for kind in ("date", "timestamp", "time")
    },
    **{f"type {kind}": a_document(f"- {{name: x, logicalType: {kind}}}") for kind in TYPES},
    **{f"typo {n}": _misspelt(text, CHANCE) for text in (RICH, CODED) for n in range(TYPOS)},
}


def errors(text: str) -> list[Finding]:
    return [f for f in compiled(text).findings if f.level == "error"]


def replaced(text: str, finding: Finding) -> str | None:
    """Return the text with the replacement that a fix names; None if it names none, or one of a longer text."""
    meant = REPLACEMENT.fullmatch(finding.fix)
    lines = text.split("\n")
    line, at = lines[finding.line - 1], finding.column - 1
    if meant is None or re.match(r"[A-Za-z]+: ", meant[1]):
        return None
    old = re.match(r""""(?:[^"\\]|\\.)*"|'[^']*'|[^,}\]#:]*[^,}\]#: ]""", line[at:])
    if old is None or any(word in finding.code for word in ("query", "expression", "statement", "condition")):
        return None  # a fix within a text of SQL
    lines[finding.line - 1] = line[:at] + json.dumps(meant[1], ensure_ascii=False) + line[at + old.end() :]
    return "\n".join(lines)


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_typed_replacement_leaves_no_fault(text: str) -> None:
    for finding in errors(text):
        if (mended := replaced(text, finding)) is not None:
            assert finding not in errors(mended)
            assert len(errors(mended)) < len(errors(text)), (finding, errors(mended))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("kind: DataContract", "kimd: DataContract"),
        ("  - name: id", "  - nmae: id"),
        ("producer: shop", "produxer: shop"),
        ("logicalType: integer", "logicalTyp: integer"),
        ("logicalType: integer", "logicalType: integr"),
    ],
)
def test_misspelt_word_has_one_finding(right: str, wrong: str) -> None:
    query = "- {type: sql, query: 'select count(*) from data where id > 1', mustBe: 0}"
    text = a_document(quality=query)
    assert errors(text) == []

    assert len(errors(text.replace(right, wrong, 1))) == 1


def test_signs_of_directives_before_letters_are_left_out() -> None:
    text = a_document("- name: x\n  logicalType: date\n  logicalTypeOptions: {format: '%dd.%mm.%yyyy'}")

    assert [f.fix for f in errors(text)] == ["Write `dd.MM.yyyy`."]


@pytest.mark.parametrize("name", FORMATS_IN)
@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES.keys())
def test_source_of_another_format_is_never_sent_back(name: str, text: str) -> None:
    result = import_source(name, text.encode(), "a.yaml")

    assert not any(f"Write `--from {name}`" in f.fix for f in result.findings)
