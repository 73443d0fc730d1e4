"""The bundles of `make build`, outside the checkout: every handler on Lambda's terms, the job by spark-submit."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pyspark
import pytest
from backports import zstd
from pyspark.sql import SparkSession

from contracts.authoring.compiler.lint import lint
from contracts.job import SIFTED_FROM
from functions import keys
from functions.aws.clients import Clients, ports_from
from functions.drop import Drop
from functions.ports import Ports
from infra.local.embedded import KEY, Embedded
from infra.local.events.invocation import Context
from infra.local.events.pump import Pump
from infra.packaging.build import build
from infra.packaging.bundles import ROOT, environment, prefilter_files, tarred, zipped
from infra.packaging.cold_import import BOUND, BOUND_OF_SOURCES, cpu_seconds, handlers, long_imports, terms
from infra.setup import wheels
from infra.setup.bytecode import lambda_python
from infra.setup.spark import archive
from infra.setup.spark.jars import spark_jars
from infra.setup.spark.java import java_home
from infra.setup.spark.session import BRIEF, s3_settings
from infra.setup.wheels import MACHINES, this_cpu
from tests.e2e.cases import GOOD, HEADER
from tests.unit.contracts.authoring.documents import a_document
from tests.unit.contracts.authoring.documents import a_plan as a_contract_plan

CONTRACTS = ROOT / "tests" / "e2e" / "contracts"
ALONE = (sys.executable, "-I", "-S", "-B")
"""This Python, with nothing installed; another than Lambda's leaves the native parts that speed up jinja2 and wrapt."""
BAD = HEADER + b"1,Ana,-2,2026-01-31\n2,Bo,1,2026-01-31\n"
ELSEWHERE = ("pyspark", "py4j", "pydantic", "open_data_contract_standard", "yaml", "jsonschema", "moto", "pip")
LATER = ("jinja2", "markupsafe", "sqlite3", "zoneinfo")
"""What a handler needs for some events only."""

LOOK = """
import gc, importlib.util, json, sys
sys.path.insert(0, sys.argv[1])
seen = []
sys.addaudithook(lambda name, args: seen.append((name, str(args[0]), str(args[-1]))))
__import__(sys.argv[2])
import botocore.client
print(json.dumps({
    "absent": [name for name in sys.argv[3].split(",") if importlib.util.find_spec(name) is None],
    "loaded": sorted(sys.modules),
    "ours": [sys.modules["functions"].__file__, sys.modules["contracts"].__file__],
    "clients": sum(isinstance(each, botocore.client.BaseClient) for each in gc.get_objects()),
    "events": sorted({name for name, *_ in seen}),
    "opened": [file for name, file, _ in seen if name == "open"],
}))
"""
LANE = """
import importlib.util, sys
sys.path.insert(0, sys.argv[1])
if sys.argv[2]:  # native code is for Lambda's Python
    import functions.lane.small_staged
assert importlib.util.find_spec("functions.lane.small_staged")
print(sorted({module.partition(".")[0] for module in sys.modules} & {"pyspark", "py4j", "numpy", "pandas"}))
"""
LAMBDA = """
import gc, importlib, json, sys, types
sys.path.insert(0, sys.argv[1])
module, _, name = sys.argv[2].rpartition(".")
handler = getattr(importlib.import_module(module), name)
event, about = json.load(sys.stdin)
context = types.SimpleNamespace(**about, get_remaining_time_in_millis=lambda: 60_000)
answer, _ = handler(event, context), handler(event, context)
import botocore.client
clients = [each for each in gc.get_objects() if issubclass(type(each), botocore.client.BaseClient)]  # no proxies
print("\\n" + json.dumps([answer, [each.meta.service_model.service_name for each in clients]]))
"""
SIFT = """
import sys
sys.path[:0] = sys.argv[1:]
import pyarrow as pa
from spark_jobs.prefilter.arrow_tests import ColumnTest, PassCondition, TestedColumn, evaluate_batches
numbers = TestedColumn(0, pa.int64(), (ColumnTest("bound", ("greater_equal", 2), (0, 3)), ColumnTest("outside", (9,))))
texts = TestedColumn(1, pa.string(), (ColumnTest("pattern", "^a", (0, 4)),))
condition = PassCondition(r"\\A[0-9]{1,18},[^,]*\\z", ",", "", 2, ("",), (), (numbers, texts), (1,))
lines = ["1,a", "2,", "3,ab", "4,b", "9,a", "x"]
n = len(lines)
columns = [pa.array(["f"] * n), pa.array([0] * n), pa.array(range(n)), pa.array(lines)]
batch = pa.RecordBatch.from_arrays(columns, ["file", "block", "id", "line"])
rows = [row for out in evaluate_batches([batch], condition) for row in out.to_pylist()]
print([(row["line"] or row["n"], row["mask"], row["sums"]) for row in rows])
print(sorted({module.partition(".")[0] for module in sys.modules} & {"numpy", "pandas", "pyspark"}))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make build` fills."""
    place = tmp_path_factory.mktemp("build")
    build(place)
    return place


