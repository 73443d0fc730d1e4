"""The content of the bundles, and the wheels that they may hold: by name and tag, without an index."""

from __future__ import annotations

import os
import re
import sys
import tarfile
import time
from pathlib import Path

import pytest
from samtranslator.yaml_helper import yaml_parse

from infra.errors import WheelUnfit
from infra.packaging.build import size
from infra.packaging.bundles import (
    PREFILTER_FILES,
    ROOT,
    api_sources,
    files_of,
    flow_sources,
    job_archive,
    tarred,
    zipped,
)
from infra.setup import wheels

TEMPLATES = [ROOT / "template.yaml", *sorted((ROOT / "infra" / "aws").glob("*.yaml"))]


def a_wheel(folder: Path, *tags: str) -> Path:
    """Lay out what an installed wheel says of itself."""
    record = folder / "markupsafe-3.0.4.dist-info"
    record.mkdir()
    (record / "WHEEL").write_text("Wheel-Version: 1.0\n" + "".join(f"Tag: {tag}\n" for tag in tags))
    return folder


@pytest.mark.parametrize(
    ("tag", "cpus"),
    [
        ("py3-none-any", ["arm64", "x86_64"]),
        ("py2-none-any", []),
        ("py312-none-any", []),
        ("py313-none-any", ["arm64", "x86_64"]),
        ("cp313-none-any", ["arm64", "x86_64"]),
        ("cp313-cp313-manylinux2014_aarch64", ["arm64"]),
        ("cp313-cp313-manylinux_2_17_x86_64", ["x86_64"]),
        ("cp313-cp313-manylinux_2_28_aarch64", ["arm64"]),
        ("cp313-cp313-manylinux_2_34_x86_64", ["x86_64"]),
        ("cp313-cp313-manylinux_2_35_x86_64", []),
        ("cp313-cp313-manylinux1_x86_64", ["x86_64"]),
        ("cp313-cp313-manylinux2010_x86_64", ["x86_64"]),
        ("cp313-cp313t-manylinux2014_x86_64", []),
        ("cp313-cp313-musllinux_1_2_x86_64", []),
        ("cp313-cp313-macosx_11_0_arm64", []),
        ("cp311-cp311-manylinux2014_x86_64", []),
        ("cp314-cp314-manylinux2014_x86_64", []),
        ("cp39-abi3-manylinux2014_x86_64", ["x86_64"]),
        ("cp310-abi3-manylinux_2_28_aarch64", ["arm64"]),
        ("cp313-abi3-manylinux2014_x86_64", ["x86_64"]),
        ("cp314-abi3-manylinux2014_x86_64", []),
    ],
)
def test_tag_says_where_a_wheel_runs(tag: str, cpus: list[str]) -> None:
    assert [cpu for cpu in ("arm64", "x86_64") if wheels.fits(tag, cpu)] == cpus


@pytest.mark.parametrize(
    ("tag", "cpus"),
    [
        ("py3-none-any", ["arm64", "x86_64"]),
        ("cp311-cp311-manylinux2014_aarch64", ["arm64"]),
        ("cp311-cp311-manylinux_2_28_x86_64", ["x86_64"]),
        ("cp39-abi3-manylinux_2_34_x86_64", ["x86_64"]),
        ("cp311-cp311-manylinux_2_35_x86_64", []),
        ("cp311-cp311-musllinux_1_2_x86_64", []),
        ("cp312-cp312-manylinux2014_x86_64", []),
        ("cp312-abi3-manylinux2014_x86_64", []),
        ("cp313-cp313-manylinux2014_aarch64", []),
    ],
)
def test_tag_says_which_wheels_run_beside_the_job(tag: str, cpus: list[str]) -> None:
    assert [cpu for cpu in ("arm64", "x86_64") if wheels.fits(tag, cpu, wheels.EMR)] == cpus


