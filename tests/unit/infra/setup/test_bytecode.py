"""Bytecode for Lambda: which Python is taken to compile it, and that the same sources give the same bytes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from infra.errors import SetupMissing
from infra.packaging.build import compiled
from infra.setup.bytecode import Compiler, compile_sources, lambda_python

OWN = "{}.{}".format(*sys.version_info)
OTHER = "3.99"
SOURCES = {
    "a/__init__.py": "",
    "a/b.py": "NAMES = frozenset({'x', 'y', 'z', 'w'})\n\ndef f(n): return n in {'p', 'q'}\n",
}


def a_python(place: Path, script: str) -> Path:
    """A program of this name that answers as the script says."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    place.chmod(0o755)
    return place


def sources(folder: Path) -> Path:
    """A folder with a package."""
    for name, text in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No Python on PATH, nor in the folders of pyenv and uv."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("PYENV_ROOT", "UV_PYTHON_INSTALL_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


@pytest.mark.usefixtures("nothing_installed")
def test_python_that_runs_this_is_the_first() -> None:
    assert lambda_python(OWN) == Compiler(Path(sys.executable), OWN)


@pytest.mark.usefixtures("nothing_installed")
def test_machine_without_that_python_has_no_compiler() -> None:
    assert lambda_python(OTHER) is None


@pytest.mark.parametrize(
    "place",
    [
        "bin/python3.99",
        "PYENV_ROOT/versions/3.99.1/bin/python3.99",
        "UV_PYTHON_INSTALL_DIR/cpython-3.99.1-linux-x/bin/python3.99",
    ],
)
def test_python_elsewhere_is_taken(nothing_installed: Path, place: str) -> None:
    python = a_python(nothing_installed / place, "echo cpython-399 final")
    assert lambda_python(OTHER) == Compiler(python, OTHER)


@pytest.mark.parametrize(
    "script",
    [
        "echo 'pyenv: python3.99: command not found' >&2; exit 127",
        "echo cpython-399 candidate",
        "echo cpython-399 final; exit 1",
        "echo pypy399 final",
        "echo cpython-398 final",
    ],
)
def test_python_that_would_not_do_is_passed_over(nothing_installed: Path, script: str) -> None:
    a_python(nothing_installed / "bin" / "python3.99", script)
    assert lambda_python(OTHER) is None


def test_bytes_depend_on_sources_alone(tmp_path: Path) -> None:
    first = sources(tmp_path / "first")
    compile_sources(first, Compiler(Path(sys.executable), OWN))
    time.sleep(1.1)  # bytecode that is checked holds its source's seconds
    second = sources(tmp_path / "in" / "second")
    compile_sources(second, Compiler(Path(sys.executable), OWN))

    made = [{p.relative_to(f): p.read_bytes() for p in f.rglob("*.pyc")} for f in (first, second)]
    assert len(made[0]) == len(SOURCES)
    assert made[0] == made[1]
    assert {body[4:8] for body in made[0].values()} == {b"\1\0\0\0"}  # PEP 552: by hash, unchecked


def test_sources_that_do_not_compile_are_named(tmp_path: Path) -> None:
    folder = sources(tmp_path / "in")
    (folder / "c.py").write_text("def\n", encoding="utf-8")
    with pytest.raises(SetupMissing, match="did not compile the functions' bundle"):
        compile_sources(folder, Compiler(Path(sys.executable), OWN))


def test_build_says_whether_there_is_bytecode() -> None:
    assert compiled(Compiler(Path("/usr/bin/python3.13"))) == "with bytecode by /usr/bin/python3.13"
    assert compiled(None).startswith(
        "without bytecode, so that each cold start takes half a second more: install Python"
    )
