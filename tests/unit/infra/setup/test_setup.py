"""The set-up: pins that agree, locks that hold, and sentences where something is missing."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pyspark
import pytest

from infra.errors import SetupMissing
from infra.setup import dynamodb, packages, wheels
from infra.setup.lock import LOCKS as SOURCES
from infra.setup.lock import LOWEST
from infra.setup.progress import Progress
from infra.setup.spark import archive, jars
from infra.setup.spark.jars import ROOT
from infra.setup.spark.java import RELEASES, java_home
from infra.setup.spark.session import local_settings, s3_settings

# What each EMR release runs. Source: AWS, "Amazon EMR Serverless release versions".
RUNS: dict[str, dict[str, object]] = {"emr-spark-8.1.0": {"spark": "4.1.1", "python": "3.11", "java": (17, 21)}}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
JARS = (jars.LOCK, dynamodb.LOCK)
LOCKS = sorted(path for path in (ROOT / "locks").glob("*.txt") if path not in JARS)
DEPLOYED = [home.lock for home in (wheels.LAMBDA, wheels.EMR, wheels.ARROW)]


def a_java(folder: Path, release: str) -> Path:
    """Make a folder that looks like an installed Java."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("")
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{release}"\n')
    return folder


def released() -> dict[str, object]:
    """Return what the release named in the template runs."""
    label = re.search(r"ReleaseLabel: *(\S+)", (ROOT / "infra" / "aws" / "compute.yaml").read_text(encoding="utf-8"))
    assert label is not None
    return RUNS[label.group(1)]


def test_wheel_is_the_releases_spark() -> None:
    assert version("pyspark") == released()["spark"]


def test_pyproject_asks_for_the_releases_spark() -> None:
    assert f"pyspark=={released()['spark']}" in PROJECT["project"]["dependencies"]


def test_archives_are_for_the_pythons_that_run_them() -> None:
    flow = (ROOT / "infra" / "aws" / "flow.yaml").read_text(encoding="utf-8")

    assert {wheels.EMR.python, wheels.ARROW.python} == {released()["python"]}
    assert re.findall(r"(?m)^ *Runtime: *(\S+)$", flow) == [f"python{wheels.LAMBDA.python}"]


def test_javas_are_the_releases() -> None:
    assert released()["java"] == RELEASES


def test_project_runs_on_every_python_from_the_jobs_to_the_functions() -> None:
    lowest, highest = (int(home.python.removeprefix("3.")) for home in (wheels.EMR, wheels.LAMBDA))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert PROJECT["project"]["requires-python"] == f">=3.{lowest},<3.{highest + 1}"
    assert f"PYTHONS := {' '.join(f'python3.{minor}' for minor in range(lowest, highest + 1))}\n" in makefile
    assert f"(3, {lowest}) <= sys.version_info < (3, {highest + 1})" in makefile
    assert PROJECT["tool"]["mypy"]["python_version"] == wheels.EMR.python
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py3{lowest}"


def test_lock_of_the_client_is_for_its_lowest_python() -> None:
    client = tomllib.loads((ROOT / "client" / "pyproject.toml").read_text(encoding="utf-8"))
    locked = (ROOT / "locks" / "client.txt").read_text(encoding="utf-8")

    assert SOURCES["client"] == ("client/pyproject.toml",)
    assert client["project"]["requires-python"] == f">={LOWEST['client']}"
    assert client["tool"]["mypy"]["python_version"] == LOWEST["client"]
    assert client["tool"]["ruff"]["target-version"] == f"py{LOWEST['client'].replace('.', '')}"
    names = [re.split(r"\W", requirement)[0] for requirement in client["project"]["dependencies"]]
    assert names == re.findall(r"(?m)^([a-z0-9-]+)==", locked), "it needs no other packages"


def test_s3_jars_belong_to_sparks_own_hadoop() -> None:
    inside = Path(pyspark.__file__).parent / "jars"

    assert [jar.name for jar in inside.glob("hadoop-client-api-*")] == [f"hadoop-client-api-{jars.HADOOP}.jar"]
    assert f"org.apache.hadoop_hadoop-aws-{jars.HADOOP}.jar" in jars.pinned()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_locked_package_has_hashes(lock: Path) -> None:
    entries = re.split(r"\n(?=[a-z])", re.sub(r"(?m)^ *#.*\n?", "", lock.read_text(encoding="utf-8")))

    assert entries
    pinned = r"[a-z0-9-]+==\S+( ; [^\n]+)? \\\n    --hash=sha256:[0-9a-f]{64}"
    assert [entry for entry in entries if not re.match(pinned, entry)] == []


@pytest.mark.parametrize("lock", DEPLOYED, ids=lambda lock: lock.stem)
def test_locks_of_what_is_deployed_hold_for_every_python(lock: Path) -> None:
    """Pip reads a condition by the Python that it runs on, not by the one that it installs for."""
    conditions = re.findall(r"(?m)^[a-z0-9-]+==\S+ ; (.+) \\$", lock.read_text(encoding="utf-8"))

    assert [
        condition for condition in conditions if re.search(r"python_(full_)?version|platform_machine", condition)
    ] == []


