"""The Python environment: the locks and pyproject.toml in, .venv out, by plain pip from hashed files only."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

from infra.errors import SetupMissing
from infra.setup import system
from infra.setup.progress import Tell
from infra.setup.spark.jars import ROOT

VENV = ROOT / ".venv"
VERSION = "{}.{}".format(*sys.version_info)
"""The Python that runs this."""
LOG = ROOT / ".dropgate" / "pip.log"
LOCKS = tuple(ROOT / "locks" / f"{name}.txt" for name in ("build", "environment", "data"))
PROJECT = (ROOT / "pyproject.toml",)
DOING = ("Collecting", "Building", "Installing", "Obtaining")  # the lines of pip that people are shown
# Some packages come as source only: the pinned build lock builds them, in place of whatever is newest today.
PIP = (
    "-m",
    "pip",
    "install",
    "--no-deps",
    "--no-build-isolation",
    "--no-input",
    "--disable-pip-version-check",
    "--progress-bar=off",
)


def environment_is_there() -> bool:
    """Return True if .venv holds a Python that starts."""
    return (VENV / "bin" / "python").exists()


def environment_fits(folder: Path = VENV) -> bool:
    """Return True if an environment holds the Python that runs this (also if it is the running one)."""
    settings = folder / "pyvenv.cfg"
    if not (folder / "bin" / "python").exists() or not settings.is_file():
        return False
    return re.search(rf"(?m)^version *= *{re.escape(VERSION)}\.", settings.read_text(encoding="utf-8")) is not None


def make_environment() -> None:
    """Create .venv with the Python that runs this; replace one with another Python.

    Raises SetupMissing where its venv module is not installed.
    """
    package = f"python{VERSION}-venv"
    if importlib.util.find_spec("ensurepip") is None and not system.install(package):
        raise SetupMissing(f"Python's venv module is not here: install it (Debian: apt-get install {package}).")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupMissing(f"{VENV} could not be made: {(done.stdout + done.stderr).strip().splitlines()[-1]}")


def packages_are_there() -> bool:
    """Return True if .venv was filled from the current locks."""
    return _mark("packages", LOCKS)


def install_packages(tell: Tell) -> None:
    """Install the packages of the locks: first those that build the sources, then the rest."""
    build, *rest = LOCKS
    pip(["--require-hashes", "--only-binary=:all:", "-r", str(build)], tell)
    pip(["--require-hashes", *(part for lock in rest for part in ("-r", str(lock)))], tell)
    _set_mark("packages", LOCKS)


def project_is_there() -> bool:
    """Return True if the checkout is installed as pyproject.toml is now."""
    return _mark("project", PROJECT)


def install_project(tell: Tell) -> None:
    """Install the checkout in place, so that `dropgate` can be called."""
    pip(["--no-index", "--editable", str(ROOT)], tell)
    _set_mark("project", PROJECT)


def pip(arguments: list[str], tell: Tell) -> None:
    """Run pip in .venv, print every line of progress, and keep all lines in the log."""
    LOG.parent.mkdir(exist_ok=True)
    command = [str(VENV / "bin" / "python"), *PIP, *arguments]
    wrong = ""
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=both, text=True, cwd=ROOT)
    assert running.stdout is not None
    with running, LOG.open("a", encoding="utf-8") as log:
        for line in running.stdout:
            log.write(line)
            if line.startswith("ERROR:"):
                wrong = wrong or line.removeprefix("ERROR:").strip()
            elif line.startswith(DOING):
                tell(line.split(" (from")[0].strip())
    if running.returncode != 0:
        raise SetupMissing(f"The Python packages could not be installed: {wrong or 'pip failed'} ({LOG} has the rest).")


def _mark(name: str, sources: tuple[Path, ...]) -> bool:
    mark = VENV / f".dropgate-{name}"
    return mark.is_file() and mark.read_text(encoding="utf-8") == _digest(sources)


def _set_mark(name: str, sources: tuple[Path, ...]) -> None:
    (VENV / f".dropgate-{name}").write_text(_digest(sources), encoding="utf-8")


def _digest(sources: tuple[Path, ...]) -> str:
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()
