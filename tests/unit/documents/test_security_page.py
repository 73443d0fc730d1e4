"""SECURITY.md: each proof that it names is there; what it says stands nowhere stands nowhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.packaging.bundles import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROOFS = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
CODE = [
    path for room in ("contracts", "functions", "spark_jobs", "infra") for path in sorted((ROOT / room).rglob("*.py"))
]
INTERPRETERS = {"eval", "exec", "compile", "__import__"}
"""Functions of Python that run a text; as methods, as `re.compile`, they are something else."""
OWN = {("sqlite_store.py", "pickle")}
"""What the page names as an exception: the folder of a stack at home."""
MODULES = {"pickle", "marshal", "shelve", "code", "pty"}
METHODS = {"system", "popen", "unsafe_load", "full_load", "load_all", "getoutput", "getstatusoutput"}


@pytest.mark.parametrize(("path", "name"), PROOFS)
def test_each_proof_is_there(path: str, name: str) -> None:
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_each_place_has_a_proof() -> None:
    rows = [
        line for line in PAGE.partition("## Where a stranger's text is read")[2].splitlines() if line.startswith("| ")
    ]

    assert len(rows) == len(PROOFS) + 1
    assert all("::test_" in row for row in rows[1:])


def texts_that_run(path: Path) -> Iterator[str]:
    """Return the calls in a file that run a text or hand one to a shell."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            modules = [name for name in names if name.partition(".")[0] in MODULES and (path.name, name) not in OWN]
            yield from (f"{path.name}:{node.lineno}: {name}" for name in modules)
        if isinstance(node, ast.Call):
            called = node.func
            plain = called.id if isinstance(called, ast.Name) else None
            method = called.attr if isinstance(called, ast.Attribute) else None
            if plain in INTERPRETERS or method in METHODS:
                yield f"{path.name}:{node.lineno}: {plain or method}"
            if any(k.arg == "shell" and not _is_false(k.value) for k in node.keywords):
                yield f"{path.name}:{node.lineno}: shell"


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def test_no_text_reaches_a_shell_or_an_interpreter() -> None:
    assert [one for path in CODE for one in texts_that_run(path)] == []
