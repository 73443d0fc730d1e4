"""Bytecode for Lambda: a folder of Python sources in, bytecode next to each of them out.

A Python compiles for its own version only, so this needs the version that Lambda runs, which may not be the Python at
hand.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
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
    name = f"python{version}"
    candidates = [Path(sys.executable), *(Path(folder or ".", name) for folder in os.get_exec_path(os.environ))]
    for variable, home, below in MANAGERS:
        root = Path(os.environ.get(variable) or Path.home() / home) / below
        candidates += sorted(root.glob(f"*{version}.*/bin/{name}"), reverse=True)
    return _first(version, tuple(candidates))


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


@cache
def _first(version: str, candidates: Sequence[Path]) -> Compiler | None:
    """Return the first Python that answers with the tag of its bytecode and its release level; a shim may not start."""
    wanted = f"cpython-{version.replace('.', '')} final"
    for path in candidates:
        if not (path.is_file() and os.access(path, os.X_OK)):
            continue
        try:
            command = [str(path), "-I", "-S", "-c", ASK]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20, cwd="/")
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0 and done.stdout.strip() == wanted:
            return Compiler(path, version)
    return None
