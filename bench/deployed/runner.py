"""The process with the job as on EMR: the deployed archives and the storage's endpoint in; seconds of each run out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.deployed import process
from bench.deployed.storage import Storage
from bench.measuring import say
from functions.aws.emr_serverless import spark_parameters
from infra.errors import SetupMissing
from infra.local.emr.spark_parameters import read_parameters
from infra.packaging import bundles
from infra.setup import packages, wheels
from infra.setup.spark.jars import ROOT
from infra.setup.spark.session import LOG

PYTHON = Path(sys.base_prefix) / "bin" / f"python{packages.VERSION}"
"""The Python without the packages of this checkout."""
SPARK = ("py4j", "pyspark")
"""The packages that EMR's own image has."""
SIZE = 2**28
"""Bytes of files that the settings are for."""


@dataclass(frozen=True, slots=True)
class Runner:
    """The running process; it answers one request after another."""

    process: subprocess.Popen[str]
    storage: Storage

    def ask(self, **asked: Any) -> tuple[float, float]:
        """Return the seconds of a run on the clock, and those of the processors."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        seconds, used = self.answer()
        return seconds, used

    def answer(self) -> Any:
        """Return the next answer; raise SetupMissing if there is none."""
        assert self.process.stdout
        if not (line := self.process.stdout.readline()):
            raise SetupMissing(f"bench.deployed.process ended without an answer: {LOG} has the reason.")
        return json.loads(line)


@contextmanager
def running(storage: Storage, *, brief: bool = False) -> Iterator[Runner]:
    """Start the process with the archives and settings that EMR gets; raise SetupMissing if it loads other code.

    It works in a folder of its own, as Python looks there first. A `brief` run is one of few files.
    """
    parameters = spark_parameters("s3://jobs/job.zip", SIZE, {"arrow": "s3://jobs/arrow.tar.gz"}, brief=brief)
    read = read_parameters(parameters)
    run = json.dumps({"settings": dict(read.settings), "brief": read.brief})
    with tempfile.TemporaryDirectory(prefix="dropgate-deployed-") as made:
        code, arrow, image = unpacked(Path(made))
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (code, arrow, image, ROOT)))}
        command = [str(PYTHON), "-P", process.__file__, storage.endpoint, run]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=made, env=environment, stdin=pipe, stdout=pipe, text=True) as started:
            runner = Runner(started, storage)
            for origins in runner.answer():
                check(origins, code, arrow)
            yield runner
            assert started.stdin
            started.stdin.close()


def unpacked(folder: Path) -> tuple[Path, Path, Path]:
    """Write the job's archive, the content of Arrow's and links to Spark into a folder; return these places."""
    (code := folder / "job.zip").write_bytes(bundles.job_archive())
    arrow, image = folder / "arrow", folder / "image"
    for name, source in bundles.prefilter_files(wheels.this_cpu(), say, wheels.here(wheels.ARROW)).items():
        (place := arrow / name).parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(source)
    image.mkdir()
    for module in SPARK:
        (image / module).symlink_to(Path(str(import_module(module).__file__)).parent)
    return code, arrow, image


def check(origins: dict[str, str | None], code: Path, arrow: Path) -> None:
    """Raise SetupMissing if modules come from elsewhere than from the archives."""
    expected = {"contracts": code, "spark_jobs": code, "pyarrow": arrow}
    for name, place in origins.items():
        right = expected.get(name)
        if (place is not None) if right is None else not str(place).startswith(str(right)):
            raise SetupMissing(f"{name} comes from {place}, not from the archives for EMR.")