def test_wheel_of_another_cpu_is_refused(tmp_path: Path) -> None:
    folder = a_wheel(tmp_path, "cp313-cp313-manylinux2014_x86_64", "cp313-cp313-manylinux_2_28_x86_64")

    wheels.check(folder, "x86_64")
    with pytest.raises(WheelUnfit, match=r"markupsafe-3\.0\.4 is not a wheel for Python 3\.13 on arm64 .*x86_64"):
        wheels.check(folder, "arm64")
    with pytest.raises(WheelUnfit, match=r"for Python 3\.11 on x86_64 with manylinux_2_34 .*pin one in job-arrow"):
        wheels.check(folder, "x86_64", wheels.ARROW)


def test_local_job_has_the_packages_of_emr_for_its_own_python() -> None:
    here = wheels.here(wheels.EMR)

    assert here.lock == wheels.EMR.lock
    assert here.python == f"{sys.version_info.major}.{sys.version_info.minor}"


def test_wheel_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WheelUnfit, match="its tags: nothing"):
        wheels.check(a_wheel(tmp_path), "x86_64")


def test_zip_depends_on_names_and_bytes_alone(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"1")
    second.write_bytes(b"2")
    before = zipped({"a": first, "b": second})
    second.touch()
    second.chmod(0o755)

    assert zipped({"b": second, "a": first}) == before
    assert zipped({"a": second, "b": first}) != before


def test_environment_depends_on_names_and_bytes_alone(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"1")
    second.write_bytes(b"2")
    long = f"{'package/' * 30}module.py"  # beyond what a tar's own header holds
    tarred({"b.so": first, long: second}, tmp_path / "one.tar.gz")
    second.chmod(0o755)
    os.utime(second, (1, 1))
    tarred({long: second, "b.so": first}, tmp_path / "two.tar.gz")
    with tarfile.open(tmp_path / "one.tar.gz") as archive:
        members = [(each.name, each.mode, each.mtime, each.uid, each.gid, each.uname) for each in archive]

    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()
    assert members == [("b.so", 0o644, 0, 0, 0, ""), (long, 0o644, 0, 0, 0, "")]
    tarred({long: first, "b.so": second}, tmp_path / "two.tar.gz")
    assert (tmp_path / "one.tar.gz").read_bytes() != (tmp_path / "two.tar.gz").read_bytes()


def test_environment_carries_no_spark_and_what_the_functions_do_not_have() -> None:
    locked = wheels.EMR.lock.read_text(encoding="utf-8")

    assert "\ngreat-expectations==1.24.1 " in locked
    assert "\npyspark==" not in locked
    assert "great-expectations" not in wheels.LAMBDA.lock.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("pyarrow/__init__.py", True),
        ("pyarrow/vendored/version.py", True),
        ("pyarrow/vendored/__pycache__/version.cpython-311.pyc", False),
        ("pyarrow/lib.cpython-311-aarch64-linux-gnu.so", True),
        ("pyarrow/libarrow_python.so.2600", True),
        ("pyarrow-26.0.1.dist-info/licenses/LICENSE.txt", True),
        ("pyarrow/libarrow_python.so.2600.1.0", False),
        ("pyarrow/libarrow_flight.so.2600", False),
        ("pyarrow/libarrow_s3.so.2600", False),
        ("pyarrow/_dataset.cpython-311-x86_64-linux-gnu.so", False),
        ("pyarrow/parquet/core.py", True),
        ("pyarrow/parquet/__pycache__/core.cpython-311.pyc", False),
        ("pyarrow/_parquet.cpython-311-x86_64-linux-gnu.so", True),
        ("pyarrow/_parquet_encryption.cpython-311-x86_64-linux-gnu.so", False),
        ("pyarrow/include/arrow/api.h", False),
        ("pyarrow/lib.pxd", False),
    ],
)
def test_lines_are_sifted_with_a_part_of_arrow(name: str, needed: bool) -> None:
    assert (PREFILTER_FILES.fullmatch(name) is not None) == needed


