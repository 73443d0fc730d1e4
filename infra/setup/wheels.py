"""The third-party part of what is deployed: a lock and a CPU in, a folder of installed wheels out.

Nothing is built: pip takes wheels for the Linux that they are to run on, whatever machine this is. Each folder is made
once for each lock and kept in .dropgate, so that only the first build needs the package index.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.setup import packages
from infra.setup.errors import SetupMissing, WheelUnfit
from infra.setup.jars import ROOT
from infra.setup.progress import Tell

KEPT = ROOT / ".dropgate" / "wheels"
MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}
"""Lambda's names of CPUs (the template's parameter Architecture), and those that wheels bear."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where wheels are to run, with Python 3.11: what is installed there, and for which Linux a wheel may be."""

    lock: Path
    linux: tuple[str, ...]


# Lambda's Python 3.11 runs on Amazon Linux 2 (Lambda developer guide, "Lambda runtimes"), whose glibc is 2.26: no wheel
# that is for manylinux_2_28 alone would load there.
LAMBDA = Home(ROOT / "locks" / "functions.txt", ("manylinux2014", "manylinux_2_17"))
# What commits to Delta tables, beside it; its wheels for arm64 ask for glibc 2.28. One that runs from glibc 2.5 on has
# no newer tag that fits.
TABLES = Home(ROOT / "locks" / "functions-table.txt", ("manylinux1", "manylinux_2_5", *LAMBDA.linux))
# EMR 7 and later run on Amazon Linux 2023 (EMR Serverless user guide, "Using Python libraries"), whose glibc is 2.34.
EMR = Home(ROOT / "locks" / "job-gx.txt", ("manylinux2014", *(f"manylinux_2_{minor}" for minor in range(17, 35))))
# What sifts lines there.
ARROW = Home(ROOT / "locks" / "job-arrow.txt", EMR.linux)
TARGET = ("--implementation=cp", "--python-version=3.11", "--only-binary=:all:", "--require-hashes", "--no-compile")

# What nothing reads at run time. Licences stay, as they must go along, and METADATA, which importlib.metadata reads.
LEFT_FOLDERS = ("__pycache__", "examples", "test", "tests")
LEFT_FILES = ("*.c", "*.pyi", "INSTALLER", "RECORD", "REQUESTED", "py.typed", "zip-safe")


def installed(cpu: str, tell: Tell, home: Home = LAMBDA) -> Path:
    """Return the folder of wheels for a CPU, made on first use; raises SetupMissing, WheelUnfit."""
    place = KEPT / f"{cpu}-{_digest(home)}"
    if not place.is_dir():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new-", dir=KEPT) as scratch:
            folder = Path(scratch) / "wheels"
            _install(cpu, folder, tell, home)
            check(folder, cpu, home)
            tell("compiling")
            _strip(folder)
            compile_sources(folder, ())
            _keep(folder, place)
    return place


def check(folder: Path, cpu: str, home: Home = LAMBDA) -> None:
    """Hold every installed wheel's own tags against the CPU; raises WheelUnfit for the first that cannot run there."""
    for record in sorted(folder.glob("*.dist-info")):
        wheel = record / "WHEEL"
        lines = wheel.read_text(encoding="utf-8").splitlines() if wheel.is_file() else []
        tags = [line.removeprefix("Tag:").strip() for line in lines if line.startswith("Tag:")]
        if not any(fits(tag, cpu, home) for tag in tags):
            name = record.name.removesuffix(".dist-info")
            said = ", ".join(tags) or "nothing"
            what = f"{name} is no wheel for Python 3.11 on {cpu} with {home.linux[-1]} (its tags: {said})"
            raise WheelUnfit(f"{what}: pin one in {home.lock.name}.")


def fits(tag: str, cpu: str, home: Home = LAMBDA) -> bool:
    """Tell whether a wheel of this tag runs there on a CPU.

    Source: packaging.python.org, "Platform compatibility tags".
    """
    python, abi, system = tag.split("-")
    if (abi, system) == ("none", "any"):
        return python in ("py3", "py311", "cp311")
    native = python == "cp311" and abi in ("cp311", "abi3")
    stable = abi == "abi3" and python in {f"cp3{minor}" for minor in range(2, 12)}
    return (native or stable) and system in platforms(cpu, home)


def platforms(cpu: str, home: Home) -> list[str]:
    """Return the platform tags that run there."""
    return [f"{linux}_{MACHINES[cpu]}" for linux in home.linux]


def this_cpu() -> str:
    """Return Lambda's name of this machine's CPU."""
    machine = platform.machine()
    return next((cpu for cpu, named in MACHINES.items() if machine in (cpu, named)), machine)


def compile_sources(folder: Path, below: Sequence[str]) -> None:
    """Put bytecode beside the sources of a folder, or of some folders in it: Lambda's disk keeps none that it compiles.

    It is the same for every CPU, and is taken as it is without a look at the source's time (PEP 552). A Python of
    another version leaves it aside. The bytes depend on what a process did before: so it is one that did nothing.
    """
    folders = [str(folder / name) for name in below] or [str(folder)]
    command = [sys.executable, "-S", "-m", "compileall", "-q", "--invalidation-mode=unchecked-hash"]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": ""}
    done = subprocess.run(
        [*command, "-s", str(folder), *folders], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SetupMissing(f"Python did not compile the bundle: {(done.stdout + done.stderr).strip().splitlines()[-1]}")


def _install(cpu: str, folder: Path, tell: Tell, home: Home) -> None:
    if not packages.environment_is_there():
        packages.make_environment()
    wanted = [f"--platform={name}" for name in platforms(cpu, home)]
    packages.pip([*TARGET, *wanted, f"--target={folder}", "-r", str(home.lock)], tell)


def _strip(folder: Path) -> None:
    shutil.rmtree(folder / "bin", ignore_errors=True)
    for found in [path for name in LEFT_FOLDERS for path in folder.rglob(name) if path.is_dir()]:
        shutil.rmtree(found, ignore_errors=True)
    for found in [path for name in LEFT_FILES for path in folder.rglob(name)]:
        found.unlink()


def _keep(folder: Path, place: Path) -> None:
    """Move the finished folder to its place; who came first stays."""
    try:
        folder.rename(place)
    except OSError:
        if not place.is_dir():
            raise


def _digest(home: Home) -> str:
    """Name what a folder depends on: the lock, how it is installed, the Python that compiles."""
    parts = (home.lock.read_bytes(), Path(__file__).read_bytes(), sys.version.encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]
