"""`python3 -m infra.setup`: prepare a bare machine; finished steps are skipped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from infra.errors import SetupMissing
from infra.setup import packages, system
from infra.setup.progress import Progress
from infra.setup.spark import archive, jars
from infra.setup.spark.java import PACKAGES, java_home

Step = tuple[str, Callable[[], bool], Callable[[Progress], str]]


def main() -> int:
    """Run every step that is not done; return the exit code."""
    try:
        for number, (title, is_there, take) in enumerate(STEPS, start=1):
            if not is_there():
                progress = Progress(number, len(STEPS), title)
                progress.begin()
                progress.end(take(progress))
    except SetupMissing as missing:
        sys.stderr.write(f"dropgate: {missing}\n")
        return 3
    except OSError as error:
        sys.stderr.write(f"dropgate: set-up stopped: {error.strerror}: {error.filename}\n")
        return 3
    return 0


def _python(_progress: Progress) -> str:
    packages.make_environment()
    return ".venv"


def _is_there(find: Callable[[], object]) -> bool:
    """Return True if what a function looks for is there."""
    try:
        find()
    except SetupMissing:
        return False
    return True


def _java(progress: Progress) -> str:
    for package in PACKAGES:
        progress.tell(f"installing {package}")
        if system.install(package):
            break
    return str(java_home())


def _packages(progress: Progress) -> str:
    if not packages.packages_are_there():
        packages.install_packages(progress.tell)
    packages.install_project(progress.tell)
    return "installed from the locks"


def _jars(progress: Progress) -> str:
    progress.tell("Ivy asks Maven Central, about a minute")
    return f"{jars.resolve(java_home())} in {jars.folder()}"


def _archive(progress: Progress) -> str:
    progress.tell("a first Spark job shows which classes Java should keep")
    return "Spark starts faster" if archive.make(java_home()) else "not with this Java; Spark starts as ever"


STEPS: tuple[Step, ...] = (
    (f"Python {packages.VERSION} environment", packages.environment_fits, _python),
    ("Java", partial(_is_there, java_home), _java),
    ("Python packages", lambda: packages.packages_are_there() and packages.project_is_there(), _packages),
    ("Spark's jars", partial(_is_there, jars.spark_jars), _jars),
    ("Start-up archive", lambda: archive.archive(java_home()).is_file(), _archive),
)

if __name__ == "__main__":
    sys.exit(main())
