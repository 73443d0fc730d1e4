"""Further environments: the name of a lock in, a Python with only the packages of the lock out.

Each is made once for each Python, by plain pip from hashed files only, and made again when its lock has changed.
"""

from __future__ import annotations

import shutil
import subprocess
import venv
from pathlib import Path

from infra.errors import SetupMissing
from infra.setup.packages import PIP, VERSION
from infra.setup.spark.jars import ROOT

PLACE = ROOT / ".dropgate" / "environments"
BUILD = ROOT / "locks" / "build.txt"
"""The tools that build packages with source only, such as pyspark."""


def python_of(name: str, place: Path = PLACE) -> Path:
    """Return the Python of the environment whose lock is `locks/<name>.txt`; raise SetupMissing."""
    folder, lock = place / f"{name}-{VERSION}", ROOT / "locks" / f"{name}.txt"
    python, mark = folder / "bin" / "python", folder / "lock.txt"
    if not (mark.is_file() and mark.read_bytes() == lock.read_bytes()):
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        for source in (BUILD, lock):
            command = [str(python), *PIP, "--require-hashes", "-r", str(source)]
            done = subprocess.run(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                wrong = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")] or ["pip failed"]
                raise SetupMissing(f"{source.name} could not be installed: {wrong[0].removeprefix('ERROR:').strip()}")
        shutil.copyfile(lock, mark)
    return python
