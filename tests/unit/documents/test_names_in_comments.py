"""Names of modules in docstrings and comments are names of modules that exist."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = ("contracts", "functions", "spark_jobs", "infra", "bench", "tests")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
FILE = re.compile(r"(?<![\w*{<-])([a-z_]\w*\.py)\b")
PATH = re.compile(rf"(?<![\w./-])((?:{'|'.join(FOLDERS)})(?:\.[a-z_]\w*)+)(?![\w(/-])")
MEMBER = re.compile(r"(?<![\w./-])([a-z_]\w*)\.([A-Za-z_]\w*)(?![\w(/.-])")
FIELDS = frozenset({"drop", "facts", "amount", "record", "shop", "jvm", *FOLDERS})
"""Words before a point that are blocks of a contract, columns or values, or whose paths `PATH` has."""
OTHERS = frozenset({"result_format.py"})
"""Files of other projects."""


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines at its top level."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (part.id for one in targets for part in ast.walk(one) if isinstance(part, ast.Name))


def _by_module() -> dict[str, set[str]]:
    """Return the names that modules define, by the last part of a module's name."""
    names: dict[str, set[str]] = {}
    for path in FILES:
        stem = path.parent.name if path.stem == "__init__" else path.stem
        names.setdefault(stem, set()).update(_defined(ast.parse(path.read_text(encoding="utf-8"))))
    return names


def _prose(path: Path) -> str:
    """Return the docstrings and comments of a module."""
    source = path.read_text(encoding="utf-8")
    constants = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    docstrings = [one.value for one in constants if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "\n".join([*docstrings, *(token.string for token in tokens if token.type == tokenize.COMMENT)])


NAMES = _by_module()
DEFINED = frozenset().union(*NAMES.values())


@pytest.mark.parametrize("folder", FOLDERS)
def test_modules_that_comments_name_exist(folder: str) -> None:
    files, stale = {path.name for path in FILES} | OTHERS, []
    for path in (one for one in FILES if one.relative_to(ROOT).parts[0] == folder):
        prose = _prose(path)
        lost = [name for name in FILE.findall(prose) if name not in files]
        lost += [name for name in PATH.findall(prose) if not _exists(name)]
        members = ((word, name) for word, name in MEMBER.findall(prose) if word not in FIELDS and name in DEFINED)
        lost += [f"{word}.{name}" for word, name in members if name not in NAMES.get(word, ())]
        stale += [f"{path.relative_to(ROOT)}: {name}" for name in lost]

    assert stale == []


def _exists(name: str) -> bool:
    """Tell whether a path names a module, or something that a module defines."""
    module, _, last = name.rpartition(".")
    place = ROOT / name.replace(".", "/")
    if place.is_dir() or place.with_suffix(".py").is_file():
        return True
    return (ROOT / module.replace(".", "/")).with_suffix(".py").is_file() and last in NAMES[module.rpartition(".")[2]]
