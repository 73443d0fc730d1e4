"""The deployed code: three bundles of functions for each CPU, the job's archive with its entry point, and its packages.

Sources and the installed wheels in, folders and archives out. The same input gives the same bytes: names are sorted,
times, owners and rights fixed. A bundle of functions has bytecode where this machine has a Python of Lambda's version
to compile it, and none elsewhere: two machines make the same bytes if both have the same Python 3.13, or none. The
API's functions have a bundle of their own, as they need more packages than the flow; so has the fast lane.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from infra import files as written
from infra.setup import wheels
from infra.setup.bytecode import Compiler, compile_sources
from infra.setup.progress import Tell

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
ENTRY = ROOT / "spark_jobs" / "validate.py"
"""The entry point of the Spark job, uploaded next to the archive."""

PREFILTER_FILES = re.compile(
    r"pyarrow-[^/]+\.dist-info/.+"
    r"|pyarrow/((vendored|parquet)/)?\w+\.py"
    r"|pyarrow/(lib|_compute|_csv|_fs|_json|_parquet)\.cpython-3\d+-[\w-]+\.so"
    r"|pyarrow/lib(arrow(_acero|_compute|_dataset|_python|_substrait)?|parquet)\.so\.\d+"
)
"""The files of pyarrow's wheel that the prefilter needs: Linux loads all of these libraries, also unused ones."""

Files = Mapping[str, Path]
"""The files of a bundle: the name of each in the bundle, and its path here."""


@dataclass(frozen=True, slots=True)
class FunctionBundle:
    """A bundle of functions: the packages that it carries, and our own files."""

    name: str
    home: wheels.Home
    sources: Callable[[], Files]


NOT_OF_FLOW = (
    *("functions/api/", "functions/costs/", "functions/lane/", "functions/pages/"),
    *(
        f"functions/operations/{name}.py"
        for name in ("arrivals", "check_history", "port_check", "sample_file", "upload", "workload")
    ),
)
"""The beginnings of the names of files that the flow never imports."""


def flow_sources() -> Files:
    """Return our files of the flow's bundle: its part of `functions`, and the run time of `contracts`."""
    functions = _named(files_of(ROOT / "functions").values(), ROOT)
    flow = {name: path for name, path in functions.items() if not name.startswith(NOT_OF_FLOW)}
    return {**_named(_kernel(), ROOT), **flow}


OF_LANE = ("spark_jobs/__init__.py", "spark_jobs/fast_lane.py", "spark_jobs/counting/", "spark_jobs/prefilter/")
"""The beginnings of the names of the job's files that the fast lane imports, none of which loads Spark."""


def lane_sources() -> Files:
    """Return our files of the fast lane's bundle: those of the flow, and what the job shares with it."""
    job = _named((ROOT / "spark_jobs").rglob("*.py"), ROOT)
    lane = _named(files_of(ROOT / "functions" / "lane").values(), ROOT)
    return {**flow_sources(), **lane, **{name: path for name, path in job.items() if name.startswith(OF_LANE)}}


def api_sources() -> Files:
    """Return our files of the API's bundle: `functions` without the fast lane, and `contracts` with its authoring."""
    code = {path for path in files_of(ROOT / "contracts").values() if path.suffix not in CONTRACT_SUFFIXES}
    functions = _named(files_of(ROOT / "functions").values(), ROOT)
    own = {name: path for name, path in functions.items() if not name.startswith("functions/lane/")}
    return {**_named(code, ROOT), **own}


CONTRACT_SUFFIXES = (".yaml", ".yml")
"""The suffixes of contracts, which are published and not deployed."""
FLOW = FunctionBundle("functions", wheels.LAMBDA, flow_sources)
API = FunctionBundle("functions-api", wheels.LAMBDA_API, api_sources)
LANE = FunctionBundle("functions-lane", wheels.LAMBDA_LANE, lane_sources)
FUNCTION_BUNDLES = (FLOW, API, LANE)


def job_archive() -> bytes:
    """The zip of `spark_jobs` and of the run time of `contracts`: pure Python, one for every CPU."""
    return zipped(_named([*_kernel(), *(ROOT / "spark_jobs").rglob("*.py")], ROOT))


