"""A job's sparkSubmitParameters in; the archives and session settings that a local Spark can apply out.

Every parameter is on one of the lists below or is refused, so that none is silently without effect.
"""

import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from infra.local.emr.errors import ValidationException

PY_FILES = "spark.submit.pyFiles"
ARCHIVES = "spark.archives"
# The place where EMR's Python finds the content of such an archive; here the session gets its place on this machine.
PYTHON_PATHS = ("spark.emr-serverless.driverEnv.PYTHONPATH", "spark.executorEnv.PYTHONPATH")
COMPILE_HUGE_METHODS = "-XX:-DontCompileHugeMethods"

# What a running session can take over as it is.
SESSION_SETTINGS = frozenset(
    {
        "spark.sql.adaptive.enabled",
        "spark.sql.ansi.enabled",
        "spark.sql.csv.parser.columnPruning.enabled",
        "spark.sql.files.maxPartitionBytes",
        "spark.sql.files.openCostInBytes",
        "spark.sql.session.timeZone",
        "spark.sql.shuffle.partitions",
    }
)
# What shapes EMR's workers. Here one process is driver and executors: these are read, checked, and mean nothing more.
WORKER_SETTINGS = frozenset(
    {
        "spark.driver.cores",
        "spark.driver.memory",
        "spark.executor.cores",
        "spark.executor.instances",
        "spark.executor.memory",
        "spark.executor.memoryOverhead",
        "spark.dynamicAllocation.enabled",
        "spark.dynamicAllocation.executorIdleTimeout",
        "spark.dynamicAllocation.initialExecutors",
        "spark.dynamicAllocation.maxExecutors",
        "spark.dynamicAllocation.minExecutors",
        "spark.emr-serverless.driver.disk",
        "spark.emr-serverless.executor.disk",
        "spark.speculation",
    }
)
# What the local session always has, with these values and no others (infra/setup/spark/session.py).
FIXED_SETTINGS = {
    "spark.hadoop.fs.s3a.performance.flags": "create,mkdir",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.variable.substitute": "false",
}
JAVA_SETTINGS = frozenset({"spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions"})
# Options that the local session starts its JVM with as well (infra/setup/spark/session.py).
JAVA_OPTIONS = frozenset({COMPILE_HUGE_METHODS, "-Duser.timezone=UTC"})
# Variables that a JVM reads as it starts; one that is compiled quickly has this, here all of the embedded stack's do.
JAVA_VARIABLES = ("spark.emr-serverless.driverEnv.JAVA_TOOL_OPTIONS", "spark.executorEnv.JAVA_TOOL_OPTIONS")
COMPILE_BRIEFLY = "-XX:TieredStopAtLevel=1"

# vCPU: least and most GB of one worker, docs.aws.amazon.com/emr/latest/EMR-Serverless-UserGuide/app-behavior.html
_WORKER_MEMORY = {1: (2, 8), 2: (4, 16), 4: (8, 30), 8: (16, 60), 16: (32, 120)}
# Spark asks for a tenth more than spark.*.memory, unless a setting names the amount, and EMR counts that in:
# docs.aws.amazon.com/emr/latest/EMR-Serverless-UserGuide/jobs-spark.html
_OVERHEAD = 0.1


@dataclass(frozen=True, slots=True)
class SparkParameters:
    """The set-up of a local session: archives and packages for the path, and settings."""

    py_files: tuple[str, ...]
    archives: tuple[str, ...]
    settings: Mapping[str, str]
    brief: bool = False
    """True if the JVMs compile quickly, not well."""


def read_parameters(text: str) -> SparkParameters:
    """Read --conf entries; raises ValidationException for a parameter or value that is on no list."""
    conf = _entries(text)
    allowed = (
        SESSION_SETTINGS
        | WORKER_SETTINGS
        | JAVA_SETTINGS
        | FIXED_SETTINGS.keys()
        | {PY_FILES, ARCHIVES, *PYTHON_PATHS, *JAVA_VARIABLES}
    )
    unknown = sorted(set(conf) - allowed)
    if unknown:
        raise ValidationException(f"The local EMR Serverless does not know the Spark parameter {unknown[0]}.")
    for name, value in FIXED_SETTINGS.items():
        if conf.get(name, value) != value:
            raise ValidationException(f"The local Spark has {name}={value}, not {conf[name]}.")
    for name in sorted(JAVA_SETTINGS):
        options = conf.get(name, "").split()
        if others := [option for option in options if option not in JAVA_OPTIONS]:
            raise ValidationException(f"The local EMR Serverless does not start its JVM with {others[0]} ({name}).")
        if COMPILE_HUGE_METHODS not in options:
            # Without it the job runs three times slower and nothing says why, so its absence is an error here.
            raise ValidationException(f"{name} lacks {COMPILE_HUGE_METHODS}.")
    for worker in ("driver", "executor"):
        cores = conf.get(f"spark.{worker}.cores", "4")
        memory = _gb(conf.get(f"spark.{worker}.memory", "14g"))
        overhead = _gb(conf.get(f"spark.{worker}.memoryOverhead", f"{memory * _OVERHEAD}g"))
        if not cores.isdigit() or int(cores) not in _WORKER_MEMORY:
            raise ValidationException(f"spark.{worker}.cores is {cores}; a worker has 1, 2, 4, 8 or 16.")
        least, most = _WORKER_MEMORY[int(cores)]
        if not least <= memory + overhead <= most:
            raise ValidationException(f"spark.{worker}.memory with its overhead must lie within {least} and {most} GB.")
    settings = {name: value for name, value in conf.items() if name in SESSION_SETTINGS}
    files = tuple(uri for uri in conf.get(PY_FILES, "").split(",") if uri)
    return SparkParameters(files, _archives(conf), settings, _is_brief(conf))


def _is_brief(conf: Mapping[str, str]) -> bool:
    """Return True if the JVMs of driver and executors compile quickly."""
    variables = {conf.get(name, "") for name in JAVA_VARIABLES}
    if variables not in ({""}, {COMPILE_BRIEFLY}):
        raise ValidationException(f"{' and '.join(JAVA_VARIABLES)} are both {COMPILE_BRIEFLY}, or not given.")
    return variables == {COMPILE_BRIEFLY}


def _archives(conf: Mapping[str, str]) -> tuple[str, ...]:
    """Return the archives of packages, which driver and executors must find where they are unpacked."""
    named = [archive.partition("#") for archive in conf.get(ARCHIVES, "").split(",") if archive]
    wanted = ":".join(f"./{folder}" for _, _, folder in named)
    for name in PYTHON_PATHS:
        if conf.get(name, "") != wanted:
            raise ValidationException(
                f"{name} is {conf.get(name)}; what {ARCHIVES} unpacks lies in {wanted or 'no folder'}."
            )
    return tuple(uri for uri, _, _ in named)


def _entries(text: str) -> dict[str, str]:
    words, conf = shlex.split(text), {}
    for flag, entry in zip(words[::2], [*words[1::2], ""], strict=False):
        name, equals, value = entry.partition("=")
        if flag != "--conf" or not equals:
            raise ValidationException(f"The local EMR Serverless reads --conf name=value only, not {flag} {entry}.")
        conf[name] = value
    return conf


def _gb(size: str) -> float:
    """Read a size in GB; a size in another unit is out of all bounds here."""
    gigabytes = re.fullmatch(r"(\d+(?:\.\d+)?)g", size, re.IGNORECASE)
    return float(gigabytes[1]) if gigabytes else math.inf
