"""Job runs on EMR Serverless: the Jobs port on a boto3 client.

Sources: EMR Serverless API (StartJobRun, GetJobRun, ListJobRuns), user guide "Spark jobs" and "Worker configurations".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from contracts.job import SMALL
from functions.aws.answers import asking, code
from functions.ports.jobs import FUNCTION, Reach, RunStatus

if TYPE_CHECKING:
    from mypy_boto3_emr_serverless import EMRServerlessClient

MIB = 1024**2
GIB = 1024**3
TIMEOUT_MINUTES = 120
PAGE = 50
"""The most runs that ListJobRuns tells of at once; it may be asked once a second (EMR Serverless API, and quotas)."""
MOST_POLICY = 2048
"""Characters of a run's policy (API reference, JobRunExecutionIamPolicy)."""

# HotSpot leaves methods of over 8,000 bytecodes as they are, and Spark generates such for many checks: 3 times slower.
JAVA_OPTIONS = "-XX:-DontCompileHugeMethods"
# With little to do a JVM spends most of its time on compiling; its first stage alone saves a sixth. A variable, because
# two options in one setting need quotes, which EMR's documents do not promise to read.
BRIEFLY = "-XX:TieredStopAtLevel=1"
JAVA_VARIABLES = ("spark.emr-serverless.driverEnv.JAVA_TOOL_OPTIONS", "spark.executorEnv.JAVA_TOOL_OPTIONS")
# Without these Hadoop looks for every folder above those that it makes, and the policy of the run forbids that.
S3A_FLAGS = "create,mkdir"
# The first wall in front of SQL texts, from a session's first moment on; the job has its own, too.
CLOSED = {
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.variable.substitute": "false",
}
PYTHON_PATHS = ("spark.emr-serverless.driverEnv.PYTHONPATH", "spark.executorEnv.PYTHONPATH")


@dataclass(frozen=True, slots=True)
class Workers:
    """Sizes of a run: vCPU and memory of driver and executors, and the number of executors.

    The driver's memory is without its tenth of overhead, the executors' memory without `overhead`, in which Python
    works.
    """

    driver_cores: int
    driver_memory: str
    cores: int
    memory: str
    overhead: str
    most: int


# By default overhead is a tenth (EMR Serverless user guide, "Understanding application behavior"). It holds what of the
# JVM is no heap, and Python: 100 MiB for each core that sifts, 530 where a batch has 64 MiB in many columns (measured).
# Workers are of whole GB: with this they are no larger than with a tenth.
SIZES: tuple[tuple[int, Workers], ...] = (
    (256 * MIB, Workers(2, "6g", 2, "5g", "2g", 1)),
    (1024 * MIB, Workers(2, "6g", 4, "13g", "3g", 2)),
)
"""Up to so many bytes of files, these workers."""
LARGEST = Workers(4, "14g", 4, "13g", "3g", 3)
"""16 vCPU in all: what a new account may use at a time."""


def workers_for(size: int) -> Workers:
    """Return the workers for so many bytes of files, within a bound, so that no run takes the whole application."""
    return next((workers for most, workers in SIZES if size <= most), LARGEST)


def disk_for(size: int) -> int:
    """Return the GB of disk of each executor for so many bytes of files.

    Shuffles of keys and the lines that do not pass surely stay there, no more than the files' bytes each; one more time
    is for executors that get more than others. EMR gives 20 to 200 GB (EMR Serverless user guide, "Understanding
    application behavior", worker configurations).
    """
    return min(max(math.ceil(3 * size / GIB / workers_for(size).most), 20), 200)


def spark_parameters(archive: str, size: int, packages: Mapping[str, str], *, brief: bool = False) -> str:
    """The `sparkSubmitParameters` of a run; `packages` are archives of packages for its Python, by folder.

    They are unpacked into each worker's own folder (EMR Serverless user guide, "Using Python libraries", "Spark jobs").
    The JVMs of a `brief` run compile quickly, not well.
    """
    workers = workers_for(size)
    conf = {
        "spark.submit.pyFiles": archive,
        "spark.hadoop.fs.s3a.performance.flags": S3A_FLAGS,
        **CLOSED,
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.driver.cores": workers.driver_cores,
        "spark.driver.memory": workers.driver_memory,
        "spark.executor.cores": workers.cores,
        "spark.executor.memory": workers.memory,
        "spark.executor.memoryOverhead": workers.overhead,
        "spark.emr-serverless.executor.disk": f"{disk_for(size)}G",
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.initialExecutors": 1,
        "spark.dynamicAllocation.maxExecutors": workers.most,
    }
    if brief:
        conf |= dict.fromkeys(JAVA_VARIABLES, BRIEFLY)
    if packages:
        conf["spark.archives"] = ",".join(f"{uri}#{folder}" for folder, uri in packages.items())
        conf |= dict.fromkeys(PYTHON_PATHS, ":".join(f"./{folder}" for folder in packages))
    return " ".join(f"--conf {name}={value}" for name, value in conf.items())


