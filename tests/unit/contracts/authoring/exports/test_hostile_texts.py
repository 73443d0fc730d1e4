"""Texts that would leave a format, command a terminal or run as a template: each stays a text, in every export."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment, StrictUndefined

from contracts.authoring.exports.exported import Contract, Exported
from contracts.authoring.exports.formats import FORMATS
from contracts.authoring.exports.reading import read
from contracts.authoring.exports.spark_types import is_valid_name, literal
from tests.unit.contracts.authoring.documents import FILE

HOSTILE = (
    "{% endraw %}{{ env_var('SECRET') }}",
    "{%- endraw -%}{{ 7 * 7 }}{% raw %}",
    "{%+ endraw +%}{{ 7 * 7 }}",
    "{{ '}}' }}{# x #}{% raw %}",
    "a {{ b }} {% c %} {# d #}",
    "env_var('SECRET')",
    " ref('other') ",
    "doc('x')}} {{ 7 * 7 }}",
    "'}} {{ 7 * 7 }} {{'",
    '"}} {{ 7 * 7 }} {{"',
    "\\' \\\" \\",
    "x\n::error::y",
    "x\r\n::error::y",
    "x\n \t ::error::y",
    f"{'long ' * 40}::error::y",
    f"{'long ' * 40}\n{'x' * 70}::error::{'y' * 90}",
    f"it's \u2028\"{'::error::' * 30}",
    "::error::y",
    "::",
    "x\n-- y\nDROP TABLE orders;",
    "'; DROP TABLE orders; --",
    "`; DROP TABLE orders; --",
    "*/ DROP TABLE orders; /*",
    "${env:HOME} ${system:line.separator}",
    "$${1x}",
    "</script><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "<!-- x --> <![CDATA[ y ]]> &amp; &#60;",
    "\x1b[2J\x1b]0;x\x07",
    "\x9b2J \x85 \u2028 \u2029 \x0b \x0c \x7f",
    "\u202egnp.exe \u200b \ufeff",
    "# x: [y, {z: *w}]\n--- \n...",
    "%YAML 1.1\n--- !!python/object/apply:os.system [id]",
    "##[error]x ##vso[task.complete]",
    "{batch} {0} {x.__class__}",
    "a\ttab",
    "trailing\n",
    "\U0001f600 \U000e0001",
)
FORMS = tuple(FORMATS)
BLOCKS = ("odcs", "dbt", "html")
"""The formats in which a text keeps its lines, within a block or an element."""


def called(text: str) -> str | None:
    """Return a name that contains a text; None if a contract cannot have such a name."""
    return f"n{text}" if text.isprintable() else None


def contract(text: str, name: str | None = None) -> Contract:
    """Return a contract with a text in all places, and as the name of a property if it can be one."""
    fields = [
        {"name": "kind", "logicalType": "string", "enum": [{"value": text, "label": text}], "description": text},
        {"name": "size", "logicalType": "integer", "businessName": text, "examples": [7], "tags": [text]},
        {"name": name or "plain", "logicalType": "string", "logicalTypeOptions": {"minLength": 1}},
        {"name": "inner", "logicalType": "object", "properties": [
            {"name": name or "plain", "logicalType": "string", "logicalTypeOptions": {"maxLength": 9}},
        ]},
    ]  # fmt: skip
    rule = {"id": "q", "metric": "rowCount", "mustBeGreaterThan": 0, "description": text}
    document = {
        "apiVersion": "v3.2.0", "kind": "DataContract", "id": "orders", "version": "1.0.0", "status": "active",
        "name": text, "tags": [text], "description": {"purpose": text, "usage": text},
        "schema": [
            {"name": name or "orders", "description": text, "tags": [text], "properties": fields, "quality": [rule]}
        ],
        "customProperties": [{"property": "drop", "vendor": "dropgate", "value": {
            "files": "shop/*.jsonl", "producer": "shop", "format": "jsonl"}}],
    }  # fmt: skip
    opened = read(yaml.safe_dump(document, allow_unicode=True).encode("utf-8", "surrogatepass"), FILE)
    assert opened.contract, opened.findings
    return opened.contract


def texts(value: Any) -> Iterator[str]:
    """Yield all texts of a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def exported(form: str, text: str, name: str | None = None) -> tuple[Contract, Exported]:
    read_in = contract(text, name)
    return read_in, FORMATS[form].write(read_in)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", FORMS)
def test_no_text_begins_a_line_or_moves_a_cursor(form: str, text: str) -> None:
    for name in {None, called(text)}:
        _, made = exported(form, text, name)
        lines = made.text.split("\n")
        assert [line for line in lines if not line.isprintable()] == []
        assert [line for line in lines if line.lstrip().startswith("::")] == []
        if form not in BLOCKS:
            assert [line for line in lines if line.lstrip().startswith(("DROP", "##"))] == []
        assert [line for line in made.losses if not line.isprintable()] == []


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", ["json-schema", "avro", "spark", "great-expectations"])
def test_texts_of_json_read_back_as_they_were(form: str, text: str) -> None:
    _, made = exported(form, text, called(text))
    texts_written = list(texts(json.loads(made.text)))
    if form != "great-expectations":
        assert text in texts_written
    if form != "avro" and (name := called(text)):
        assert any(name in written for written in texts_written)


