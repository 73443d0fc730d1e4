"""DynamoDB Local, AWS's own, only for tests: fetched from Maven Central, checked against its lock, run on loopback.

`python -m infra.setup.dynamodb` fetches it before tests, which ask no network. It is never shipped: its licence allows
development and test (DynamoDB Local License Agreement).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.errors import SetupMissing
from infra.setup.spark import jars
from infra.setup.spark.jars import ROOT
from infra.setup.spark.java import java_home

LOCK = ROOT / "locks" / "dynamodb-local.txt"
PACKAGES = ("software.amazon.dynamodb:DynamoDBLocal:3.1.0",)  # the newest for Java 17
MAIN = "software.amazon.dynamodb.services.local.main.ServerRunner"
NATIVE = "com.almworks.sqlite4java_"
"""The prefix that Ivy adds to the name of SQLite's library, and that Java does not expect."""


def folder() -> Path:
    """Return its folder: DROPGATE_DYNAMODB, or .dropgate/dynamodb-local in the checkout."""
    return Path(os.environ.get("DROPGATE_DYNAMODB") or ROOT / ".dropgate" / "dynamodb-local").absolute()


def is_there() -> bool:
    """Return True if it is complete."""
    return all((folder() / name).is_file() for name in jars.pinned(LOCK))


def fetch() -> None:
    """Fetch it unless it is there; raises SetupMissing."""
    if is_there():
        return
    jars.bring(java_home(), folder(), jars.pinned(LOCK), PACKAGES)
    for library in folder().glob(f"{NATIVE}*.so"):
        (folder() / library.name.removeprefix(NATIVE)).write_bytes(library.read_bytes())


@contextmanager
def running(port: int) -> Iterator[str]:
    """Run it in memory meanwhile, in an empty folder; return its endpoint. Raises SetupMissing."""
    if not is_there():
        raise SetupMissing("DynamoDB Local is not here: run `python -m infra.setup.dynamodb`.")
    java = [str(java_home() / "bin" / "java"), f"-Djava.library.path={folder()}", "-cp", f"{folder()}/*", MAIN]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    asked = ["-inMemory", "-disableTelemetry", "-port", str(port)]
    with subprocess.Popen([*java, *asked], cwd=folder(), **quiet) as process:  # type: ignore[call-overload]
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def main() -> int:
    """Fetch it; return the exit code."""
    try:
        fetch()
    except SetupMissing as missing:
        sys.stderr.write(f"dropgate: {missing}\n")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
