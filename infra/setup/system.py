"""The machine's own packages: a Debian package's name in, True out if it was installed."""

from __future__ import annotations

import os
import shutil
import subprocess


def install(package: str) -> bool:
    """Install a Debian package and return True if that worked; without the rights to, return False."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return False
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = ([apt, "update", "-qq"], [apt, "install", "-qq", "-y", "--no-install-recommends", package])
    return all(
        subprocess.run(command, env=quiet, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
        for command in commands
    )
