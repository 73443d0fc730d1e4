"""The set-up: pins that agree, locks that hold, and sentences where something is missing."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pyspark
import pytest

from infra.setup import archive, dynamodb, jars
from infra.setup.errors import SetupMissing
from infra.setup.jars import ROOT
from infra.setup.java import RELEASE, java_home
from infra.setup.progress import Progress
from infra.setup.session import local_settings, s3_settings

# What each EMR release runs. Source: AWS, "Amazon EMR Serverless release versions".
RUNS = {"emr-spark-8.1.0": {"spark": "4.1.1", "python": "3.11", "java": 17}}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
JARS = (jars.LOCK, dynamodb.LOCK)
LOCKS = sorted(path for path in (ROOT / "locks").glob("*.txt") if path not in JARS)


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


def test_python_and_java_are_the_releases() -> None:
    assert PROJECT["project"]["requires-python"] == f"=={released()['python']}.*"
    assert f"PYTHON ?= python{released()['python']}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert released()["java"] == RELEASE


def test_s3_jars_belong_to_sparks_own_hadoop() -> None:
    inside = Path(pyspark.__file__).parent / "jars"

    assert [jar.name for jar in inside.glob("hadoop-client-api-*")] == [f"hadoop-client-api-{jars.HADOOP}.jar"]
    assert f"org.apache.hadoop_hadoop-aws-{jars.HADOOP}.jar" in jars.pinned()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_locked_package_has_hashes(lock: Path) -> None:
    entries = re.split(r"\n(?=[a-z])", re.sub(r"(?m)^ *#.*\n?", "", lock.read_text(encoding="utf-8")))

    assert entries
    assert [
        entry for entry in entries if not re.match(r"[a-z0-9-]+==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", entry)
    ] == []


@pytest.mark.parametrize("lock", [*LOCKS, *JARS], ids=lambda lock: lock.stem)
def test_no_lock_names_an_address(lock: Path) -> None:
    assert not re.search(r"://|--index|--find-links|--extra", lock.read_text(encoding="utf-8"))


def test_locks_hold_what_the_project_asks_for() -> None:
    locked = "\n".join(lock.read_text(encoding="utf-8") for lock in LOCKS).lower()
    asked = [
        *PROJECT["project"]["dependencies"],
        *(name for group in PROJECT["dependency-groups"].values() for name in group),
    ]
    names = [re.match(r"[\w-]+", requirement.lower()) for requirement in asked]

    assert [name.group() for name in names if name and f"\n{name.group()}==" not in f"\n{locked}"] == []


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


def test_another_java_is_passed_over(tmp_path: Path) -> None:
    newer = a_java(tmp_path / "java-25", "25")
    installed = a_java(tmp_path / "jvm" / "java-17-openjdk-amd64", "17.0.1")

    assert java_home({"JAVA_HOME": str(newer)}, (tmp_path / "jvm",)) == installed


def test_missing_java_says_how_to_install(tmp_path: Path) -> None:
    with pytest.raises(SetupMissing, match="apt-get install openjdk-17-jre-headless"):
        java_home({}, (tmp_path,))


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
