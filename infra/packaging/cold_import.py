"""`make cold`: the built bundles for this machine's CPU in, the CPU time to load each handler out.

Each handler is imported by a process that has nothing but the unzipped bundle and the standard library, as on Lambda,
and by Lambda's version of Python where this machine has one; user and system time of the whole process count, the start
of Python with them. Exit code 1 where one is over the bound: there are two, for bundles with bytecode and without.
CPU time grows on cores that others share, so each handler is also compared with boto3, loaded in the same minute.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from infra.packaging.bundles import API, BUILD, FLOW, LANE, ROOT, FunctionBundle
from infra.setup.bytecode import lambda_python
from infra.setup.wheels import LAMBDA, this_cpu

BOUND = 0.75
"""Seconds of CPU that loading a handler may take from bytecode, where Lambda's Python loads it."""
BOUND_OF_SOURCES = 1.5
"""Seconds of CPU that it may take where each cold start compiles the sources."""
BOUND_OF_API, BOUND_OF_API_SOURCES = 1.2, 3.0
"""The same two bounds for a handler of the API, whose bundle has the authoring of contracts and pydantic."""
FOLDERS = {FLOW: ("handlers",), API: ("api", "pages"), LANE: ("lane",)}
"""The folders of `functions` with the handlers of each bundle."""
LONG = 20_000
"""Microseconds from which on an import is named, with all that it imports itself."""
ROUNDS = 9
BASELINE = "boto3"
"""The package that every handler loads, and that no change of ours makes slower."""
IMPORT = "import sys; sys.path.insert(0, sys.argv[1]); __import__(sys.argv[2])"
ALONE = ("-I", "-S", "-B")
"""No site-packages, no environment, no bytecode written: as Lambda's read-only disk has it."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import over the bound, in microseconds: `depth` 0 is the handler's own."""

    module: str
    depth: int
    cumulative: int


def main() -> int:
    """Measure every handler of every bundle; return the exit code."""
    return max(measure(bundle) for bundle in FOLDERS)


def measure(bundle: FunctionBundle) -> int:
    """Measure every handler of a bundle; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="dropgate-") as scratch:
        with zipfile.ZipFile(BUILD / f"{bundle.name}-{this_cpu()}.zip") as archive:
            archive.extractall(scratch)
        bounds = (BOUND, BOUND_OF_SOURCES) if bundle is FLOW else (BOUND_OF_API, BOUND_OF_API_SOURCES)
        python, bound = terms(Path(scratch), *bounds)
        baseline = statistics.median(cpu_of(Path(scratch), BASELINE, python))
        sys.stdout.write(f"{BASELINE} alone: {baseline:.2f} s of CPU (median of {ROUNDS})\n")
        return max([report(Path(scratch), handler, python, bound, baseline) for handler in handlers(bundle)])


def terms(bundle: Path, compiled: float = BOUND, sources: float = BOUND_OF_SOURCES) -> tuple[Path, float]:
    """Return the Python that loads the handlers, and the bound for it; print both."""
    compiler = lambda_python()
    has_bytecode = any((bundle / "functions").glob(f"__pycache__/*.cpython-{LAMBDA.python.replace('.', '')}.pyc"))
    python = Path(sys.executable) if compiler is None else compiler.path
    bound = compiled if compiler and has_bytecode else sources
    what = "bytecode" if bound == compiled else f"sources alone (no Python {LAMBDA.python} compiled the bundle)"
    sys.stdout.write(f"{python} loads {what}; at most {bound} s of CPU for a handler\n")
    return python, bound


def handlers(bundle: FunctionBundle = FLOW) -> list[str]:
    """Return the modules of a bundle that Lambda loads."""
    modules = [module for each in FOLDERS[bundle] for module in sorted((ROOT / "functions" / each).glob("*.py"))]
    entries = [module for module in modules if "\ndef handler(" in module.read_text(encoding="utf-8")]
    return [f"functions.{entry.parent.name}.{entry.stem}" for entry in entries]


def report(bundle: Path, handler: str, python: Path, bound: float, baseline: float) -> int:
    """Print the cost of one handler and its long imports; return 1 if it exceeds the bound."""
    seconds = cpu_of(bundle, handler, python)
    middle = statistics.median(seconds)
    spread = f"{middle / baseline:.1f} times {BASELINE}; {seconds[0]:.2f} to {seconds[-1]:.2f}"
    sys.stdout.write(f"{handler}: {middle:.2f} s of CPU (median of {ROUNDS}, {spread})\n")
    for each in long_imports(bundle, handler, python):
        sys.stdout.write(f"  {each.cumulative / 1000:6.0f} ms  {'  ' * each.depth}{each.module}\n")
    return int(middle > bound)


def cpu_of(bundle: Path, module: str, python: Path) -> list[float]:
    """Import a module in several processes; return the CPU seconds of each, the least first."""
    return sorted(cpu_seconds(bundle, module, python) for _ in range(ROUNDS))


def cpu_seconds(bundle: Path, handler: str, python: Path) -> float:
    """Import a handler in a process of its own; return its user and system time."""
    child = subprocess.Popen([str(python), *ALONE, "-c", IMPORT, str(bundle), handler], stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{handler} cannot be imported from {bundle}")
    return used.ru_utime + used.ru_stime


def long_imports(bundle: Path, handler: str, python: Path) -> list[Import]:
    """Return the long imports, the outer before the inner (-X importtime prints the inner first)."""
    command = [str(python), *ALONE, "-X", "importtime", "-c", IMPORT, str(bundle), handler]
    trace = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    lines = re.findall(r"^import time: +\d+ \| +(\d+) \| ( *)(\S+)$", trace, re.MULTILINE)
    imports = [Import(module, len(indent) // 2, int(micros)) for micros, indent, module in reversed(lines)]
    return [each for each in imports if each.cumulative > LONG]


if __name__ == "__main__":
    sys.exit(main())