@pytest.mark.parametrize("text", HOSTILE)
def test_odcs_reads_back_as_it_was(text: str) -> None:
    read_in, made = exported("odcs", text, called(text))
    assert yaml.safe_load(made.text) == yaml.safe_load(yaml.safe_dump(_plain(read_in.data)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, (str, bool)) or value is None else float(value)


def rendered(text: str) -> str:
    """Return a text rendered by dbt; calls fail."""
    call = re.fullmatch(r"\s*(env_var|ref|var|source|doc)\s*\(.+\)\s*", text)
    return Environment(undefined=StrictUndefined).from_string(f"{{{{ {text} }}}}" if call else text).render()  # noqa: S701


@pytest.mark.parametrize("text", HOSTILE)
def test_dbt_renders_every_text_to_itself(text: str) -> None:
    read_in, made = exported("dbt", text, called(text))
    (model,) = yaml.safe_load(made.text)["models"]
    sql = [c.pop("expression") for column in model["columns"] for c in column.get("config", {}).get("constraints", ())]
    sql += [c["expression"] for column in model["columns"] for c in column.get("constraints", ())]
    assert model["columns"][0]["data_tests"][0].keys() == {"accepted_values"}
    (value,) = model["columns"][0]["data_tests"][0]["accepted_values"]["arguments"]["values"]
    assert rendered(value) == text
    assert [rendered(tag) for tag in model["columns"][1]["config"]["tags"]] == [text]
    assert rendered(model["columns"][0]["description"]).rstrip("\n") == text.rstrip("\n")
    name = rendered(model["columns"][2]["name"])
    wanted = called(text) or "plain"
    assert name == wanted if is_valid_name(wanted) else name.startswith("n")
    for one in texts(model):
        rendered(one)  # nothing is undefined, as nothing is called
    assert [one for one in sql if "${" in one] == []
    assert read_in.name == "orders.v1"


@given(
    st.text(max_size=30) | st.lists(st.sampled_from([*HOSTILE, "{", "}", "%", "endraw", "'", '"', "\\"])).map("".join)
)
@settings(max_examples=200, deadline=None)
def test_dbt_renders_any_text_to_itself(text: str) -> None:
    from contracts.authoring.exports.dbt import _plain as plain  # noqa: PLC0415

    made = plain(text)
    untouched = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    assert rendered(made) == (text if made != text else untouched)


@pytest.mark.parametrize("text", HOSTILE)
def test_ddl_holds_its_lines_and_no_variable(text: str) -> None:
    _, made = exported("spark-ddl", text, called(text))
    lines = made.text.rstrip("\n").split("\n")
    kinds = ("-- ", "CREATE TABLE `", "  `", ")", "COMMENT '")
    assert [line for line in lines if not line.startswith(kinds)] == []
    assert "${" not in made.text
    statement = "\n".join(line for line in lines if not line.startswith("-- "))
    bare = re.sub(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`", "", statement)
    assert bare.count(";") == 1
    assert re.fullmatch(r"[A-Z0-9<>:,()\s;]*", bare)


@pytest.mark.parametrize("text", HOSTILE)
def test_literal_of_sql_is_the_text_itself(text: str) -> None:
    assert _unescaped(literal(text)) == text


def _unescaped(sql: str) -> str:
    """Return the value of a Spark literal, read as by its parser (ParserUtils.unescapeSQLString)."""
    signs = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "b": "\b", "Z": "\x1a"}

    def character(escape: re.Match[str]) -> str:
        if escape[1] or escape[2]:
            return chr(int(escape[1] or escape[2], 16))
        return signs.get(escape[3], escape[3])

    return re.sub(r"\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", character, sql[1:-1])


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("text", HOSTILE)
def test_page_has_no_element_that_a_text_has_made(text: str) -> None:
    structures = []
    for text_shown in ("plain words", text):
        page = _Page()
        page.feed(exported("html", text_shown, None if text_shown == "plain words" else called(text))[1].text)
        structures.append((page.tags, page.attributes))
    assert structures[1][0] - structures[0][0] <= {"br"}
    assert structures[1][1] == structures[0][1]


def test_query_of_great_expectations_has_one_place_to_fill() -> None:
    for text in HOSTILE:
        _, made = exported("great-expectations", text, called(text))
        queries = [
            q for one in json.loads(made.text)["expectations"] if (q := one["kwargs"].get("unexpected_rows_query"))
        ]
        for query in queries:
            assert "${" not in query
            query.format(batch="b")
