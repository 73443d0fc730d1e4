"""The Java that runs Spark on this machine: the environment and file system in, a JAVA_HOME out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from infra.errors import SetupMissing

RELEASES = (17, 21)
"""The Javas of EMR release emr-spark-8.1.0, its default first. Debian 12 has the default, Debian 13 only the other."""
PACKAGES = tuple(f"openjdk-{release}-jre-headless" for release in RELEASES)
INSTALLED = (Path("/usr/lib/jvm"), Path("/opt/java"), Path("/Library/Java/JavaVirtualMachines"))


def java_home(environment: Mapping[str, str] | None = None, folders: tuple[Path, ...] = INSTALLED) -> Path:
    """Return the home of a Java that runs Spark; raise SetupMissing with the way to get one.

    What JAVA_HOME names comes first; of the others the default of EMR.
    """
    given = os.environ if environment is None else environment
    if (named := given.get("JAVA_HOME")) and _release(Path(named)) in RELEASES:
        return Path(named)
    candidates = []  # in the order that people expect: the called one, then the installed ones
    if on_path := shutil.which("java", path=given.get("PATH", "")):
        candidates.append(Path(on_path).resolve().parent.parent)
    for folder in folders:
        for home in sorted(path for release in RELEASES for path in folder.glob(f"*{release}*")):
            candidates += [home, home / "Contents" / "Home"]
    homes: dict[int, Path] = {}
    for home in candidates:
        homes.setdefault(_release(home), home)
    for release in RELEASES:
        if release in homes:
            return homes[release]
    raise SetupMissing(
        f"Java {' or '.join(map(str, RELEASES))} is not here: install one (Debian 12: apt-get install {PACKAGES[0]}; "
        f"Debian 13: apt-get install {PACKAGES[1]}) or set JAVA_HOME to one."
    )


def version(home: Path) -> str:
    """Return the full version of the Java in a home; empty if it does not print one."""
    text = ""
    try:
        text = (home / "release").read_text(encoding="utf-8")
    except OSError:  # a runtime without a release file: Java itself prints it
        command = [str(home / "bin" / "java"), "-version"]
        with suppress(OSError, subprocess.TimeoutExpired):
            text = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stderr
    match = re.search(r'version(?:=| )"([0-9.]+)', text, re.IGNORECASE)
    return match.group(1) if match else ""


def _release(home: Path) -> int:
    """Return the release of the Java in a home; 0 if there is none."""
    if not (home / "bin" / "java").is_file():
        return 0
    return int(version(home).split(".")[0] or 0)