def great_expectations(cpu: str) -> Path:
    """Return the path of the archive of Great Expectations (`make build GX=1`), with its dependencies without Spark."""
    return BUILD / f"great-expectations-{cpu}.tar.gz"


def environment(cpu: str, tell: Tell, home: wheels.Home = wheels.EMR) -> Files:
    """Return the files of that archive, packages at its root, for EMR or another home. Raises SetupMissing, WheelUnfit.

    `spark.archives` unpacks it into each worker's folder, where EMR's own Python finds it (settings in
    functions/aws/emr_serverless.py). EMR's user guide ("Using Python libraries") packs a whole virtual environment,
    with a Python; this one has none, because the job's code runs on EMR's.
    """
    return files_of(wheels.installed(cpu, tell, home))


def built_environment(cpu: str, tell: Tell) -> Path:
    """Return that archive, built if necessary. Raises SetupMissing, WheelUnfit."""
    place = great_expectations(cpu)
    if not place.is_file():
        place.parent.mkdir(exist_ok=True)
        tarred(environment(cpu, tell), place)
    return place


def arrow(cpu: str) -> Path:
    """Return the path of the archive of Arrow (`make build`), which the job gets like that of Great Expectations."""
    return BUILD / f"arrow-{cpu}.tar.gz"


def prefilter_files(cpu: str, tell: Tell, home: wheels.Home = wheels.ARROW) -> Files:
    """Return the files of that archive, with packages at its root. Raises SetupMissing, WheelUnfit."""
    whole = files_of(wheels.installed(cpu, tell, home))
    return {name: path for name, path in whole.items() if PREFILTER_FILES.fullmatch(name)}


def built_arrow(cpu: str, tell: Tell) -> Path:
    """Return that archive, built every time, as that takes seconds. Raises SetupMissing, WheelUnfit."""
    BUILD.mkdir(exist_ok=True)
    tarred(prefilter_files(cpu, tell), place := arrow(cpu))
    return place


def function_bundle(
    cpu: str, folder: Path, tell: Tell, compiler: Compiler | None, bundle: FunctionBundle = FLOW
) -> Files:
    """Copy all that the functions of a bundle need on Lambda into a folder; return its files.

    Raises SetupMissing, WheelUnfit, NotWritten for a folder with symbolic links on the way or in it.
    """
    written.refuse_links(folder)
    for path in folder.rglob("*"):
        written.refuse_link(path)
    packages = {name: path for name, path in files_of(wheels.installed(cpu, tell, bundle.home)).items() if _runs(name)}
    for name, source in {**packages, **bundle.sources()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / name)
    if compiler is None:
        return files_of(folder)
    tell(f"compiling with {compiler.path}")
    compile_sources(folder, compiler)
    return _named((path for path in folder.rglob("*") if path.is_file()), folder)


def _runs(name: str) -> bool:
    """Return True if a bundle needs a file of a package: of Arrow it needs what the prefilter does."""
    return not name.startswith("pyarrow") or PREFILTER_FILES.fullmatch(name) is not None


def files_of(folder: Path) -> Files:
    """Return the files of a folder, without bytecode that imports from it have left."""
    whole = (path for path in folder.rglob("*") if path.is_file() and path.parent.name != "__pycache__")
    return _named(whole, folder)


def zipped(files: Files) -> bytes:
    """Return the zip of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o100644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, files[name].read_bytes())
    return out.getvalue()


def tarred(files: Files, place: Path) -> None:
    """Write these files as a tar.gz of any size; raise NotWritten if the path is a symbolic link."""
    written.refuse_link(place)
    with (
        place.open("wb") as out,
        gzip.GzipFile("", "wb", 6, fileobj=out, mtime=0) as packed,  # 9 takes three times as long for half a percent
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in sorted(files):
            info = tarfile.TarInfo(name)
            info.size, info.mode = files[name].stat().st_size, 0o644
            with files[name].open("rb") as source:
                archive.addfile(info, source)


def _kernel() -> Iterator[Path]:
    """Yield the run-time files of `contracts`, without authoring and the contracts themselves."""
    modules = (ROOT / "contracts").rglob("*.py")
    return (path for path in modules if "authoring" not in path.relative_to(ROOT).parts)


def _named(paths: Iterable[Path], root: Path) -> Files:
    return {path.relative_to(root).as_posix(): path for path in paths}