@pytest.mark.parametrize("lock", [*LOCKS, *JARS], ids=lambda lock: lock.stem)
def test_no_lock_names_an_address(lock: Path) -> None:
    assert not re.search(r"://|--index|--find-links|--extra", lock.read_text(encoding="utf-8"))


def test_locks_hold_what_the_project_asks_for() -> None:
    locked = "\n".join(lock.read_text(encoding="utf-8") for lock in LOCKS).lower()
    asked = [
        *PROJECT["project"]["dependencies"],
        *(name for group in PROJECT["dependency-groups"].values() for name in group if isinstance(name, str)),
    ]
    names = [re.sub("[-_.]+", "-", re.split(r"[^\w.-]", requirement.lower())[0]) for requirement in asked]

    assert [name for name in names if f"\n{name}==" not in f"\n{locked}"] == []


def test_missing_jars_name_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPGATE_JARS", str(tmp_path))

    with pytest.raises(SetupMissing, match=r"jars are not in .*: run `make setup`"):
        jars.spark_jars()


def test_present_jars_become_sparks_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPGATE_JARS", str(tmp_path))
    for name in [*jars.pinned(), "stranger.jar"]:
        (tmp_path / name).touch()

    assert jars.spark_jars().split(",") == [str(tmp_path / name) for name in jars.pinned()]


def test_java_home_that_is_set_comes_first(tmp_path: Path) -> None:
    chosen = a_java(tmp_path / "chosen", "17.0.15")
    a_java(tmp_path / "jvm" / "java-17", "17.0.1")

    assert java_home({"JAVA_HOME": str(chosen)}, (tmp_path / "jvm",)) == chosen


@pytest.mark.parametrize("other", ["8", "11.0.2", "20.0.1", "22", "25"])
def test_another_java_is_passed_over(tmp_path: Path, other: str) -> None:
    stranger = a_java(tmp_path / "stranger", other)
    installed = a_java(tmp_path / "jvm" / "java-17-openjdk-amd64", "17.0.1")

    assert java_home({"JAVA_HOME": str(stranger)}, (tmp_path / "jvm",)) == installed
    assert java_home({"PATH": str(stranger / "bin")}, (tmp_path / "jvm",)) == installed


@pytest.mark.parametrize("named", ["java-21-openjdk-amd64", "temurin-21-jdk-arm64", "jdk-21.0.8.jre"])
def test_java_21_is_taken_where_it_alone_is(tmp_path: Path, named: str) -> None:
    a_java(tmp_path / "jvm" / "java-1.25.0-openjdk-amd64", "25")
    only = a_java(tmp_path / "jvm" / named, "21.0.8")

    assert java_home({}, (tmp_path / "jvm",)) == only


def test_java_17_is_preferred_unless_the_other_is_set(tmp_path: Path) -> None:
    newer = a_java(tmp_path / "jvm" / "java-21-openjdk-amd64", "21.0.8")
    older = a_java(tmp_path / "jvm" / "java-17-openjdk-amd64", "17.0.15")
    folders = (tmp_path / "jvm",)

    assert java_home({}, folders) == older
    assert java_home({"PATH": str(newer / "bin")}, folders) == older
    assert java_home({"JAVA_HOME": str(newer)}, folders) == newer


def test_missing_java_says_how_to_install(tmp_path: Path) -> None:
    with pytest.raises(SetupMissing, match=r"Java 17 or 21 is not here.*openjdk-17-jre-headless.*openjdk-21-jre"):
        java_home({}, (tmp_path,))


def test_java_that_says_no_version_is_none(tmp_path: Path) -> None:
    a_java(tmp_path / "jvm" / "java-17", "")

    with pytest.raises(SetupMissing):
        java_home({}, (tmp_path / "jvm",))


def test_java_without_archive_starts_plainly(tmp_path: Path) -> None:
    assert archive.java_options(a_java(tmp_path, "17.99.1")) == ""


def test_archive_is_one_for_each_java(tmp_path: Path) -> None:
    assert archive.archive(a_java(tmp_path, "17.99.1")).name == "spark-17.99.1.jsa"


def test_progress_is_numbered_and_timed() -> None:
    out = io.StringIO()
    step = Progress(2, 4, "Java 17", out)

    step.begin()
    step.tell("installing")
    step.tell("too soon to say more")
    step.end("found")

    assert out.getvalue() == "[2/4] Java 17 ...\n[2/4]    0 s  installing\n[2/4] Java 17: found (0 s)\n"


@pytest.mark.parametrize(
    ("settings", "fits"),
    [
        (f"home = /usr/bin\nversion = {packages.VERSION}.5\n", True),
        (f"version={packages.VERSION}.0\n", True),
        (f"version = {packages.VERSION}1.0\n", False),
        ("home = /usr/bin\nversion = 3.10.9\n", False),
        (f"executable = /opt/python-{packages.VERSION}.5\nversion = 3.14.0\n", False),
        ("", False),
        (None, False),
    ],
)
def test_environment_of_another_python_does_not_fit(tmp_path: Path, settings: str | None, fits: bool) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    if settings is not None:
        (tmp_path / "pyvenv.cfg").write_text(settings, encoding="utf-8")

    assert packages.environment_fits(tmp_path) == fits


