"""The example of a new kind of check in CONTRIBUTING.md is the code as it is."""

from __future__ import annotations

import re

from infra.packaging.bundles import ROOT

PAGE = ROOT / "CONTRIBUTING.md"


def entries() -> list[tuple[str, str]]:
    """Return the lines of the example, each with the file that has it."""
    (diff,) = re.findall(r"```diff\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file, lines = "", []
    for line in diff.splitlines():
        if line.startswith("--- "):
            file = line.removeprefix("--- ").partition(":")[0]
        else:
            lines.append((file, line.removeprefix("+")))
    return lines


def test_each_line_of_the_example_is_in_its_file() -> None:
    lines = entries()
    assert len({file for file, _ in lines}) == 5
    for file, line in lines:
        assert line in (ROOT / file).read_text(encoding="utf-8").splitlines(), (file, line)
