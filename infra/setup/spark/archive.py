"""The start-up archive: its path and the JVM's options for it; infra.setup.spark.training makes it in one run.

Half of what a start of Spark costs is loading and verifying classes. Java's class data sharing (JEP 350) maps them from
a file instead: 18 s of CPU in place of 31 s for a start and its first jobs, measured. A JVM that the file does not fit
(another Java, other jars) leaves it aside and starts as ever, only slower.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from infra.setup.spark.jars import ROOT
from infra.setup.spark.java import version

QUIET = "-Xlog:disable"  # else the JVM names every class that it cannot share, on standard output


def archive(java_home: Path) -> Path:
    """Return the path of the archive for this Java; the file is empty if it could not be made."""
    return ROOT / ".dropgate" / f"spark-{version(java_home)}.jsa"


def java_options(java_home: Path) -> str:
    """Return the JVM's options for the archive; empty if there is none."""
    place = archive(java_home)
    return f"-XX:SharedArchiveFile={place} {QUIET}" if place.is_file() and place.stat().st_size else ""


def make(java_home: Path) -> bool:
    """Make the archive in a process of its own; return True if Spark will start faster."""
    place, python = archive(java_home), str(ROOT / ".venv" / "bin" / "python")
    place.parent.mkdir(exist_ok=True)
    new = place.with_suffix(".new")  # a JVM that is asked to write it may be slower than we wait
    new.unlink(missing_ok=True)
    command = [python, "-m", "infra.setup.spark.training", str(new)]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode == 0 and new.is_file():
        new.replace(place)
    else:
        place.write_bytes(b"")
    return place.stat().st_size > 0
