"""The client's wheel and sdist, each in an environment with only its own packages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from infra.packaging.bundles import ROOT
from infra.setup.packages import PIP
from tests.unit.client.conftest import a_drop
from tests.unit.client.servers import Reply, Server

CLIENT = ROOT / "client"
VERSION = "0.1.0"
BUILD = """
import sys
from setuptools import build_meta
place = sys.argv[1]  # which the first build changes
build_meta.build_wheel(place)
build_meta.build_sdist(place)
"""


def done(*words: str | Path, cwd: Path, **environment: str) -> str:
    """The output of a program that succeeds, with nothing of this checkout around it."""
    command = [str(word) for word in words]
    around = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), **environment}
    ended = subprocess.run(command, cwd=cwd, env=around, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The distributions of a copy of the folder, by the tools of the build lock."""
    place = tmp_path_factory.mktemp("client")
    shutil.copytree(CLIENT, place / "source", ignore=shutil.ignore_patterns("__pycache__", ".*", "*.egg-info", "build"))
    done(sys.executable, "-c", BUILD, place, cwd=place / "source")
    (wheel,), (sdist,) = place.glob("*.whl"), place.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


def test_both_hold_the_package_and_its_licence(built: dict[str, Path]) -> None:
    modules = {str(path.relative_to(CLIENT)) for path in CLIENT.rglob("*.py")} | {"dropgate_client/py.typed"}
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = set(wheel.namelist())
    assert {name for name in names if ".dist-info/" not in name} == modules
    assert f"dropgate_client-{VERSION}.dist-info/licenses/LICENSE" in names
    with tarfile.open(built["sdist"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert modules | {"LICENSE", "README.md", "pyproject.toml"} <= names
    assert (CLIENT / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_it_works_in_an_empty_environment(built: dict[str, Path], kind: str, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    inherited = {name: value for name, value in os.environ.items() if name.lower().startswith(("pip_", "http"))}
    locks = ["client"] if kind == "wheel" else ["build", "client"]
    for lock in locks:
        done(python, *PIP, "--require-hashes", "-r", ROOT / "locks" / f"{lock}.txt", cwd=tmp_path, **inherited)
    done(python, *PIP, "--no-index", built[kind], cwd=tmp_path)
    listed = json.loads(done(python, "-m", "pip", "list", "--format=json", cwd=tmp_path))
    tools = {"pip", "setuptools", "wheel", "packaging"}
    assert {package["name"] for package in listed} - tools == {"click", "urllib3", "dropgate-client"}
    done(python, "-m", "pip", "check", cwd=tmp_path)

    program = tmp_path / "env" / "bin" / "dropgate-client"
    assert done(program, "--version", cwd=tmp_path) == f"dropgate-client, version {VERSION}\n"
    assert "  send " in done(program, "--help", cwd=tmp_path)
    with Server().running() as server:
        server.on("GET /drops", Reply(200, {"drops": [a_drop()], "next": None}))
        settings = {"DROPGATE_API": server.url, "DROPGATE_TOKEN": "t", "PYTHONUTF8": "1"}
        assert "✓ accepted" in done(program, "drops", cwd=tmp_path, **settings)
        lines = "import dropgate_client as d; print([x.state for x in d.Client.from_environment().drops()])"
        assert done(python, "-c", lines, cwd=tmp_path, **settings) == "['accepted']\n"
