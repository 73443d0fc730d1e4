"""The third-party part of the deployed code: a lock and a CPU in, a folder of installed wheels out.

Nothing is built and nothing compiled: pip takes wheels for the Python and the Linux on which they will run, not for
those of this machine, so that every machine makes the same bytes. Each folder is made once for each lock and kept in
.dropgate, so that only the first build needs the package index.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from infra.errors import WheelUnfit
from infra.setup import packages
from infra.setup.progress import Tell
from infra.setup.spark.jars import ROOT

KEPT = ROOT / ".dropgate" / "wheels"
MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}
"""Lambda's names of CPUs (the template's parameter Architecture), and those that wheels bear."""


@dataclass(frozen=True, slots=True)
class Home:
    """The target of wheels: the installed packages, the Python, and the Linux that a wheel may be for."""

    lock: Path
    python: str
    linux: tuple[str, ...]


# Amazon Linux 2023 has glibc 2.34, which loads what was built for any older one.
LINUX = ("manylinux1", "manylinux2010", "manylinux2014", *(f"manylinux_2_{minor}" for minor in range(5, 35)))
# Lambda's Python 3.13 runs on it (Lambda developer guide, "Lambda runtimes").
LAMBDA = Home(ROOT / "locks" / "functions.txt", "3.13", LINUX)
LAMBDA_LANE = replace(LAMBDA, lock=ROOT / "locks" / "functions-lane.txt")
LAMBDA_API = replace(LAMBDA, lock=ROOT / "locks" / "functions-api.txt")
# So do EMR 7 and later, with Python 3.11 (EMR Serverless user guide, "Using Python libraries").
EMR = Home(ROOT / "locks" / "job-gx.txt", "3.11", LINUX)
# What sifts lines there.
ARROW = replace(EMR, lock=ROOT / "locks" / "job-arrow.txt")
TARGET = ("--implementation=cp", "--only-binary=:all:", "--require-hashes", "--no-compile")

# What nothing reads at run time. Licences stay, as they must go along, and METADATA, which importlib.metadata reads.
LEFT_FOLDERS = ("__pycache__", "examples", "test", "tests")
LEFT_FILES = ("*.c", "*.pyi", "INSTALLER", "RECORD", "REQUESTED", "py.typed", "zip-safe")


def installed(cpu: str, tell: Tell, home: Home = LAMBDA) -> Path:
    """Return the folder of wheels for a CPU, made on first use; raises SetupMissing, WheelUnfit."""
    parts = (home.lock.read_bytes(), Path(__file__).read_bytes(), home.python.encode())
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]
    place = KEPT / f"{cpu}-{digest}"
    if not place.is_dir():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new-", dir=KEPT) as scratch:
            folder = Path(scratch) / "wheels"
            if not packages.environment_is_there():
                packages.make_environment()
            wanted = [f"--python-version={home.python}", *(f"--platform={name}" for name in platforms(cpu, home))]
            packages.pip([*TARGET, *wanted, f"--target={folder}", "-r", str(home.lock)], tell)
            check(folder, cpu, home)
            shutil.rmtree(folder / "bin", ignore_errors=True)  # nothing that no import needs stays
            for left_folder in [path for name in LEFT_FOLDERS for path in folder.rglob(name) if path.is_dir()]:
                shutil.rmtree(left_folder, ignore_errors=True)
            for left_folder in [path for name in LEFT_FILES for path in folder.rglob(name)]:
                left_folder.unlink()
            try:
                folder.rename(place)
            except OSError:
                if not place.is_dir():  # an existing one stays
                    raise
    return place


def check(folder: Path, cpu: str, home: Home = LAMBDA) -> None:
    """Check every installed wheel's own tags against the CPU; raise WheelUnfit for the first that cannot run there."""
    for record in sorted(folder.glob("*.dist-info")):
        wheel = record / "WHEEL"
        lines = wheel.read_text(encoding="utf-8").splitlines() if wheel.is_file() else []
        tags = [line.removeprefix("Tag:").strip() for line in lines if line.startswith("Tag:")]
        if not any(fits(tag, cpu, home) for tag in tags):
            name = record.name.removesuffix(".dist-info")
            names = ", ".join(tags) or "nothing"
            what = f"{name} is not a wheel for Python {home.python} on {cpu} with {home.linux[-1]} (its tags: {names})"
            raise WheelUnfit(f"{what}: pin one in {home.lock.name}.")


def fits(tag: str, cpu: str, home: Home = LAMBDA) -> bool:
    """Return True if a wheel of this tag runs there on a CPU.

    Source: packaging.python.org, "Platform compatibility tags".
    """
    python, abi, system = tag.split("-")
    minor = int(home.python.removeprefix("3."))
    if (abi, system) == ("none", "any"):
        return python in ("py3", f"py3{minor}", f"cp3{minor}")
    native = python == f"cp3{minor}" and abi in (f"cp3{minor}", "abi3")
    stable = abi == "abi3" and python in {f"cp3{older}" for older in range(2, minor)}
    return (native or stable) and system in platforms(cpu, home)


def platforms(cpu: str, home: Home) -> list[str]:
    """Return the platform tags that run there."""
    return [f"{linux}_{MACHINES[cpu]}" for linux in home.linux]


def this_cpu() -> str:
    """Return Lambda's name of this machine's CPU."""
    machine = platform.machine()
    return next((cpu for cpu, named in MACHINES.items() if machine in (cpu, named)), machine)


def here(home: Home) -> Home:
    """Return the same for the Python that runs this: tests and a local job load these in place of EMR's."""
    return replace(home, python=packages.VERSION)
