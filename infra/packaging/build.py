"""`make build`: the checkout in, the deployed files out, under build/.

    python -m infra.packaging.build
        the bundles of functions for each CPU, the job's archive and entry point, and for each CPU an archive of what
        the job needs of Arrow
    python -m infra.packaging.build --into FOLDER --cpu CPU --bundle functions|functions-api|functions-lane
        one bundle of functions alone, unzipped: what `sam build` asks for
    python -m infra.packaging.build --with-great-expectations
        the same as the first, and for each CPU another archive for the job

All else that the job needs is pure Python, or EMR's own. Nothing is written through a symbolic link.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from infra.errors import SetupMissing, WheelUnfit
from infra.files import NotWritten, write
from infra.packaging.bundles import (
    BUILD,
    ENTRY,
    FLOW,
    FUNCTION_BUNDLES,
    Files,
    FunctionBundle,
    arrow,
    environment,
    function_bundle,
    great_expectations,
    job_archive,
    prefilter_files,
    tarred,
    zipped,
)
from infra.setup.bytecode import Compiler, lambda_python
from infra.setup.progress import Progress, Tell
from infra.setup.wheels import LAMBDA, MACHINES

SDK = ("boto3", "botocore", "s3transfer")
"""AWS's own client, whose size is counted separately; it is bundled because Lambda's own one changes without notice."""
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a bundle, in bytes: as a zip, unzipped, and unzipped without boto3."""

    zipped: int
    unzipped: int
    beyond_sdk: int

    def __str__(self) -> str:
        own = f"unzipped {self.unzipped / MB:.1f} MB, of it {self.beyond_sdk / MB:.1f} MB beyond boto3"
        return f"{self.zipped / MB:.1f} MB, {own}"


def main(arguments: list[str]) -> int:
    """Build what the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m infra.packaging.build", description="Build the deployed files.")
    parser.add_argument("--into", type=Path, help="write only a bundle of functions here, unzipped")
    names = {bundle.name: bundle for bundle in FUNCTION_BUNDLES}
    parser.add_argument("--bundle", choices=sorted(names), default=FLOW.name, help="with --into: which")
    parser.add_argument("--cpu", choices=sorted(MACHINES), default="arm64", help="for which CPU")
    more = "add what contracts with checks of Great Expectations need"
    parser.add_argument("--with-great-expectations", action="store_true", help=more)
    asked = parser.parse_args(arguments)
    try:
        if asked.into is None:
            build(BUILD)
            if asked.with_great_expectations:
                build_packages("Great Expectations", environment, great_expectations)
        else:
            _step(1, 1, asked.cpu, asked.into, names[asked.bundle])
    except (SetupMissing, WheelUnfit, NotWritten) as error:
        sys.stderr.write(f"dropgate: {error}\n")
        return 3
    except OSError as error:
        sys.stderr.write(f"dropgate: the build stopped: {error.strerror}: {error.filename}\n")
        return 3
    return 0


def build(folder: Path) -> None:
    """Write every bundle into a folder, and print its size."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = []
    wanted = [(bundle, cpu) for bundle in FUNCTION_BUNDLES for cpu in MACHINES]
    for number, (bundle, cpu) in enumerate(wanted, start=1):
        with tempfile.TemporaryDirectory(prefix="dropgate-") as scratch:
            files = _step(number, len(wanted), cpu, Path(scratch), bundle)
            name = f"{bundle.name}-{cpu}.zip"
            write(folder, name, zipped(files))
            weights.append((name, str(size(files, (folder / name).stat().st_size))))
    write(folder, "dropgate.zip", job_archive())
    write(folder, "entry.py", ENTRY.read_bytes())
    weights += [(name, f"{(folder / name).stat().st_size / MB:.1f} MB") for name in ("dropgate.zip", "entry.py")]
    for name, weight in weights:
        sys.stdout.write(f"build/{name:<24} {weight}\n")
    build_packages("Arrow", prefilter_files, lambda cpu: folder / arrow(cpu).name)


def build_packages(what: str, of: Callable[[str, Tell], Files], where: Callable[[str], Path]) -> None:
    """Write an archive of packages for each CPU, and print its size."""
    for number, cpu in enumerate(MACHINES, start=1):
        progress = Progress(number, len(MACHINES), f"{what} for {cpu}")
        progress.begin()
        files, place = of(cpu, progress.tell), where(cpu)
        progress.tell("packing")
        tarred(files, place)
        weight = sum(path.stat().st_size for path in files.values())
        progress.end(f"{place.stat().st_size / MB:.1f} MB, unpacked {weight / MB:.1f} MB")


def size(files: Files, packed: int) -> Size:
    """Add up what a bundle holds."""
    weights = {name: path.stat().st_size for name, path in files.items()}
    ours = (weight for name, weight in weights.items() if name.split("/")[0].split("-")[0] not in SDK)
    return Size(packed, sum(weights.values()), sum(ours))


def _step(number: int, total: int, cpu: str, folder: Path, bundle: FunctionBundle) -> Files:
    progress = Progress(number, total, f"{bundle.name.capitalize()} for {cpu}")
    progress.begin()
    compiler = lambda_python()
    files = function_bundle(cpu, folder, progress.tell, compiler, bundle)
    progress.end(f"{len(files)} files, {compiled(compiler)}")
    return files


def compiled(compiler: Compiler | None) -> str:
    """Report if a bundle holds bytecode and, if not, the cost and the fix."""
    if compiler is None:
        return (
            f"without bytecode, so that each cold start takes half a second more: install Python {LAMBDA.python} "
            f"(python{LAMBDA.python} on PATH) and build again"
        )
    return f"with bytecode by {compiler.path}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