def test_job_sifts_with_the_arrow_that_is_tested() -> None:
    locks = [wheels.ARROW.lock, ROOT / "locks" / "environment.txt"]
    pins = [re.findall(r"(?m)^pyarrow==(\S+)", lock.read_text(encoding="utf-8")) for lock in locks]

    assert len(pins[0]) == 1
    assert pins[0] == pins[1]


@pytest.mark.parametrize("home", [wheels.LAMBDA, wheels.EMR, wheels.ARROW], ids=lambda home: home.lock.stem)
def test_what_is_deployed_has_the_pins_that_are_tested(home: wheels.Home) -> None:
    locks = [lock.read_text(encoding="utf-8") for lock in (home.lock, ROOT / "locks" / "environment.txt")]
    pins, tested = (dict(re.findall(r"(?m)^([\w-]+)==(\S+)", lock)) for lock in locks)

    assert pins
    assert [name for name in pins if tested.get(name, pins[name]) != pins[name]] == []


def test_bytecode_of_a_python_that_imported_stays_out(tmp_path: Path) -> None:
    for name in ("a/b.py", "a/__pycache__/b.cpython-313.pyc", "c.dist-info/METADATA"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert set(files_of(tmp_path)) == {"a/b.py", "c.dist-info/METADATA"}


def test_job_archive_is_the_same_a_while_later() -> None:
    before = job_archive()
    time.sleep(2.1)  # a zip counts in steps of two seconds

    assert job_archive() == before


def test_functions_carry_no_authoring_and_no_contracts() -> None:
    names = set(flow_sources())

    assert {"contracts/plan.py", "functions/handlers/schedule.py", "functions/records/receipt.html.jinja"} <= names
    assert [n for n in names if n.startswith("contracts/authoring/")] == []
    assert [n for n in names if n.endswith((".yaml", ".pyc"))] == []


def test_flow_carries_nothing_of_the_api() -> None:
    names, locked = set(flow_sources()), wheels.LAMBDA.lock.read_text(encoding="utf-8")

    assert [n for n in names if n.startswith("functions/api/")] == []
    assert not re.findall(r"^(cryptography|joserfc|jsonschema|pydantic|pyyaml|sqlglot)\b.*", locked, re.MULTILINE)


def test_api_carries_authoring_and_no_contracts() -> None:
    names, locked = set(api_sources()), wheels.LAMBDA_API.lock.read_text(encoding="utf-8")

    assert {"functions/api/openapi.json", "contracts/authoring/drop_block/drop.schema.json"} <= names
    assert set(flow_sources()) <= names
    assert [n for n in names if n.endswith((".yaml", ".pyc"))] == []
    assert {f"\n{name}==" in locked for name in ("cryptography", "joserfc", "pydantic", "sqlglot")} == {True}


def test_size_counts_boto3_apart(tmp_path: Path) -> None:
    (tmp_path / "ten").write_bytes(b"x" * 10)
    names = ("boto3/session.py", "botocore-1.43.127.dist-info/METADATA", "s3transfer/a.py", "functions/a.py", "six.py")
    weight = size(dict.fromkeys(names, tmp_path / "ten"), 7)

    assert (weight.zipped, weight.unzipped, weight.beyond_sdk) == (7, 50, 20)


def test_sam_finds_a_target_for_every_function() -> None:
    parsed = [yaml_parse(path.read_text(encoding="utf-8")) for path in TEMPLATES]
    resources = [item for template in parsed for item in template["Resources"].items()]
    functions = {name: resource for name, resource in resources if resource["Type"] == "AWS::Serverless::Function"}

    assert functions
    assert [name for name in functions if not name.endswith("Function")] == []  # the Makefile's build-%Function
    assert [
        name for name, function in functions.items() if function.get("Metadata") != {"BuildMethod": "makefile"}
    ] == []


def test_sam_builds_for_the_cpu_that_is_deployed() -> None:
    parameter = yaml_parse(TEMPLATES[0].read_text(encoding="utf-8"))["Parameters"]["Architecture"]

    assert sorted(parameter["AllowedValues"]) == sorted(wheels.MACHINES)
    assert f"ARCHITECTURE ?= {parameter['Default']}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
