"""`python -m infra.setup.lock [--upgrade]`: pyproject.toml and the jars' coordinates in, the files of locks/ out."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from infra.setup import dynamodb
from infra.setup.spark import jars
from infra.setup.spark.jars import ROOT
from infra.setup.spark.java import java_home
from infra.setup.wheels import EMR

TOOLS = ROOT / ".dropgate" / "lock"
HEADER = "make lock"
# Every lock is for each Python that its pyproject.toml allows, from the lowest on: where they need different packages,
# its lines say for which each is. No option may write where a file came from: the hashes say which file it is, the
# machine knows its own index.
COMPILE = (
    "pip",
    "compile",
    "--quiet",
    "--universal",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
)
LOCKS = {
    "environment": ("pyproject.toml", "--group=check"),
    "build": ("--group=build", "--constraint=locks/environment.txt"),
    "data": ("--group=data", "--no-deps"),
    "lock": ("--group=lock",),
    "bench-datacontract": ("--group=bench-datacontract",),
    "bench-gx": ("--group=bench-gx",),
    "job-arrow": ("--group=job-arrow", "--constraint=locks/environment.txt"),
    "job-gx": ("--group=job-gx", "--constraint=locks/environment.txt"),
    "functions": ("--group=functions", "--constraint=locks/environment.txt"),
    "functions-lane": ("--group=functions-lane", "--constraint=locks/environment.txt"),
    "functions-api": ("--group=functions-api", "--constraint=locks/environment.txt"),
    "checkov": ("--group=checkov",),
    "client": ("client/pyproject.toml",),
}
LOWEST = {"client": "3.10"}
"""The lowest Python of a lock, if it is not that of the job."""


def main(arguments: list[str]) -> int:
    """Write every lock again; return the exit code."""
    uv = TOOLS / "bin" / "uv"
    if not uv.exists():  # it comes from its own lock into an environment of its own
        venv.create(TOOLS, with_pip=True)
        _run([str(TOOLS / "bin" / "pip"), "install", "--quiet", "--require-hashes", "-r", "locks/lock.txt"])
    for name, sources in LOCKS.items():
        python = f"--python-version={LOWEST.get(name, EMR.python)}"
        _run([str(uv), *COMPILE, python, *arguments, *sources, f"--output-file=locks/{name}.txt"])
    _jars(jars.LOCK, jars.PACKAGES, jars.EXCLUDED)
    _jars(dynamodb.LOCK, dynamodb.PACKAGES)
    return 0


def _jars(lock: Path, packages: tuple[str, ...], excluded: tuple[str, ...] = ()) -> None:
    """Write the lock of the jars that Ivy resolves."""
    with tempfile.TemporaryDirectory(prefix="dropgate-") as scratch:
        hashes = jars.fetch(java_home(), Path(scratch), packages, excluded)
    lines = "".join(f"{digest}  {name}\n" for name, digest in hashes.items())
    lock.write_text(f"# Made by `{HEADER}`; read by sha256sum --check.\n{lines}", encoding="utf-8")


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "UV_CUSTOM_COMPILE_COMMAND": HEADER})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