@pytest.fixture(scope="module")
def bundle(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The functions' bundle as it lies on Lambda.

    It has native code of Lambda's Python alone. Zstandard has no other code: that of the Python of the tests is added.
    """
    place = tmp_path_factory.mktemp("task")
    with zipfile.ZipFile(built / f"functions-{this_cpu()}.zip") as packed:
        packed.extractall(place)  # noqa: S202 (what we built)
    for native in Path(zstd.__file__).parent.glob("_zstd.*.so"):
        shutil.copy(native, place / "backports" / "zstd")
    return place


@pytest.fixture(scope="module")
def arrow_here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of Arrow for the Python that runs this: the built one where that is EMR's."""
    place = tmp_path_factory.mktemp("arrow") / "arrow.tar.gz"
    tarred(prefilter_files(this_cpu(), lambda _: None, wheels.here(wheels.ARROW)), place)
    return place


def contents(path: Path) -> dict[str, bytes]:
    """The files in a zip."""
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_native_code_alone_differs_between_cpus(built: Path) -> None:
    held = {cpu: contents(built / f"functions-{cpu}.zip") for cpu in MACHINES}
    native = {f"{name}.abi3.so" for name in ("arro3/core/_core", "deltalake/_internal")}
    for cpu, code in (("arm64", 183), ("x86_64", 62)):  # e_machine: EM_AARCH64, EM_X86_64
        tag = f"cpython-313-{MACHINES[cpu]}-linux-gnu"
        own = {f"{name}.{tag}.so" for name in ("backports/zstd/_zstd", "markupsafe/_speedups", "wrapt/_wrappers")}
        compiled = {n: int.from_bytes(b[18:20], "little") for n, b in held[cpu].items() if b.startswith(b"\x7fELF")}
        assert compiled == dict.fromkeys(native | own, code)

    arm, intel = held["arm64"], held["x86_64"]
    differing = {name for name in arm.keys() | intel.keys() if arm.get(name) != intel.get(name)}
    about = (".dist-info/WHEEL", ".cyclonedx.json")  # what a wheel says of its build
    assert [name for name in differing if not name.endswith((".so", *about))] == []


def test_bundles_hold_bytecode_of_lambdas_python_alone(built: Path) -> None:
    for cpu in MACHINES:
        names = contents(built / f"functions-{cpu}.zip").keys()
        sources = {n for n in names if n.endswith(".py")} if lambda_python() else set()
        places = {f"{PurePosixPath(n).parent}/__pycache__/{PurePosixPath(n).stem}.cpython-313.pyc" for n in sources}
        assert {name for name in names if "__pycache__" in name} == {place.removeprefix("./") for place in places}

        with tarfile.open(built / f"arrow-{cpu}.tar.gz") as packed:
            assert [name for name in packed.getnames() if "__pycache__" in name] == []


def test_bundle_is_not_written_through_links(tmp_path: Path) -> None:
    outside, linked, within = (tmp_path / name for name in ("outside", "linked", "within"))
    outside.mkdir()
    linked.symlink_to(outside)
    within.mkdir()
    (within / "functions").symlink_to(outside)
    for place in (linked, within):
        command = [sys.executable, "-m", "infra.packaging.build", "--into", str(place)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

        assert done.returncode == 3
        assert "is a symbolic link or behind one, and links are not followed" in done.stderr
    assert list(outside.iterdir()) == []


def test_lines_are_sifted_with_the_built_archive_alone(built: Path, arrow_here: Path, tmp_path: Path) -> None:
    with tarfile.open(arrow_here) as packed:
        packed.extractall(tmp_path, filter="data")
    command = [*ALONE, "-c", SIFT, str(tmp_path), str(built / "dropgate.zip")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.stderr == ""
    lines = "('1,a', [8], None), ('4,b', [16], None), ('9,a', None, None), ('x', None, None)"
    assert done.stdout.splitlines() == [f"[{lines}, (2, None, [1]), (1, [8], [0]), (1, [16], [0])]", "[]"]


def test_archives_of_arrow_hold_the_same_for_every_cpu(built: Path) -> None:
    held = []
    for cpu, machine in MACHINES.items():
        with tarfile.open(built / f"arrow-{cpu}.tar.gz") as packed:
            held.append([name.replace(machine, "cpu") for name in packed.getnames()])

    assert held[0] == held[1]
    assert {"pyarrow/libarrow.so.2600", "pyarrow/lib.cpython-311-cpu-linux-gnu.so"} <= set(held[0])
    assert all((built / f"arrow-{cpu}.tar.gz").stat().st_size < 40_000_000 for cpu in MACHINES)


def test_sam_gets_the_same_bytes_as_the_zip(built: Path, tmp_path: Path) -> None:
    target = ["make", "--silent", "build-ObjectCreatedFunction", f"ARCHITECTURE={this_cpu()}"]
    environment = {**os.environ, "ARTIFACTS_DIR": str(tmp_path)}
    subprocess.run(target, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    files = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*") if path.is_file()}

    assert zipped(files) == (built / f"functions-{this_cpu()}.zip").read_bytes()


def test_target_without_a_folder_is_refused() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ARTIFACTS_DIR"}
    target = ["make", "--silent", "build-ObjectCreatedFunction"]
    done = subprocess.run(target, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode, "ARTIFACTS_DIR names no folder" in done.stderr) == (2, True), done.stderr


def test_bundle_is_small_beyond_boto3(built: Path) -> None:
    sdk = ("boto3", "botocore", "s3transfer")
    for cpu in MACHINES:
        with zipfile.ZipFile(built / f"functions-{cpu}.zip") as packed:
            whole, others = packed.infolist(), (*sdk, "arro3", "deltalake")  # for tables
            ours = [info for info in whole if not info.filename.startswith(others)]
        assert sum(info.file_size for info in ours) <= 15_600_000
        assert sum(info.file_size for info in whole) <= 200_000_000  # of 250 that Lambda takes


def test_bundle_of_the_fast_lane_has_arrow_and_no_spark(built: Path, tmp_path: Path) -> None:
    for cpu in MACHINES:
        with zipfile.ZipFile(built / f"functions-lane-{cpu}.zip") as packed:
            whole = packed.infolist()
        parts = {info.filename.partition("/")[0] for info in whole}
        assert "pyarrow" in parts
        assert not parts & {"pyspark", "py4j", "deltalake", "arro3", "numpy", "pandas"}
        assert sum(info.file_size for info in whole) <= 200_000_000  # of 250 that Lambda takes

    with zipfile.ZipFile(built / f"functions-lane-{this_cpu()}.zip") as packed:
        packed.extractall(tmp_path)  # noqa: S202 (what we built)
    compiler = lambda_python()
    python = str(compiler.path if compiler else sys.executable)
    words = [python, "-I", "-S", "-B", "-c", LANE, str(tmp_path), "yes" if compiler else ""]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_licences_and_versions_stay(bundle: Path) -> None:
    look = (
        "import sys; sys.path.insert(0, sys.argv[1]); from importlib.metadata import version; print(version('boto3'))"
    )
    versions = subprocess.run([*ALONE, "-c", look, bundle], capture_output=True, text=True, check=True).stdout

    assert f"\nboto3=={versions.strip()} " in (ROOT / "locks" / "functions.txt").read_text(encoding="utf-8")
    for record in bundle.glob("*.dist-info"):
        stated = "License-Expression: MIT OR Apache-2.0" in (record / "METADATA").read_text(encoding="utf-8")
        assert [*record.rglob("LICEN[CS]E*")] or (record.name.startswith("arro3_core") and stated), record.name


@pytest.mark.parametrize("handler", handlers())
def test_handler_loads_alone_and_does_nothing(bundle: Path, handler: str) -> None:
    command = [*ALONE, "-c", LOOK, str(bundle), handler, ",".join(ELSEWHERE)]
    done = subprocess.run(command, cwd=bundle.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen: Any = json.loads(done.stdout)

    assert seen["absent"] == list(ELSEWHERE)
    assert all(Path(file).is_relative_to(bundle) for file in seen["ours"])
    assert [name for name in seen["loaded"] if name.split(".")[0] in LATER] == []
    assert seen["clients"] == 0
    assert [e for e in seen["events"] if e.startswith(("socket.connect", "socket.getaddrinfo", "subprocess."))] == []
    assert [file for file in seen["opened"] if "/botocore/data/" in file] == []


def test_cold_import_is_measured_with_its_parts(bundle: Path) -> None:
    python, bound = terms(bundle)
    assert bound == (BOUND if lambda_python() else BOUND_OF_SOURCES)
    assert 0.05 < cpu_seconds(bundle, "functions.handlers.schedule", python) < 5  # the bound itself is `make cold`'s
    imports = long_imports(bundle, "functions.handlers.schedule", python)
    assert (imports[0].module, imports[0].depth) == ("functions.handlers.schedule", 0)
    assert "boto3" in [each.module for each in imports]


def test_build_without_an_index_says_so(tmp_path: Path) -> None:
    for folder in ("contracts", "functions", "infra", "locks", "spark_jobs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    command = [sys.executable, "-m", "infra.packaging.build", "--into", str(tmp_path / "out")]
    offline = {**os.environ, "PIP_NO_INDEX": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=offline, capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert done.stderr.startswith("dropgate: The Python packages could not be installed: ")
    assert "pip.log has the rest" in done.stderr
    assert [*(tmp_path / ".dropgate" / "wheels").iterdir()] == []


@dataclass
class Deployed:
    """The embedded stack with the built bundles in place of the sources: who ran, and what was submitted."""

    bundle: Path
    scratch: Path
    invoked: set[str] = field(default_factory=set)
    clients: list[list[str]] = field(default_factory=list)
    submitted: list[list[str]] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    embedded: Embedded = field(init=False)
    ports: Ports = field(init=False)

    def handler(self, path: str) -> Any:
        """A handler that runs as on Lambda: a process of its own, the bundle, the function's environment.

        It gets each event twice, as may happen: the second time it is warm, and must change nothing. What Lambda
        compiles at each cold start this machine keeps, to be done sooner.
        """
        alone = [word for word in ALONE if word != "-B"]
        kept = ["-X", f"pycache_prefix={self.scratch / 'bytecode'}"]

        def handle(event: dict[str, Any], context: Context) -> Any:
            about = json.dumps([event, asdict(context)])
            command = [*alone, *kept, "-c", LAMBDA, str(self.bundle), path]
            environment = self.embedded.environment()
            done = subprocess.run(
                command, cwd=self.scratch, env=environment, input=about, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            answer, clients = json.loads(done.stdout.splitlines()[-1])
            self.invoked.add(path)
            self.clients.append(clients)
            return answer

        return handle

    def job(self, _spark: SparkSession, request: str) -> None:
        """Run the job by spark-submit with what StartJobRun was given, as it stands.

        What EMR's image brings, the way to S3 above all, is in the environment and in the properties, which yield to
        the parameters.
        """
        submit = self.asked(request)
        home, java = Path(pyspark.__file__).parent, java_home()
        properties = {
            "spark.master": "local[2]",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": self.scratch.as_uri(),
            **s3_settings(self.embedded.cloud.endpoint, KEY, KEY),
        }
        place = self.scratch / "emr.properties"
        place.write_text("".join(f"{name} {value}\n" for name, value in properties.items()), encoding="utf-8")
        environment = {
            "PATH": os.defpath,
            "JAVA_HOME": str(java),
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DIST_CLASSPATH": spark_jars().replace(",", ":"),
            "JAVA_TOOL_OPTIONS": f"{BRIEF} {archive.java_options(java)}",
            # No package of ours is on its path, nor pyspark's wheel: Spark brings its own copy.
            "PYSPARK_PYTHON": str(Path(sys.executable).resolve()),
            "PYTHONNOUSERSITE": "1",
        }
        parameters = shlex.split(submit["sparkSubmitParameters"])
        environment |= self.unpacked(dict(pair.split("=", 1) for pair in parameters[1::2]))
        command = [*parameters, submit["entryPoint"], *submit["entryPointArguments"]]
        self.submitted.append(command)
        done = subprocess.run(
            [str(home / "bin" / "spark-submit"), "--properties-file", str(place), *command],
            cwd=self.scratch,
            env=environment,
            capture_output=True,
            text=True,
            timeout=800,
            check=False,
        )
        self.outputs.append((done.stdout + done.stderr)[-4000:])
        done.check_returncode()

    def unpacked(self, parameters: dict[str, str]) -> dict[str, str]:
        """Unpack the archives of a run where EMR does, beside its driver; what EMR sets in the driver's environment."""
        for uri, _, folder in (one.partition("#") for one in parameters.get("spark.archives", "").split(",") if one):
            bucket, key = keys.split(uri)
            body = self.embedded.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
            with tarfile.open(fileobj=io.BytesIO(body)) as packed:
                packed.extractall(self.scratch / folder, filter="data")
        prefix = "spark.emr-serverless.driverEnv."
        return {name.removeprefix(prefix): value for name, value in parameters.items() if name.startswith(prefix)}

    def has_prefiltered(self) -> bool:
        """Return True if Python prefiltered lines in a run, by Spark's own queries."""
        return any("MapInArrow" in log.read_text(encoding="utf-8") for log in self.scratch.glob("eventlog_*/events_*"))

    def asked(self, request: str) -> Any:
        """Return the spark-submit driver that EMR Serverless received for a request."""
        emr, application = self.embedded.client("emr-serverless"), self.embedded.stack.application_id
        runs = emr.list_job_runs(applicationId=application)["jobRuns"]
        job_runs = [emr.get_job_run(applicationId=application, jobRunId=run["id"])["jobRun"] for run in runs]
        submits = [run["jobDriver"]["sparkSubmit"] for run in job_runs]
        (submit,) = [each for each in submits if each["entryPointArguments"] == ["--request", request]]
        return submit

    def put(self, uri: str, file: Path) -> None:
        """Put a built file where the template says that it lies."""
        bucket, key = keys.split(uri)
        self.embedded.client("s3").put_object(Bucket=bucket, Key=key, Body=file.read_bytes())


@pytest.fixture(scope="module")
def deployed(
    built: Path, bundle: Path, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployed]:
    """The stack with what was built; its own handlers sleep."""
    made = Deployed(bundle, tmp_path_factory.mktemp("cwd"))
    (plan,) = [plan for plan in lint((CONTRACTS,)).plans if plan.contract == "orders.v1"]
    with Embedded(window_seconds=1, job=made.job, spark=spark) as embedded, embedded.asleep():
        made.embedded, made.ports = embedded, ports_from(os.environ, Clients())
        embedded.publish([plan])
        made.put(os.environ["DROPGATE_JOB_ENTRY"], built / "entry.py")
        made.put(os.environ["DROPGATE_JOB_ARCHIVE"], built / "dropgate.zip")
        yield made


@pytest.fixture(scope="module")
def drops(deployed: Deployed) -> dict[str, Drop]:
    """A good file and a bad one, when nothing is left to do."""
    embedded = deployed.embedded
    files = {"good": ("orders/good.csv", GOOD), "bad": ("orders/bad.csv", BAD)}
    landing = embedded.stack.names["LandingBucket"]
    ids = {name: keys.drop_id(landing, key, embedded.upload(key, body)) for name, (key, body) in files.items()}
    built_handlers = {name: deployed.handler(f.handler) for name, f in embedded.stack.functions.items()}
    with Pump(embedded.stack, embedded.client, built_handlers, schedule_seconds=5, retry_seconds=1) as pump:
        assert pump.drain(900, embedded.emr.idle)
    records = {name: deployed.ports.ledger.drop(drop_id) for name, drop_id in ids.items()}
    return {name: drop for name, drop in records.items() if drop}


def test_built_bundles_take_files_to_their_ends(deployed: Deployed, drops: dict[str, Drop]) -> None:
    assert {name: drop.state for name, drop in drops.items()} == {"good": "accepted", "bad": "rejected"}, (
        deployed.outputs
    )
    fast_lane = "functions.lane.small_staged.handler"  # which is off
    assert deployed.invoked == {f.handler for f in deployed.embedded.stack.functions.values()} - {fast_lane}
    assert deployed.ports.store.get(f"{deployed.ports.zones.promoted}orders.v1/orders/good.csv") == GOOD


@pytest.mark.usefixtures("drops")
def test_warm_function_makes_no_second_client(deployed: Deployed) -> None:
    assert {service for made in deployed.clients for service in made} == {
        "dynamodb",
        "emr-serverless",
        "s3",
        "sesv2",
        "sqs",
        "ssm",
    }
    assert [made for made in deployed.clients if len(made) != len(set(made))] == []


def test_built_functions_render_the_receipt(deployed: Deployed, drops: dict[str, Drop]) -> None:
    receipt = drops["bad"].receipt or ""
    page = deployed.ports.store.get(receipt.replace("receipt.json", "receipt.html")).decode()

    assert page.startswith("<!DOCTYPE html>")
    assert "amount.minimum" in page


def test_spark_submit_ran_what_was_asked(deployed: Deployed, drops: dict[str, Drop]) -> None:
    (command,) = deployed.submitted
    asked = dict(pair.split("=", 1) for pair in command if "=" in pair)
    assert asked["spark.submit.pyFiles"] == os.environ["DROPGATE_JOB_ARCHIVE"]
    assert command[-3:-1] == [os.environ["DROPGATE_JOB_ENTRY"], "--request"]

    receipt = drops["bad"].receipt or ""
    named = json.loads(deployed.ports.store.get(receipt))["rejected_rows"]
    rows = deployed.ports.store.get(receipt.replace("receipt.json", named)).decode()
    assert [row[-2:] for row in csv.reader(io.StringIO(rows))] == [
        ["_record", "_reasons"],
        ["1", "amount.minimum (at least 0)"],
    ]


COLUMNS = """\
- {name: id, logicalType: integer}
- {name: name, logicalType: string}
- {name: amount, logicalType: number}
- {name: day, logicalType: date}
"""
FILES = "files: orders/*.csv\nproducer: shop\nformat: csv\n"
MINDING = a_document(COLUMNS.replace("number}", "number, logicalTypeOptions: {minimum: 0}}"), drop=FILES)
EXPECTING = a_document(
    COLUMNS,
    """\
- type: custom
  engine: greatExpectations
  implementation: {type: expect_column_values_to_be_between, kwargs: {column: amount, min_value: 0}}
- type: custom
  engine: greatExpectations
  implementation: {type: expect_column_values_to_be_json_parseable, kwargs: {column: name}}
""",
    FILES,
)


@pytest.mark.torture
@pytest.mark.parametrize(
    ("expecting", "large", "folders"),
    [(True, False, ["environment"]), (False, True, ["arrow"]), (True, True, ["environment", "arrow"])],
)
def test_built_archives_of_packages_come_with_the_run(
    built: Path,
    bundle: Path,
    arrow_here: Path,
    spark: SparkSession,
    tmp_path: Path,
    expecting: bool,
    large: bool,
    folders: list[str],
) -> None:
    """The job's archive and those of packages, by spark-submit with all that StartJobRun was given.

    The packages are those that EMR gets, for the Python of this machine.
    """
    made, plan = Deployed(bundle, tmp_path), a_contract_plan(EXPECTING if expecting else MINDING)
    body = BAD + (b"3,%s,1,2026-01-31\n" % (b"7" * 200)) * (SIFTED_FROM // 200 if large else 0)
    with Embedded(window_seconds=1, job=made.job, spark=spark, expectations=expecting) as embedded:
        made.embedded, made.ports = embedded, ports_from(os.environ, Clients())
        embedded.publish([plan])
        made.put(os.environ["DROPGATE_JOB_ENTRY"], built / "entry.py")
        made.put(os.environ["DROPGATE_JOB_ARCHIVE"], built / "dropgate.zip")
        made.put(os.environ["DROPGATE_JOB_ARROW"], arrow_here)
        if expecting:
            packages = tmp_path / "packages.tar.gz"
            tarred(environment(this_cpu(), lambda _: None, wheels.here(wheels.EMR)), packages)
            made.put(os.environ["DROPGATE_JOB_ENVIRONMENT"], packages)
        version = embedded.upload("orders/bad.csv", body)
        assert embedded.settle(300)
        drop = made.ports.ledger.drop(keys.drop_id(embedded.stack.names["LandingBucket"], "orders/bad.csv", version))
        assert drop
        assert drop.state == "rejected", made.outputs
        checks = json.loads(made.ports.store.get(drop.receipt or ""))["checks"]

    results = [(check["result"], check["failed"]) for check in checks if check["kind"] in ("expectation", "minimum")]
    # the second expectation by Python workers, which need it, too
    assert sorted(results) == ([("failed", 1), ("failed", 2)] if expecting else [("failed", 1)])
    (command,) = made.submitted
    (archives,) = [pair for pair in command if pair.startswith("spark.archives=")]
    assert [uri.partition("#")[2] for uri in archives.split(",")] == folders
    assert made.has_prefiltered() == large
