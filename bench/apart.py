"""Work of the bench in a process of its own: a module of it and a path in, its answers and its memory out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from infra.setup.spark.jars import ROOT

ANSWER = "answer: "
"""The first part of an answer's line; functions print metrics beside them."""
STATUS = Path("/proc/self/status")


def answers(module: str, path: Path) -> list[Any]:
    """Run `python -m MODULE PATH`, and return what it gave to `answer`."""
    command = [sys.executable, "-m", module, str(path)]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    lines = (line.removeprefix(ANSWER) for line in done.stdout.splitlines() if line.startswith(ANSWER))
    return [json.loads(line) for line in lines]


def answer(value: Any) -> None:
    """Print an answer of this process, as JSON."""
    print(ANSWER + json.dumps(value), flush=True)  # noqa: T201 (this is its answer)


def mib(name: str) -> int:
    """Return a figure of this process's memory in MiB, by its name in proc(5), `status`."""
    return int(STATUS.read_text().partition(f"{name}:")[2].split()[0]) // 1024
