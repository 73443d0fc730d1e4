"""Parameters of SQL texts: the SQL literal of each value; no value breaks out of its literal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts import rules
from tests.builders import arguments_of
from tests.unit.contracts.authoring import documents

PROPERTIES = "".join(
    f"- {{name: {name}, logicalType: {kind}}}\n"
    for name, kind in {"n": "integer", "x": "number", "t": "string", "d": "date", "ok": "boolean"}.items()
)
FILLED: dict[str, tuple[str, Any, str]] = {
    "integer": ("n > ${p}", 5, "(v0 > 5L)"),
    "below nothing": ("n - ${p} > 0", -5, "(try_subtract(v0, try_subtract(0L, 5L)) > 0L)"),
    "fraction": ("x > ${p}", 0.5, "(v1 > 0.5BD)"),
    "text": ("t = ${p}", "it's", "(v2 = 'it\\'s')"),
    "text that would be SQL": ("t = ${p}", "' or true or t = '", "(v2 = '\\' or true or t = \\'')"),
    "text with a backslash": ("t = ${p}", "a\\d", "(v2 = 'a\\\\d')"),
    "text that is a name": ("t = ${p}", "${q}", r"(v2 = '\u0024{q}')"),
    "boolean": ("ok = ${p}", True, "(v4 = true)"),
    "list": ("t in ${p}", ["a", "b"], "(v2 in ('a', 'b'))"),
    "behind a comment with a quote": ("-- it isn't\n n > ${p}", 5, "(v0 > 5L)"),
    "behind a remark with a quote": ("/* it isn't\n */ n > ${p}", 5, "(v0 > 5L)"),
    "behind a raw backslash": (r"t <> r'\' and n > ${p}", 5, r"((v2 <> '\\') and (v0 > 5L))"),
    "behind a name that ends in r": ("`n`>${p} and t <> 'r'", 5, "((v0 > 5L) and (v2 <> 'r'))"),
    "within a comment, too": ("n > ${p} -- not ${p}'s", 5, "(v0 > 5L)"),
    "date": ("d > ${ p }", {"logicalType": "date", "value": "2026-01-31"}, "(v3 > date'2026-01-31')"),
}


@pytest.mark.parametrize("case", FILLED)
def test_parameter_is_a_value_of_its_type(case: str) -> None:
    text, value, sql = FILLED[case]
    inner = {"metric": "expression", "expression": text, "parameters": {"p": value}}
    entry = f"- {{id: e, type: custom, engine: dropgate, implementation: {json.dumps(inner)}}}"
    check = documents.check(documents.a_document(PROPERTIES, entry), "e")
    assert arguments_of(check)["sql"] == sql


def test_query_has_its_parameters_beside_it() -> None:
    entry = """\
- id: q
  type: sql
  query: SELECT count(*) FROM ${object} WHERE ${property} > ${least}
  mustBe: 1
  customProperties:
    - {property: parameters, value: {least: 5}}
    - {property: filter, value: n < 100}
    - {property: owner, value: me}
"""
    nested = "- name: n\n  logicalType: integer\n  quality:\n" + "".join(f"    {line}\n" for line in entry.splitlines())
    check = documents.check(documents.a_document(nested), "q")
    assert isinstance(check.rule, rules.Sql)
    assert check.rule.text == "SELECT count(*) FROM orders WHERE n > 5"
    assert check.filter
    assert (check.filter.sql, check.about) == ("(v0 < 100L)", {"owner": "me"})
