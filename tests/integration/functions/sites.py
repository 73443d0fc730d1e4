"""Calls of ports in use cases, read from their source, to find the calls that no scenario makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import functions
from functions.ports.jobs import Jobs
from functions.ports.ledger import Ledger
from functions.ports.messages import Delays, Lane
from functions.ports.store import ObjectStore
from functions.ports.tables import Tables

PORTS = {"store": ObjectStore, "ledger": Ledger, "tables": Tables, "jobs": Jobs, "delays": Delays, "lane": Lane}
"""Each port by the name that it has wherever it is called."""

Site = tuple[str, str]
"""A function of ours, with its module, and the method of a port that it calls or hands on."""


def sites() -> set[Site]:
    """All that there are, but those of the API and of its pages, which answer a person by a fault."""
    folder = Path(functions.__file__).parent
    modules = (
        p for p in folder.rglob("*.py") if not {"api", "aws", "handlers", "pages"} & {*p.relative_to(folder).parts}
    )
    return {site for path in modules for site in _within(ast.parse(path.read_text(encoding="utf-8")), path.stem)}


def _within(node: ast.AST, name: str) -> Iterator[Site]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            # What is defined within a function is called as that function.
            yield from _within(child, name if isinstance(node, ast.FunctionDef) else f"{name}.{child.name}")
            continue
        if isinstance(child, ast.Attribute) and hasattr(PORTS.get(_of(child.value)), child.attr):
            yield name, child.attr
        yield from _within(child, name)


def _of(value: ast.expr) -> str:
    """The name before a dot, which is a port's if it is called so."""
    last = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    return last.removeprefix("_")
