"""Bytecode for Lambda: a folder of Python sources in, bytecode next to each of them out.

A Python compiles for its own version only, so this needs the version that Lambda runs, which may not be the Python at
hand.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from infra.errors import SetupMissing
from infra.setup.wheels import LAMBDA

TASK = "/var/task"
"""The folder of a function's code on Lambda; tracebacks name files in it."""
ASK = "import compileall, sys; print(sys.implementation.cache_tag, sys.version_info.releaselevel)"
MANAGERS = (("PYENV_ROOT", ".pyenv", "versions"), ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", ""))
"""Where pyenv and uv install Pythons that are on no path: the variable that names the folder, and its default."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A Python of the version that Lambda runs."""

    path: Path
    version: str = LAMBDA.python


def lambda_python(version: str = LAMBDA.python) -> Compiler | None:
    """Return the first Python of that version that works: this one, one on PATH, or one that pyenv or uv installed."""
    return _first(version, tuple(_candidates(version, os.environ)))


def compile_sources(folder: Path, compiler: Compiler) -> None:
    """Write bytecode next to the sources of a folder; raise SetupMissing if the Python does not compile them.

    Lambda takes the bytecode without comparing the time of the source (PEP 552: unchecked hash). The bytes depend only
    on the compiler and the sources: hashes are not random, and each run is a new process.
    """
    command = [str(compiler.path), "-P", "-S", "-m", "compileall", "-q", "-f", "--invalidation-mode=unchecked-hash"]
    environment = {"PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [*command, "-s", str(folder), "-p", TASK, str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = ((done.stdout + done.stderr).strip().splitlines() or ["it gave no reason"])[-1]
        raise SetupMissing(f"{compiler.path} did not compile the functions' bundle: {last}.")


def _candidates(version: str, environment: Mapping[str, str]) -> Iterator[Path]:
    yield Path(sys.executable)
    name = f"python{version}"
    for folder in os.get_exec_path(environment):
        yield Path(folder or ".", name)
    for variable, home, below in MANAGERS:
        root = Path(environment.get(variable) or Path.home() / home) / below
        yield from sorted(root.glob(f"*{version}.*/bin/{name}"), reverse=True)


@cache
def _first(version: str, candidates: Sequence[Path]) -> Compiler | None:
    wanted = f"cpython-{version.replace('.', '')} final"
    there = (path for path in candidates if path.is_file() and os.access(path, os.X_OK))
    return next((Compiler(path, version) for path in there if _answer(path) == wanted), None)


def _answer(python: Path) -> str:
    """Return the tag of a Python's bytecode and its release level, or nothing where it does not start (a shim)."""
    try:
        done = subprocess.run(
            [python, "-I", "-S", "-c", ASK], capture_output=True, text=True, check=False, timeout=20, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
