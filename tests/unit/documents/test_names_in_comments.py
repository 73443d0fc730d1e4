"""Names of modules in docstrings and comments are names of modules that exist."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = ("contracts", "functions", "spark_jobs", "infra", "bench", "tests")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
FILE = re.compile(r"(?<![\w*{<-])([a-z_]\w*\.py)\b")
PATH = re.compile(rf"(?<![\w./-])((?:{'|'.join(FOLDERS)})(?:\.[A-Za-z_]\w*)+)(?![\w(/-])")
MEMBER = re.compile(r"(?<![\w./-])([a-z_]\w*)\.([A-Za-z_]\w*)(?![\w(/.-])")
FIELDS = frozenset(
    {"drop", "facts", "amount", "record", "shop", "jvm", "java", "spark", *FOLDERS, *sys.stdlib_module_names}
)
"""Words before a point that are blocks of a contract, columns, values or others' modules, or that `PATH` looks at."""
ENDINGS = frozenset({"html", "json", "py", "thrift", "yaml", "yml"})
NAMES_OF_FILES = frozenset(path.name for path in FILES) | {"result_format.py"}
"""The files of this project, and one of another."""


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines at its top level."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (part.id for one in targets for part in ast.walk(one) if isinstance(part, ast.Name))


@cache
def _by_module() -> dict[str, set[str]]:
    """Return the names that modules define, and the modules of packages, by the last part of their own name."""
    names: dict[str, set[str]] = {}
    for path in FILES:
        module = path.parent if path.stem == "__init__" else path.with_suffix("")
        names.setdefault(module.name, set()).update(_defined(ast.parse(path.read_text(encoding="utf-8"))))
        names.setdefault(module.parent.name, set()).add(module.name)
    return names


@cache
def _every_name() -> frozenset[str]:
    """Return the names that any module defines, or has."""
    return frozenset().union(*_by_module().values())


def _prose(path: Path) -> str:
    """Return the docstrings and comments of a module."""
    source = path.read_text(encoding="utf-8")
    constants = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    docstrings = [one.value for one in constants if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "\n".join([*docstrings, *(token.string for token in tokens if token.type == tokenize.COMMENT)])


def _stale(prose: str) -> list[str]:
    """Return the names of modules, and of what they define, in docstrings and comments that nothing has any more."""
    names, defined = _by_module(), _every_name()
    members = ((word, name) for word, name in MEMBER.findall(prose) if word not in FIELDS and name not in ENDINGS)
    of_ours = ((word, name) for word, name in members if word in names or name in defined)
    return [
        *(name for name in FILE.findall(prose) if name not in NAMES_OF_FILES),
        *(name for name in PATH.findall(prose) if not _exists(name)),
        *(f"{word}.{name}" for word, name in of_ours if name not in names.get(word, ())),
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_modules_that_comments_name_exist(folder: str) -> None:
    paths = (path for path in FILES if path.relative_to(ROOT).parts[0] == folder)
    assert [f"{path.relative_to(ROOT)}: {name}" for path in paths for name in _stale(_prose(path))] == []


@pytest.mark.parametrize(
    ("prose", "stale"),
    [
        ("as in rules.py, codec.encode and `contracts.rules.Enum`", []),
        ("as in no_such_module.py", ["no_such_module.py"]),
        ("as in contracts.no_such_module", ["contracts.no_such_module"]),
        ("as in contracts.rules.NoSuchRule", ["contracts.rules.NoSuchRule"]),
        ("as in codec.no_such_function", ["codec.no_such_function"]),
        ("as in no_such_module.encode", ["no_such_module.encode"]),
    ],
)
def test_name_of_nothing_is_stale(prose: str, stale: list[str]) -> None:
    assert _stale(prose) == stale


def _exists(name: str) -> bool:
    """Tell whether a path names a module, or something that a module defines."""
    module, _, last = name.rpartition(".")
    place, home = ROOT / name.replace(".", "/"), ROOT / module.replace(".", "/")
    if place.is_dir() or place.with_suffix(".py").is_file():
        return True
    return home.with_suffix(".py").is_file() and last in _by_module()[home.name]
