"""`python -m infra.setup.audit`: the templates held against checkov's rules; findings without a written reason out.

Reasons stand in .checkov.yaml for what holds of every resource of a kind, and beside the resource for what holds of it
alone.
"""

from __future__ import annotations

import subprocess
import sys

from infra.setup.environments import python_of
from infra.setup.spark.jars import ROOT


def main() -> int:
    """Run it from an environment of its own; its exit code is 1 if it found something."""
    checkov = python_of("checkov").with_name("checkov")
    command = [str(checkov), "--config-file", str(ROOT / ".checkov.yaml"), "--directory", str(ROOT)]
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
