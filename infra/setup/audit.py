"""`python -m infra.setup.audit`: check the templates against checkov's rules; print findings without a written reason.

Reasons for all resources of a kind are in .checkov.yaml, and reasons for a single resource are next to it.
"""

from __future__ import annotations

import subprocess
import sys

from infra.setup.environments import python_of
from infra.setup.spark.jars import ROOT


def main() -> int:
    """Run checkov from its own environment; its exit code is 1 if it has findings."""
    checkov = python_of("checkov").with_name("checkov")
    command = [str(checkov), "--config-file", str(ROOT / ".checkov.yaml"), "--directory", str(ROOT)]
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
