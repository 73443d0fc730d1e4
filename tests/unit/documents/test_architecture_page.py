"""docs/explanation/architecture.md: the diagram has every folder, and arrows that import-linter allows."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise

import pytest

from infra.packaging.bundles import ROOT

PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
DIAGRAM = re.findall(r"```mermaid\nflowchart TD\n(.*?)```", PAGE, re.DOTALL)[0]
ROOMS = {"functions": "functions", "spark_jobs": "spark_jobs", "contracts.authoring": "contracts/authoring"}
"""The packages whose every folder is in the diagram, by their names for import-linter."""
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def folders(package: str) -> set[str]:
    """Return the nodes of a package's part of the diagram."""
    part = re.findall(rf"subgraph {package.rpartition('.')[2]}\[.*?\]\n(.*?)\n  end", DIAGRAM, re.DOTALL)[0]
    return set(re.findall(r"^    (\w+)\[", part, re.MULTILINE))


def arrows() -> set[tuple[str, str]]:
    """Return each arrow of the diagram, by its ends."""
    pairs = set()
    for line in re.findall(r"^  ([\w &]+(?: --> [\w &]+)+)$", DIAGRAM, re.MULTILINE):
        steps = [[name.strip() for name in part.split("&")] for part in line.split("-->")]
        pairs |= {(a, b) for left, right in pairwise(steps) for a in left for b in right}
    return pairs


def floors(package: str) -> dict[str, int]:
    """Return the floor of each module of a package, as the first list of its layers has it; 0 is the highest."""
    (layers, *_) = (one["layers"] for one in LINTER if one.get("containers") == [package])
    return {name: n for n, layer in enumerate(layers) for name in re.split(r" [|:] ", layer)}


@pytest.mark.parametrize("package", ROOMS)
def test_diagram_has_every_folder(package: str) -> None:
    there = {path.parent.name for path in (ROOT / ROOMS[package]).glob("*/__init__.py")}

    assert folders(package) == there


@pytest.mark.parametrize("package", ROOMS)
def test_arrows_lead_down(package: str) -> None:
    within = [(a, b) for a, b in arrows() if a in folders(package) and b in folders(package)]
    floor = floors(package)

    assert within
    assert [(a, b) for a, b in within if floor[a] >= floor[b]] == []


def test_modules_of_the_page_are_there() -> None:
    paths = re.findall(r"`((?:contracts|functions|spark_jobs|infra)/[\w/.]+)`", PAGE)

    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / path).exists()] == []
