"""The reader of workbooks as a program: the path of a workbook in, its text at another path out; see `apart`.

python -m contracts.files.sheets MEMORY SECONDS
"""

from __future__ import annotations

from pathlib import Path

from contracts.files import apart
from contracts.files.sheets import reading
from contracts.plan import Plan
from contracts.problem import Problem


def read(plan: Plan, arguments: list[str]) -> Problem | None:
    """Write the text of a workbook, or about so many bytes of its begin."""
    workbook, text, *most = arguments
    with Path(workbook).open("rb") as source, Path(text).open("wb") as target:
        return reading.transcribe(plan, source, target, int(most[0]) if most else None)


if __name__ == "__main__":
    apart.main(read)
