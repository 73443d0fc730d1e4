"""Contract documents for tests: the one part that a test is about in, a whole ODCS document out.

A line that ends in `#! code` is where a finding of that code is expected.
"""

from __future__ import annotations

import re
import textwrap

from contracts.authoring.compiler.compile import Compiled, compile_text
from contracts.plan import Check, Plan

HEAD = """\
apiVersion: v3.2.0
kind: DataContract
id: orders
version: "1.0.0"
status: active
"""
PROPERTIES = """\
- name: id
  logicalType: integer
"""
DROP = """\
files: shop/orders/*.csv
producer: shop
format: csv
"""
FILE = "orders.v1.yaml"


def a_document(
    properties: str = PROPERTIES, quality: str = "", drop: str = DROP, head: str = HEAD, more_drop: str = ""
) -> str:
    """Return a contract with the given parts and defaults for the others."""
    text = head + "schema:\n  - name: orders\n    properties:\n" + _indented(properties, 6)
    if quality:
        text += "    quality:\n" + _indented(quality, 6)
    text += "customProperties:\n  - property: drop\n    vendor: dropgate\n    value:\n"
    return text + _indented(drop, 6) + _indented(more_drop, 6)


def a_property(body: str, kind: str = "string") -> str:
    """Return a contract with one property `x` of a type and more keys."""
    return a_document(f"- name: x\n  logicalType: {kind}\n" + _indented(body, 2))


def _indented(text: str, by: int) -> str:
    return textwrap.indent(textwrap.dedent(text).strip("\n") + "\n", " " * by) if text.strip() else ""


def compiled(text: str, file: str = FILE) -> Compiled:
    """Return the compiled document."""
    return compile_text(text.encode(), file)


def a_plan(text: str) -> Plan:
    """Return the plan of a valid document."""
    result = compiled(text)
    assert result.plan, result.findings
    return result.plan


def check(text: str, id_: str) -> Check:
    """Return one check of a document's plan."""
    return next(c for c in a_plan(text).checks if c.id == id_)


def expected(text: str) -> set[tuple[int, str]]:
    """Return the lines and codes marked in a document."""
    marks = ((n, re.findall(r"#! ([a-z0-9-]+(?: [a-z0-9-]+)*)", line)) for n, line in enumerate(text.split("\n"), 1))
    return {(n, code) for n, groups in marks for group in groups for code in group.split()}


def reported(text: str) -> set[tuple[int, str]]:
    """Return the lines and codes of a document's findings without notes."""
    return {(f.line, f.code) for f in compiled(text).findings if f.level != "note"}
