"""Where Java 17 is on this machine: the environment and file system in, a JAVA_HOME out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from infra.setup.errors import SetupMissing

RELEASE = 17  # the Java of EMR release emr-spark-8.1.0
PACKAGE = f"openjdk-{RELEASE}-jre-headless"
INSTALLED = (Path("/usr/lib/jvm"), Path("/opt/java"), Path("/Library/Java/JavaVirtualMachines"))


def java_home(environment: Mapping[str, str] | None = None, folders: tuple[Path, ...] = INSTALLED) -> Path:
    """Return the home of a Java 17, or raise SetupMissing with the sentence that says how to get one."""
    for home in _candidates(os.environ if environment is None else environment, folders):
        if (home / "bin" / "java").is_file() and version(home).split(".")[0] == str(RELEASE):
            return home
    raise SetupMissing(
        f"Java {RELEASE} is not here: install it (Debian: apt-get install {PACKAGE}) or set JAVA_HOME to one."
    )


def version(home: Path) -> str:
    """Return the full version of the Java in a home, or nothing where it does not say."""
    try:
        text = (home / "release").read_text(encoding="utf-8")
    except OSError:
        text = _asked(home)
    found = re.search(r'version(?:=| )"([0-9.]+)', text, re.IGNORECASE)
    return found.group(1) if found else ""


def _candidates(environment: Mapping[str, str], folders: tuple[Path, ...]) -> Iterator[Path]:
    """Yield homes in the order people expect: what they set, what they call, what is installed."""
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"])
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        yield Path(on_path).resolve().parent.parent
    for folder in folders:
        for home in sorted(folder.glob(f"*{RELEASE}*")):
            yield home
            yield home / "Contents" / "Home"


def _asked(home: Path) -> str:
    """Ask Java itself, for runtimes that ship without a release file."""
    try:
        command = [str(home / "bin" / "java"), "-version"]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stderr