@dataclass(frozen=True, slots=True)
class JobCode:
    """The job's code and identity: application id, role ARN, URIs of the entry point and of the archive.

    `environment` is the archive of Great Expectations, `arrow` that of Arrow; None if the stack has none.
    """

    application: str
    role: str
    entry: str
    archive: str
    environment: str | None = None
    arrow: str | None = None

    def wanted(self, reach: Reach) -> dict[str, str]:
        """The archives of packages that a run needs, if the stack has them, by the folders that they are unpacked into.

        Without Great Expectations the job reports the checks that it cannot run; without Arrow it judges lines one by
        one.
        """
        asked = {"environment": (reach.expectations, self.environment), "arrow": (reach.arrow, self.arrow)}
        return {folder: uri for folder, (needed, uri) in asked.items() if needed and uri}

    def parameters(self, reach: Reach, size: int) -> str:
        """Return the parameters of a run for so many bytes; without Arrow all lines of larger files reach the JVM."""
        packages = self.wanted(reach)
        brief = reach.brief and (size < SMALL or "arrow" in packages)
        return spark_parameters(self.archive, size, packages, brief=brief)

    def policy(self, packages: Iterable[str], beginnings: Iterable[str], folders: Iterable[str]) -> str:
        """Return the policy of a run that reads packages and keys by their beginnings, and writes into folders."""
        partition = self.role.split(":")[1]

        def arn(uri: str) -> str:
            return f"arn:{partition}:s3:::{uri.removeprefix('s3://')}"

        code = [arn(uri) for uri in (self.entry, self.archive, *packages)]
        reads = [*code, *(f"{arn(beginning)}*" for beginning in beginnings)]
        writes = [name for folder in folders for name in (arn(folder).removesuffix("/"), f"{arn(folder)}*")]
        buckets = sorted({name.partition("/")[0] for name in (*reads, *writes)})
        writing = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
        statements = [
            {"Effect": "Allow", "Action": "s3:GetObject", "Resource": reads},
            {"Effect": "Allow", "Action": writing, "Resource": writes},
            {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": buckets},
            # Of which key and through whom, the role says.
            {"Effect": "Allow", "Action": ["kms:Decrypt", "kms:GenerateDataKey"], "Resource": "*"},
        ]
        return json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":"))


def run_policy(job: JobCode, reach: Reach) -> str:
    """The policy of one run: the run may do what both this and the role allow (StartJobRun, `executionIamPolicy`).

    A folder to be written is also named without its last `/`, because Hadoop asks for that name. Listing is left to the
    role, because Hadoop also asks for the folders above. Folders to be read are cut to the longest beginnings that fit.
    References are cut only if that is not enough, to the folders that contain them.
    """
    above = tuple(dict.fromkeys(folder.removesuffix("/").rpartition("/")[0] + "/" for folder in reach.references))
    for references in (reach.references, above):
        for kept in range(max(map(len, reach.reads)), 0, -1):
            beginnings = sorted({folder[:kept] for folder in reach.reads})
            policy = job.policy(job.wanted(reach).values(), (*beginnings, *references), reach.writes)
            if len(policy) <= MOST_POLICY:
                return policy
            if len(beginnings) == 1:
                break
    return policy


class EmrJobs:
    """Job runs on one application."""

    def __init__(self, client: EMRServerlessClient, job: JobCode) -> None:
        self._emr = client
        self._code = job

    def start(self, token: str, request: str, size: int, reach: Reach) -> str:
        with asking("emr-serverless"):
            return self._emr.start_job_run(
                applicationId=self._code.application,
                clientToken=token,
                name=token,
                executionRoleArn=self._code.role,
                executionIamPolicy={"policy": run_policy(self._code, reach)},
                executionTimeoutMinutes=TIMEOUT_MINUTES,
                retryPolicy={"maxAttempts": 1},
                jobDriver={
                    "sparkSubmit": {
                        "entryPoint": self._code.entry,
                        "entryPointArguments": ["--request", request],
                        "sparkSubmitParameters": self._code.parameters(reach, size),
                    }
                },
            )["jobRunId"]

    def find(self, token: str, since: datetime) -> str | None:
        with asking("emr-serverless"):
            pages = self._emr.get_paginator("list_job_runs").paginate(
                applicationId=self._code.application, createdAtAfter=since, PaginationConfig={"PageSize": PAGE}
            )
            runs = (run for page in pages for run in page["jobRuns"])
            return next((run["id"] for run in runs if run.get("name") == token), None)

    def status(self, run: str) -> RunStatus:
        if run.startswith(FUNCTION):
            return RunStatus("success")
        with asking("emr-serverless"):
            try:
                job_run = self._emr.get_job_run(applicationId=self._code.application, jobRunId=run)["jobRun"]
            except ClientError as error:
                if code(error) == "ResourceNotFoundException":
                    return RunStatus("failed", "the run is no longer known")
                raise
        if job_run["state"] == "SUCCESS":
            return RunStatus("success")
        if job_run["state"] in ("FAILED", "CANCELLED"):
            return RunStatus("failed", _why(job_run["state"], job_run["stateDetails"]), "startedAt" in job_run)
        return RunStatus("working")


def _why(state: str, details: str) -> str:
    """Return state and class of an error only: the rest of the text may quote a producer's rows."""
    error = re.search(r"\b(?:\w+\.)*[A-Z]\w*(?:Error|Exception)\b", details)
    return f"{state}: {error[0]}" if error else state