def test_environment_whose_python_is_gone_does_not_fit(tmp_path: Path) -> None:
    """As after an upgrade of the system: .venv has a link to nothing."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(tmp_path / "gone")
    (tmp_path / "pyvenv.cfg").write_text(f"version = {packages.VERSION}.5\n", encoding="utf-8")

    assert not packages.environment_fits(tmp_path)


def test_this_environment_fits() -> None:
    assert packages.environment_fits()


def test_second_setup_does_nothing() -> None:
    done = subprocess.run([sys.executable, "-m", "infra.setup"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_local_spark_compiles_huge_methods() -> None:
    assert "-XX:-DontCompileHugeMethods" in local_settings("a", "1g", 2)["spark.driver.extraJavaOptions"].split()


def test_endpoint_serves_both_s3_schemes() -> None:
    settings = s3_settings("http://127.0.0.1:5000", "key", "secret")

    assert settings["spark.hadoop.fs.s3.impl"] == "org.apache.hadoop.fs.s3a.S3AFileSystem"
    assert settings["spark.hadoop.fs.s3a.endpoint"] == "http://127.0.0.1:5000"
    assert settings["spark.hadoop.fs.s3a.connection.ssl.enabled"] == "false"


def a_python(folder: Path, name: str, version: tuple[int, int], *, venv: bool = True) -> None:
    """Put a program that answers as a Python of a version does to what the Makefile asks."""
    code = f"import sys; sys.version_info = {(*version, 0)}; sys.modules |= {{}} if {venv} else {{'ensurepip': None}}"
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}; $2"\n', encoding="utf-8")
    place.chmod(0o755)


def chosen(folder: Path, *words: str, **environment: str) -> tuple[str, str]:
    """The Python that the Makefile chooses in a folder whose programs are those of bin/, and what it says of it."""
    shutil.copyfile(ROOT / "Makefile", folder / "Makefile")
    (folder / "shown.mk").write_text("include Makefile\nshown: interpreter\n\t@echo $(PYTHON)\n", encoding="utf-8")
    (folder / "bin").mkdir(exist_ok=True)
    for program in ("sh", "echo"):
        (folder / "bin" / program).unlink(missing_ok=True)
        (folder / "bin" / program).symlink_to(str(shutil.which(program)))
    make = [str(shutil.which("make")), "--silent", "--file=shown.mk", "shown", *words]
    around = {"PATH": str(folder / "bin"), **environment}
    done = subprocess.run(make, cwd=folder, env=around, capture_output=True, text=True, check=False)
    return done.stdout.strip(), done.stderr


def test_make_takes_the_first_python_that_can_make_an_environment(tmp_path: Path) -> None:
    a_python(tmp_path / "bin", "python3.13", (3, 13))
    assert chosen(tmp_path) == ("python3.13", "")

    a_python(tmp_path / "bin", "python3.12", (3, 12))
    assert chosen(tmp_path) == ("python3.12", "")

    a_python(tmp_path / "bin", "python3.11", (3, 11), venv=False)
    assert chosen(tmp_path) == ("python3.12", "")


def test_make_takes_a_python_without_venv_where_there_is_no_other(tmp_path: Path) -> None:
    a_python(tmp_path / "bin", "python3.13", (3, 13), venv=False)

    assert chosen(tmp_path) == ("python3.13", "")


def test_make_stays_with_the_python_of_the_environment(tmp_path: Path) -> None:
    a_python(tmp_path / "bin", "python3.11", (3, 11))
    a_python(tmp_path / ".venv" / "bin", "python", (3, 13))
    assert chosen(tmp_path) == (".venv/bin/python", "")

    a_python(tmp_path / ".venv" / "bin", "python", (3, 10))  # as one that a former version made
    assert chosen(tmp_path) == ("python3.11", "")


def test_python_that_is_named_wins(tmp_path: Path) -> None:
    a_python(tmp_path / "bin", "python3.11", (3, 11))
    a_python(tmp_path / "bin", "mine", (3, 12))
    a_python(tmp_path / ".venv" / "bin", "python", (3, 13))

    assert chosen(tmp_path, "PYTHON=mine") == ("mine", "")
    assert chosen(tmp_path, PYTHON="mine") == ("mine", "")


@pytest.mark.parametrize("version", [(3, 10), (3, 14), (2, 7), None])
def test_python_that_does_not_run_dropgate_is_refused(tmp_path: Path, version: tuple[int, int] | None) -> None:
    if version:
        a_python(tmp_path / "bin", "python3", version)
    python, why = chosen(tmp_path)

    assert python == ""
    assert why.startswith("dropgate: python3 is no Python 3.11, 3.12 or 3.13: install one (Debian: apt-get install ")
